"""The scheduler: its parts brought together, and the service that runs them."""

from collections.abc import Sequence

from twisted.application.service import Service

from agents import delimitation
from agents.deposit import DepositFigures
from agents.scheduler.alarm import Alarm
from agents.scheduler.collecting import Collecting
from agents.scheduler.database import Bounds, Crawl, Database
from agents.scheduler.depositing import Depositing
from agents.scheduler.means import Means
from agents.scheduler.orders import guessed, sites_of
from agents.scheduler.overview import CRAWLER
from agents.scheduler.pool import Peer
from agents.scheduler.portion.by_hand import ByHand
from agents.scheduler.portion.expanding import Expanding
from agents.scheduler.portion.feeding import AGGREGATOR, Feeding
from agents.scheduler.portion.keeping_in_step import KeepingInStep
from agents.scheduler.portion.missing import Missing
from agents.scheduler.portion.ranking import Ranking
from agents.scheduler.streams.listeners import STREAMING
from agents.scheduler.streams.streaming import Streaming
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
        expanding: the sites that links lead to.
        keeping: when sites fall due by themselves.
        feeding: the feeds that members have.
        streaming: the live streams of members.
        missing: what readers of the archive missed.
        by_hand: what archivists decide.
        deposits_alarm: rung when there is something to deposit.
    """

    def __init__(self, means: Means, running: Sequence[Crawl] = ()) -> None:
        """Take up the work of a former run.

        Args:
            means: what to work with.
            running: crawls that crawlers were collecting when it ended (`Database.recover`).
        """
        self.means = means
        alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self.collecting = Collecting(means, alarm, self._serving, self._ended)
        self.expanding = Expanding(means, self.collecting.ring)
        self.keeping = KeepingInStep(means, self.collecting.ring)
        self.feeding = Feeding(means, self.collecting.ring)
        self.streaming = Streaming(means)
        self.missing = Missing(means, self.expanding, self.collecting.ring)
        self.deposits_alarm = alarm
        self.by_hand = ByHand(means, self.expanding, self.keeping, self.feeding, self.streaming)
        self.depositing = Depositing(means, alarm, self._ended)
        self._running = list(running)

    def startService(self) -> None:
        """Begin to give work, and wait for the crawlers that have some."""
        super().startService()
        means = self.means
        means.store.startService()
        means.files.startService()
        self.collecting.expect(self._running)
        means.tasks.start(self.expanding.run(), "letting sites in")
        means.tasks.start(Ranking(means).run(), "ranking sites")
        means.tasks.start(self.keeping.run(), "keeping sites in step")
        means.tasks.start(self.streaming.run(), "having streams listened to")
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
        await self.expanding.close()
        await self.means.files.stopService()
        await self.means.store.stopService()

    def join(self, peer: Peer) -> None:
        """Take an agent whose link is up."""
        if peer.kind == CRAWLER:
            self.collecting.join(peer)
        elif peer.kind == NURSERY:
            self.means.tasks.start(self.collecting.join_nursery(peer), f"greeting {peer.name}")
        elif peer.kind == CONNECTIVITY:
            self.means.tasks.start(self.depositing.join(peer), f"greeting {peer.name}")
        elif peer.kind == AGGREGATOR:
            self.feeding.join(peer)
        elif peer.kind == STREAMING:
            self.streaming.join(peer)

    def leave(self, peer: Peer, reason: str) -> None:
        """Take note that a link closed."""
        if not self.running:
            return  # we closed it ourselves
        if peer.kind == CRAWLER:
            self.collecting.leave(peer, reason)
        elif peer.kind == NURSERY:
            self.collecting.nurseries.leave(peer)
        elif peer.kind == CONNECTIVITY:
            self.depositing.leave(peer)
        elif peer.kind == AGGREGATOR:
            self.feeding.leave(peer)
        elif peer.kind == STREAMING:
            self.streaming.leave(peer)

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
            NoPlace: another site is there, or within; none is ordered.
        """
        means = self.means
        guess = guessed if self.expanding.enabled else delimitation.guess
        sites = sites_of(urls, means.config.maximum_depth, bounds, guess)
        crawls = await self.expanding.place(
            sites,
            lambda: means.store.run(
                Database.order, sites, private_networks, means.now(), delay, beside
            ),
        )
        self.collecting.ring()
        return crawls

    async def _ended(self, site: str) -> None:
        """Let the end of a site's crawl have its effects on others."""
        await self.expanding.judged(site)
        await self.feeding.judged(site)
        await self.streaming.judged(site)
        await self.missing.judged(site)
        self.collecting.ring()

    def _serving(self, machine: str) -> list[str]:
        return self.depositing.serving(machine)

    def deposit_progress(self, attempt: str, figures: DepositFigures) -> None:
        """Hear how far a deposit is."""
        self.means.live.deposited(attempt, figures)
