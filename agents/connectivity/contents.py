"""Brings contents to the storage nodes that an index node names, until enough have them."""

from collections.abc import Collection

from attrs import define, evolve, field
from twisted.internet.defer import Deferred, DeferredSemaphore, FirstError, gatherResults

from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.index import Index
from agents.connectivity.loading import load
from agents.connectivity.patience import Patience
from agents.delivery import Load, NotTaken, Parcel, Sender, parcels
from agents.deposit import ContentSize, Placement
from anet.workers import Workers

_BUNDLES_AT_ONCE = 4  # each is in memory while it is sent


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

    def add(self, parcel: Parcel) -> None:
        """Take note of a parcel that will not be sent any more."""
        if not parcel.have:
            self.known |= set(parcel.keys)
            return
        for content in parcel.contents:
            self.stored[content.key] = list(parcel.have)
            self.bytes += content.size


class Contents:
    """Stores the contents of crawls on storage nodes."""

    def __init__(
        self,
        index: Index,
        sender: Sender,
        workers: Workers,
        *,
        puts_at_once: int,
        replica_tries: int,
    ) -> None:
        """Use `index` for places, `workers` to read; see the configuration for limits."""
        self._index, self._sender, self._workers = index, sender, workers
        self._puts_at_once, self._replica_tries = puts_at_once, replica_tries

    async def store(
        self,
        contents: list[ContentSize],
        brought: Collection[str],
        folder: CrawlFolder,
        patience: Patience,
    ) -> Taken:
        """See to it that the archive holds contents.

        Args:
            contents: all contents that captures of one batch name.
            brought: keys of those that the crawl has brought.
            folder: where these are.
            patience: of the deposit.

        Raises:
            Stalled: nothing has moved for too long.
        """
        bringing = _Bringing(
            self._index, self._sender, self._workers, folder, patience, self._replica_tries
        )
        taken = bringing.taken
        wanted: list[tuple[ContentSize, Placement]] = []
        placements = await self._index.place(contents, patience)
        for content, placement in zip(contents, placements, strict=True):
            if placement.known:
                taken.known.add(content.key)
            elif content.key not in brought:
                taken.missing.add(content.key)
            else:
                wanted.append((content, placement))
        bundles, single = DeferredSemaphore(_BUNDLES_AT_ONCE), DeferredSemaphore(self._puts_at_once)
        await _all(
            [
                (bundles if parcel.small else single).run(bringing.begin, parcel)
                for parcel in parcels(wanted)
            ]
        )
        return taken


@define
class _Bringing:
    """The contents of one batch on their way."""

    index: Index
    sender: Sender
    workers: Workers
    folder: CrawlFolder
    patience: Patience
    replica_tries: int
    taken: Taken = field(factory=Taken)

    def begin(self, parcel: Parcel) -> Deferred[None]:
        """Begin to bring a parcel."""
        return Deferred.fromCoroutine(self.bring(parcel))

    async def bring(self, parcel: Parcel) -> None:
        """Send a parcel to all nodes it should go to; to one at least, however long it takes."""
        waiting = [parcel]
        while waiting:
            parcel, problem = await self._offer(waiting.pop())
            if not problem or (parcel.have and parcel.tries >= self.replica_tries):
                self.taken.add(parcel)
            else:
                await self.patience.pause(parcel.backoff, problem)
                waiting += await self._place_again(parcel)

    async def _offer(self, parcel: Parcel) -> tuple[Parcel, str]:
        """Send a parcel to all nodes that do not have it, at once.

        The nodes make it durable at the same time, so a second copy costs hardly any wait.

        Returns:
            The parcel as it is then, without what nobody will take, and why a node did not take
            it, or an empty text.
        """
        problems = [] if parcel.nodes else ["no storage node is up"]
        have = list(parcel.have)
        failed: list[str] = []
        lost: set[str] = set()

        async def send(node: str, loaded: Load) -> None:
            try:
                lost.update(await self.sender.send(node, parcel, loaded))
            except NotTaken as error:
                problems.append(str(error))
                failed.append(node)
            else:
                have.append(node)
                self.patience.moved()

        try:
            loaded = await load(self.workers, self.folder, parcel)
        except NotTaken as error:
            problems.append(str(error))
        else:
            lost |= loaded.gone
            lacking = [node for node in parcel.nodes if node not in have]
            await _all([Deferred.fromCoroutine(send(node, loaded)) for node in lacking])
        self.taken.missing |= lost
        offered = evolve(
            parcel.without(lost), have=tuple(have), failed=tuple(failed), tries=parcel.tries + 1
        )
        return offered, problems[0] if offered.contents and problems else ""

    async def _place_again(self, parcel: Parcel) -> list[Parcel]:
        """Ask anew where a parcel goes; what is known by now need not go anywhere."""
        placements = await self.index.place(parcel.contents, self.patience, parcel.failed)
        pairs = list(zip(parcel.contents, placements, strict=True))
        known = {placement.key for placement in placements if placement.known}
        self.taken.add(parcel.without(set(parcel.keys) - known))
        return parcel.placed_again(pair for pair in pairs if not pair[1].known)


async def _all(waiting: list[Deferred[None]]) -> None:
    """Wait for all; if one fails or we are cancelled, let none of them go on."""
    try:
        await gatherResults(waiting, consumeErrors=True)
    except FirstError as error:
        for one in waiting:
            one.cancel()
        error.subFailure.raiseException()
