"""What the scheduler's pages have in common: places to go, badges, dates, links to sites."""

from urllib.parse import quote

from agents import dates
from agents.page import Badge, LinkTo
from agents.page.values import Tone

LINKS = (
    LinkTo("scheduler", "/"),
    LinkTo("sites", "/sites"),
    LinkTo("graph", "/graph"),
    LinkTo("timeline", "/timeline"),
    LinkTo("campaigns", "/campaigns"),
    LinkTo("streams", "/streams"),
    LinkTo("machines", "/machines"),
)
STANDINGS: dict[str, Tone] = {
    "member": "good",
    "temporary": "warning",
    "blacklisted": "bad",
    "discovered": "quiet",
    "dormant": "quiet",
}
_TONES: dict[str, Tone] = {
    "collecting": "good",
    "depositing": "good",
    "deposited": "good",
    "busy": "good",
    "active": "good",
    "running": "good",
    "receiving": "good",
    "broken": "warning",
    "failed": "bad",
    "away": "bad",
    "stopping": "warning",
    "joining": "warning",
    "draining": "warning",
    "coming": "warning",
    **STANDINGS,
}


def badge(state: str) -> Badge:
    """Return a state or standing in its colour."""
    return Badge(state, _TONES.get(state, "quiet"))


def site_path(site: str) -> str:
    """Return the path of a site's page."""
    return f"/sites/{quote(site, safe='')}"


def site_link(site: str) -> LinkTo:
    """Return a link to a site's page."""
    return LinkTo(site, site_path(site))


def moment(date: str | None) -> str:
    """Return a date for people, to the minute, UTC; nothing for none."""
    return dates.to_words(date)[:16] if date else ""


def rank(value: float) -> str:
    """Return a rank, relevance or priority."""
    return f"{value:.3f}"


def depth(value: int | None) -> str:
    """Return how deep a crawl goes."""
    return "all" if value is None else f"{value:,}"
