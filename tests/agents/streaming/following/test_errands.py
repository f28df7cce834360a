"""What is to be fetched of a stream, within limits."""

from attrs import define, evolve, field
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.streaming.following.errands import Errand, Errands
from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Kept
from agents.streaming.following.tracks import Track, Wanted
from anet.media.segments import Progress, Resource, Segment

KEPT = Kept(5, "video/mp2t", 1.0)


def errand(number: int, track: str = "t") -> Errand:
    """Return an errand for a segment."""
    resource = Resource(f"http://e/{number}")
    return Errand(resource, track, Segment(number, number + 1, resource, 2.0))


@define
class Server:
    """Answers when a test says so."""

    asked: list[str] = field(factory=list)
    waiting: dict[str, Deferred[Kept]] = field(factory=dict)
    done: list[tuple[int, str]] = field(factory=list)

    async def fetch(self, errand: Errand) -> Kept:
        name = errand.resource.url[9:]
        self.asked.append(name)
        self.waiting[name] = Deferred()
        return await self.waiting[name]

    def note(self, errand: Errand, kept: Kept | None) -> None:
        assert errand.segment is not None
        assert (kept is None) == bool(errand.given_up)
        self.done.append((errand.segment.number, errand.given_up))

    def answer(self, name: str, status: int | None = None) -> None:
        """Answer; without a status as it should."""
        if status is None:
            self.waiting.pop(name).callback(KEPT)
        else:
            self.waiting.pop(name).errback(NotFetched("no", status))


def errands(clock: Clock, server: Server, hands: int = 2, limit: int = 3) -> Errands:
    """Return errands to a server."""
    return Errands(clock, server.fetch, server.note, hands, limit)


def test_a_few_are_under_way_and_the_oldest_first() -> None:
    """As many as there are hands; the next when one is done."""
    server = Server()
    todo = errands(Clock(), server)
    for number in range(4):
        todo.add(errand(number))
    assert server.asked == ["0", "1"]
    server.answer("1")
    assert server.asked == ["0", "1", "2"]
    server.answer("0")
    server.answer("2")
    server.answer("3")
    assert [number for number, _ in server.done] == [1, 0, 2, 3]
    assert len(todo) == 0


def test_when_too_many_wait_the_oldest_are_given_up() -> None:
    """The queue has a limit, and what is given up is told."""
    server = Server()
    todo = errands(Clock(), server, hands=1, limit=3)
    for number in range(7):
        todo.add(errand(number))
    assert server.done == [(number, "the network does not keep up") for number in (1, 2, 3)]
    assert len(todo) == 4


def test_what_is_refused_is_tried_again_and_then_given_up() -> None:
    """A segment may be listed shortly before it exists, but not for long."""
    clock, server = Clock(), Server()
    todo = errands(clock, server)
    todo.add(errand(1))
    for _ in range(3):
        server.answer("1", 404)
        assert not server.done
        clock.pump([8.0])
    server.answer("1", 404)
    assert server.done == [(1, "no")]
    assert len(server.asked) == 4


def test_what_only_the_clock_says_is_there_may_be_late() -> None:
    """An encoder that lags behind its own clock is waited for, as long as the window lasts."""
    clock, server = Clock(), Server()
    todo = errands(clock, server)
    late = errand(1)
    assert late.segment is not None
    late.segment = evolve(late.segment, computed=True)
    todo.add(late)
    for _ in range(10):
        server.answer("1", 404)
        clock.pump([8.0])
    server.answer("1")
    assert server.done == [(1, "")]


def test_faults_of_the_server_are_borne_while_a_segment_is_listed() -> None:
    """During an outage nothing is given up; what is listed no more then is."""
    clock, server = Clock(), Server()
    todo = errands(clock, server)
    todo.add(errand(1))
    todo.add(errand(2))
    for _ in range(10):
        server.answer("1", 503)
        server.answer("2", 0)
        clock.pump([8.0])
    server.answer("1", 503)
    server.answer("2", 0)
    todo.listed("other", 9)
    assert not server.done
    todo.listed("t", 2)
    assert server.done == [(1, "it could not be fetched while it was listed")]
    clock.pump([8.0])
    server.answer("2")
    assert server.done[1] == (2, "")


def test_at_the_end_little_is_borne() -> None:
    """A server that has gone when the stream is over keeps nobody waiting."""
    clock, server = Clock(), Server()
    todo = errands(clock, server)
    todo.add(errand(1))
    server.answer("1", 503)
    todo.end()
    for _ in range(4):
        assert not server.done
        server.answer("1", 0)
        clock.pump([8.0])
    assert server.done == [(1, "no")]


def test_what_waits_of_a_track_that_began_anew_is_dropped() -> None:
    """Of that track only; what is under way goes on."""
    server = Server()
    todo = errands(Clock(), server, hands=1)
    todo.add(errand(1))
    todo.add(errand(2))
    todo.add(errand(3, "other"))
    todo.drop("t")
    assert server.done == [(2, "the stream began anew")]
    server.answer("1")
    server.answer("3")
    assert len(server.done) == 3


def test_a_stop_ends_what_is_under_way() -> None:
    """Nothing is asked for or told after it."""
    clock, server = Clock(), Server()
    todo = errands(clock, server, hands=1)
    todo.add(errand(1))
    todo.add(errand(2))
    server.answer("1", 503)
    done = Deferred.fromCoroutine(todo.stop())
    assert done.called
    clock.pump([100.0])
    assert server.asked == ["1", "2"]
    assert not server.done


def test_a_gap_goes_from_the_last_segment_to_the_next() -> None:
    """What is missing in between is summed up, and told once, with its first cause."""
    track = Track("t", Progress(0.0))
    assert track.kept(1000.0) is None
    track.miss(2.0, "lost")
    track.miss(3.0, "late")
    gap = track.kept(1010.0)
    assert gap is not None
    since, until, why = gap
    assert (since[-20:], why) == ("19700101001640000000", "5.000 s of t: lost")
    assert until == "19700101001650000000"
    assert track.kept(1012.0) is None


def test_what_was_asked_for_is_remembered_within_a_limit() -> None:
    """Once, or for a while; what was not fetched is asked for again."""
    wanted = Wanted(limit=2)
    key = ("u", 0, None)
    assert wanted.is_new(key, 0.0)
    assert not wanted.is_new(key, 1e9)
    assert not wanted.is_new(key, 5.0, lasts=10.0)
    assert wanted.is_new(key, 10.0, lasts=10.0)
    wanted.drop(key)
    assert wanted.is_new(key, 11.0, lasts=10.0)
    assert wanted.is_new(("v", 0, None), 11.0)
    assert wanted.is_new(("w", 0, None), 11.0)
    assert wanted.is_new(key, 11.0, lasts=10.0)  # forgotten
    wanted.forget()
    assert wanted.is_new(("w", 0, None), 11.0)
