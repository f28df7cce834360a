"""Files with serial names are whole when they have their names."""

import os
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.formats.serial import Serial, SerialFiles, Written

SERIAL = Serial("NLX", "20261122031500", ".warc.gz")
FIRST = "NLX-20261122031500-00001.warc.gz"

groups = st.lists(st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=3), max_size=20)


def names(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@given(groups, st.integers(1, 100), st.binary(max_size=20))
def test_every_record_is_where_it_is_said_to_be(
    tmp_path_factory: pytest.TempPathFactory, records: list[list[bytes]], limit: int, begin: bytes
) -> None:
    """Files hold the records in order and nothing else; groups stay together; limits are kept."""
    folder = tmp_path_factory.mktemp("serial")
    with SerialFiles(folder, SERIAL, lambda _name: [begin], limit) as files:
        placed = [files.write(*([part] for part in group)) for group in records]
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    for group, places in zip(records, placed, strict=True):
        assert len({place.file for place in places}) == 1
        found = [contents[p.file][p.offset : p.offset + p.length] for p in places]
        assert found == group
    order = sorted(contents)
    assert order == [SERIAL.name(number) for number in range(1, len(contents) + 1)]
    written = b"".join(contents[name].removeprefix(begin) for name in order)
    assert written == b"".join(part for group in records for part in group)
    for name in order:
        inside = sum(places[0].file == name for places in placed)
        assert len(contents[name]) <= limit or inside == 1


def test_a_file_has_its_name_when_it_is_whole(tmp_path: Path) -> None:
    """What is being written ends with .open, and is called whole after it has been renamed."""
    finished: list[tuple[str, list[str]]] = []
    files = SerialFiles(
        tmp_path, SERIAL, limit=10, finished=lambda p: finished.append((p.name, names(tmp_path)))
    )
    assert files.write([b"1234", b"5678"]) == [Written(FIRST, 0, 8)]
    assert names(tmp_path) == [FIRST + ".open"]
    assert files.write([b"abcdefgh"]) == [Written(FIRST.replace("1.w", "2.w"), 0, 8)]
    assert [name for name, _ in finished] == [FIRST]
    assert FIRST in finished[0][1]
    files.close()
    assert names(tmp_path) == [FIRST, FIRST.replace("1.w", "2.w")]


def test_files_are_synced_before_they_are_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name without .open never stands for bytes that a loss of power takes away."""
    steps: list[str] = []
    sync, rename = os.fsync, Path.rename
    monkeypatch.setattr(os, "fsync", lambda fd: (steps.append("sync"), sync(fd))[1])
    monkeypatch.setattr(Path, "rename", lambda a, b: (steps.append("rename"), rename(a, b))[1])
    with SerialFiles(tmp_path, SERIAL) as files:
        files.write([b"record"])
    assert steps == ["sync", "rename", "sync"]


def test_a_record_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    """The file goes on as if a group had never been begun when one of its records cannot be had."""

    def broken() -> object:
        yield b"half"
        raise OSError("gone")

    with SerialFiles(tmp_path, SERIAL) as files:
        files.write([b"first"])
        with pytest.raises(OSError, match="gone"):
            files.write([b"whole"], broken())
        assert files.write([b"next"]) == [Written(FIRST, 5, 4)]
    assert (tmp_path / FIRST).read_bytes() == b"firstnext"


def test_what_a_killed_run_left_is_removed_and_its_serials_gone_on_with(tmp_path: Path) -> None:
    """Whole files stay, open ones of the same run go, and others are not touched."""
    other = "OTHER-20261122031500-00001.warc.gz.open"
    (tmp_path / other).touch()
    files = SerialFiles(tmp_path, SERIAL, limit=1)
    files.write([b"one"])
    files.write([b"two"])
    assert SERIAL.discard_open(tmp_path) == [tmp_path / (SERIAL.name(2) + ".open")]
    assert names(tmp_path) == [FIRST, other]
    whole = SERIAL.whole(tmp_path)
    assert whole == {1: tmp_path / FIRST}
    with SerialFiles(tmp_path, SERIAL, serials=count(max(whole) + 1)) as again:
        assert again.write([b"two"]) == [Written(SERIAL.name(2), 0, 3)]


def test_several_share_a_folder_by_sharing_serials(tmp_path: Path) -> None:
    """No two writers ever have one name."""
    serials = count(1)
    with (
        SerialFiles(tmp_path, SERIAL, limit=1, serials=serials) as one,
        SerialFiles(tmp_path, SERIAL, limit=1, serials=serials) as other,
    ):
        for _ in range(3):
            one.write([b"x"])
            other.write([b"y"])
    assert list(SERIAL.whole(tmp_path)) == [1, 2, 3, 4, 5, 6]


def test_no_file_is_written_over(tmp_path: Path) -> None:
    """A serial that was used already is an error, not a loss."""
    (tmp_path / FIRST).write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        SerialFiles(tmp_path, SERIAL).write([b"x"])
    assert (tmp_path / FIRST).read_bytes() == b"kept"


def test_an_error_of_the_caller_leaves_no_half_file(tmp_path: Path) -> None:
    """Leaving the writer by an exception removes what is open."""
    with pytest.raises(RuntimeError), SerialFiles(tmp_path, SERIAL) as files:
        files.write([b"x"])
        raise RuntimeError
    assert names(tmp_path) == []


@pytest.mark.parametrize("prefix", ["", "../up", "a/b", ".hidden", "a b", "a\n"])
def test_a_prefix_is_part_of_a_name(prefix: str) -> None:
    """Nothing that would leave the folder, hide or break a list of names."""
    with pytest.raises(ValueError, match="prefix"):
        Serial(prefix, "20261122031500", ".warc").name(1)
