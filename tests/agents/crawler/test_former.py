"""What a former crawl had, read from its files."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.crawler.errors import BadFormer
from agents.crawler.former import Former, Signatures


def leave(folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files of a former crawl with these contents by URL."""
    keys = {url: sha256(body).hexdigest() for url, body in contents.items()}
    (folder / "signatures").write_text("".join(f"{key}\n" for key in sorted(set(keys.values()))))
    lines = [json.dumps({"url": url, "content": key, "more": 1}) for url, key in keys.items()]
    (folder / "structure").write_text("".join(f"{line}\n" for line in lines))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=3), max_size=30))
def test_knows_and_change(tmp_path: Path, contents: dict[str, bytes]) -> None:
    """Contents are known, URLs unchanged, changed or new."""
    leave(tmp_path, contents)
    former = Former.load(tmp_path)
    assert former.urls == len(contents)
    for url, body in contents.items():
        digest = sha256(body).digest()
        assert former.knows(digest)
        assert former.change(url, digest) == "unchanged"
        assert former.change(url, sha256(b"long enough").digest()) == "changed"
        assert former.change(url + "/other/url", digest) == "new"
    assert not former.knows(sha256(b"long enough").digest())
    former.close()


def test_no_former(tmp_path: Path) -> None:
    """A first crawl knows nothing."""
    former = Former.load(tmp_path)
    assert not former.knows(b"\0" * 32)
    assert former.change("u", b"\0" * 32) == "new"
    former.close()


@pytest.mark.parametrize(
    ("name", "text"),
    [("signatures", "short"), ("structure", "{"), ("structure", '{"url":"u","content":"zz"}'),
     ("structure", '{"url":"u"}')],
)  # fmt: skip
def test_damaged_files(tmp_path: Path, name: str, text: str) -> None:
    """A file that can't be read is named."""
    leave(tmp_path, {"u": b"x"})
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFormer, match=name):
        Former.load(tmp_path)


def test_missing_structure(tmp_path: Path) -> None:
    """Signatures without a structure are no former crawl."""
    leave(tmp_path, {"u": b"x"})
    (tmp_path / "structure").unlink()
    with pytest.raises(BadFormer):
        Former.load(tmp_path)


def test_empty_signatures(tmp_path: Path) -> None:
    """A crawl without contents has an empty file."""
    (tmp_path / "signatures").touch()
    assert b"\0" * 32 not in Signatures(tmp_path / "signatures")
