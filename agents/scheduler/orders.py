"""Collect orders: from URLs to sites, and from a crawl to what its crawler is told."""

from collections.abc import Iterable
from pathlib import Path

from agents import delimitation, urls
from agents.order import Order, Politeness
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Bounds, Crawl, NewSite
from agents.scheduler.naming import host_of, site_name

SITES = "sites"
CRAWLS = "crawls"
FORMER = ("signatures", "structure")  # files of a former crawl that a new one reads


class NotAUrl(ValueError):
    """What is ordered is no URL that can be collected."""


def sites_of(
    ordered: Iterable[str], maximum_depth: int, bounds: Bounds | None = None
) -> list[NewSite]:
    """Return the sites that begin at the ordered URLs.

    Args:
        ordered: URLs.
        maximum_depth: page links followed from the start of a new site.
        bounds: what belongs to each; what it does not say is guessed.

    Raises:
        NotAUrl: one of them is not an absolute http or https URL.
    """
    sites: dict[str, NewSite] = {}
    for url in ordered:
        start = urls.canonical(url)
        if start is None:
            raise NotAUrl(
                f"{url[:200]!r} cannot be collected: write a whole address, "
                "such as https://www.example.org/"
            )
        accept, reject = delimitation.guess(start)
        name = site_name(start)
        sites[name] = NewSite(
            name, start, accept, reject, maximum_depth, host_of(start), bounds or Bounds()
        )
    return list(sites.values())


def order_of(crawl: Crawl, config: SchedulerConfig, former: Path | None) -> Order:
    """Return what a crawler is told about a crawl, for its present attempt."""
    return Order(
        crawl=crawl.name or crawl.crawl,
        site=crawl.site,
        start_url=crawl.start_url,
        accept=crawl.accept,
        reject=crawl.reject,
        maximum_depth=crawl.maximum_depth,
        politeness=Politeness(
            delay=config.delay if crawl.delay is None else crawl.delay,
            slow_down=config.slow_down,
            requests_per_period=config.requests_per_period,
            bytes_per_period=config.bytes_per_period,
            period=config.period,
            robots=config.robots,
            user_agent=config.user_agent,
        ),
        strategy=config.strategy,
        access=config.access,
        analysis=config.analysis,
        private_networks=crawl.private_networks,
        former=str(former) if former else None,
        content_limit=config.content_limit,
    )


def formers_of(directory: Path, sites: Iterable[str]) -> dict[str, Path]:
    """Return the folders of the sites' former crawls that are there and whole; it blocks."""
    folders = {site: directory / SITES / site for site in sites}
    return {
        site: folder
        for site, folder in folders.items()
        if all((folder / name).is_file() for name in FORMER)
    }
