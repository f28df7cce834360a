"""What is kept of sites, told as values for people; pure."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from attrs import asdict, fields

from agents import dates
from agents.judgement import Judgement
from agents.order import CrawlFigures
from agents.portion import (
    CampaignStatus,
    CrawlAhead,
    CrawlLine,
    LevelLine,
    Neighbour,
    Neighbours,
    Node,
    SiteLine,
)
from agents.scheduler.database import CampaignRow, KeptSite
from agents.scheduler.database.engine import Row
from agents.scheduler.database.pages import LINKS_AT_MOST
from agents.scheduler.expansion.priority import Referrer, priority
from agents.scheduler.life import Standing
from agents.scheduler.portion.crawl_plan import CrawlPlan
from agents.scheduler.temporal import Campaign, Plan, Rhythm, SiteSettings

_Value = TypeVar("_Value")
_LINE = tuple(one.name for one in fields(SiteLine))
_NODE = tuple(one.name for one in fields(Node))
_CANDIDATES = frozenset({Standing.DISCOVERED, Standing.TEMPORARY})
_SHOWN = 50  # sites at the other end of links
_WORDS = 1000  # characters of a sentence


def read(text: str, kind: type[_Value]) -> _Value | None:
    """Return a value kept as JSON, or None if there is none, or it is of another version."""
    if text == "{}":
        return None
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError:
        return None


def line_of(row: Row) -> SiteLine:
    """Return a site in a list."""
    return SiteLine(**{name: row[name] for name in _LINE})


def line_of_site(site: KeptSite) -> SiteLine:
    """Return the same of a site that is whole."""
    values = {name: getattr(site, name) for name in _LINE}
    return SiteLine(**values | {"standing": site.standing.value, "state": site.state.value})


def node_of(row: Row) -> Node:
    """Return a site in the graph."""
    return Node(**{name: row[name] for name in _NODE})


def neighbours_of(rows: Sequence[Row]) -> Neighbours:
    """Return who is at the other end of links: those that say most of a site first."""
    found = [Neighbour(**dict(row)) for row in rows]
    found.sort(key=lambda each: (-each.relevance * (1.0 + each.hub), -each.documents, each.site))
    return Neighbours(found[:_SHOWN], len(found), len(found) >= LINKS_AT_MOST)


def priority_words(site: KeptSite, referrers: Iterable[Referrer]) -> str:
    """Return why a site ranks where it does, in sentences."""
    told = priority(referrers, site.authority).reason
    sentence = f"{told[:1].upper()}{told[1:]}."
    if site.standing is Standing.BLACKLISTED:
        return f"It is blacklisted, and has no place among those that are collected. {sentence}"
    if "priority" in site.held:
        return f"An archivist has fixed its priority at {site.priority:.2f}. {sentence}"
    if site.standing in _CANDIDATES:
        return f"{sentence} Of all candidates the one with the highest priority is let in first."
    return (
        f"Its priority is {site.priority:.2f}: what is due goes in that order, and when it falls "
        f"due its own rhythm says. Among candidates it would rank by its referrers. {sentence}"
    )


def sentences(text: str) -> list[str]:
    """Return what is kept as JSON in sentences: reasons where there are some, or what there is."""
    try:
        value: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return []
    if isinstance(value, dict):
        value = (
            value["reasons"] if value.get("reasons") else [f"{k}: {v}" for k, v in value.items()]
        )
    lines = value if isinstance(value, list) else [value]
    return [str(line)[:_WORDS] for line in lines]


def passed(text: str) -> bool | None:
    """Return whether a site passed its last judgement, or None before the first."""
    judgement = read(text, Judgement)
    return None if judgement is None else judgement.passes


def levels_of(rhythm: Rhythm) -> list[LevelLine]:
    """Return how quickly each level of a site changes."""
    return [
        LevelLine(
            depth, 1.0 / level.rate, level.doubt, dates.from_timestamp(level.seen), level.urls
        )
        for depth, level in enumerate(rhythm.levels)
    ]


def planned(site: KeptSite, date: str) -> Plan:
    """Return the crawl that is planned for a site, at a date."""
    crawl = read(site.plan, CrawlPlan) or CrawlPlan()
    at = dates.to_datetime(date).timestamp()
    return Plan(
        at, crawl.maximum_depth, crawl.quick, site.priority, crawl.reason, max(1, site.requests)
    )


def ahead_of(plan: Plan) -> CrawlAhead:
    """Return a plan that has a date, for people."""
    date = dates.from_timestamp(plan.at or 0.0)
    return CrawlAhead(date, plan.maximum_depth, plan.quick, plan.requests, plan.reason)


def crawl_of(row: Row) -> CrawlLine:
    """Return a crawl in a list."""
    figures = msgspec.json.decode(row["figures"], type=CrawlFigures)
    return CrawlLine(
        row["crawl"],
        row["state"],
        row["ordered"],
        row["changed"],
        figures.captures,
        figures.bytes_received,
        row["error"],
    )


def settled(settings: SiteSettings | None) -> dict[str, Any]:
    """Return what an archivist settled for a site, as far as it differs from what is usual."""
    if settings is None:
        return {}
    usual: dict[str, Any] = asdict(SiteSettings())
    said: dict[str, Any] = asdict(settings)
    return {name: value for name, value in said.items() if value != usual[name]}


def campaign_of(row: CampaignRow, sites: list[str], number: int, now: str) -> CampaignStatus:
    """Return a campaign."""
    settings = read(row.settings, Campaign) or Campaign(row.campaign, row.begins, row.ends)
    if row.state == "ended" or row.ends <= now:
        state = "over"
    else:
        state = "coming" if row.begins > now else "running"
    return CampaignStatus(
        row.campaign,
        row.begins,
        row.ends,
        state,
        settings.interval,
        settings.maximum_depth,
        settings.priority,
        sites,
        number,
    )
