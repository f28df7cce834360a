"""The connectivity agent's work: deposits, each once at a time, and removals."""

from pathlib import Path

from attrs import frozen
from twisted.application.service import Service
from twisted.internet.interfaces import IReactorTime

from agents.connectivity.contents import Contents
from agents.connectivity.crawl_folder import CrawlFolder, is_name
from agents.connectivity.deposit import Deposit, Limits
from agents.connectivity.discard import discard, sweep
from agents.connectivity.errors import Busy, ConnectivityError, Elsewhere, Forbidden
from agents.connectivity.index import Index
from agents.connectivity.learning import Learning
from agents.connectivity.tallies import Tallies
from agents.deposit import DepositFigures, HostedFolder
from agents.judgement import Policy
from anet.shared import Shared
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import Link

_TELL_EVERY = 1.0  # seconds between notifications of progress


@frozen
class Ways:
    """Where what a crawl brought goes: an index node, storage nodes, and the scheduler."""

    index: Index
    contents: Contents
    learning: Learning


class Connectivity(Service):
    """Deposits crawls and removes their folders.

    Attributes:
        serves: the folder whose crawls it reaches.
        deposits: those under way, by the name of the crawl.
        tallies: sums and errors, for pages.
    """

    def __init__(
        self,
        clock: IReactorTime,
        scheduler: Link,
        ways: Ways,
        workers: Workers,
        directory: Path,
        limits: Limits,
        machine: str,
    ) -> None:
        """Work in the archive's folder `directory`, and tell `scheduler` of progress."""
        self.deposits: dict[str, Deposit] = {}
        self.tallies = Tallies(clock)
        self._clock, self._scheduler, self._ways = clock, scheduler, ways
        self._workers, self._limits = workers, limits
        self._crawls, self._sites = directory / "crawls", directory / "sites"
        self.serves = HostedFolder(machine, str(self._crawls))
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

    async def deposit(
        self,
        crawl: str,
        site: str,
        directory: str,
        policy: Policy | None = None,
        machine: str | None = None,
    ) -> DepositFigures:
        """Deposit a crawl, or join the deposit of it that is under way, whatever its policy.

        Raises:
            Elsewhere: it lies on another machine.
            NoCrawl: there is no such folder.
            BadCrawl: no whole crawl is in it.
            Forbidden: the folder is not one of a crawl, or a name is none.
            Stalled: storage or scheduler took nothing for too long; repeat later.
            OutOfStep: the scheduler forgot what it was told; repeat.
        """
        self._check_machine(machine)
        if not is_name(site) or not is_name(crawl):
            raise Forbidden(
                f"{site[:80]!r} and {crawl[:80]!r} are to be names of a site and a crawl"
            )
        if crawl not in self._shared:
            folder = CrawlFolder.named(self._crawls, directory)
            deposit = Deposit(
                self._clock,
                self._ways.index,
                self._ways.contents,
                self._ways.learning,
                self._workers,
                self._limits,
                crawl=crawl,
                folder=folder,
                site=self._sites / site,
                policy=policy,
            )
            self.deposits[crawl] = deposit
            running = self._run(deposit)
            shared = Shared(self._tasks, running, f"the deposit of {crawl}")
            if not shared.ended:
                self._shared[crawl] = shared
            return await shared.wait()
        return await self._shared[crawl].wait()

    async def discard(self, directory: str, machine: str | None = None) -> None:
        """Remove the folder of a crawl; without effect when it is not there.

        Raises:
            Elsewhere: it lies on another machine.
            Forbidden: the path is not that of a crawl's folder.
            Busy: it is being deposited.
            OSError: it cannot be removed.
        """
        self._check_machine(machine)
        for deposit in self.deposits.values():
            if deposit.folder.path == Path(directory):
                raise Busy(f"{deposit.crawl} is being deposited")
        await self._workers.run(discard, self._crawls, directory)
        self.tallies.discarded += 1

    def _check_machine(self, machine: str | None) -> None:
        if machine is not None and machine != self.serves.machine:
            raise Elsewhere(
                f"the crawl lies on {machine[:200]!r}; this agent serves"
                f" {self.serves.directory} on {self.serves.machine!r}"
            )

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
