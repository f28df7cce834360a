"""The streaming agents that are linked: each listens to what the database says, and nothing else.

An agent goes on when its link drops, and the scheduler may be killed between any two calls. So
nothing depends on a single call: what an agent listens to is asked of it with each new link and
after each error, and what is missing or too much is told until both are the same.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from attrs import define

from agents.scheduler.database import Queries
from agents.scheduler.means import Means
from agents.scheduler.pool import Peer
from agents.scheduler.portion.crawl_plan import read
from agents.scheduler.streams.placing import Room
from agents.stream import OrderedStream, StreamingReport, StreamNews, StreamState, StreamStatus
from hip import convert

STREAMING = "streaming"
AT_ONCE = 100  # streams of one call
_MOST = 100_000  # streams of one agent
_TIMEOUT = 30.0  # seconds for an answer
_PAUSE = 10.0  # seconds before an agent is asked again after an error
_RECEIVES = ("receiving", "following")


class OutOfOrder(Exception):
    """An agent does not list its streams in their order, or has too many."""


@define
class _Listener:
    """An agent that is linked.

    Attributes:
        peer: its link.
        capacity: streams that it takes at most.
        told: what it listens to; none until it has said so.
        patience: when it may be asked, in seconds of the clock.
        due: whether something may have changed since it was looked at.
        busy: whether it is being told, or asked.
    """

    peer: Peer
    capacity: int = 0
    told: set[str] | None = None
    patience: float = 0.0
    due: bool = False
    busy: bool = False


class Listeners:
    """Streaming agents by name.

    Args:
        means: the scheduler's.
        heard: takes what an agent tells of streams.
        changed: called when there may be room for streams.
    """

    def __init__(
        self,
        means: Means,
        heard: Callable[[str, Sequence[StreamNews]], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        self._means, self._heard, self._changed = means, heard, changed
        self._listeners: dict[str, _Listener] = {}
        self._left: dict[str, float] = {}  # when links closed
        self._began = means.clock.seconds()

    def join(self, peer: Peer) -> None:
        """Take an agent whose link is up."""
        self._listeners[peer.name] = _Listener(peer)
        self._left.pop(peer.name, None)

    def leave(self, peer: Peer) -> None:
        """Let an agent go whose link closed."""
        listener = self._listeners.get(peer.name)
        if listener is not None and listener.peer is peer:
            del self._listeners[peer.name]
            self._left[peer.name] = self._means.clock.seconds()

    def names(self) -> list[str]:
        """Return the names of those that are linked."""
        return sorted(self._listeners)

    def rooms(self, loads: Mapping[str, int]) -> list[Room]:
        """Return the room at those that have said what they take.

        Args:
            loads: streams that each has to listen to.
        """
        return [
            Room(name, one.capacity, loads.get(name, 0))
            for name, one in self._listeners.items()
            if one.told is not None
        ]

    def gone(self, agents: Iterable[str]) -> list[str]:
        """Return those agents that have been away for longer than they may."""
        absence, now = self._means.config.streams.absence, self._means.clock.seconds()
        away = [name for name in agents if name not in self._listeners]
        return [name for name in away if now - self._left.get(name, self._began) >= absence]

    def doubt(self, agent: str, streams: Sequence[str] = ()) -> None:
        """Look again at what an agent listens to, and at streams that it told of."""
        listener = self._listeners.get(agent)
        if listener is not None and listener.told is not None:
            if streams:
                listener.told.update(streams)
            else:
                listener.told = None

    def align(self) -> None:
        """Have each listen to what is its, and to nothing else; one that hangs delays no other."""
        for name, listener in self._listeners.items():
            listener.due = True
            if not listener.busy:
                self._means.tasks.start(self._align(listener), f"having {name} listen")

    async def _align(self, listener: _Listener) -> None:
        listener.busy = True
        try:
            while listener.due and listener.patience <= self._means.clock.seconds():
                listener.due = False
                with self._means.journal.noting(
                    f"{listener.peer.name} does not listen as it should"
                ):
                    await self._bring_in_step(listener)
        finally:
            listener.busy = False

    async def _bring_in_step(self, listener: _Listener) -> None:
        try:
            if listener.told is None:
                listener.told = await self._ask(listener)
                self._changed()
            await self._tell(listener, listener.told)
        except Exception:
            listener.told = None
            listener.patience = self._means.clock.seconds() + _PAUSE
            raise

    async def _ask(self, listener: _Listener) -> set[str]:
        """Return what an agent listens to, and take what it knows of that."""
        peer, found = listener.peer, set[str]()
        report = convert(await peer.call("progress", timeout=_TIMEOUT), StreamingReport)
        listener.capacity, after = report.capacity, ""
        while rows := await self._page(peer, after):
            if rows[0].stream <= after or len(found) > _MOST:
                raise OutOfOrder(f"its list of streams goes on with {rows[0].stream[:200]!r}")
            found.update(row.stream for row in rows)
            after = max(row.stream for row in rows)
            received = [row for row in rows if row.doing in _RECEIVES]
            news = [StreamNews(row.stream, "receiving", row.state) for row in received]
            await self._heard(peer.name, news)
        return found

    async def _page(self, peer: Peer, after: str) -> list[StreamStatus]:
        answer = await peer.call("streams", timeout=_TIMEOUT, after=after, limit=AT_ONCE)
        return convert(answer, list[StreamStatus])

    async def _tell(self, listener: _Listener, told: set[str]) -> None:
        """Tell an agent what to leave, and what to listen to."""
        peer, look = listener.peer, self._means.store.look
        wanted = set(await look(Queries.streams_at, peer.name))
        for some in _some(told - wanted):
            await peer.call("leave", timeout=_TIMEOUT, streams=some)
            told.difference_update(some)
        for some in _some(wanted - told):
            rows = await look(Queries.streams_named, some)
            orders = [
                OrderedStream(
                    row.stream, row.site, read(row.state, StreamState), row.private_networks
                )
                for row in rows
            ]
            await peer.call("listen", timeout=_TIMEOUT, streams=orders)
            told.update(some)


def _some(streams: Iterable[str]) -> list[list[str]]:
    """Return streams as calls take them."""
    ordered = sorted(streams)
    return [ordered[start : start + AT_ONCE] for start in range(0, len(ordered), AT_ONCE)]
