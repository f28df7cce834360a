"""The list of sites: by name, standing, work and rank, a page at a time."""

from urllib.parse import urlencode

from agents.page import Cell, Field, Form, LinkTo, Section, Table
from agents.portion import SiteLine, SitesFound
from agents.scheduler.life import CrawlState, work_of
from agents.scheduler.pages.cells import STANDINGS, badge, moment, rank, site_link

PAGE = 50  # sites
QUESTION = ("beginning", "standing", "state", "order", "after")
_COLUMNS = ["site", "standing", "work", "relevance", "hub", "authority", "priority"]
_COLUMNS += ["due", "changed", "crawls", "led to by", "begins at", "error"]
_ORDERS = (
    ("changed", "changed last"),
    ("priority", "highest priority"),
    ("authority", "highest authority"),
    ("next", "due first"),
    ("name", "name"),
)


def sections_of(asked: dict[str, str], found: SitesFound) -> list[Section]:
    """Return the list's sections.

    Args:
        asked: what a person asked by; names of `QUESTION`.
        found: the answer.
    """
    more = None
    if found.after:
        following = {name: text for name, text in asked.items() if text}
        more = LinkTo("the next ones", f"/sites?{urlencode({**following, 'after': found.after})}")
    rows = [_row(site) for site in found.sites]
    return [_question(asked), Table("Sites", _COLUMNS, rows, "There is no such site.", more=more)]


def _question(asked: dict[str, str]) -> Form:
    """Return what a person may ask by."""
    standings = [("", "any"), *((standing, standing) for standing in STANDINGS)]
    states = [("", "any"), *((each, each) for each in map(str, map(work_of, CrawlState)))]
    return Form(
        "Which sites",
        "/sites",
        "Show",
        [
            Field("beginning", "Name begins with", asked.get("beginning", ""), hint="www.exam"),
            Field("standing", "Standing", asked.get("standing", ""), standings),
            Field("state", "Work", asked.get("state", ""), states),
            Field("order", "First", asked.get("order", ""), _ORDERS),
        ],
        words="By a name's beginning alone, or by work alone, or by standing in an order.",
        method="get",
    )


def _row(site: SiteLine) -> list[Cell]:
    return [
        site_link(site.site),
        badge(site.standing),
        badge(site.state),
        rank(site.relevance),
        rank(site.hub),
        rank(site.authority),
        rank(site.priority),
        moment(site.next),
        moment(site.changed),
        site.crawls,
        site_link(site.referrer) if site.referrer else "",
        LinkTo(site.start_url, site.start_url),
        site.error,
    ]
