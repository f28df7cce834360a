"""Structure files: written in any order, torn at any byte, read by binary search."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.capture import Capture, structure_key
from agents.dates import to_datetime
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.append import Marks, StructureWrite, read_mark
from agents.storage.disk.commit import DiskWriter
from agents.storage.disk.copies import captures_of, nearest_of
from agents.storage.disk.durable import Folders, SyncSet
from agents.storage.disk.layout import Layout
from agents.storage.disk.lines import SIZE
from agents.storage.disk.structures import find_nearest, read_captures, url_of
from agents.storage.errors import DamagedStructure

URL = "http://a.example/é"
KEY = structure_key(URL)

captures = st.builds(
    Capture,
    url=st.just(URL),
    date=st.integers(0, 40).map(lambda second: f"202601010000{second:02}000000"),
    content=st.sampled_from(["0" * 64, "1" * 64, "f" * 64]),
    size=st.integers(0, 99),
    status=st.just(200),
    head=st.binary(max_size=20),
    origin=st.text(max_size=5),
)


class Disk:
    """A disk written without workers."""

    def __init__(self, root: Path) -> None:
        self.layout = Layout(root)
        self.layout.prepare()
        additions = AdditionsLog(self.layout.additions)
        additions.open([])
        self.writer = DiskWriter(self.layout, additions)
        self.marks, self.folders = Marks(self.layout), Folders()

    def append(self, *batches: Sequence[Capture]) -> list[object]:
        """Write each batch as a write of its own, all in one commit."""
        return self.writer.commit(
            [StructureWrite(self.layout, self.folders, self.marks, batch) for batch in batches]
        )

    def read(self) -> list[Capture]:
        """Return all captures of URL."""
        return list(read_captures(self.layout, KEY))


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    """Give an empty disk."""
    return Disk(tmp_path)


def _once(wanted: Sequence[Capture]) -> dict[tuple[str, str], Capture]:
    found: dict[tuple[str, str], Capture] = {}
    for capture in wanted:
        found.setdefault((capture.date, capture.content), capture)
    return found


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(captures, min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
def test_appends_make_a_sorted_set(batches: list[list[Capture]], together: bool) -> None:
    """However captures come, the file holds each once, sorted, with its own head."""
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder))
        if together:
            disk.append(*batches)
        else:
            for batch in batches:
                disk.append(batch)
        read = disk.read()
        wanted = {(each.date, each.content) for batch in batches for each in batch}
        assert [(each.date, each.content) for each in read] == sorted(wanted)
        given_ = [each for batch in batches for each in batch]
        assert all(each in given_ for each in read)
        count, mark = read_mark(disk.layout, KEY)
        assert disk.marks.of(KEY) == (count, mark) and count == len(wanted)


@settings(deadline=None, max_examples=40)
@given(st.lists(captures, min_size=1, max_size=5), st.data())
def test_a_torn_tail_is_cut_at_the_next_append(found: list[Capture], data: st.DataObject) -> None:
    """Whatever a crash leaves of the last line and of the heads, what was whole stays whole."""
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder))
        disk.append(found)
        whole = disk.read()
        path = disk.layout.captures(KEY)
        torn = data.draw(st.integers(0, SIZE - 1))
        with path.open("ab") as file:
            file.write(path.read_bytes()[:torn])
        with disk.layout.heads(KEY).open("ab") as file:
            file.write(data.draw(st.binary(max_size=30)))
        assert disk.read() == whole
        late = evolve(found[0], date="20250101000000000000", head=b"late")
        again = Disk(Path(folder))
        assert again.append([late]) == [1]
        assert again.read() == [late, *whole]


def test_a_repeated_append_changes_nothing(disk: Disk, make_capture) -> None:
    """Recording the same captures again writes no byte into the structure file."""
    found = [make_capture(URL, day) for day in (1, 2, 3)]
    assert disk.append(found) == [3]
    before = disk.layout.captures(KEY).read_bytes(), disk.layout.heads(KEY).read_bytes()
    assert disk.append(found) == [0]
    assert (disk.layout.captures(KEY).read_bytes(), disk.layout.heads(KEY).read_bytes()) == before


def test_a_first_line_torn_in_the_heads_is_written_again(disk: Disk, make_capture) -> None:
    """A crash while the heads were made does not keep the URL out for ever."""
    heads = disk.layout.heads(KEY)
    heads.parent.mkdir(parents=True)
    heads.write_bytes(b"dlweb-struct")
    assert disk.append([make_capture(URL)]) == [1]
    assert url_of(disk.layout, KEY) == URL
    assert disk.read() == [make_capture(URL)]


def test_heads_that_no_line_points_at_mean_nothing(disk: Disk, make_capture) -> None:
    """A write that is killed between heads and lines leaves such; repeated, it is as if never.

    The first is left as it is, for nothing in a file of heads is ever changed.
    """
    first, second = make_capture(URL), make_capture(URL, 2)
    for killed in (first, second):
        StructureWrite(disk.layout, disk.folders, disk.marks, [killed]).stage(
            SyncSet(disk.layout.root)
        )
        before = disk.layout.heads(KEY).read_bytes()
        disk = Disk(disk.layout.root)
        assert killed not in disk.read()
        assert disk.append([killed]) == [1]
        assert disk.layout.heads(KEY).read_bytes().startswith(before)
    assert disk.read() == [first, second]


def test_heads_of_another_url_are_not_written_into(disk: Disk, make_capture) -> None:
    """A file that names another URL is left alone, and the caller told."""
    disk.append([make_capture(URL)])
    heads = disk.layout.heads(KEY)
    heads.write_bytes(b"dlweb-structure 1 http://b.example/\n" + heads.read_bytes())
    (outcome,) = disk.append([make_capture(URL, 2)])
    assert isinstance(outcome, DamagedStructure)


@settings(deadline=None, max_examples=60)
@given(st.lists(captures, min_size=1, max_size=8), st.integers(0, 59))
def test_the_nearest_is_what_a_plain_search_finds(found: list[Capture], second: int) -> None:
    """Binary search finds a capture as near as any, and names its neighbours."""
    date = f"202601010000{second:02}500000"
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder))
        disk.append(found)
        nearest = find_nearest(disk.layout, KEY, date)
        assert nearest is not None
        moment = to_datetime(date)
        gaps = [abs(to_datetime(each.date) - moment) for each in found]
        assert abs(to_datetime(nearest.capture.date) - moment) == min(gaps)
        read = disk.read()
        index = read.index(nearest.capture)
        assert nearest.previous == (read[index - 1].date if index else None)
        assert nearest.next == (read[index + 1].date if index + 1 < len(read) else None)
        assert (nearest.first, nearest.last) == (read[0].date, read[-1].date)
        assert nearest.count == len(read)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(captures, min_size=1, max_size=8),
    st.lists(captures, min_size=1, max_size=8),
    st.integers(0, 59),
)
def test_copies_on_two_disks_are_read_as_one(
    one: list[Capture], two: list[Capture], second: int
) -> None:
    """Of a structure file that two disks have, the union is searched and listed."""
    date = f"202601010000{second:02}000000"
    with tempfile.TemporaryDirectory() as folder:
        first, other, both = (Disk(Path(folder, name)) for name in "abc")
        first.append(one)
        other.append(two)
        both.append(one + two)
        layouts = [first.layout, other.layout]
        places = [(each.date, each.content) for each in both.read()]
        assert [(each.date, each.content) for each in captures_of(layouts, KEY)] == places
        for exact in (False, True):
            wanted = find_nearest(both.layout, KEY, date, exact=exact)
            found = nearest_of(layouts, KEY, date, exact=exact)
            assert (wanted is None) == (found is None)
            if wanted is not None and found is not None:
                capture = evolve(found.capture, **_own_words(wanted.capture))
                assert evolve(found, capture=capture) == wanted


def _own_words(capture: Capture) -> dict[str, object]:
    """Return what copies of the same capture may say differently."""
    return {
        name: getattr(capture, name) for name in ("size", "status", "head", "origin", "metadata")
    }


def test_exact_and_range(disk: Disk, make_capture) -> None:
    """A date is found exactly or not at all; a range gives what lies in it, both ends included."""
    disk.append([make_capture(URL, day) for day in range(1, 10)])
    dates = [make_capture(URL, day).date for day in range(10)]
    assert find_nearest(disk.layout, KEY, dates[3], exact=True) is not None
    assert find_nearest(disk.layout, KEY, "20260103000000000000", exact=True) is None
    found = read_captures(disk.layout, KEY, dates[3], dates[5])
    assert [each.date for each in found] == dates[3:6]
    assert find_nearest(disk.layout, "0" * 64, dates[1]) is None


def test_reading_takes_few_reads_of_a_long_file(disk: Disk, make_capture, monkeypatch) -> None:
    """A lookup among a thousand captures reads some kilobytes, not the file."""
    first = make_capture(URL)
    dates = [f"20260101{hour:02}{n:04}000000" for hour in range(24) for n in range(0, 6000, 100)]
    disk.append([evolve(first, date=date) for date in dates])
    read = 0
    real = os.pread

    def counting(descriptor: int, size: int, offset: int) -> bytes:
        nonlocal read
        read += size
        return real(descriptor, size, offset)

    monkeypatch.setattr(os, "pread", counting)
    assert find_nearest(disk.layout, KEY, "20260101002000000000") is not None
    assert read < 5000
