"""Brings contents to the storage nodes that an index node names, until enough have them."""

from pathlib import Path

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredSemaphore, FirstError, gatherResults
from twisted.internet.interfaces import IReactorTime

from agents.connectivity.index import Index
from agents.connectivity.patience import Patience
from agents.deposit import ContentSize, Placement
from anet.backoff import Backoff
from anet.errors import AnetError
from anet.http import FileBody, HttpClient

_ANSWER_LIMIT = 65_536  # bytes of a storage node's answer that are read
_DAMAGED = frozenset({409, 413})  # the bytes are not what their name says, or too many
_STORED = frozenset({200, 201})


class _Damaged(Exception):
    """No node will ever take this content."""


class _NotTaken(Exception):
    """A node did not take the content now."""


@define
class Taken:
    """What became of the contents of one batch.

    Attributes:
        stored: nodes that took each content, by its key.
        known: contents that the archive had already.
        missing: contents that nobody has: neither the archive nor the crawl's folder.
        bytes: of the contents stored.
    """

    stored: dict[str, list[str]] = field(factory=dict)
    known: set[str] = field(factory=set)
    missing: set[str] = field(factory=set)
    bytes: int = 0


class Contents:
    """Stores the contents of crawls on storage nodes."""

    def __init__(
        self,
        clock: IReactorTime,
        index: Index,
        client: HttpClient,
        secret: str,
        *,
        puts_at_once: int,
        replica_tries: int,
    ) -> None:
        """Use `index` for places and `client` for sending; see the configuration for limits."""
        self._clock, self._index, self._client = clock, index, client
        self._headers = [(b"Authorization", f"Bearer {secret}".encode())]
        self._puts_at_once, self._replica_tries = puts_at_once, replica_tries

    async def store(
        self, contents: list[ContentSize], files: dict[str, Path], patience: Patience
    ) -> Taken:
        """See to it that the archive holds contents.

        Args:
            contents: all contents that captures of one batch name.
            files: those that the crawl has brought.
            patience: of the deposit.

        Raises:
            Stalled: nothing has moved for too long.
        """
        taken = Taken()
        semaphore = DeferredSemaphore(self._puts_at_once)

        def begin(content: ContentSize, path: Path, placement: Placement) -> Deferred[None]:
            storing = self._store_one(content, path, placement, taken, patience)
            return Deferred.fromCoroutine(storing)

        waiting: list[Deferred[None]] = []
        placements = await self._index.place(contents, patience)
        for content, placement in zip(contents, placements, strict=True):
            path = files.get(content.key)
            if placement.known:
                taken.known.add(content.key)
            elif path is None:
                taken.missing.add(content.key)
            else:
                waiting.append(semaphore.run(begin, content, path, placement))
        await _all(waiting)
        return taken

    async def _store_one(
        self,
        content: ContentSize,
        path: Path,
        placement: Placement,
        taken: Taken,
        patience: Patience,
    ) -> None:
        """Send a content to all nodes it should go to; to one at least, however long it takes."""
        have: list[str] = []
        backoff = Backoff()
        tries = 0
        while not placement.known:
            tries += 1
            try:
                problem = await self._send(path, content, placement, have, patience)
            except _Damaged:
                taken.missing.add(content.key)
                return
            if not problem or (have and tries >= self._replica_tries):
                break
            await patience.pause(backoff, problem)
            [placement] = await self._index.place([content], patience)
        if have:
            taken.stored[content.key] = have
            taken.bytes += content.size
        else:
            taken.known.add(content.key)

    async def _send(
        self,
        path: Path,
        content: ContentSize,
        placement: Placement,
        have: list[str],
        patience: Patience,
    ) -> str:
        """Send a content to all nodes that do not have it, at once; return why one did not take it.

        The nodes make it durable at the same time, so a second copy costs hardly any wait.
        """
        problems = [] if placement.nodes else ["no storage node is up"]

        async def offer(node: str) -> None:
            try:
                await self._put(node, path, content)
            except _NotTaken as error:
                problems.append(str(error))
            else:
                have.append(node)
                patience.moved()

        lacking = [node for node in placement.nodes if node not in have]
        await _all([Deferred.fromCoroutine(offer(node)) for node in lacking])
        return problems[0] if problems else ""

    async def _put(self, node: str, path: Path, content: ContentSize) -> None:
        url = f"{node.rstrip('/')}/contents/{content.key}"
        body = FileBody(path, 0, content.size)
        try:
            answer = await self._client.request("PUT", url, self._headers, body)
            words = (await answer.read(_ANSWER_LIMIT)).decode("utf-8", "replace")
        except (AnetError, OSError) as error:
            raise _NotTaken(f"{node}: {error}") from error
        if answer.head.status in _DAMAGED:
            raise _Damaged(words)
        if answer.head.status not in _STORED:
            raise _NotTaken(f"{node} answers {answer.head.status}: {words.strip()[:200]}")


async def _all(waiting: list[Deferred[None]]) -> None:
    """Wait for all; if one fails or we are cancelled, let none of them go on."""
    try:
        await gatherResults(waiting, consumeErrors=True)
    except FirstError as error:
        for one in waiting:
            one.cancel()
        error.subFailure.raiseException()
