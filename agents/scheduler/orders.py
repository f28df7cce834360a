"""Collect orders: from URLs to sites, and from a crawl to what its crawler is told."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from attrs import evolve, frozen

from agents import delimitation, urls
from agents.filters import Filters
from agents.judgement import Policy
from agents.order import Analysis, Order, Politeness
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Bounds, Crawl, NewSite
from agents.scheduler.expansion.guessing import guess_site
from agents.scheduler.naming import host_of, site_name
from agents.scheduler.portion.crawl_plan import CrawlPlan, read
from agents.scheduler.portion.sequels import STANDING
from agents.scheduler.portion.territory import Territory
from agents.scheduler.temporal import SiteSettings

SITES = "sites"
CRAWLS = "crawls"
FORMER = ("signatures", "structure")  # files of a former crawl that a new one reads


class NotAUrl(ValueError):
    """What is ordered is no URL that can be collected."""


Guess = Callable[[str], tuple[str, str]]


def guessed(url: str) -> tuple[str, str]:
    """Return the accept and reject expressions of a site among others that are found by links."""
    try:
        found = guess_site(url)
    except ValueError:  # a host that no link could lead to
        return delimitation.guess(url)
    return found.accept, found.reject


def sites_of(
    ordered: Iterable[str],
    maximum_depth: int,
    bounds: Bounds | None = None,
    guess: Guess = delimitation.guess,
) -> list[NewSite]:
    """Return the sites that begin at the ordered URLs.

    Args:
        ordered: URLs.
        maximum_depth: page links followed from the start of a new site.
        bounds: what belongs to each; what it does not say is guessed.
        guess: gives accept and reject expressions for a URL.

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
        accept, reject = guess(start)
        name = site_name(start)
        sites[name] = NewSite(
            name, start, accept, reject, maximum_depth, host_of(start), bounds or Bounds()
        )
    return list(sites.values())


@frozen
class Surroundings:
    """What is on the disk about a site that is to be collected.

    Attributes:
        former: folder of its former crawl when it is there and whole, or none.
        reject: what it leaves to other sites, its own reject expression within it; none if only
            that counts.
    """

    former: Path | None = None
    reject: str | None = None


def order_of(crawl: Crawl, config: SchedulerConfig, around: Surroundings) -> Order:
    """Return what a crawler is told about a crawl, for its present attempt.

    Args:
        crawl: as it is kept.
        config: of the scheduler.
        around: what is on the disk about its site.
    """
    plan, settings = read(crawl.plan, CrawlPlan), read(crawl.settings, SiteSettings)
    depths = (crawl.maximum_depth, plan.maximum_depth, settings.maximum_depth)
    quota = settings.quota
    limited = bool(quota.captures or quota.bytes)
    keywords = config.expansion.filters.keywords if config.expansion.enabled else ()
    return Order(
        crawl=crawl.name or crawl.crawl,
        site=crawl.site,
        start_url=crawl.start_url,
        accept=crawl.accept,
        reject=crawl.reject if around.reject is None else around.reject,
        maximum_depth=min(depth for depth in depths if depth is not None),
        urls=plan.urls,
        politeness=Politeness(
            delay=config.delay if crawl.delay is None else crawl.delay,
            slow_down=config.slow_down,
            requests_per_period=quota.captures if limited else config.requests_per_period,
            bytes_per_period=quota.bytes if limited else config.bytes_per_period,
            period=quota.period if limited else config.period,
            robots=config.robots,
            user_agent=config.user_agent,
        ),
        strategy=config.strategy,
        access=evolve(config.access, conditional=True) if plan.quick else config.access,
        analysis=_looking_for(config.analysis, keywords),
        private_networks=crawl.private_networks,
        former=str(around.former) if around.former else None,
        content_limit=config.content_limit,
    )


def policy_of(crawl: Crawl, config: SchedulerConfig) -> dict[str, Policy]:
    """Return what a deposit is told besides, as far as there is something to tell.

    A site that a person wants leads on whatever filters say; a crawl that is not whole is not
    judged.
    """
    expansion, plan = config.expansion, read(crawl.plan, CrawlPlan)
    if not expansion.enabled and plan.whole:
        return {}
    policy = Policy(
        filters=expansion.filters if expansion.enabled and plan.judged else Filters(),
        links=expansion.enabled,
        keep_failed=expansion.keep_failed,
        whole=plan.whole,
        trusted=STANDING in read(crawl.held, list[str]),
    )
    return {"policy": policy}


def _looking_for(analysis: Analysis, keywords: Sequence[str]) -> Analysis:
    """Return an analysis that looks for the words of filters, too."""
    if not keywords:
        return analysis
    wanted = dict.fromkeys((*analysis.keywords, *keywords))
    return evolve(analysis, keywords=tuple(wanted))


def surroundings_of(
    directory: Path, territory: Territory, crawls: Iterable[Crawl]
) -> dict[str, Surroundings]:
    """Return what is on the disk about the sites of crawls, by the names of these; it blocks."""
    numbers = {crawl.site: crawl.number for crawl in crawls}
    formers, rejects = formers_of(directory, numbers), territory.rejects(numbers.values())
    return {
        site: Surroundings(formers.get(site), rejects.get(number))
        for site, number in numbers.items()
    }


def formers_of(directory: Path, sites: Iterable[str]) -> dict[str, Path]:
    """Return the folders of the sites' former crawls that are there and whole; it blocks."""
    folders = {site: directory / SITES / site for site in sites}
    return {
        site: folder
        for site, folder in folders.items()
        if all((folder / name).is_file() for name in FORMER)
    }
