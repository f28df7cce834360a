"""Links that led readers of the archive nowhere: noted, and collected if they are to be.

A link within a site is noted there, and a quick crawl of the site brings it (*INA §2.4.2*: what
is missed is told to the scheduler); one that belongs to no site may lead to a new candidate.
"""

from collections.abc import Callable, Sequence

from agents import dates, urls
from agents.delimitation import Delimitation, InvalidExpression
from agents.missed import URL_LIMIT, MissedLink
from agents.scheduler.database import Database, Queries
from agents.scheduler.means import Means
from agents.scheduler.naming import host_of
from agents.scheduler.portion.expanding import Expanding
from agents.scheduler.portion.opening import opens, seconds_of
from agents.scheduler.portion.soon import URLS, quick_look
from anet.address import is_public
from anet.names import literal

AGAIN = 7 * 86_400  # seconds after which a link that is still missed is asked for once more
_SITES = 200  # that begin at one host, or above it
_LABELS = 5  # of a host's name that are looked at: it, and the names above it


class Missing:
    """What becomes of the links.

    Args:
        means: the scheduler's.
        expanding: knows where sites are, and takes in new ones.
        due: called when sites have fallen due.
    """

    def __init__(self, means: Means, expanding: Expanding, due: Callable[[], None]) -> None:
        self._means, self._expanding, self._due = means, expanding, due
        self._policy = means.config.missed_links

    async def heard(self, links: Sequence[MissedLink]) -> None:
        """Note links, and have them collected; told again, it has no effect."""
        if self._policy == "no":
            return
        told = {link.url: link for link in links if _is_one(link)}
        owners = await self._owners(list(told))
        again = dates.from_timestamp(max(0.0, seconds_of(self._means.now()) - AGAIN))
        noted = [(link, owners[url]) for url, link in told.items()]
        await self._means.store.run(Database.note_missed, noted, again)
        if self._policy == "collect":
            for site in sorted({site for site in owners.values() if site is not None}):
                await self._collect(site)
            await self._discover([url for url, site in owners.items() if site is None])

    async def judged(self, site: str) -> None:
        """Have links collected that were told of while a site was at work."""
        if self._policy == "collect":
            await self._collect(site)

    async def _collect(self, site: str) -> None:
        means = self._means
        crawl = await means.store.run(
            Database.collect_missed, site, URLS, _plan, means.now(), opens
        )
        if crawl is not None:
            self._due()

    async def _discover(self, strangers: Sequence[str]) -> None:
        """Note the sites of links that belong to none, as far as they are of the public web."""
        private = self._means.config.expansion.private_networks
        found = [url for url in strangers if private or not _is_private(url)]
        if found and self._expanding.enabled:
            await self._expanding.discover(found)

    async def _owners(self, found: Sequence[str]) -> dict[str, str | None]:
        """Return the site of each URL, or none."""
        if self._expanding.enabled:
            return await self._expanding.owners(found)
        store = self._means.store
        return {url: await store.look(_owner_by_host, url) for url in found}


def _owner_by_host(queries: Queries, url: str) -> str | None:
    """Return the site whose bounds take a URL; of several the one that begins deepest."""
    labels = host_of(url).split(".")
    hosts = [".".join(labels[start:]) for start in range(len(labels))][:_LABELS]
    sites = [
        (len(start_url), site)
        for site, start_url, accept, reject in queries.bounds_at(hosts, _SITES)
        if _takes(accept, reject, url)
    ]
    return max(sites)[1] if sites else None


def _takes(accept: str, reject: str, url: str) -> bool:
    try:
        return Delimitation.parse(accept, reject).internal(url)
    except InvalidExpression:
        return False


def _is_one(link: MissedLink) -> bool:
    short = len(link.url) <= URL_LIMIT and len(link.page) <= URL_LIMIT
    dated = len(link.date) == dates.DIGITS and link.date.isascii() and link.date.isdigit()
    return short and dated and urls.canonical(link.url) == link.url


def _is_private(url: str) -> bool:
    """Tell whether a URL names an address of no public network; names are looked up later."""
    host = urls.split_port(urls.authority(url))[0].strip("[]")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return literal(host) is not None and not is_public(host)


def _plan(pages: Sequence[str]) -> str:
    return quick_look(pages, f"Readers missed {len(pages)} pages.")
