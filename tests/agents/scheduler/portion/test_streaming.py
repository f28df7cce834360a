"""Live streams of members: listened to by whichever agents are there, and by one of them each."""

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from agents.collected import Collected
from agents.order import CrawlFigures
from agents.scheduler.life import StandingEvent
from agents.scheduler.portion.crawl_plan import read
from agents.scheduler.streams.settings import StreamsConfig
from agents.stream import (
    Doing,
    OrderedStream,
    Outcome,
    StreamingReport,
    StreamNews,
    StreamState,
    StreamStatus,
)
from hip import CallRefused, exposed

SEED = "http://seed.example/"
RADIO, OTHER = f"{SEED}live.pls", f"{SEED}other.pls"
MANY = tuple(f"{SEED}{number}.pls" for number in range(10))


class Ear:
    """Makes streaming agents that hear nothing; they outlive their links and the scheduler."""

    def __init__(self, portion: Any) -> None:
        class Listener(portion.kit.Slave):  # type: ignore[misc]
            kind = "streaming"

            def __init__(self, world: Any, name: str, capacity: int) -> None:
                self.heard: dict[str, OrderedStream] = {}
                self.doing: dict[str, Doing] = {}
                self.capacity, self.calls, self.broken = capacity, 0, False
                self.hangs = False
                super().__init__(world, name)

            def connect(self) -> None:
                super().connect()
                self.world.pass_time(2)

            def _called(self) -> None:
                self.calls += 1
                if self.broken:
                    raise CallRefused("broken", "for the test")

            @exposed
            def progress(self) -> StreamingReport:
                self._called()
                return StreamingReport(len(self.heard), self.capacity)

            @exposed
            def streams(self, after: str, limit: int) -> list[StreamStatus]:
                names = sorted(name for name in self.heard if name > after)[: min(limit, 3)]
                return [
                    StreamStatus(
                        name, "", self.doing.get(name, "opening"), StreamState(title="said")
                    )
                    for name in names
                ]

            @exposed
            async def listen(self, streams: list[OrderedStream]) -> int:
                self._called()
                if self.hangs:
                    await Deferred()
                self.heard |= {one.stream: one for one in streams}
                assert len(self.heard) <= self.capacity
                return len(self.heard)

            @exposed
            def leave(self, streams: list[str]) -> int:
                self._called()
                for stream in streams:
                    self.heard.pop(stream, None)
                return len(self.heard)

            def say(self, outcome: Outcome, *streams: str, **state: Any) -> None:
                """Tell of streams."""
                news = [StreamNews(one, outcome, StreamState(**state)) for one in streams]
                self.tell("streams_heard", news=news)
                self.world.pass_time(1)

        self.make = Listener
        self.portion = portion

    def __call__(self, name: str = "streaming", capacity: int = 5) -> Any:
        """Return an agent that has joined."""
        return self.make(self.portion.world, name, capacity)


@pytest.fixture
def radio(play: Callable[..., Any], pages: Any) -> Callable[..., Any]:
    """Makes a portion whose one member has streams."""

    def make(*streams: str, **config: Any) -> Any:
        settings = StreamsConfig(**config)
        portion = play({SEED: pages(streams=streams or (RADIO,))}, streams=settings)
        portion.order(SEED)
        portion.run()
        return portion

    return make


def lines(agent: Any, **asked: Any) -> dict[str, dict[str, Any]]:
    """Return what the scheduler lists."""
    return {line["stream"]: line for line in agent.tell("streams", **asked)}


def test_streams_of_members_are_listened_to(radio: Callable[..., Any]) -> None:
    """From what was known last; what crawls called streams and cannot be live is left out."""
    portion = radio(RADIO, f"{SEED}film.mp4", "rtmp://seed.example/live")
    agent = Ear(portion)()
    assert agent.heard.keys() == {RADIO}
    assert agent.heard[RADIO] == OrderedStream(RADIO, "seed.example")
    agent.say("receiving", RADIO, name="Radio 404", title="Raoul Petite", media_type="audio/mpeg")
    line = lines(agent)[RADIO]
    assert (line["phase"], line["agent"], line["title"]) == (
        "receiving",
        "streaming",
        "Raoul Petite",
    )
    assert line["page"] == "http://streaming/"
    agent.tell("decide", site="seed.example", decision="ban")
    portion.world.pass_time(2)
    assert not agent.heard


def test_without_expansion_the_deposit_tells(play: Callable[..., Any], pages: Any) -> None:
    """Sites that people order have streams, too, and are relevant enough."""
    portion = play({SEED: pages(streams=(RADIO,))}, expansion={"enabled": False})
    portion.order(SEED)
    portion.run()
    assert Ear(portion)().heard.keys() == {RADIO}


@pytest.mark.parametrize(("relevance", "number"), [(0.81, 0), (0.8, 2)])
def test_relevance_decides(radio: Callable[..., Any], relevance: float, number: int) -> None:
    """Of a site that is relevant enough, so many are listened to at once, and of others none."""
    portion = radio(*MANY, relevance=relevance, per_site=2)
    agent = Ear(portion)()
    assert len(agent.heard) == number
    for stream in sorted(agent.heard):
        agent.say("gone", stream)
    assert len(agent.heard) == number and not agent.heard.keys() & set(MANY[:number])


def test_several_agents_share_the_streams(radio: Callable[..., Any]) -> None:
    """Evenly by what they take; what there is no room for waits for an agent that comes."""
    portion = radio(*MANY, per_site=10)
    ear = Ear(portion)
    first = ear("first", 4)
    second = ear("second", 2)
    assert (len(first.heard), len(second.heard)) == (4, 2)
    third = ear("third", 9)
    assert (len(first.heard), len(second.heard), len(third.heard)) == (4, 2, 4)
    assert first.heard.keys() | second.heard.keys() | third.heard.keys() == set(MANY)
    assert third.tell("stream_agents") == {"first": 4, "second": 2, "third": 4}


def test_streams_of_an_agent_that_is_killed_go_to_others(radio: Callable[..., Any]) -> None:
    """After a grace, as far as they have room; the rest waits for it; and it gives back."""
    portion = radio(*MANY[:6], per_site=6)
    ear = Ear(portion)
    first, second = ear("first", 4), ear("second", 4)
    kept = set(second.heard)
    first.disconnect()
    portion.world.pass_time(50)
    assert set(second.heard) == kept
    portion.world.pass_time(30)
    assert len(second.heard) == 4 and kept < set(second.heard)
    first.connect()
    assert len(first.heard) == 2 and not first.heard.keys() & second.heard.keys()


def test_an_agent_that_is_back_in_time_keeps_what_it_has(radio: Callable[..., Any]) -> None:
    """Nothing is told anew to one whose link dropped, and all to one whose process died."""
    portion = radio()
    ear = Ear(portion)
    agent, other = ear("one"), ear("two")
    agent, other = (agent, other) if agent.heard else (other, agent)
    agent.doing[RADIO] = "receiving"
    agent.disconnect()
    portion.world.pass_time(30)
    before = agent.calls
    agent.connect()
    portion.world.pass_time(90)
    assert agent.calls == before + 1 and not other.heard  # it was asked how much it takes
    assert lines(agent)[RADIO]["phase"] == "receiving"
    assert lines(agent)[RADIO]["title"] == "said"
    agent.disconnect()
    agent.heard.clear()
    agent.connect()
    assert agent.heard[RADIO].state.title == "said" and not other.heard


def test_a_move_overlaps(radio: Callable[..., Any]) -> None:
    """The former agent goes on until the new one receives, and no longer than configured."""
    portion = radio()
    ear = Ear(portion)
    one, two = ear("one"), ear("two")
    has, other = (one, two) if one.heard else (two, one)
    for old, new, says in ((has, other, True), (other, has, False)):
        old.say("receiving", RADIO)
        old.tell("move_stream", stream=RADIO, agent=new.name, who="Ada", why="maintenance")
        portion.world.pass_time(20)
        assert old.heard and new.heard
        assert lines(old)[RADIO]["leaving"] == old.name
        if says:
            new.say("receiving", RADIO)
            assert old.heard
        portion.world.pass_time(10 if says else 60)
        assert new.heard and not old.heard
    for agent, words in (("three", "no streaming agent"), ("seed", "linked: one, two")):
        with pytest.raises(Exception, match=words):
            one.tell("move_stream", stream=RADIO, agent=agent)


def test_a_move_to_an_agent_that_dies_is_undone(radio: Callable[..., Any]) -> None:
    """The former agent has never left off, and has the stream again."""
    portion = radio()
    ear = Ear(portion)
    one, two = ear("one"), ear("two")
    old, new = (one, two) if one.heard else (two, one)
    old.doing[RADIO] = "receiving"
    old.tell("move_stream", stream=RADIO, agent=new.name)
    portion.world.pass_time(3)
    new.disconnect()
    portion.world.pass_time(90)
    line = lines(old)[RADIO]
    assert old.heard and (line["agent"], line["phase"]) == (old.name, "receiving")


def test_a_move_to_an_agent_that_finds_nothing_is_undone(radio: Callable[..., Any]) -> None:
    """A server may turn one agent away: what the other receives is not set aside for that."""
    portion = radio()
    ear = Ear(portion)
    one, two = ear("one"), ear("two")
    old, new = (one, two) if one.heard else (two, one)
    old.say("receiving", RADIO)
    old.tell("move_stream", stream=RADIO, agent=new.name)
    portion.world.pass_time(2)
    new.say("gone", RADIO, problem="403 Forbidden")
    portion.world.pass_time(5)
    line = lines(old)[RADIO]
    assert (line["agent"], line["why"]) == (old.name, f"{new.name}: 403 Forbidden")
    assert old.heard and not new.heard
    old.say("gone", RADIO)
    assert lines(old)[RADIO]["phase"] == "aside"


def test_people_decide(radio: Callable[..., Any]) -> None:
    """Stopped, a stream stays so, whatever crawls find; added, whatever the relevance."""
    portion = radio(RADIO, OTHER, per_site=1, relevance=0.9)
    agent = Ear(portion)()
    assert not agent.heard
    agent.tell("start_stream", stream=RADIO, who="Ada", why="our radio")
    agent.tell("add_stream", site="seed.example", stream="ICY://radio.example:8000/live")
    portion.world.pass_time(2)
    assert agent.heard.keys() == {RADIO, "http://radio.example:8000/live"}
    agent.tell("stop_stream", stream=RADIO)
    agent.tell("forget_stream", stream="http://radio.example:8000/live")
    portion.world.pass_time(2)
    assert not agent.heard
    portion.order(SEED)
    portion.run()
    line = lines(agent, site="seed.example")[RADIO]
    assert not agent.heard and (line["hand"], line["why"]) == ("stop", "a person stopped it")
    with pytest.raises(Exception, match="it is candidate, so that no agent listens"):
        agent.tell("move_stream", stream=RADIO, agent="streaming")
    agent.tell("release_stream", stream=RADIO)
    assert lines(agent)[RADIO]["why"] == ""
    for words, method, arguments in (
        ("no address", "add_stream", {"site": "seed.example", "stream": "rtmp://a/b"}),
        ("no stream", "start_stream", {"stream": "http://nowhere/"}),
        ("no site", "add_stream", {"site": "nowhere", "stream": RADIO}),
        ("a phase is", "streams", {"phase": "gone"}),
    ):
        with pytest.raises(Exception, match=words):
            agent.tell(method, **arguments)


def test_what_is_no_stream_is_left_alone_ever_longer(radio: Callable[..., Any]) -> None:
    """And is tried again when its time has come, with what was known of it."""
    portion = radio(retry_first=100.0)
    agent = Ear(portion)()
    for wait in (100, 200, 400):
        agent.say("gone", RADIO, problem="404")
        assert not agent.heard
        portion.world.pass_time(wait - 20)
        assert not agent.heard and lines(agent)[RADIO]["phase"] == "aside"
        portion.world.pass_time(40)
        assert agent.heard[RADIO].state.problem == "404"


@pytest.mark.parametrize("moment", ["ordered", "given", "moved", "stopped"])
def test_orders_survive_a_kill(radio: Callable[..., Any], moment: str) -> None:
    """A scheduler that is killed goes on where it was, and its agents never leave off."""
    portion = radio()
    ear = Ear(portion)
    agents = []
    if moment != "ordered":
        agents = [ear("one"), ear("two")]
        old, new = agents if agents[0].heard else agents[::-1]
        old.say("receiving", RADIO)
    if moment == "moved":
        old.tell("move_stream", stream=RADIO, agent=new.name)
    if moment == "stopped":
        old.broken = True  # it does not hear of it
        old.tell("stop_stream", stream=RADIO)
        portion.world.pass_time(1)
        assert old.heard
    portion.kill()
    if moment == "ordered":
        assert ear("one").heard
        return
    had = set(old.heard)
    for agent in agents:
        agent.broken = False
        agent.connect()
    portion.world.pass_time(2)
    if moment == "stopped":
        assert had and not old.heard
    else:
        assert set(old.heard) == {RADIO}
    if moment == "moved":
        assert set(new.heard) == {RADIO}
        new.say("receiving", RADIO)
        portion.world.pass_time(10)
        assert not old.heard and new.heard
    portion.world.pass_time(90)
    assert sum(len(agent.heard) for agent in agents) == (moment != "stopped")


def test_a_ban_survives_a_kill(radio: Callable[..., Any]) -> None:
    """Also one that was written down, and of which nothing more could be done before the kill."""
    portion = radio()
    agent = Ear(portion)()
    database, now = portion.world.database, portion.world.means.now()
    database.decide("seed.example", StandingEvent.BANNED, now, "Ada", "")
    portion.kill()
    agent.connect()
    assert not agent.heard and lines(agent)[RADIO]["why"] == "its site is no member"


def test_an_agent_that_fails_is_told_again(radio: Callable[..., Any]) -> None:
    """After a pause; meanwhile others get their streams all the same, and the journal says so."""
    portion = radio(RADIO, OTHER)
    ear = Ear(portion)
    agent = ear("one")
    agent.broken = True
    agent.tell("stop_stream", stream=OTHER)
    portion.world.pass_time(1)
    assert OTHER in agent.heard
    assert "one does not listen as it should" in portion.world.means.journal.lines()[0]
    agent.broken = False
    portion.world.pass_time(30)
    assert agent.heard.keys() == {RADIO}


def test_an_agent_that_hangs_delays_no_other(radio: Callable[..., Any]) -> None:
    """It is told again when it goes on, or when its call has taken too long."""
    portion = radio(*MANY[:2], per_site=3)
    ear = Ear(portion)
    first, second = ear("first"), ear("second")
    first.hangs = True
    for number in range(4):
        second.tell("add_stream", site="seed.example", stream=f"http://radio.example/{number}")
        portion.world.pass_time(1)
    assert (len(first.heard), len(second.heard)) == (2, 3)
    first.hangs = False
    portion.world.pass_time(50)
    assert (len(first.heard), len(second.heard)) == (3, 3)


def test_an_agent_with_less_room_than_before_gives_back(radio: Callable[..., Any]) -> None:
    """What it takes no more goes to others."""
    portion = radio(*MANY[:4])
    ear = Ear(portion)
    agent = ear("one", 4)
    agent.disconnect()
    agent.heard.clear()
    agent.capacity = 1
    agent.connect()
    other = ear("two", 3)
    portion.world.pass_time(20)
    assert (len(agent.heard), len(other.heard)) == (1, 3)


def test_only_streaming_agents_tell_of_streams(radio: Callable[..., Any]) -> None:
    """What they tell is bounded, too; of streams that nobody gave them, they hear to leave."""
    portion = radio()
    agent = Ear(portion)()
    agent.heard["http://strange.example/"] = OrderedStream("http://strange.example/", "")
    agent.say("receiving", "http://strange.example/")
    assert agent.heard.keys() == {RADIO}
    agent.say("receiving", RADIO, title="x" * 10_000, led_to="http://a/" + "x" * 10_000)
    kept = read(portion.world.database.stream(RADIO).state, StreamState)
    assert (len(kept.title), kept.led_to) == (500, "")
    agent.say("receiving", RADIO, heard="yesterday")
    assert lines(agent)[RADIO]["heard"] == ""  # what is shown for people is a date
    with pytest.raises(Exception, match="up to 500"):
        agent.say("receiving", *["http://a/"] * 501)
    with pytest.raises(Exception, match="you are a connectivity"):
        portion.connectivity.tell("streams_heard", news=[])


def test_pieces_of_streams_are_deposited(radio: Callable[..., Any]) -> None:
    """As a crawl that is whole, of a site that is never collected."""
    portion = radio()
    agent = Ear(portion)()
    told = Collected("streaming-1", "/crawls/streaming-1", CrawlFigures(captures=9))
    assert agent.tell("collected", collected=told) is True
    portion.world.pass_time(12)
    assert [crawl for crawl, _, _ in portion.deposits] == ["streaming-1"]
    portion.deposits[0][2].callback({"done": True})
    portion.world.pass_time(12)
    kept = portion.world.database.crawl("streaming-1")
    assert (kept.site, kept.state) == ("streams", "deposited")
