"""Contents wait between a worker and the store."""

import errno
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.archive.importing import spool
from agents.archive.importing.spool import SliceFolder, Spool, SpoolFailed, contents_of, reached


@given(st.lists(st.binary(max_size=3000), max_size=30), st.lists(st.binary(max_size=99)))
def test_what_is_written_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, small: list[bytes], large: list[bytes]
) -> None:
    """Each content once, in the pack or in a file of its own, under its SHA-256."""
    path = tmp_path_factory.mktemp("spool") / "slice"
    folder = SliceFolder(path)
    for data in small:
        assert folder.add(data) == sha256(data).hexdigest()
    for data in large:
        folder.write(iter([data[:7], data[7:]]))
    folder.close()
    found = dict(contents_of(path, list(folder.places.values())))
    bodies = {
        key: body.read_bytes() if isinstance(body, Path) else bytes(body)
        for key, body in found.items()
    }
    assert bodies == {sha256(data).hexdigest(): data for data in [*small, *large]}


def test_a_pack_that_lost_its_end_is_not_loaded(tmp_path: Path) -> None:
    """What is stored unhashed has at least the bytes that were hashed."""
    folder = SliceFolder(tmp_path / "slice")
    folder.add(b"content")
    folder.close()
    os.truncate(tmp_path / "slice" / "pack", 6)
    with pytest.raises(SpoolFailed, match="shorter"):
        contents_of(tmp_path / "slice", list(folder.places.values()))


def test_a_content_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    """What could not be read to its end is no content."""

    def torn() -> Any:
        yield b"half"
        raise ValueError("torn")

    folder = SliceFolder(tmp_path / "slice")
    with pytest.raises(ValueError, match="torn"):
        folder.write(torn())
    assert not folder.places
    assert sorted(path.name for path in (tmp_path / "slice").iterdir()) == ["at", "pack"]


def test_how_far_a_worker_was_is_known_whatever_became_of_it(tmp_path: Path) -> None:
    """The number is there as soon as it is written, and before there is one nothing is."""
    assert reached(tmp_path / "slice") is None
    folder = SliceFolder(tmp_path / "slice")
    assert reached(tmp_path / "slice") is None
    for offset in (0, 7, 1 << 40):
        folder.reached(offset)
        assert reached(tmp_path / "slice") == offset


def test_a_full_disk_is_told_with_its_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing pretends to be written; the message names the folder."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = SliceFolder(tmp_path / "slice")
    monkeypatch.setattr(spool.os, "writev", full)
    folder.add(b"body")
    with pytest.raises(SpoolFailed, match="No space left"):
        folder.close()


def test_a_pack_is_written_whole_though_the_system_takes_it_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that writes less than it was given is followed by another."""
    write = os.writev
    monkeypatch.setattr(
        spool.os, "writev", lambda file, parts: write(file, [bytes(parts[0])[:5] or parts[0]])
    )
    folder = SliceFolder(tmp_path / "slice")
    bodies = [b"0123456789", b"abcdefg", b"", b"xyz"]
    for body in bodies:
        folder.add(body)
    folder.close()
    assert (tmp_path / "slice" / "pack").read_bytes() == b"".join(bodies)


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """A spool is swept by the next one, unless its process lives."""
    (tmp_path / "17" / "3").mkdir(parents=True)
    with Spool(tmp_path) as first, Spool(tmp_path) as second:
        assert not (tmp_path / "17").exists()
        assert first.path != second.path and first.path.is_dir() and second.path.is_dir()
    assert not list(tmp_path.iterdir())


def test_the_note_of_a_worker_has_its_room_from_the_first(tmp_path: Path) -> None:
    """A hole that is written through memory when the disk is full ends the worker with a signal."""
    folder = SliceFolder(tmp_path / "slice")
    assert (tmp_path / "slice" / "at").stat().st_blocks
    folder.close()
