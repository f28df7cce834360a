"""The clock of a source against ours, over simulated days: the ratio, and where a date is."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from attrs import field, frozen
from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.stream_offset import StreamOffset
from agents.stream_time import StreamEntry, place_at
from agents.streaming.noting import Moment, Noting
from agents.streaming.true_time import BLOCKS, TrueTime
from anet.media.timing import clock_for

START = 1_700_000_000
DAY = 86_400
PIECE = 600.0
RATE = 16_000  # bytes a second
BURST = 15.0


@frozen
class World:
    """A source and what lies between it and us.

    Attributes:
        ratio: seconds of signal that it makes in one of ours.
        jitter: seconds by which what comes is late, at most.
        stalls: how many there are in a day, of up to 30 seconds; then all comes at once.
        outage: seconds at which a connection is lost, and found again.
        steps: seconds at which the signal leaps by so many seconds, up or down.
    """

    ratio: float
    jitter: float = 0.0
    stalls: int = 0
    outage: tuple[int, int] | None = None
    steps: dict[int, float] = field(factory=dict)

    def connections(self) -> list[tuple[int, int]]:
        """Return from when to when we are connected."""
        if self.outage is None:
            return [(0, DAY)]
        return [(0, self.outage[0]), (self.outage[1], DAY)]

    def on_air(self, began: int, at: float) -> float:
        """Return how much signal of a connection is on the air at a time."""
        leaps = sum(leap for when, leap in self.steps.items() if began <= when <= at)
        return BURST + (at - began) * self.ratio + leaps

    def tides(self, began: int, ended: int) -> Iterator[tuple[int, float]]:
        """Yield the seconds of a connection at which something comes, and how much signal then."""
        chance, held, had = Random(began), 0.0, 0.0
        for at in range(began, ended):
            if chance.random() < self.stalls / DAY:
                held = at + chance.uniform(2, 30)
            leaping = any(when <= at < when - leap for when, leap in self.steps.items())
            late = chance.uniform(0, self.jitter)
            signal = self.on_air(began, at) - late * self.ratio
            if at >= held and not leaping and signal > had:
                had = signal
                yield at, signal


@frozen
class Piece:
    """A content: its key, the second at which its connection began, and its first moment."""

    content: str
    began: int
    first: Moment


@frozen
class Kept:
    """What is left of a day: entries, pieces, and the time of each connection."""

    entries: list[StreamEntry]
    pieces: list[Piece]
    times: list[TrueTime]


@cache
def record(name: str) -> Kept:
    """Listen to a world for a day, as an agent does."""
    world, kept = WORLDS[name], Kept([], [], [])
    for began, ended in world.connections():
        time = TrueTime(kept.times[-1].ratio if kept.times else 0.0)
        kept.times.append(time)
        noting, signal = Noting(30.0), 0.0
        begin(kept, noting, began, Moment(began, 0.0, 0))
        for at, signal in world.tides(began, ended):
            time.add(at, signal)
            moment = Moment(at, signal, int(signal * RATE))
            for noted in noting.take(moment):
                enter(kept, noted)
            if at - kept.pieces[-1].first.at >= PIECE and noting.is_on_time:
                enter(kept, moment)
                begin(kept, noting, began, moment)
        enter(kept, Moment(ended, signal, int(signal * RATE)))
    return kept


def begin(kept: Kept, noting: Noting, began: int, first: Moment) -> None:
    """Begin a piece with its first entry."""
    kept.pieces.append(Piece(f"{len(kept.pieces):064x}", began, first))
    noting.begin(first)
    enter(kept, first, later=2e-6)


def enter(kept: Kept, moment: Moment, later: float = 0.0) -> None:
    """Make an entry of a moment, which is later than the one before."""
    piece = kept.pieces[-1]
    milliseconds = round((moment.signal - piece.first.signal) * 1000)
    offset = StreamOffset(milliseconds, moment.byte - piece.first.byte)
    date = dates.from_timestamp(START + moment.at + later)
    if not kept.entries or kept.entries[-1].date < date:
        kept.entries.append(StreamEntry(date, piece.content, offset))


def signal_at(kept: Kept, at: float) -> float | None:
    """Return how much signal of its connection a date leads to."""
    found = place_at(kept.entries, dates.from_timestamp(START + at))
    piece = kept.pieces[int(found.content, 16)] if found else None
    return piece and found and piece.first.signal + found.offset.seconds


FAST, SLOW = 1.001, 0.999
WORLDS = {
    "fast": World(FAST),
    "slow": World(SLOW),
    "fast, with jitter and stalls": World(FAST, jitter=2.0, stalls=150),
    "slow, with jitter and stalls": World(SLOW, jitter=2.0, stalls=150),
    "fast, with an outage": World(FAST, jitter=1.0, stalls=50, outage=(40_000, 41_000)),
    "slow, with an outage": World(SLOW, jitter=1.0, stalls=50, outage=(40_000, 41_000)),
    "fast, with steps": World(FAST, jitter=1.0, stalls=50, steps={20_000: -30.0, 60_000: 30.0}),
    "slow, with steps": World(SLOW, jitter=1.0, stalls=50, steps={20_000: -30.0, 60_000: -30.0}),
}
each_world = pytest.mark.parametrize("name", WORLDS)


@each_world
def test_any_date_of_a_day_leads_to_its_second(name: str) -> None:
    """Through entries every 30 seconds, whatever the source's clock and the network do."""
    world, kept = WORLDS[name], record(name)
    chance = Random(7)
    worst = 0.0
    for at in (chance.uniform(3, DAY - 60) for _ in range(5000)):
        began, ended = next(each for each in reversed(world.connections()) if each[0] <= at)
        if at >= ended - 60 or at < began + 3:
            continue  # what came last may be in no entry; at first a burst comes
        if any(when - 2 <= at <= when + abs(leap) + 2 for when, leap in world.steps.items()):
            continue  # the signal itself is not there
        found = signal_at(kept, at)
        assert found is not None, at
        worst = max(worst, abs(found - world.on_air(began, at)))
    assert worst < 1.0
    assert len(kept.entries) < 1.2 * DAY / 25


@each_world
def test_the_ratio_is_that_of_the_source(name: str) -> None:
    """To a hundred-thousandth after a day, or after half of one."""
    ratio = WORLDS[name].ratio
    for time in record(name).times:
        assert time.ratio == pytest.approx(ratio, abs=1e-5)
        assert time.error < 1e-4
        assert time.second_in == pytest.approx(1 / (ratio - 1), rel=0.02)


def test_dates_of_an_outage_lead_nowhere() -> None:
    """Nothing is made up where nothing came."""
    kept = record("fast, with an outage")
    assert [signal_at(kept, at) for at in (40_001, 40_500, 40_999)] == [None] * 3
    assert signal_at(kept, 41_010) == pytest.approx(25.0, abs=1.0)


def test_skew_and_buffer_are_told_apart() -> None:
    """What a server sent ahead at the beginning is none of what its clock gains in a day."""
    for name, skew in (("fast", 86.4), ("slow", -86.4)):
        (time,) = record(name).times
        assert time.skew == pytest.approx(skew, abs=0.2)
        assert time.ahead == pytest.approx(BURST, abs=0.2)


def test_a_burst_is_ahead_and_no_skew() -> None:
    """As the paper shows it: 15 seconds are buffered, while the source is slow."""
    time = TrueTime()
    time.add(0.0, 0.0)
    for second in range(1, 3000):
        time.add(second, 15.3 + second * 0.99694)
    assert time.ahead == pytest.approx(15.3, abs=0.2)
    assert time.ratio == pytest.approx(0.99694, abs=1e-6)
    assert time.second_in == pytest.approx(-326.8, abs=0.2)  # "-1 sec / 5 min 26.7 sec"
    assert time.signal_of(4000) == pytest.approx(15.3 + 4000 * 0.99694, abs=0.01)
    assert time.real_of(time.signal_of(4000)) == pytest.approx(4000)


def test_a_network_that_holds_up_drains_the_buffer() -> None:
    """And is no skew, as long as what was held up comes in the end."""
    time = TrueTime()
    time.add(0.0, 0.0)
    for second in range(1, 1000):
        time.add(second, 10.0 + second)
    time.add(1020.0, 1010.5)
    assert time.ahead == pytest.approx(-9.5, abs=0.1)
    assert time.skew == pytest.approx(0.0, abs=0.1)


def test_nothing_is_told_before_there_is_enough() -> None:
    """But what the connection before told is."""
    fresh, again = TrueTime(), TrueTime(prior=1.0005)
    assert (fresh.ratio, fresh.skew, fresh.ahead, fresh.second_in) == (0.0, 0.0, 0.0, 0.0)
    for second in range(200):
        fresh.add(second, second * 1.002)
        again.add(second, second * 1.002)
    assert fresh.ratio == 0.0
    assert again.ratio == 1.0005
    for second in range(200, 600):
        again.add(second, second * 1.002)
    assert again.ratio == pytest.approx(1.002, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), max_size=300))
def test_any_points_tell_something(points: list[tuple[float, float]]) -> None:
    """In any order, however far apart."""
    time = TrueTime()
    for real, signal in points:
        time.add(real, signal)
        assert time.ratio >= 0.0
        assert abs(time.skew) <= 1e7
        assert abs(time.ahead) <= 1e7
    assert len(time._blocks) <= BLOCKS


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=200))
def test_entries_are_moments_in_their_order(steps: list[tuple[float, float]]) -> None:
    """Each is one that was seen, later than the one before and further on."""
    noting, at, signal = Noting(30.0), 0.0, 0.0
    noting.begin(Moment(0.0, 0.0, 0))
    seen, noted = [], [Moment(0.0, 0.0, 0)]
    for later, more in steps:
        at, signal = at + later, signal + more
        seen.append(Moment(at, signal, int(signal * RATE)))
        noted += noting.take(seen[-1])
    assert set(noted[1:]) <= set(seen)
    for before, after in zip(noted, noted[1:], strict=False):
        assert before.at < after.at
        assert before.signal <= after.signal


@pytest.mark.parametrize("ratio", [FAST, SLOW])
def test_a_day_of_mp3_through_its_bytes(ratio: float) -> None:
    """The time is read in frames; each second some come, as the source's clock has it."""
    frame = b"\xff\xfb\x94\x00" + bytes(380)  # 128 kbit/s at 48 kHz: 24 ms
    loop = frame * 1000
    clock, time, noting = clock_for("audio/mpeg", loop[:8192]), TrueTime(), Noting(30.0)
    noting.begin(Moment(0.0, 0.0, 0))
    noted = [Moment(0.0, 0.0, 0)]
    for at in range(DAY):
        more = int((BURST + at * ratio) * RATE) - clock.position
        start = clock.position % len(frame)
        clock.feed(loop[start : start + more])
        time.add(at, clock.seconds)
        noted += noting.take(Moment(at, clock.seconds, clock.boundary))
    assert time.ratio == pytest.approx(ratio, abs=1e-5)
    chance, entries = Random(3), [entry_of(moment) for moment in noted]
    for at in (chance.uniform(3, DAY - 60) for _ in range(2000)):
        found = place_at(entries, dates.from_timestamp(START + at))
        assert found is not None
        assert found.offset.byte * 100 / RATE == pytest.approx(BURST + at * ratio, abs=1.0)


def entry_of(moment: Moment) -> StreamEntry:
    """Return the entry of a moment of a day, in a hundredth of the bytes: a piece is no day."""
    offset = StreamOffset(int(moment.signal * 10), moment.byte // 100)
    return StreamEntry(dates.from_timestamp(START + moment.at), "c" * 64, offset)
