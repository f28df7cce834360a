"""One deposit: from a crawl's folder to the storage, wholly and as often as it takes.

Steps, in an order that lets `kill -9` fall anywhere: contents to storage nodes, then the captures
that name them to the index node, batch by batch; then signatures and structure to the site's
folder; then its links to the scheduler, if it passed. Nothing is removed here. Repeated from the
beginning, every step finds its work done.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from attrs import evolve, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.capture import Capture
from agents.connectivity import former
from agents.connectivity.contents import Contents, Taken
from agents.connectivity.crawl_folder import REPORT, STRUCTURE, CrawlFolder
from agents.connectivity.index import INVALID, Index
from agents.connectivity.judging import is_kept, judged, leads_on
from agents.connectivity.learning import Learning, parts
from agents.connectivity.patience import Patience
from agents.connectivity.report import read_report
from agents.connectivity.structure import Batch, find_packed, read_batch
from agents.deposit import ContentSize, DepositFigures, Findings
from agents.judgement import Policy
from anet.workers import Workers
from hip import RemoteError

_log = Logger()


@frozen
class Limits:
    """Bounds of one deposit; see the configuration."""

    batch_captures: int
    batch_bytes: int
    patience: float
    report: int


class Deposit:
    """The deposit of one crawl.

    Attributes:
        crawl: the name of the crawl.
        folder: where the crawl lies.
    """

    def __init__(
        self,
        clock: IReactorTime,
        index: Index,
        contents: Contents,
        learning: Learning,
        workers: Workers,
        limits: Limits,
        *,
        crawl: str,
        folder: CrawlFolder,
        site: Path,
        policy: Policy | None = None,
    ) -> None:
        """Deposit `folder`, and leave what the next crawl needs in the folder `site`.

        Without a `policy` nothing is judged, and no links are told.
        """
        self.crawl, self.folder = crawl, folder
        self._clock, self._workers, self._limits = clock, workers, limits
        self._index, self._contents, self._site = index, contents, site
        self._learning, self._policy = learning, policy
        self._patience = Patience(clock, limits.patience)
        self._begun = clock.seconds()
        self._captures = self._recorded = self._left_out = 0
        self._stored: set[str] = set()
        self._known: set[str] = set()
        self._bytes = self._missing_contents = 0

    def figures(self, findings: Findings | None = None) -> DepositFigures:
        """Return how far it is; with findings, as done."""
        return DepositFigures(
            captures=self._captures,
            captures_recorded=self._recorded,
            captures_missing=self._left_out,
            contents_stored=len(self._stored),
            contents_known=len(self._known - self._stored),
            bytes_stored=self._bytes,
            retries=self._patience.retries,
            seconds=self._clock.seconds() - self._begun,
            waiting_for=self._patience.waiting_for,
            done=findings is not None,
            findings=findings,
        )

    async def run(self, moved: Callable[[], None] = lambda: None) -> DepositFigures:
        """Do all of it; return the figures once everything is durable.

        Args:
            moved: called after each batch.

        Raises:
            NoCrawl: there is no such folder.
            BadCrawl: no whole crawl is in it.
            Stalled: storage or scheduler took nothing for too long; repeat later.
            OutOfStep: the scheduler forgot what it was told; repeat.
        """
        await self._workers.run(self.folder.check)
        path = self.folder.path / REPORT
        report = await self._workers.run(read_report, path, self._limits.report)
        findings = await self._workers.run(judged, report, self._policy)
        if is_kept(findings, self._policy):
            await self._deposit_all(moved)
            await self._leave_for_next()
        if leads_on(findings, self._policy):
            told = parts(path, self._limits.report)
            await self._learning.tell(self.crawl, told, self._patience)
        return self.figures(findings)

    async def _deposit_all(self, moved: Callable[[], None]) -> None:
        """Deposit the captures and their contents."""
        path = self.folder.path / STRUCTURE
        offset, whole = 0, False
        while not whole:
            batch = await self._workers.run(
                read_batch, path, offset, self._limits.batch_captures, self._limits.batch_bytes
            )
            await self._deposit(batch, offset)
            offset, whole = batch.offset, batch.whole
            moved()

    async def _deposit(self, batch: Batch, offset: int) -> None:
        """Deposit a batch that begins at a byte of the structure."""
        self._captures += len(batch.captures) + batch.damaged
        self._left_out += batch.damaged
        if batch.damaged:
            _log.warn("{crawl}: {count} lines are damaged", crawl=self.crawl, count=batch.damaged)
        if not batch.captures:
            return
        sizes = {capture.content: capture.size for capture in batch.captures}
        taken = await self._store(sizes, batch.packed)
        if taken.missing:
            await self._store_again(sizes, taken, offset)
        self._stored |= taken.stored.keys()
        self._known |= taken.known
        self._bytes += taken.bytes
        self._missing_contents += len(taken.missing)
        held = [each for each in batch.captures if each.content not in taken.missing]
        self._leave_out(len(batch.captures) - len(held), "nobody has their contents")
        await self._record(held, taken.stored)

    async def _store(self, sizes: dict[str, int], packed: dict[str, tuple[int, int]]) -> Taken:
        folder = evolve(self.folder, packed=packed)
        brought = await self._workers.run(folder.sizes, sizes)
        contents = [ContentSize(key, size) for key, size in (sizes | brought).items()]
        return await self._contents.store(contents, brought.keys(), folder, self._patience)

    async def _store_again(self, sizes: dict[str, int], taken: Taken, offset: int) -> None:
        """Bring what an earlier batch brought, if the archive does not know of it any more."""
        had = {key for key in taken.missing if key in self._stored or key in self._known}
        if not had:  # most often the archive has lost what a former crawl brought
            return
        path = self.folder.path / STRUCTURE
        packed = await self._workers.run(find_packed, path, offset, had)
        if packed:
            again = await self._store({key: sizes[key] for key in packed}, packed)
            taken.missing -= packed.keys() - again.missing
            taken.known |= again.known
            taken.stored |= again.stored
            taken.bytes += again.bytes

    async def _record(self, captures: list[Capture], stored: dict[str, list[str]]) -> None:
        """Record captures; should one be refused, find it and leave it out."""
        if not captures:
            return
        keys = {capture.content for capture in captures}
        named = {key: nodes for key, nodes in stored.items() if key in keys}
        try:
            await self._index.record(captures, named, self._patience)
        except RemoteError as error:
            if error.code != INVALID:
                raise
            if len(captures) == 1:
                self._leave_out(1, str(error))
                return
            middle = len(captures) // 2
            await self._record(captures[:middle], stored)
            await self._record(captures[middle:], stored)
        else:
            self._recorded += len(captures)

    def _leave_out(self, count: int, reason: str) -> None:
        self._left_out += count
        if count:
            _log.warn(
                "{crawl}: {count} captures are left out: {reason}",
                crawl=self.crawl,
                count=count,
                reason=reason,
            )

    async def _leave_for_next(self) -> None:
        """Let the site's next crawl know what the archive holds, if it does hold all of it."""

        def leave() -> Awaitable[None]:
            if self._missing_contents:
                return self._workers.run(former.withdraw, self._site)
            whole = self._policy is None or self._policy.whole
            return self._workers.run(former.publish, self.folder, self._site, whole)

        await self._patience.insist(leave, lambda error: isinstance(error, BlockingIOError))
