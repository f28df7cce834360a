"""What the scheduler answers over HIP."""

from agents.delimitation import Delimitation, InvalidExpression
from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import CrawlStatus, SchedulerStatus, SiteStatus
from agents.scheduler.database import Bounds
from agents.scheduler.orders import NotAUrl
from agents.scheduler.overview import CRAWLER, Overview
from agents.scheduler.scheduler import CONNECTIVITY, Scheduler
from hip import CallRefused, Peer, exposed

_MOST = 1000  # rows of one answer
_LONGEST_DELAY = 3600  # seconds
_DEEPEST = 2**31 - 1  # page links from the start


class SchedulerMethods:
    """Methods for site crawlers, connectivity agents and people."""

    def __init__(self, scheduler: Scheduler, overview: Overview) -> None:
        self._scheduler, self._overview = scheduler, overview

    @exposed(roles=("operator",))
    async def order(
        self,
        urls: list[str],
        private_networks: bool = False,
        delay: float | None = None,
        beside: bool = False,
        accept: str | None = None,
        reject: str | None = None,
        maximum_depth: int | None = None,
    ) -> list[str]:
        """Have the sites that begin at these URLs collected; return the name of each crawl.

        A site that is at work already is joined: its present crawl is returned, and one that is
        being collected goes on as it was ordered first. What belongs to each site is what
        `accept` takes and `reject` does not, as far as `maximum_depth` page links from its start;
        the site keeps what is said, and the rest is guessed from its URL. With
        `private_networks` addresses of private networks and of loopback may be fetched; `delay`
        is the seconds owed to a web server for each request, instead of the configured. With
        `beside`, a site that is being collected gets a second crawler that begins now and does
        not wait for the first.
        """
        limit = self._scheduler.means.config.orders_at_once
        if not 0 < len(urls) <= limit:
            raise CallRefused("bad-order", f"order from 1 to {limit} URLs at once")
        if delay is not None and not 0 <= delay <= _LONGEST_DELAY:
            raise CallRefused("bad-order", f"a delay is from 0 to {_LONGEST_DELAY} seconds")
        if maximum_depth is not None and not 0 <= maximum_depth <= _DEEPEST:
            raise CallRefused("bad-order", f"a maximum depth is from 0 to {_DEEPEST}")
        bounds = Bounds(accept, reject, maximum_depth)
        try:
            Delimitation.parse(accept or "", reject or "")
            return await self._scheduler.order(urls, private_networks, delay, beside, bounds)
        except (NotAUrl, InvalidExpression) as error:
            raise CallRefused("bad-order", str(error)) from None

    @exposed(roles=("site-crawler",))
    async def ready(self, peer: Peer, crawl: str | None = None) -> bool:
        """Say that you are free, or which crawl you work on; the answer: whether to go on with it.

        For site crawlers, at each new link and whenever they become free.
        """
        _only(peer, CRAWLER)
        return await self._scheduler.ready(peer, crawl)

    @exposed(roles=("site-crawler",))
    def progress(self, peer: Peer, crawl: str, figures: CrawlFigures) -> None:
        """Say how far a crawl is; a notification, from site crawlers."""
        _only(peer, CRAWLER)
        self._scheduler.progress(crawl, figures)

    @exposed(roles=("site-crawler",))
    async def finished(
        self,
        peer: Peer,
        crawl: str,
        directory: str,
        figures: CrawlFigures,
        error: str | None = None,
        again: bool = False,
    ) -> bool:
        """Say that a crawl has ended and where it lies; the answer: whether it is wanted.

        For site crawlers; may be repeated until answered. What is not wanted is removed. With
        `again` the error is no fault of the site's, and its collection is begun anew.
        """
        _only(peer, CRAWLER)
        return await self._scheduler.collecting.finished(
            peer, crawl, directory, figures, error, again
        )

    @exposed(roles=("connectivity",))
    def deposit_progress(self, peer: Peer, crawl: str, figures: DepositFigures) -> None:
        """Say how far a deposit is; a notification, from connectivity agents."""
        _only(peer, CONNECTIVITY)
        self._scheduler.deposit_progress(crawl, figures)

    @exposed(roles=("operator",))
    async def status(self) -> SchedulerStatus:
        """Tell everything: crawls with their figures, crawlers, agents, totals, errors."""
        return await self._overview.status()

    @exposed(roles=("operator",))
    async def sites(self, limit: int = 100) -> list[SiteStatus]:
        """List sites, those that changed last first."""
        return await self._overview.sites(max(1, min(limit, _MOST)))

    @exposed(roles=("operator",))
    async def crawls(self, limit: int = 100) -> list[CrawlStatus]:
        """List crawls, the newest order first."""
        return await self._overview.crawls(max(1, min(limit, _MOST)))


def _only(peer: Peer, kind: str) -> None:
    if peer.kind != kind:
        raise CallRefused("not-yours", f"this method is for a {kind}; you are a {peer.kind}")
