"""Members of zip files."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import damaged, zipped

from agents.parsers import zip_members
from agents.parsers.zip_members import ZipMembers

_BODY = zipped({"a.xml": "a" * 100_000, "b/c.xml": b"\0\xff"})


def read(members: ZipMembers, name: str) -> bytes:
    """Return what can be read of a member."""
    return b"".join(members.read(name))


def test_members() -> None:
    """Members are read by name, in pieces; what is not there is empty."""
    members = ZipMembers(_BODY)
    assert list(members.names) == ["a.xml", "b/c.xml"]
    assert read(members, "a.xml") == b"a" * 100_000
    assert read(members, "b/c.xml") == b"\0\xff"
    assert read(members, "nothing") == b""
    assert not members.truncated


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All members together give no more than the limit, whatever sizes the file claims."""
    monkeypatch.setattr(zip_members, "INFLATED_LIMIT", 150_000)
    members = ZipMembers(zipped({"a": b"a" * 100_000, "b": b"b" * 100_000, "c": b"c"}))
    assert len(b"".join(read(members, name) for name in "abc")) <= 150_000
    assert members.truncated


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods(method: int) -> None:
    """Methods that can't be inflated within a limit are not read."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a", "a")
    members = ZipMembers(file.getvalue())
    assert read(members, "a") == b""
    assert members.truncated


def test_no_zip_file() -> None:
    """What is no zip file has no members."""
    members = ZipMembers(b"PK\x03\x04 and nothing more")
    assert not members.names
    assert members.truncated


@given(damaged(_BODY) | st.binary(max_size=200))
def test_any_bytes(body: bytes) -> None:
    """No bytes raise."""
    members = ZipMembers(body)
    for name in members.names:
        read(members, name)
