"""What is new in windows of live media."""

from hypothesis import given
from hypothesis import strategies as st

from anet.media.segments import Progress, Resource, Segment, Window


def segment(number: int, duration: float = 2.0, name: str = "s") -> Segment:
    """Return a segment by its number."""
    return Segment(number, number + 1, Resource(f"{name}{number}.ts"), duration)


def window(first: int, count: int, name: str = "s", epoch: str = "") -> Window:
    """Return so many segments from a number on."""
    return Window([segment(first + place, name=name) for place in range(count)], epoch)


@given(
    moves=st.lists(st.integers(0, 12), max_size=40),
    size=st.integers(1, 8),
    first=st.integers(0, 10**12),
)
def test_each_segment_is_told_once_or_missing(moves: list[int], size: int, first: int) -> None:
    """However a window moves on, each segment is new once, and all others are counted missing."""
    progress, told, missing = Progress(1e9), [], 0.0
    for move in [0, *moves]:
        first += move
        step = progress.read(window(first, size), 0.0)
        assert not step.restarted
        told += [each.number for each in step.new]
        missing += step.missing
    assert told == sorted(set(told))
    assert told[-1] == first + size - 1
    assert missing == 2.0 * (told[-1] - told[0] + 1 - len(told))


def test_only_the_end_of_a_long_window_is_taken_first() -> None:
    """So many seconds of the past are taken as is wanted, and one segment at least."""
    assert [each.number for each in Progress(5.0).read(window(0, 100), 0.0).new] == [98, 99]
    assert [each.number for each in Progress(0.0).read(window(0, 100), 0.0).new] == [99]


def test_an_older_window_is_of_a_cache_for_a_while() -> None:
    """What goes back a little brings nothing; when it stays behind, the source began anew."""
    progress = Progress(60.0)
    progress.read(window(10, 4), 0.0)
    assert not progress.read(window(9, 4), 1.0).new
    assert not progress.read(window(10, 4), 2.0).new
    assert not progress.read(window(9, 4), 3.0).restarted
    step = progress.read(window(9, 4), 8.0)
    assert step.restarted
    assert len(step.new) == 4


def test_a_sequence_that_begins_anew_is_taken_anew() -> None:
    """By numbers from before the window, by other names for the same numbers, by another epoch."""
    for again in (window(0, 2), window(11, 4, name="t"), window(12, 4, epoch="later")):
        progress = Progress(60.0)
        progress.read(window(10, 4), 0.0)
        step = progress.read(again, 1.0)
        assert step.restarted
        assert list(step.new) == list(again.segments)
        assert step.missing == 0.0


def test_tokens_in_urls_change_nothing() -> None:
    """A segment is the same whatever follows the question mark, and in whatever folder."""
    progress = Progress(60.0)
    progress.read(Window([Segment(1, 2, Resource("/a/s1.ts?token=1"), 2.0)]), 0.0)
    step = progress.read(
        Window(
            [
                Segment(1, 2, Resource("/b/s1.ts?token=2"), 2.0),
                Segment(2, 3, Resource("/b/s2.ts?token=2"), 2.0),
            ]
        ),
        1.0,
    )
    assert (step.restarted, [each.number for each in step.new]) == (False, [2])


def test_times_that_are_rounded_leave_no_hole() -> None:
    """Numbers that are times may be off by less than half a segment."""
    progress = Progress(60.0)
    progress.read(Window([Segment(0, 1000, Resource("0"), 1.0)]), 0.0)
    assert progress.read(Window([Segment(1003, 2003, Resource("1"), 1.0)]), 1.0).missing == 0.0
    step = progress.read(Window([Segment(4003, 5003, Resource("4"), 1.0)]), 4.0)
    assert step.missing == 2.0


def test_nothing_is_new_in_an_empty_window() -> None:
    """A list without segments says nothing, also first."""
    progress = Progress(60.0)
    assert not progress.read(Window([]), 0.0).new
    progress.read(window(3, 1), 1.0)
    assert not progress.read(Window([]), 2.0).restarted


def test_ranges_are_asked_for() -> None:
    """A part of a file is asked for by its first and last byte."""
    assert Resource("a", 10, 5).range == b"bytes=10-14"
    assert Resource("a").range == b""
