"""What the scheduler answers over HIP."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from agents.delimitation import Delimitation, InvalidExpression
from agents.deposit import DepositFigures
from agents.machines import LONGEST, MachineStatus
from agents.order import CrawlFigures, Fault
from agents.schedule import CrawlStatus, SchedulerStatus, SiteStatus
from agents.scheduler.callers import only
from agents.scheduler.collecting import NotYours
from agents.scheduler.database import Bounds, MachineInUse
from agents.scheduler.ends import Told
from agents.scheduler.life import NoSuchTransition
from agents.scheduler.machines import Machines, StillThere
from agents.scheduler.orders import NotAUrl
from agents.scheduler.overview import CRAWLER, Overview
from agents.scheduler.portion.expanding import NoPlace
from agents.scheduler.scheduler import CONNECTIVITY, Scheduler
from hip import CallRefused, Peer, exposed

_MOST = 1000  # rows of one answer
_LONGEST_DELAY = 3600  # seconds
_DEEPEST = 2**31 - 1  # page links from the start


class MachineMethods:
    """Methods for people who look after machines."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    @exposed(roles=("operator",))
    async def machines(self) -> list[MachineStatus]:
        """List the machines that crawlers run on."""
        return await self._machines.status()

    @exposed(roles=("operator",))
    async def drain(self, machine: str) -> None:
        """Give a machine no more work; its crawlers are ended as they become free.

        Refused with "no-machine" when there is none of that name.
        """
        with _refused():
            await self._machines.drain(machine)

    @exposed(roles=("operator",))
    async def undrain(self, machine: str) -> None:
        """Give a machine work again. Refused with "no-machine" when there is none of that name."""
        with _refused():
            await self._machines.undrain(machine)

    @exposed(roles=("operator",))
    async def forget(self, machine: str, lost: bool = False) -> list[str]:
        """Forget a machine that was drained and whose agents are stopped, for good.

        With `lost`, crawls that lie there and are not deposited are made again elsewhere; the
        answer names them. Refused with "no-machine" when it was not drained, and "in-use" when
        agents run there, or crawls lie there that are not lost.
        """
        with _refused():
            return await self._machines.forget(machine, lost)


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
        except (NotAUrl, NoPlace, InvalidExpression) as error:
            raise CallRefused("bad-order", str(error)) from None

    @exposed(roles=("site-crawler",))
    async def ready(self, peer: Peer, crawl: str | None = None, machine: str = "") -> bool:
        """Say that you are free, or which crawl you work on; the answer: whether to go on with it.

        For site crawlers, at each new link and whenever they become free; with the name of the
        machine that they run on.
        """
        only(peer, CRAWLER)
        if len(machine) > LONGEST:
            raise CallRefused("bad-machine", f"a machine's name has {LONGEST} characters at most")
        return await self._scheduler.collecting.ready(peer, crawl, machine)

    @exposed(roles=("site-crawler",))
    def progress(
        self, peer: Peer, crawl: str, figures: CrawlFigures, addresses: Sequence[str] = ()
    ) -> None:
        """Say how far a crawl is; a notification, from site crawlers.

        With the IP addresses of hosts of the site that were met since this was last said.
        """
        only(peer, CRAWLER)
        self._scheduler.collecting.progress(peer, crawl, figures, addresses)

    @exposed(roles=("site-crawler",))
    async def finished(
        self,
        peer: Peer,
        crawl: str,
        directory: str,
        figures: CrawlFigures,
        error: str | None = None,
        fault: Fault = Fault.SITE,
    ) -> bool:
        """Say that a crawl has ended and where it lies; the answer: whether it is wanted.

        For site crawlers; may be repeated until answered. What is not wanted is removed. If the
        error is no fault of the site's, it is collected anew: by another crawler if the `fault`
        is this one's or its machine's (as often as is configured), by whoever is free if only
        the disk was full. Refused with "not-yours" when the crawl was given to another.
        """
        only(peer, CRAWLER)
        try:
            return await self._scheduler.collecting.finished(
                peer, crawl, Told(directory, figures, error, fault)
            )
        except NotYours as refusal:
            raise CallRefused("not-yours", str(refusal)) from None

    @exposed(roles=("connectivity",))
    def deposit_progress(self, peer: Peer, crawl: str, figures: DepositFigures) -> None:
        """Say how far a deposit is; a notification, from connectivity agents."""
        only(peer, CONNECTIVITY)
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


@contextmanager
def _refused() -> Iterator[None]:
    """Refuse in words what cannot be done with a machine."""
    try:
        yield
    except NoSuchTransition as error:
        raise CallRefused("no-machine", str(error)) from None
    except (StillThere, MachineInUse) as error:
        raise CallRefused("in-use", str(error)) from None
