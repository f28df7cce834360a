"""One stream, listened to for as long as it is wanted."""

import pytest
from pytest_twisted import ensureDeferred

from agents import dates
from agents.stream import OrderedStream, StreamNews, StreamState
from agents.streaming.opening import Manifest
from agents.streaming.recording import DiskBehind
from anet.media.errors import MediaError, StreamBroken, StreamEnded, StreamRefused
from tests.agents.streaming.conftest import RATE, URL, Air, FakeSource, described


def test_each_second_what_came_is_written(air: Air) -> None:
    """A tide goes by once a second, and nothing waits for the next."""
    source = FakeSource()
    listening = air.listen(source)
    air.pass_by(1)
    air.pass_by(10, source)
    [piece] = air.recorder.pieces
    assert piece.size == 10 * RATE
    assert not source.coming
    status = listening.status()
    assert (status.doing, status.received, status.rate) == ("receiving", 10 * RATE, 8 * RATE)
    assert status.signal == 10.0
    assert 9.0 <= status.real < 10.0
    assert status.state.name == "Radio 404"


def test_time_is_noted_at_its_interval(air: Air) -> None:
    """Real time and signal time are logged together, *at regular intervals* (INA §1.6)."""
    source = FakeSource()
    air.listen(source, log_interval=30.0)
    air.pass_by(1)
    air.pass_by(121, source)
    [piece] = air.recorder.pieces
    begun = piece.beginning.at
    assert [round(at - begun) for at, _ in piece.entries] == [0, 30, 60, 90, 120]
    for at, offset in piece.entries:
        assert abs(offset.seconds - (at - begun + 1)) < 0.1
        assert offset.byte == offset.milliseconds


def test_a_burst_is_noted_at_once(air: Air) -> None:
    """What a server held and sends at once does not spoil the dates of what follows."""
    source = FakeSource()
    air.listen(source)
    source.put(15)
    air.pass_by(2)
    air.pass_by(40, source)
    [piece] = air.recorder.pieces
    after, later = piece.entries[:2]
    assert after[1].milliseconds == 15_000
    assert after[0] - piece.beginning.at < 1
    assert abs((later[1].seconds - after[1].seconds) - (later[0] - after[0])) < 0.1


def test_pieces_are_closed_where_they_may_be_cut(air: Air) -> None:
    """Each ends at a boundary, the next begins there, and no byte is lost."""
    source = FakeSource()
    listening = air.listen(source, seconds=60.0)
    air.pass_by(1)
    for _ in range(150):
        source.put(1.033)
        air.pass_by(1)
    pieces = air.recorder.pieces
    assert [piece.beginning.number for piece in pieces] == [1, 2, 3]
    assert sum(piece.size for piece in pieces) == listening.status().received == 150 * 1033
    for piece in pieces[:2]:
        assert piece.size % 100 == 0
        assert piece.ending is not None
        assert piece.ending[2] == "time"
        assert abs(piece.ending[1] - piece.size) <= 1
    assert pieces[1].beginning.preamble == b"preamble"
    assert {piece.beginning.session for piece in pieces} == {pieces[0].beginning.session}
    assert listening.status().pieces == 2


def test_large_pieces_are_closed(air: Air) -> None:
    """Of a stream of many bits a second pieces are shorter."""
    source = FakeSource()
    air.listen(source, size=2**16)
    air.pass_by(1)
    air.pass_by(100, source)
    assert [piece.size for piece in air.recorder.pieces] == [66_000, 34_000]
    assert air.recorder.pieces[0].ending[2] == "size"


def test_titles_are_told_with_their_place(air: Air) -> None:
    """A title stands at its byte, with the time calculated from the signal, and the real date."""
    source = FakeSource()
    listening = air.listen(source)
    air.pass_by(1)
    air.pass_by(10, source)
    source.put(0.5)
    source.say("Raoul Petite - Fou de toi")
    source.put(0.5)
    air.pass_by(1)
    [piece] = air.recorder.pieces
    [(at, offset, title)] = piece.titles
    assert title == "Raoul Petite - Fou de toi"
    assert (offset.milliseconds, offset.byte) == (10_500, 10_500)
    assert abs(at - air.clock.seconds()) < 1.1
    assert listening.status().titles == 1
    air.pass_by(5, source)
    assert air.news[-1].state.title == title
    assert [event.text for event in listening.history.titles] == [title]


def test_a_title_before_the_first_byte_is_kept(air: Air) -> None:
    """What is said before any media stands at the beginning."""
    source = FakeSource()
    air.listen(source)
    air.pass_by(1)
    source.say("first")
    air.pass_by(2)
    source.put(1)
    air.pass_by(1)
    [piece] = air.recorder.pieces
    assert [(offset.byte, title) for _, offset, title in piece.titles] == [(0, "first")]


def test_a_break_is_a_gap(air: Air) -> None:
    """What follows is a new session, which says from when to when nothing came, and why."""
    first, second = FakeSource(), FakeSource()
    listening = air.listen(first, MediaError("no such mount"), second)
    air.pass_by(1)
    air.pass_by(10, first)
    last = air.clock.seconds()
    first.error = StreamBroken("the server closed")
    air.pass_by(10)
    air.pass_by(5, second)
    before, after = air.recorder.pieces
    assert first.closed
    assert before.ending is not None
    assert before.ending[2] == "break: the server closed"
    gap = after.beginning.gap
    assert gap is not None
    assert gap.why == "the server closed"
    assert abs(_seconds(gap.since) - last) < 1.1
    assert gap.until == after.beginning.session == after.beginning.date
    assert _seconds(gap.until) - _seconds(gap.since) > 9
    assert after.beginning.number == 1
    assert air.outcomes == ["receiving", "broken", "failing", "receiving"]
    assert listening.status().gaps == 1
    assert [event.text for event in listening.history.gaps] == ["the server closed"]


def test_waits_grow_until_it_is_received_for_a_while(air: Air) -> None:
    """A server that has nothing is asked less and less often."""
    sources = [FakeSource(), FakeSource()]
    air.listen(*[MediaError("not now")] * 4, *sources)
    air.pass_by(20)
    waits = [late - early for early, late in zip(air.opened, air.opened[1:], strict=False)]
    assert [round(wait) for wait in waits] == [1, 2, 4, 8]
    assert air.news[-1].state.failures == 4
    air.pass_by(20)
    air.pass_by(90, sources[0])
    sources[0].error = StreamBroken("broke off")
    air.pass_by(4)
    assert len(air.opened) == 6
    assert air.opened[-1] - air.opened[-2] < 120


def test_a_server_that_asks_for_rest_gets_it(air: Air) -> None:
    """`Retry-After` counts where it is longer than our own wait."""
    air.listen(StreamRefused("503", rest=50.0))
    air.pass_by(48)
    assert len(air.opened) == 1
    air.pass_by(3)
    assert len(air.opened) == 2


def test_what_is_gone_is_told(air: Air) -> None:
    """The scheduler hears that a server says it never will give the stream again."""
    air.listen(StreamRefused("410", gone=True))
    air.pass_by(2)
    assert air.news[0].outcome == "gone"
    assert air.news[0].state.problem == "410"


def test_what_is_over_is_told_and_tried_again(air: Air) -> None:
    """A radio that ends for the night comes back in the morning."""
    first, second = FakeSource(), FakeSource()
    air.listen(first, second)
    air.pass_by(1)
    air.pass_by(3, first)
    first.error = StreamEnded("good night")
    air.pass_by(5)
    air.pass_by(3, second)
    assert air.outcomes == ["receiving", "ended", "receiving"]


def test_silence_is_a_break(air: Air) -> None:
    """A source that says nothing for long is given up, whatever its protocol thinks."""
    source = FakeSource()
    air.listen(source)
    air.pass_by(1)
    air.pass_by(5, source)
    air.pass_by(33)
    assert air.recorder.pieces[0].ending[2] == "break: nothing came for 30 seconds"


def test_a_source_without_a_byte_is_a_failure(air: Air) -> None:
    """Of what never came nothing is recorded, and no gap is told."""
    source = FakeSource()
    air.listen(source)
    source.error = StreamBroken("the server closed")
    air.pass_by(3)
    assert not air.recorder.pieces
    assert air.outcomes == ["failing"]
    assert source.closed


def test_whatever_goes_wrong_with_one_reception_another_begins(air: Air) -> None:
    """A fault in what reads a format costs a break, and not the stream."""
    first, second = FakeSource(), FakeSource()
    listening = air.listen(first, second)
    air.pass_by(1)
    air.pass_by(2, first)
    first.error = RuntimeError("nobody thought of that")
    air.pass_by(5)
    air.pass_by(2, second)
    assert listening.status().doing == "receiving"
    assert air.recorder.pieces[0].ending[2] == "break: nobody thought of that"


def test_whatever_goes_wrong_in_opening_it_is_tried_again(air: Air) -> None:
    """A fault in what reads a playlist costs an attempt, and not the stream."""
    source = FakeSource()
    listening = air.listen(RecursionError("nobody thought of that"), source)
    air.pass_by(3)
    air.pass_by(2, source)
    assert air.outcomes == ["failing", "receiving"]
    assert listening.status().doing == "receiving"


def test_a_disk_that_is_full_is_a_break(air: Air) -> None:
    """What cannot be kept is not pretended to be heard."""
    first, second = FakeSource(), FakeSource()
    air.listen(first, second)
    air.pass_by(1)
    air.pass_by(2, first)
    first.error = DiskBehind("the disk is full")
    air.pass_by(5)
    assert air.outcomes[-1] == "broken"


def test_an_agent_that_comes_back_tells_the_gap(air: Air) -> None:
    """What another listened to last, or this one before it was stopped, is gone on from there."""
    heard = dates.from_timestamp(-100.0)
    source = FakeSource()
    air.listen(source, ordered=OrderedStream(URL, "radio.example", StreamState(heard=heard)))
    air.pass_by(1)
    air.pass_by(2, source)
    gap = air.recorder.pieces[0].beginning.gap
    assert gap is not None
    assert gap.since == heard
    assert gap.why == "the agent was not listening"


def test_it_is_kept_under_the_url_where_it_was_found(air: Air) -> None:
    """Behind a playlist it is what the playlist names, as for any reader."""
    source = FakeSource(described("http://other.example:8000/stream"))
    air.listen(source)
    air.pass_by(1)
    air.pass_by(2, source)
    assert air.recorder.pieces[0].beginning.stream == "http://other.example:8000/stream"
    assert air.news[0].stream == URL
    assert air.news[0].state.led_to == "http://other.example:8000/stream"


@ensureDeferred
async def test_it_can_be_stopped_while_it_is_received(air: Air) -> None:
    """Its piece is closed with what came, and it is told until when."""
    source = FakeSource()
    listening = air.listen(source)
    air.pass_by(1)
    air.pass_by(5, source)
    await listening.stop()
    [piece] = air.recorder.pieces
    assert piece.ending is not None
    assert piece.ending[2] == "stopped"
    assert source.closed
    assert air.news[-1].outcome == "broken"
    assert abs(_seconds(air.news[-1].state.heard) - air.clock.seconds()) < 1.1
    air.pass_by(60)
    assert len(air.opened) == 1
    assert listening.status().received == 5 * RATE


@ensureDeferred
async def test_it_can_be_stopped_while_it_waits(air: Air) -> None:
    """Then nothing is opened any more."""
    listening = air.listen(MediaError("not now"))
    air.pass_by(2)
    await listening.stop()
    air.pass_by(60)
    assert len(air.opened) <= 2


@ensureDeferred
async def test_a_manifest_is_followed(air: Air) -> None:
    """Streams in segments are another's work, and counted all the same."""
    listening = air.listen(Manifest("hls", URL, None), FakeSource())  # type: ignore[arg-type]
    air.pass_by(2)
    [followed] = air.followed
    assert followed.started
    assert listening.status().doing == "following"
    followed.on_news(StreamNews(URL, "ended", StreamState(title="the end")))
    assert followed.stopped
    assert listening.status().doing == "waiting"
    assert listening.status().titles == 2
    assert air.news[-1].outcome == "ended"
    air.pass_by(3)
    assert listening.status().doing == "receiving"


def test_a_channel_that_is_over_at_once_is_asked_for_less_and_less_often(air: Air) -> None:
    """Its manifest can be read, and says that there is no more; only what lasts begins anew."""
    air.listen(*[Manifest("hls", URL, None)] * 6)  # type: ignore[arg-type]
    for _ in range(5):
        while not air.followed or air.followed[-1].stopped:
            air.pass_by(1)
        air.followed[-1].on_news(StreamNews(URL, "receiving", StreamState()))
        if len(air.followed) == 5:
            air.pass_by(70)
            air.followed[-1].on_news(StreamNews(URL, "receiving", StreamState()))
        air.followed[-1].on_news(StreamNews(URL, "ended", StreamState()))
    air.pass_by(3)
    waits = [late - early for early, late in zip(air.opened, air.opened[1:], strict=False)]
    assert all(late > 1.4 * early for early, late in zip(waits[:4], waits[1:4], strict=False))
    assert waits[4] < 75


@ensureDeferred
async def test_what_is_followed_stops_with_it(air: Air) -> None:
    """All that it fetched is kept when stopping returns."""
    listening = air.listen(Manifest("hls", URL, None))  # type: ignore[arg-type]
    air.pass_by(2)
    await listening.stop()
    assert air.followed[0].stopped


def test_a_clock_that_is_set_begins_a_session(air: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates of a session never go back; after its piece the next has dates by the new clock."""
    first, second = FakeSource(), FakeSource()
    air.listen(first, second, seconds=20.0)
    air.pass_by(1)
    air.pass_by(5, first)
    monkeypatch.setattr(
        "agents.streaming.reception.wall", lambda clock: clock.seconds() - 3600 + 10**6
    )
    air.pass_by(18, first)
    air.pass_by(5, second)
    before, after = air.recorder.pieces
    assert before.ending is not None
    assert before.ending[2] == "break: the clock of this machine was set by 996400 seconds"
    assert [at for at, _ in before.entries] == sorted(at for at, _ in before.entries)
    assert after.beginning.gap is not None
    assert after.beginning.gap.until == after.beginning.session
    assert after.beginning.at > before.beginning.at + 900_000


def test_the_last_day_is_remembered(air: Air) -> None:
    """Curves have a point each five minutes, no more than a day of them."""
    source = FakeSource()
    listening = air.listen(source)
    air.pass_by(1)
    air.pass_by(910, source)
    points = list(listening.history.points())
    assert len(points) == 3
    assert abs(points[-1].rate - 8 * RATE) < 100
    assert points[-1].heard > 0.98


def _seconds(date: str) -> float:
    return dates.to_datetime(date).timestamp()


def test_a_server_that_says_titles_without_end_is_left_alone(air: Air) -> None:
    """More titles in a second than anybody plays end a reception, before they hold up others."""
    source = FakeSource()
    air.listen(source)
    air.pass_by(2, source)
    for number in range(5000):
        source.say(f"title {number}")
    air.pass_by(2)
    assert source.closed
    assert not air.recorder.pieces[0].titles
    assert any("titles" in each.state.problem for each in air.news)
