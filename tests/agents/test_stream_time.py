"""A date leads to a place in a content, or to a gap."""

from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.stream_offset import StreamOffset
from agents.stream_time import StreamEntry, place_at

START = 1_700_000_000.0
FIRST, SECOND = "a" * 64, "b" * 64


def entry(seconds: float, content: str, milliseconds: int, byte: int) -> StreamEntry:
    """Return an entry so many seconds after the start."""
    return StreamEntry(
        dates.from_timestamp(START + seconds), content, StreamOffset(milliseconds, byte)
    )


HEARD = [
    entry(0, FIRST, 0, 0),
    entry(30, FIRST, 31_000, 496_000),
    entry(60, FIRST, 60_000, 960_000),
    entry(90, SECOND, 0, 0),
    entry(120, SECOND, 30_000, 480_000),
]


def where(seconds: float, entries: list[StreamEntry] = HEARD) -> StreamEntry | None:
    """Return the place of a date."""
    return place_at(entries, dates.from_timestamp(START + seconds))


def test_a_date_between_two_entries_is_between_their_places() -> None:
    """In the same part of the signal and of the bytes."""
    assert where(15) == entry(15, FIRST, 15_500, 248_000)
    assert where(45) == entry(45, FIRST, 45_500, 728_000)


def test_the_date_of_an_entry_is_its_place() -> None:
    """At the beginning, in the middle, and at the end of a content."""
    assert [where(seconds) for seconds in (0, 30, 60, 90, 120)] == HEARD


def test_nothing_is_found_where_nothing_came_in() -> None:
    """Before the first entry, between two contents, after the last."""
    assert [where(seconds) for seconds in (-1, 75, 121)] == [None, None, None]
    assert where(0, []) is None


def test_a_content_that_came_twice_does_not_fill_the_time_between() -> None:
    """Its end and its beginning are no two places of one piece."""
    again = [entry(100, FIRST, 0, 0), entry(160, FIRST, 60_000, 960_000)]
    assert where(80, HEARD[:3] + again) is None
    assert where(130, HEARD[:3] + again) == entry(130, FIRST, 30_000, 480_000)


def test_two_agents_that_receive_at_once_hide_nothing_of_each_other() -> None:
    """As while a stream moves from one to another: what either received is found."""
    other = [entry(50, SECOND, 0, 0), entry(80, SECOND, 30_000, 480_000)]
    both = sorted([*HEARD[:3], *other], key=lambda each: each.date)
    assert where(40, both) == entry(40, FIRST, 40_666, 650_666)
    for seconds in (50, 55, 59, 60, 61, 79):
        found = where(seconds, both)
        assert found is not None, seconds
        if found.content == SECOND:
            assert found == entry(seconds, SECOND, (seconds - 50) * 1000, (seconds - 50) * 16_000)
    assert where(81, both) is None


STEPS = st.tuples(
    st.integers(1, 10**8), st.integers(0, 60_000), st.integers(0, 10**6), st.booleans()
)


@st.composite
def histories(draw: st.DrawFn) -> list[StreamEntry]:
    """What a stream may leave: contents of a few entries, with and without gaps."""
    found: list[StreamEntry] = []
    microseconds = milliseconds = byte = number = 0
    for later, longer, more, new in draw(st.lists(STEPS, max_size=20)):
        microseconds += later
        milliseconds, byte = (0, 0) if new else (milliseconds + longer, byte + more)
        number += new
        found.append(entry(microseconds / 1e6, f"{number:064x}", milliseconds, byte))
    return found


@given(histories(), st.integers(0, 2 * 10**9))
def test_a_place_lies_between_those_around_it(history: list[StreamEntry], when: int) -> None:
    """Never outside what came between the two entries, never in another content."""
    date = dates.from_timestamp(START + when / 1e6)
    found = place_at(history, date)
    before = [each for each in history if each.date <= date]
    after = [each for each in history if each.date >= date]
    if found is None:
        assert not before or not after or before[-1].content != after[0].content
        return
    assert found.date == date
    assert {found.content} == {before[-1].content, after[0].content}
    low, high = before[-1].offset, after[0].offset
    assert low.byte <= found.offset.byte <= high.byte
    assert low.milliseconds <= found.offset.milliseconds <= high.milliseconds


@given(histories(), st.integers(0, 2 * 10**9), st.integers(0, 2 * 10**9))
def test_later_is_never_before(history: list[StreamEntry], one: int, other: int) -> None:
    """In one content, what came later lies further on."""
    early, late = (where(moment / 1e6, history) for moment in sorted((one, other)))
    if early and late and early.content == late.content:
        assert early.offset.byte <= late.offset.byte
        assert early.offset.milliseconds <= late.offset.milliseconds


@given(histories(), st.data())
def test_the_entries_around_a_date_suffice(history: list[StreamEntry], data: st.DataObject) -> None:
    """So that a reader need not fetch all of a year's."""
    date = dates.from_timestamp(START + data.draw(st.integers(0, 2 * 10**9)) / 1e6)
    before = [each for each in history if each.date <= date]
    after = [each for each in history if each.date > date]
    assert place_at(before[-1:] + after[:1], date) == place_at(history, date)
