"""Live streams at work: what is chosen is given to agents, and what they tell is kept."""

from collections.abc import Sequence
from typing import Any

from attrs import evolve, fields

from agents import dates
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Database, Queries
from agents.scheduler.means import Means
from agents.scheduler.pool import Peer
from agents.scheduler.streams.choosing import TOGETHER
from agents.scheduler.streams.life import Hand
from agents.scheduler.streams.listeners import Listeners
from agents.scheduler.streams.placing import place
from agents.stream import StreamNews, StreamState
from anet.clock import wall
from anet.tasks import sleep

_LONGEST_SLEEP = 10.0  # seconds between looks, when nothing rings
_SITES = 200  # chosen for in one transaction
_WORDS = 500  # characters of a title, and of whatever else an agent tells of a stream
_URLS, _URL = ("led_to", "homepage"), 2000  # characters
_GIVEN = 1000  # streams that get an agent in one turn


class NoAgent(ValueError):
    """A stream cannot be moved there; the message says why."""


class Streaming:
    """Which streams are listened to, and by whom.

    Args:
        means: the scheduler's.
    """

    def __init__(self, means: Means) -> None:
        self._means, self._config = means, means.config.streams
        self._alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self._listeners = Listeners(means, self._take, self._alarm.ring)

    async def run(self) -> None:
        """Choose for all sites, as after a change of the configuration; then go on for ever."""
        with self._means.journal.noting("streams are not chosen"):
            await self._choose_all()
        while True:
            await self._alarm.wait()
            with self._means.journal.noting("streams wait"):
                await self._retry()
                await self._hand_over()
                await self._place()
                self._listeners.align()

    def join(self, peer: Peer) -> None:
        """Take a streaming agent whose link is up."""
        self._listeners.join(peer)
        self._alarm.ring()

    def leave(self, peer: Peer) -> None:
        """Let a streaming agent go; it may come back, and goes on listening meanwhile."""
        self._listeners.leave(peer)
        self._ring_in(self._config.absence)

    async def judged(self, site: str) -> None:
        """Choose anew for a site of which more is known, or whose standing changed."""
        await self._choose([site])

    async def heard(self, peer: Peer, news: Sequence[StreamNews]) -> None:
        """Keep what an agent tells of its streams; told again, it has no effect."""
        await self._take(peer.name, news)

    # People

    async def say(self, stream: str, hand: Hand, who: str, why: str) -> None:
        """Start a stream, stop it, or leave it to the scheduler again; that sticks.

        Raises:
            NoSuchTransition: there is no such stream.
        """
        run, now = self._means.store.run, self._means.now()
        await self._choose([await run(Database.say_of_stream, stream, hand, now, who, why)])

    async def add(self, site: str, stream: str, who: str, why: str) -> None:
        """Have a stream listened to for a site, as long as that is a member.

        Raises:
            NoSuchTransition: there is no such site.
        """
        await self._means.store.run(Database.add_stream, stream, site, self._means.now(), who, why)
        await self._choose([site])

    async def forget(self, stream: str, who: str, why: str) -> None:
        """Forget a stream; it is met again as a candidate when a crawl finds it.

        Raises:
            NoSuchTransition: there is no such stream.
        """
        run, now = self._means.store.run, self._means.now()
        await self._choose([await run(Database.forget_stream, stream, now, who, why)])
        self._alarm.ring()

    async def move(self, stream: str, agent: str, who: str, why: str) -> None:
        """Have another agent listen to a stream.

        Raises:
            NoAgent: that agent is not linked, or has no room.
            NoSuchTransition: there is no such stream, or nobody is to listen to it.
        """
        loads = await self._means.store.look(Queries.stream_loads)
        rooms = {room.agent: room for room in self._listeners.rooms(loads)}
        if agent not in rooms:
            there = ", ".join(sorted(rooms)) or "none"
            raise NoAgent(f"{agent[:200]} is no streaming agent that is linked: {there}")
        if not rooms[agent].free:
            raise NoAgent(f"{agent} listens to {rooms[agent].streams}, and takes no more")
        leaves = dates.from_timestamp(wall(self._means.clock) + self._config.overlap)
        now, run = self._means.now(), self._means.store.run
        await run(Database.move_stream, stream, agent, leaves, now, who, why)
        self._alarm.ring()
        self._ring_in(self._config.overlap)

    def agents(self) -> list[str]:
        """Return the names of agents that are linked."""
        return self._listeners.names()

    # Choice

    async def _choose_all(self) -> None:
        after = ""
        look = self._means.store.look
        while sites := await look(Queries.sites_with_streams, after, _SITES):
            await self._choose(sites)
            after = sites[-1]

    async def _retry(self) -> None:
        """Choose among streams that were set aside, when their time has come."""
        look, now = self._means.store.look, self._means.now()
        if sites := await look(Queries.streams_again, now, _SITES):
            await self._choose(sites)

    async def _choose(self, sites: Sequence[str]) -> None:
        now = self._means.now()
        if await self._means.store.run(Database.choose_streams, sites, self._config, now):
            self._alarm.ring()

    async def _take(self, agent: str, news: Sequence[StreamNews]) -> None:
        told = [evolve(one, state=_short(one.state)) for one in news]
        heard = await self._means.store.run(
            Database.streams_told, agent, told, self._config, self._means.now()
        )
        if heard.strange:
            self._listeners.doubt(agent, heard.strange)
        if heard.strange or heard.changed:
            self._alarm.ring()
        if heard.moving:
            self._ring_in(TOGETHER)

    # Places

    async def _place(self) -> None:
        """Give streams to agents that have room, and take back what is too much for one."""
        look, run, now = self._means.store.look, self._means.store.run, self._means.now()
        loads = await look(Queries.stream_loads)
        rooms = self._listeners.rooms(loads)
        for room in rooms:
            if room.streams > room.capacity:
                excess = min(_GIVEN, room.streams - room.capacity)
                await run(Database.take_streams_back, room.agent, excess, now)
        free = min(_GIVEN, sum(room.free for room in rooms))
        without = ["", *self._listeners.gone(loads)]
        waiting = await look(Queries.streams_waiting, without, free) if free else []
        if given := place(waiting, rooms):
            await run(Database.give_streams, given, now)
        if len(given) == _GIVEN:
            self._alarm.ring()

    async def _hand_over(self) -> None:
        """Have former agents leave what others receive, or should have received by now."""
        now, linked = self._means.now(), self._listeners.names()
        if await self._means.store.look(Queries.streams_left, now):
            for agent in await self._means.store.run(Database.hand_over, now, linked):
                self._listeners.doubt(agent)

    def _ring_in(self, seconds: float) -> None:
        """Look again after a while."""
        self._means.tasks.start(self._ring_after(seconds), "waiting for streaming agents")

    async def _ring_after(self, seconds: float) -> None:
        await sleep(self._means.clock, seconds)
        self._alarm.ring()


def _short(state: StreamState) -> StreamState:
    """Return what is known of a stream, within limits: its words come from the web.

    So a hundred streams fit in a frame. A URL that is too long is left out: a part leads nowhere;
    so is a date that is none.
    """
    words: dict[str, Any] = {}
    for one in fields(StreamState):
        value = getattr(state, one.name)
        if one.name in _URLS:
            words[one.name] = value if len(value) <= _URL else ""
        elif isinstance(value, str):
            words[one.name] = value[:_WORDS]
    return evolve(state, **words | {"heard": _date_or_none(state.heard)})


def _date_or_none(text: str) -> str:
    try:
        dates.to_datetime(text)
    except dates.InvalidDate:
        return ""
    return text
