"""The connectivity agent's work: deposits, each once at a time, and removals."""

from pathlib import Path

from attrs import frozen
from twisted.application.service import Service
from twisted.internet.interfaces import IReactorTime

from agents.connectivity.contents import Contents
from agents.connectivity.crawl_folder import CrawlFolder, is_name
from agents.connectivity.deposit import Deposit, Limits
from agents.connectivity.discard import discard, sweep
from agents.connectivity.errors import Busy, ConnectivityError, Forbidden
from agents.connectivity.index import Index
from agents.connectivity.tallies import Tallies
from agents.deposit import DepositFigures
from anet.shared import Shared
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import Link

_TELL_EVERY = 1.0  # seconds between notifications of progress


@frozen
class Storage:
    """The way to the storage: an index node, and the contents' way to storage nodes."""

    index: Index
    contents: Contents


class Connectivity(Service):
    """Deposits crawls and removes their folders.

    Attributes:
        deposits: those under way, by the name of the crawl.
        tallies: sums and errors, for pages.
    """

    def __init__(
        self,
        clock: IReactorTime,
        scheduler: Link,
        storage: Storage,
        workers: Workers,
        directory: Path,
        limits: Limits,
    ) -> None:
        """Work in the archive's folder `directory`, and tell `scheduler` of progress."""
        self.deposits: dict[str, Deposit] = {}
        self.tallies = Tallies(clock)
        self._clock, self._scheduler, self._storage = clock, scheduler, storage
        self._workers, self._limits = workers, limits
        self._crawls, self._sites = directory / "crawls", directory / "sites"
        self._shared: dict[str, Shared[DepositFigures]] = {}
        self._tasks = Tasks()

    def startService(self) -> None:
        """Finish what an earlier process left, and tell of progress now and then."""
        super().startService()
        self._workers.startService()
        self._tasks.start(self._sweep(), "removing what was to be removed")
        self._tasks.start(every(self._clock, _TELL_EVERY, self._tell), "telling of progress")

    async def stopService(self) -> None:
        """End deposits where they are; they are repeated by whoever is asked next."""
        super().stopService()
        await self._tasks.stop()
        await self._workers.stopService()

    async def deposit(self, crawl: str, site: str, directory: str) -> DepositFigures:
        """Deposit a crawl, or join the deposit of it that is under way.

        Raises:
            NoCrawl: there is no such folder.
            BadCrawl: no whole crawl is in it.
            Forbidden: the folder is not one of a crawl, or a name is none.
            Stalled: the storage took nothing for too long; repeat later.
        """
        if not is_name(site) or not is_name(crawl):
            raise Forbidden(
                f"{site[:80]!r} and {crawl[:80]!r} are to be names of a site and a crawl"
            )
        if crawl not in self._shared:
            folder = CrawlFolder.named(self._crawls, directory)
            deposit = Deposit(
                self._clock,
                self._storage.index,
                self._storage.contents,
                self._workers,
                self._limits,
                crawl=crawl,
                folder=folder,
                site=self._sites / site,
            )
            self.deposits[crawl] = deposit
            running = self._run(deposit)
            shared = Shared(self._tasks, running, f"the deposit of {crawl}")
            if not shared.ended:
                self._shared[crawl] = shared
            return await shared.wait()
        return await self._shared[crawl].wait()

    async def discard(self, directory: str) -> None:
        """Remove the folder of a crawl; without effect when it is not there.

        Raises:
            Forbidden: the path is not that of a crawl's folder.
            Busy: it is being deposited.
            OSError: it cannot be removed.
        """
        for deposit in self.deposits.values():
            if deposit.folder.path == Path(directory):
                raise Busy(f"{deposit.crawl} is being deposited")
        await self._workers.run(discard, self._crawls, directory)
        self.tallies.discarded += 1

    async def _run(self, deposit: Deposit) -> DepositFigures:
        try:
            figures = await deposit.run(lambda: self._tell_of(deposit))
        except (ConnectivityError, OSError) as error:
            self.tallies.failed(deposit.crawl, str(error))
            raise
        else:
            self.tallies.done(deposit.crawl, figures)
            return figures
        finally:
            del self.deposits[deposit.crawl]
            self._shared.pop(deposit.crawl, None)

    async def _sweep(self) -> None:
        await self._workers.run(sweep, self._crawls)

    def _tell(self) -> None:
        for deposit in self.deposits.values():
            self._tell_of(deposit)
        self.tallies.sample(list(self.deposits.values()))

    def _tell_of(self, deposit: Deposit) -> None:
        self._scheduler.notify("deposit_progress", crawl=deposit.crawl, figures=deposit.figures())
