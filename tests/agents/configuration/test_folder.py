"""The archive's folder and its secret."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agents.configuration import private_folder, secret


def test_the_folder_is_its_owners_alone(tmp_path: Path) -> None:
    """A folder that we make lets nobody else in."""
    folder = private_folder(tmp_path / "a" / "b")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    """The first to ask makes the secret; all others read it; only the owner may."""
    first = secret(tmp_path / "archive")
    assert secret(tmp_path / "archive") == first
    assert len(first) >= 32
    assert (tmp_path / "archive" / "secret").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["secret"]


def test_agents_that_start_at_once_agree(tmp_path: Path) -> None:
    """Of several who come at the same moment one makes the secret and all read the same."""
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: secret(tmp_path / "archive"), range(64)))
    assert len(found) == 1
