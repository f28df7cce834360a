"""Zip files from anybody are read in bounds."""

import struct
from copy import copy
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wacz_files import zipped

from anet.formats import zip_members
from anet.formats.zip_members import BadMember, NotZip, ZipMembers


def causes(path: Path) -> list[str]:
    """Return what is told of the members of a file that are not read."""
    with ZipMembers(path) as members:
        return [problem.cause for problem in members.problems]


def test_members_are_read_where_they_lie(tmp_path: Path) -> None:
    """What is stored is a part of the file, what is packed is unpacked; any byte can be had."""
    contents = {"a/stored": b"0123456789" * 1000, "a/packed": b"abcdefghij" * 1000, "../up": b"x"}
    path = zipped(tmp_path / "a.zip", contents, frozenset(["a/packed"]))
    with ZipMembers(path) as members:
        assert members.problems == []
        for name, content in contents.items():
            member = members.get(name)
            assert member is not None
            assert b"".join(members.pieces(member)) == content
            with members.file(member) as file:
                assert file.read(7) == content[:7]
                file.seek(5)
                assert file.read() == content[5:]
                assert file.seek(0, 2) == len(content)
            if member.stored:
                assert path.read_bytes()[member.begin : member.end] == content


def changed(path: Path, old: bytes, new: bytes) -> Path:
    """Change bytes of a file wherever they are."""
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    """Nobody is asked for a password; the others are read."""
    path = zipped(tmp_path / "a.zip", {"a": b"x", "b": b"y"})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)
    assert causes(path) == ["'a' is encrypted"]
    with ZipMembers(path) as members:
        assert [member.name for member in members.members] == ["b", "datapackage.json"]


def test_a_bomb_is_told_and_not_unpacked(tmp_path: Path) -> None:
    """A member that would grow beyond measure is left out by what the table says of it."""
    path = zipped(tmp_path / "a.zip", {"a": bytes(30_000_000)}, frozenset("a"))
    assert causes(path) == ["'a' would grow more than 200 times"]


def test_a_member_that_lies_about_its_size_is_bounded(tmp_path: Path) -> None:
    """No more is unpacked than the table says, and the lie is told."""
    path = zipped(tmp_path / "a.zip", {"a": bytes(30_000_000)}, frozenset("a"))
    changed(path, struct.pack("<I", 30_000_000), struct.pack("<I", 1000))
    with ZipMembers(path) as members:
        member = members.get("a")
        assert member is not None
        read = 0
        with pytest.raises(BadMember):
            for piece in members.pieces(member):
                read += len(piece)
        assert read <= 1000


def test_members_over_each_other_are_told(tmp_path: Path) -> None:
    """The same bytes do not count twice: a small file cannot be read for ever."""
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("a", b"x" * 100)
        first = archive.infolist()[0]
        for number in range(5):
            again = copy(first)
            again.filename = again.orig_filename = f"again{number}"
            archive.filelist.append(again)
    assert len([cause for cause in causes(path) if "lies over" in cause]) == 5


def test_a_way_of_packing_that_is_not_known_is_told(tmp_path: Path) -> None:
    """Stored and deflated are what the specification has."""
    path = tmp_path / "a.zip"
    with ZipFile(path, "w", ZIP_LZMA) as archive:
        archive.writestr("a", b"x" * 100)
    assert causes(path) == ["'a' is packed in a way that is not known here"]


def test_a_table_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is read in one piece, and so may not be of any size."""
    path = zipped(tmp_path / "a.zip", {f"{number}": b"" for number in range(2000)})
    with ZipMembers(path) as members:
        assert len(members.members) == 2001
    monkeypatch.setattr(zip_members, "TABLE_LIMIT", 70_000)
    with pytest.raises(NotZip, match="table of members"):
        ZipMembers(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip file", b"PK\5\6" + bytes(17)])
def test_what_is_no_zip_file_is_told(tmp_path: Path, content: bytes) -> None:
    """Whatever it is, one error says so."""
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(NotZip):
        ZipMembers(path)


@given(st.data())
def test_any_damage_is_told_and_nothing_else_happens(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Bytes changed or cut anywhere give problems, bad members, or no zip file; never more."""
    folder = tmp_path_factory.mktemp("zip")
    contents = {"a": b"stored " * 20, "b": b"packed " * 20}
    content = bytearray(zipped(folder / "a.zip", contents, frozenset("b")).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(len(content) // 2, len(content))) :]
    (folder / "a.zip").write_bytes(content)
    try:
        with ZipMembers(folder / "a.zip") as members:
            for member in members.members:
                try:
                    whole = b"".join(members.pieces(member))
                    assert len(whole) == member.size
                except BadMember:
                    continue
    except NotZip:
        return


@pytest.mark.parametrize("place", [b"\xff" * 4, b"\0\0\0\x7f"])
def test_a_member_that_lies_nowhere_is_told(tmp_path: Path, place: bytes) -> None:
    """A table that points before, or behind, the file is no reason to fail."""
    path = zipped(tmp_path / "a.zip", {"a": b"x"})
    content = bytearray(path.read_bytes())
    table = content.index(b"PK\1\2")
    content[table + 42 : table + 46] = place
    path.write_bytes(content)
    assert causes(path) == ["'a' is not where the table says"]
