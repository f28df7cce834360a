"""What the scheduler answers over HIP about live streams: to agents that listen, and to people."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.portion import StreamLine
from agents.scheduler.callers import WORDS, decider, only
from agents.scheduler.database import Queries, StreamRow
from agents.scheduler.life import NoSuchTransition
from agents.scheduler.means import Means
from agents.scheduler.portion.crawl_plan import read
from agents.scheduler.streams.life import Hand, Phase
from agents.scheduler.streams.listeners import STREAMING
from agents.scheduler.streams.streaming import NoAgent, Streaming
from agents.stream import StreamNews, StreamState, canonical
from hip import CallRefused, Peer, exposed

NEWS_AT_ONCE = 500  # of one call
_MOST = 200  # streams of one answer
_NAMED = 100  # that one question names


class StreamMethods:
    """Methods for streaming agents and archivists.

    What an archivist decides is written into the story of the stream's site, with who said it
    (`who`, or the name of the link) and why. Refused with "bad-decision" where it has no place.
    """

    def __init__(
        self, means: Means, streaming: Streaming, page_of: Callable[[str, str], str]
    ) -> None:
        """Answer by what is given.

        Args:
            means: the scheduler's.
            streaming: the streams at work.
            page_of: gives the address of an agent's page from its kind and name.
        """
        self._means, self._streaming, self._page_of = means, streaming, page_of

    @exposed(roles=("streaming",))
    async def streams_heard(self, peer: Peer, news: list[StreamNews]) -> None:
        """Say what became of streams, up to 500 at once.

        For streaming agents; may be repeated until answered.
        """
        only(peer, STREAMING)
        if len(news) > NEWS_AT_ONCE:
            raise CallRefused("too-much", f"tell of up to {NEWS_AT_ONCE} streams at once")
        await self._streaming.heard(peer, news)

    @exposed(roles=("operator",))
    async def streams(
        self, after: str = "", limit: int = 100, site: str = "", phase: str = ""
    ) -> list[StreamLine]:
        """List up to 200 streams in the order of their URLs, those beyond `after`.

        Of a `site`, or in a `phase` (candidate, ordered, receiving, broken or aside), or all.
        Refuses "bad-question".
        """
        if phase and phase not in [*Phase]:
            raise CallRefused("bad-question", f"a phase is one of {', '.join(Phase)}")
        count = max(1, min(limit, _MOST))
        rows = await self._means.store.look(Queries.streams_after, after, count, site, phase)
        return [self._line(row) for row in rows]

    @exposed(roles=("operator",))
    async def streams_named(self, streams: list[str]) -> list[StreamLine]:
        """Tell of up to 100 streams by their URLs, as far as they are known."""
        if len(streams) > _NAMED:
            raise CallRefused("bad-question", f"name up to {_NAMED} streams at once")
        rows = await self._means.store.look(Queries.streams_named, streams)
        return [self._line(row) for row in rows]

    @exposed(roles=("operator",))
    async def stream_counts(self) -> dict[str, int]:
        """Tell how many streams there are in each phase."""
        return await self._means.store.look(Queries.stream_counts)

    @exposed(roles=("operator",))
    async def stream_agents(self) -> dict[str, int]:
        """List the streaming agents, with how many streams each has to listen to."""
        loads = await self._means.store.look(Queries.stream_loads)
        return {name: loads.get(name, 0) for name in self._streaming.agents()} | loads

    @exposed(roles=("operator",))
    async def start_stream(self, peer: Peer, stream: str, why: str = "", who: str = "") -> None:
        """Listen to a stream as long as its site is a member, whatever its relevance."""
        await self._say(peer, stream, Hand.START, why, who)

    @exposed(roles=("operator",))
    async def stop_stream(self, peer: Peer, stream: str, why: str = "", who: str = "") -> None:
        """Listen to a stream no more, whatever crawls find."""
        await self._say(peer, stream, Hand.STOP, why, who)

    @exposed(roles=("operator",))
    async def release_stream(self, peer: Peer, stream: str, why: str = "", who: str = "") -> None:
        """Leave to the scheduler again whether a stream is listened to."""
        await self._say(peer, stream, Hand.NOTHING, why, who)

    @exposed(roles=("operator",))
    async def add_stream(
        self, peer: Peer, site: str, stream: str, why: str = "", who: str = ""
    ) -> None:
        """Listen to a stream for a site, as long as that is a member."""
        url = canonical(stream)
        if url is None:
            raise CallRefused("bad-decision", f"{stream[:200]!r} is no address of a live stream")
        with _refusing():
            await self._streaming.add(site, url, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def forget_stream(self, peer: Peer, stream: str, why: str = "", who: str = "") -> None:
        """Forget a stream; a crawl that meets it makes it a candidate again."""
        with _refusing():
            await self._streaming.forget(stream, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def move_stream(
        self, peer: Peer, stream: str, agent: str, why: str = "", who: str = ""
    ) -> None:
        """Have another agent listen to a stream; the former goes on until that one receives it."""
        with _refusing():
            await self._streaming.move(stream, agent, decider(who, peer), why[:WORDS])

    async def _say(self, peer: Peer, stream: str, hand: Hand, why: str, who: str) -> None:
        with _refusing():
            await self._streaming.say(stream, hand, decider(who, peer), why[:WORDS])

    def _line(self, row: StreamRow) -> StreamLine:
        state = read(row.state, StreamState)
        return StreamLine(
            stream=row.stream,
            site=row.site,
            phase=row.phase,
            hand=row.hand,
            agent=row.agent,
            leaving=row.leaving,
            page=self._page_of(STREAMING, row.agent) if row.agent else "",
            name=state.name,
            title=state.title,
            media_type=state.media_type,
            protocol=state.protocol,
            bitrate=state.bitrate,
            heard=state.heard,
            found=row.found,
            seen=row.seen,
            changed=row.changed,
            again=row.again,
            why=row.why,
        )


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (NoSuchTransition, NoAgent) as error:
        raise CallRefused("bad-decision", str(error)) from None
