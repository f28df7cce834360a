"""Any date of a reception leads to its second, whatever the network and the media do."""

from random import Random

import pytest
from attrs import define

from agents import dates
from agents.stream_offset import StreamOffset
from agents.stream_time import StreamEntry, place_at
from anet.media.errors import StreamBroken
from tests.agents.streaming.conftest import RATE, Air, FakeClock, FakePiece, FakeSource

BURST = 15


@define
class Rare(FakeClock):
    """Media that may be cut each eight seconds, where pictures can be begun with."""

    @property
    def boundary(self) -> int:
        return self.position - self.position % (8 * RATE)


@define
class Lost(FakeClock):
    """Media that become something else, of which no time can be told."""

    upto: int = 40 * RATE

    @property
    def boundary(self) -> int:
        return min(self.position, self.upto)


@define
class Late(FakeClock):
    """Media before which comes what tells no time."""

    after: int = 45 * RATE

    @property
    def boundary(self) -> int:
        return self.position if self.position > self.after else 0

    @property
    def seconds(self) -> float:
        return max(0, self.boundary - self.after) / RATE


def signal_at(pieces: list[FakePiece], at: float) -> float | None:
    """Return the second of signal to which a date leads, by its byte; None for none."""
    entries, starts, start = [], {}, 0
    for number, piece in enumerate(pieces):
        content = f"{number:064x}"
        starts[content], start = start, start + piece.size
        places = [(piece.beginning.at, StreamOffset(0, 0)), *piece.entries]
        if piece.ending is not None:
            places.append((piece.ending[0], StreamOffset(piece.ending[1], piece.size)))
        for number, (when, offset) in enumerate(places):
            # The recorder sees to it that dates go forward.
            entries.append(StreamEntry(dates.from_timestamp(when + number * 1e-6), content, offset))
    found = place_at(entries, dates.from_timestamp(at))
    return None if found is None else (starts[found.content] + found.offset.byte) / RATE


def worst(air: Air, began: float, ended: float, lead: float) -> float:
    """Return by how much dates miss what was on the air, at worst."""
    chance, pieces = Random(11), air.recorder.pieces
    missed = [0.0]
    for at in (chance.uniform(began, ended) for _ in range(2000)):
        found = signal_at(pieces, at)
        assert found is not None, at
        missed.append(abs(found - (at + lead)))
    return max(missed)


def hear(air: Air, source: FakeSource, seconds: int, stalls: dict[int, int]) -> None:
    """Let a source be on the air; in a stall little comes, and all that was held up behind it."""
    held, until = 0.0, 0
    for second in range(seconds):
        until = second + stalls[second] if second in stalls else until
        came = 0.1 if second < until else held + 1
        held += 1 - came
        source.put(came)
        air.pass_by(1)


@pytest.mark.parametrize("stall", [50, 57, 59, 60, 61, 65])
def test_a_stall_around_a_turn_misleads_no_date(air: Air, stall: int) -> None:
    """A piece does not end while what comes is late, for its end is an entry."""
    source = FakeSource()
    air.listen(source, seconds=60.0)
    air.pass_by(1)
    source.put(BURST)
    hear(air, source, 400, {stall: 20, 200: 15})
    first = air.recorder.pieces[0].beginning.at
    assert len(air.recorder.pieces) >= 5
    assert worst(air, first + 1, first + 340, BURST + 1 - first) <= 1.0


def test_a_piece_ends_though_all_that_comes_is_late(air: Air) -> None:
    """Patience has an end: a network that has become slower for good does not hold it open."""
    source = FakeSource()
    air.listen(source, seconds=60.0)
    air.pass_by(1)
    source.put(BURST)
    hear(air, source, 58, {})
    for _ in range(200):  # less and less in time
        source.put(0.8)
        air.pass_by(1)
    assert len(air.recorder.pieces) >= 2
    assert air.recorder.pieces[0].ending is not None
    assert air.recorder.pieces[0].ending[0] - air.recorder.pieces[0].beginning.at <= 122


def test_a_turn_is_dated_by_when_its_boundary_came(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of media that may be cut each eight seconds, seven can have come since."""
    monkeypatch.setattr("agents.streaming.reception.clock_for", lambda *_: Rare())
    source = FakeSource()
    air.listen(source, seconds=61.0)
    air.pass_by(1)
    source.put(BURST)
    hear(air, source, 400, {})
    first = air.recorder.pieces[0].beginning.at
    assert len(air.recorder.pieces) >= 5
    assert worst(air, first + 10, first + 340, BURST + 1 - first) <= 1.05


def test_media_whose_time_cannot_be_told_any_more_are_begun_anew(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a station goes over to another codec: the next reception finds out which."""
    clocks = [FakeClock(), Lost()]
    monkeypatch.setattr("agents.streaming.reception.clock_for", lambda *_: clocks.pop())
    first, second = FakeSource(), FakeSource()
    air.listen(first, second)
    air.pass_by(1)
    hear(air, first, 40, {})
    air.pass_by(305, first)
    air.pass_by(10, second)
    before, after = air.recorder.pieces[0], air.recorder.pieces[-1]
    assert before.ending is not None
    assert before.ending[2] == "break: its time cannot be told any more"
    assert after.beginning.gap is not None
    assert after.size > 0


def test_what_tells_no_time_at_first_keeps_its_dates(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a picture of the station in a tag, which is longer than it should be."""
    monkeypatch.setattr("agents.streaming.reception.clock_for", lambda *_: Late())
    source = FakeSource()
    air.listen(source)
    air.pass_by(1)
    hear(air, source, 200, {})
    first = air.recorder.pieces[0].beginning.at
    assert worst(air, first + 1, first + 170, 1 - first) <= 1.05


def test_a_clock_that_is_set_dates_nothing_wrong(air: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after this machine slept, or was set, has dates by the new clock at once."""
    first, second = FakeSource(), FakeSource()
    air.listen(first, second)
    air.pass_by(1)
    hear(air, first, 20, {})
    asleep = 1000.0
    monkeypatch.setattr("agents.streaming.reception.wall", lambda clock: clock.seconds() + asleep)
    air.pass_by(2, first)
    air.pass_by(20, second)
    before, after = air.recorder.pieces
    assert before.ending is not None
    assert before.ending[0] < 25
    assert after.beginning.at > asleep


@define(eq=False)
class Stubborn(FakeSource):
    """A source that fails also while it is let go."""

    def close(self) -> None:
        raise RuntimeError("it will not let go")


@pytest.mark.parametrize("heard", [0, 5])
def test_a_source_that_cannot_be_closed_costs_its_reception_only(air: Air, heard: int) -> None:
    """What came is kept, and the stream is opened anew."""
    first, second = Stubborn(), FakeSource()
    air.listen(first, second)
    air.pass_by(1)
    air.pass_by(heard, first)
    first.error = StreamBroken("the server closed")
    air.pass_by(5)
    air.pass_by(5, second)
    assert len(air.opened) == 2
    assert air.recorder.pieces[-1].size == 5 * RATE
    assert all(piece.ending is not None for piece in air.recorder.pieces[:-1])


def test_a_relay_that_restarts_each_minute_is_heard_all_the_same(air: Air) -> None:
    """Each time a second or two are lost, as the gaps say, and no more from time to time."""
    sources = [FakeSource() for _ in range(20)]
    air.listen(*sources)
    for number in range(20):
        air.pass_by(50, sources[number])
        sources[number].error = StreamBroken("the relay restarts")
        air.pass_by(3)
    assert len(air.recorder.pieces) == 20
    gaps = [piece.beginning.gap for piece in air.recorder.pieces[1:]]
    assert all(gap is not None and gap.why == "the relay restarts" for gap in gaps)
