"""What imports into a target have done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.archive.importing.captures import Found, Repeat
from agents.archive.importing.state import FileState, ImportState, StateFailed

IDENTITY, OTHER = "ab" * 32, "cd" * 32
DIGEST = ("sha1", bytes(20))


def repeat(offset: int) -> Repeat:
    """Return a revisit that waits."""
    capture = Found(
        "http://a.example/", "20200101000000000000", "", 0, 200, b"HTTP/1.1 200\r\n\r\n"
    )
    return Repeat(capture, [DIGEST], offset=offset)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[ImportState]:
    """Give a state that is new."""
    state = ImportState(tmp_path)
    yield state
    state.close()


def test_files_of_one_name_are_told_apart(state: ImportState) -> None:
    """Each has its own state, and one that is noted again has the last."""
    assert state.files("a.warc") == []
    state.note("a.warc", FileState(IDENTITY, 4096, next=5))
    state.note("a.warc", FileState(OTHER, 4096, next=7))
    state.note("b.warc", FileState(OTHER, 4096, next=9))
    state.note("a.warc", FileState(IDENTITY, 4096, next=6, size=10))
    assert sorted(each.next for each in state.files("a.warc")) == [6, 7]
    state.note("\udcff" * 300, FileState(OTHER, 1))
    assert len(state.files("\udcff" * 300)) == 1


def test_contents_are_known_by_digests(state: ImportState, tmp_path: Path) -> None:
    """Of files that were noted, of the slice at hand, and after opening it again."""
    assert state.known([DIGEST], {}) is None
    assert state.known([DIGEST], {b"sha1:" + bytes(20): (OTHER, 3)}) == (OTHER, 3)
    state.note("a", FileState(IDENTITY, 1), [(b"sha1:" + bytes(20), IDENTITY, 5)])
    assert state.known([("md5", bytes(16)), DIGEST], {}) == (IDENTITY, 5)
    state.learn([("md5", bytes(16))], OTHER, 6)
    state.close()
    again = ImportState(tmp_path)
    assert again.known([("md5", bytes(16))], {}) == (OTHER, 6)
    again.close()


def test_revisits_wait_until_they_are_settled(state: ImportState) -> None:
    """Each once, however often it is noted; page by page."""
    file = FileState(IDENTITY, 1)
    many = [repeat(offset) for offset in range(1200)]
    state.note("a", file, pending=many)
    state.note("a", file, pending=many[:10], settled=many[10:20])
    found, after = [], b""
    while page := state.pending(after):
        found += [each.offset for _, each in page]
        after = page[-1][0]
    assert found == [*range(10), *range(20, 1200)]
    state.settle([key for key, _ in state.pending()])
    assert state.pending()[0][1] == many[510]


def test_a_state_that_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    """It names its folder, and what taking that away costs."""
    (tmp_path / "data.mdb").write_bytes(b"nonsense" * 2000)
    with pytest.raises(StateFailed, match=str(tmp_path)):
        ImportState(tmp_path)


def test_damage_at_the_end_is_forgotten_when_a_file_has_grown() -> None:
    """It is read again from there."""
    file = FileState(IDENTITY, 1, next=5, size=9, damage=2, told=["first", "last"], torn=True)
    file.go_on()
    assert (file.damage, file.told, file.size, file.torn) == (1, ["first"], -1, False)
