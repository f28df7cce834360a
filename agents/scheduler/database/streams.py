"""Live streams: chosen, given to agents, what these tell, and what people say (*INA §1.6*)."""

from collections.abc import Mapping, Sequence

from attrs import frozen

from agents import dates
from agents.scheduler.database.engine import KEY_LIMIT, Value
from agents.scheduler.database.met_streams import MetStreams, owner_of
from agents.scheduler.database.stream_queries import MOST, StreamRow
from agents.scheduler.life import NoSuchTransition
from agents.scheduler.portion.crawl_plan import written
from agents.scheduler.streams.choosing import (
    TOGETHER,
    Known,
    choose,
    event_of,
    rank,
    tries_after,
    wait,
)
from agents.scheduler.streams.life import LISTENED, Hand, Phase, StreamEvent, phase_after
from agents.scheduler.streams.settings import StreamsConfig
from agents.stream import StreamNews
from agents.stream_promise import LIKELY

_NOBODY: dict[str, Value] = {"agent": "", "leaving": "", "leaves": "", "received": None}


@frozen
class Heard:
    """What an agent's news come to.

    Attributes:
        strange: streams that it is not to listen to.
        changed: whether others are listened to now.
        moving: whether there are some among them that are moving: one of the agents is to leave.
    """

    strange: tuple[str, ...] = ()
    changed: bool = False
    moving: bool = False


class Streams(MetStreams):
    """Each method is one transaction, durable when it returns."""

    # What is listened to

    def choose_streams(self, sites: Sequence[str], config: StreamsConfig, date: str) -> bool:
        """Choose anew what is listened to of sites; tell whether anything changed."""
        with self._transaction():
            changed = [self._choose(site, config, date) for site in sites]
            return any(changed)

    def streams_told(
        self, agent: str, news: Sequence[StreamNews], config: StreamsConfig, date: str
    ) -> Heard:
        """Keep what an agent tells of streams that it has; those set aside make way for others."""
        aside: dict[str, None] = {}
        strange: list[str] = []
        moving = False
        with self._transaction():
            for one in news:
                row = self.stream(one.stream)
                if row is not None and row.agent == agent and row.phase in LISTENED:
                    phase = self._told(row, one, config, date)
                    moving |= bool(row.leaving)
                    aside |= {row.site: None} if phase is Phase.ASIDE else {}
                elif row is None or row.leaving != agent:
                    strange.append(one.stream)
            self.choose_streams(list(aside), config, date)
        return Heard(tuple(strange), bool(aside), moving)

    # Agents

    def give_streams(self, given: Mapping[str, str], date: str) -> None:
        """Give streams to agents, as far as they are still to be listened to.

        One that moves stays with its former agent for as long as that was to go on.
        """
        with self._transaction():
            for row in self.streams_named(list(given)):
                if row.phase in LISTENED:
                    agent = given[row.stream]
                    leaving = "" if agent == row.leaving else row.leaving
                    self._happen(row, StreamEvent.GIVEN, date, agent=agent, leaving=leaving)

    def take_streams_back(self, agent: str, number: int, date: str) -> None:
        """Take so many streams from an agent that cannot have all it had, the last by rank."""
        with self._transaction():
            ranked = self.streams_waiting([agent], 2**31)
            for row in self.streams_named(ranked[-number:]):
                self._happen(row, StreamEvent.GIVEN, date, agent="")

    def hand_over(self, date: str, agents: Sequence[str]) -> list[str]:
        """Have former agents leave whose time it is; return those that go on all the same.

        That is where of the two only they are among those that are linked.
        """
        with self._transaction():
            goes_on: list[str] = []
            for row in self.streams_left(date):
                back = row.leaving in agents and row.agent not in agents
                goes_on += [row.leaving] if back else []
                self._put(row.stream, agent=row.leaving if back else row.agent, leaving="")
            return goes_on

    # People

    def add_stream(self, stream: str, site: str, date: str, who: str, why: str) -> None:
        """Have a stream listened to for a site, and write that down.

        Raises:
            NoSuchTransition: there is no such site, it has as many as it may have, or the URL is
                too long.
        """
        if len(stream) > KEY_LIMIT:
            raise NoSuchTransition(f"its address is longer than {KEY_LIMIT} characters")
        with self._transaction():
            self._site(site)
            if self._number_of(site) >= MOST:
                raise NoSuchTransition(
                    f"{site} has {MOST} streams; forget some that you do not need"
                )
            if self.stream(stream) is None:
                self._new_stream(stream, site, who, LIKELY, date)
            self._put(stream, site=site, seen=date)
            self.say_of_stream(stream, Hand.START, date, who, why)

    def say_of_stream(self, stream: str, hand: Hand, date: str, who: str, why: str) -> str:
        """Keep what a person says of a stream, and write that down; return its site.

        Raises:
            NoSuchTransition: there is no such stream.
        """
        with self._transaction():
            row = self._known_stream(stream)
            is_idle = row.phase is Phase.CANDIDATE and row.hand is Hand.STOP
            self._put(stream, hand=hand.value, why="" if is_idle else row.why)
            if hand is Hand.START and row.phase is Phase.ASIDE:
                self._happen(row, StreamEvent.DUE, date, again=None)
            words = {Hand.START: "started", Hand.STOP: "stopped"}.get(hand, "left to the scheduler")
            self._decided(row.site, "stream", date, who, stream, words, why)
            return row.site

    def forget_stream(self, stream: str, date: str, who: str, why: str) -> str:
        """Forget a stream, and write that down; return its site.

        Raises:
            NoSuchTransition: there is no such stream.
        """
        with self._transaction():
            row = self._known_stream(stream)
            self._remove({"stream": stream, "phase": row.phase})
            self._decided(row.site, "stream", date, who, stream, "forgotten", why)
            return row.site

    def move_stream(
        self, stream: str, agent: str, leaves: str, date: str, who: str, why: str
    ) -> None:
        """Give a stream to another agent; the one that receives it goes on for a while.

        Args:
            stream: its URL.
            agent: who is to listen to it.
            leaves: until when the former goes on, if the new one is not heard before.
            date: now.
            who: decides.
            why: for people.

        Raises:
            NoSuchTransition: there is no such stream, or it is not to be listened to.
        """
        with self._transaction():
            row = self._known_stream(stream)
            if row.phase not in LISTENED:
                raise NoSuchTransition(f"it is {row.phase}, so that no agent listens to it")
            if row.agent == agent:
                return
            waits = row.phase is Phase.ORDERED and row.leaving not in ("", agent)
            former = row.leaving if waits else row.agent
            values: dict[str, Value] = {"agent": agent, "leaving": former, "leaves": leaves}
            self._happen(row, StreamEvent.GIVEN, date, **values)
            self._decided(row.site, "stream", date, who, stream, f"moved to {agent}", why)

    # One stream

    def _choose(self, site: str, config: StreamsConfig, date: str) -> bool:
        if not (known := self.streams_of(site)):
            return False
        for row in known:
            if row.phase is Phase.ASIDE and (row.again or "") <= date:
                self._happen(row, StreamEvent.DUE, date, again=None)
        owner = owner_of(self._site(site))
        rows = {row.stream: row for row in self.streams_of(site)}
        choice = choose(owner, [_known(row) for row in rows.values()], config)
        for stream in choice.dropped:
            why = "a person stopped it" if owner.member else "its site is no member"
            self._happen(rows[stream], StreamEvent.DROPPED, date, why=why, **_NOBODY)
        for stream in choice.chosen:
            self._happen(rows[stream], StreamEvent.CHOSEN, date, why="", received=None)
        for row in rows.values():
            if row.rank != (value := rank(owner, row.hand)):
                self._put(row.stream, rank=value)
        return bool(choice.chosen or choice.dropped)

    def _told(self, row: StreamRow, news: StreamNews, config: StreamsConfig, date: str) -> Phase:
        """Take what the agent of a stream tells of it; return its phase then."""
        failures, problem = news.state.failures, news.state.problem
        event = event_of(news.outcome, failures, row.received is not None, config)
        values: dict[str, Value] = {"state": written(news.state), "why": problem}
        if event is StreamEvent.HEARD:
            leaves = min(row.leaves, _later(date, TOGETHER))
            values |= {"received": row.received or date, "leaves": leaves, "why": ""}
        elif event is StreamEvent.SET_ASIDE and row.leaving:  # who has left it says what it is
            event, why = StreamEvent.GIVEN, f"{row.agent}: {problem or news.outcome}"
            values = {"agent": row.leaving, "leaving": "", "why": why}
        elif event is StreamEvent.SET_ASIDE:
            heard = None if row.received is None else _seconds(date) - _seconds(row.received)
            tries = tries_after(row.tries, heard)
            again = _later(date, wait(tries, row.hand, config))
            values |= {"tries": tries, "again": again, "why": problem or news.outcome, **_NOBODY}
        return self._happen(row, event, date, **values)

    def _happen(self, row: StreamRow, event: StreamEvent, date: str, **values: Value) -> Phase:
        """Move a stream; return its phase then.

        Raises:
            NoSuchTransition: that cannot happen to it now.
        """
        after = phase_after(row.phase, event)
        if after is not row.phase:
            values |= {"phase": after.value, "changed": date}
            self._tallies.move("stream", row.phase, after)
        self._put(row.stream, **values)
        return after

    def _known_stream(self, stream: str) -> StreamRow:
        row = self.stream(stream)
        if row is None:
            raise NoSuchTransition(f"there is no stream {stream[:200]}")
        return row


def _known(row: StreamRow) -> Known:
    return Known(row.stream, row.phase, row.hand, row.promise, row.tries, row.found)


def _later(date: str, seconds: float) -> str:
    return dates.from_timestamp(_seconds(date) + seconds)


def _seconds(date: str) -> float:
    return dates.to_datetime(date).timestamp()
