"""The file of readers: what is written is read again, and nothing else is taken."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.consultation.access import credentials
from agents.consultation.access.credentials import (
    FILE,
    Proof,
    add_reader,
    read_readers,
    remove_reader,
)
from agents.consultation.errors import ReadersDamaged

LINE = "anna:$scrypt$ln=15,r=8,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g"


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """Let scrypt cost little."""
    monkeypatch.setattr(credentials, "_COST", 10)


def test_readers_come_and_go(tmp_path):
    """The file is the owner's alone, names are sorted, and a password is changed by adding anew."""
    assert read_readers(tmp_path) == {}
    assert add_reader(tmp_path, "zoe", "correct horse") is True
    assert add_reader(tmp_path, "anna@example.org", "pässwörter") is True
    path = tmp_path / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert "horse" not in path.read_text() and path.read_text().startswith("anna@")
    readers = read_readers(tmp_path)
    assert readers["zoe"].holds(b"correct horse") and not readers["zoe"].holds(b"correct hors")
    assert readers["anna@example.org"].holds("pässwörter".encode())
    assert add_reader(tmp_path, "zoe", "battery staple") is False
    assert not read_readers(tmp_path)["zoe"].holds(b"correct horse")
    assert remove_reader(tmp_path, "zoe") is True
    assert remove_reader(tmp_path, "zoe") is False
    assert list(read_readers(tmp_path)) == ["anna@example.org"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("", "long enough"), ("a:b", "long enough"), ("192.0.2.1", "long enough"),
        ("é", "long enough"),
        ("a b", "long enough"), ("a" * 101, "long enough"), ("a\n", "long enough"),
        ("a", "short"), ("a", "x" * 1001), ("a", "line\nline line"),
    ],
)  # fmt: skip
def test_what_browsers_cannot_send_is_refused(tmp_path, name, password):
    """Names go into logs, and a colon ends them."""
    with pytest.raises(ReadersDamaged):
        add_reader(tmp_path, name, password)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "line",
    [
        "anna", "anna:plain", LINE.replace("ln=15", "ln=30"), LINE.replace("ln=15", "ln=1"),
        LINE.replace("r=8", "r=99"), LINE.replace("$c2F", "$c2F="), LINE.replace("anna", "a na"),
        LINE + "!", "é" + LINE,
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_named(tmp_path, line):
    """Costs that would stop the agent are not taken either."""
    (tmp_path / FILE).write_text(f"# readers\n\n{LINE}\n{line}\n")
    with pytest.raises(ReadersDamaged, match="readers:4: "):
        read_readers(tmp_path)


def test_a_file_without_end_is_not_read(tmp_path):
    """It has a limit, before it is read."""
    (tmp_path / FILE).write_bytes(b"#" * (credentials.SIZE_LIMIT + 1))
    with pytest.raises(ReadersDamaged, match="more than"):
        read_readers(tmp_path)


@given(st.binary(max_size=300))
def test_any_bytes_are_readers_or_damaged(tmp_path_factory, data):
    """Nothing else is raised, whatever the file holds."""
    folder = tmp_path_factory.mktemp("any")
    (folder / FILE).write_bytes(data)
    with suppress(ReadersDamaged):
        assert all(isinstance(proof, Proof) for proof in read_readers(folder).values())


@settings(max_examples=20, deadline=None)
@given(st.text("abcäöλ 日!:", min_size=8, max_size=30))
def test_a_password_proves_itself_alone(password):
    """Each is right, and another is not."""
    proof = Proof.of(password)
    assert proof.holds(password.encode()) and not proof.holds(password.encode() + b"x")
