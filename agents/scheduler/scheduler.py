"""The scheduler: its parts brought together, and the service that runs them."""

from collections.abc import Sequence

from twisted.application.service import Service
from twisted.internet.defer import Deferred

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.scheduler.alarm import Alarm
from agents.scheduler.collecting import Collecting
from agents.scheduler.database import Bounds, Crawl, Database
from agents.scheduler.depositing import Depositing
from agents.scheduler.means import Means
from agents.scheduler.nurseries import Nurseries
from agents.scheduler.orders import sites_of
from agents.scheduler.overview import CRAWLER
from agents.scheduler.pool import Peer
from anet.tasks import every

NURSERY = "nursery"
CONNECTIVITY = "connectivity"

_LONGEST_SLEEP = 10.0  # seconds between looks for deposits, when nothing rings
_SAMPLE = 1.0  # seconds between points of the curves


class Scheduler(Service):
    """Decides which sites are collected when, and by whom.

    Attributes:
        means: what its parts work with.
        collecting: the crawls that wait for a crawler or have one.
        depositing: the crawls that wait for their deposit.
    """

    def __init__(self, means: Means, running: Sequence[Crawl] = ()) -> None:
        """Take up the work of a former run.

        Args:
            means: what to work with.
            running: crawls that crawlers were collecting when it ended (`Database.recover`).
        """
        self.means = means
        alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self._nurseries = Nurseries(means.clock, means.tasks, means.journal)
        self.collecting = Collecting(means, self._nurseries, alarm)
        self.depositing = Depositing(means, alarm)
        self._running = list(running)

    def startService(self) -> None:
        """Begin to give work, and wait for the crawlers that have some."""
        super().startService()
        means = self.means
        means.store.startService()
        means.files.startService()
        self.collecting.expect(self._running)
        means.tasks.start(self.collecting.run(), "giving sites to crawlers")
        means.tasks.start(self.depositing.run(), "having crawls deposited")
        sampling = every(means.clock, _SAMPLE, lambda: means.live.sample(means.clock.seconds()))
        means.tasks.start(sampling, "drawing curves")

    async def stopService(self) -> None:
        """Let crawlers and deposits go on without us; they are taken up at the next start."""
        super().stopService()
        self.collecting.stop()
        self.depositing.stop()
        await self.means.tasks.stop()
        await self.means.files.stopService()
        await self.means.store.stopService()

    def join(self, peer: Peer) -> None:
        """Take an agent whose link is up."""
        if peer.kind == CRAWLER:
            self.collecting.join(peer)
        elif peer.kind == NURSERY:
            self._nurseries.join(peer)
            self.collecting.ring()
        elif peer.kind == CONNECTIVITY:
            self.depositing.join(peer)

    def leave(self, peer: Peer, reason: str) -> None:
        """Take note that a link closed."""
        if not self.running:
            return  # we closed it ourselves
        if peer.kind == CRAWLER:
            self.collecting.leave(peer, reason)
        elif peer.kind == NURSERY:
            self._nurseries.leave(peer)
        elif peer.kind == CONNECTIVITY:
            self.depositing.leave(peer)

    async def order(
        self,
        urls: Sequence[str],
        private_networks: bool,
        delay: float | None = None,
        beside: bool = False,
        bounds: Bounds | None = None,
    ) -> list[str]:
        """Make the sites that begin at `urls` due; return their crawls.

        Raises:
            NotAUrl: one of them cannot be collected; none is ordered.
        """
        sites = sites_of(urls, self.means.config.maximum_depth, bounds)
        crawls = await self.means.store.run(
            Database.order, sites, private_networks, self.means.now(), delay, beside
        )
        self.collecting.ring()
        return crawls

    def ready(self, peer: Peer, attempt: str | None) -> Deferred[bool]:
        """Hear that a crawler is free, or works on an attempt; tell whether to go on."""
        return Deferred.fromCoroutine(self.collecting.ready(peer, attempt))

    def progress(self, attempt: str, figures: CrawlFigures) -> None:
        """Hear how far a crawl is."""
        self.means.live.collected(attempt, figures, self.means.clock.seconds())

    def deposit_progress(self, attempt: str, figures: DepositFigures) -> None:
        """Hear how far a deposit is."""
        self.means.live.deposited(attempt, figures)
