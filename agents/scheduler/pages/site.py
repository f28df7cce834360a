"""The page of a site: where it stands and why, when it is collected, and what one may decide."""

from agents.page import Cell, Figures, LinkTo, Note, Section, Table, human_bytes, human_seconds
from agents.portion import Neighbours, SiteDetails, StreamLine
from agents.scheduler.pages.cells import badge, depth, moment, rank, site_link
from agents.scheduler.pages.forms import forms_of
from agents.scheduler.pages.streams import table

_NEIGHBOUR = ["site", "standing", "relevance", "hub", "authority", "documents", "first", "last"]


def summary(found: SiteDetails) -> str:
    """Return in one sentence what a site is, and why."""
    words = {
        "discovered": "is a candidate: links led to it, and it has not been let in yet",
        "temporary": "is let in to be judged",
        "member": "is a member of the portion",
        "blacklisted": "is blacklisted",
        "dormant": "is a dormant member",
    }
    line = found.line
    sentence = f"{line.site} {words.get(line.standing, line.standing)}."
    if found.story:
        last = found.story[0]
        sentence += f" {moment(last.date)[:10]}, {last.who}: {last.why or last.what}."
    return sentence


def sections_of(
    found: SiteDetails, streams: list[StreamLine], token: dict[str, str]
) -> list[Section]:
    """Return the page's sections.

    Args:
        found: all about the site.
        streams: that it has.
        token: what goes with forms to show where they come from.
    """
    return [
        _now(found),
        Note("Why it ranks there", found.priority),
        _judgement(found),
        Note("How its bounds were guessed", "\n".join(found.guess) or "They were not guessed."),
        _bounds(found),
        *forms_of(found, token),
        *_rhythm(found),
        _story(found),
        _crawls(found),
        _neighbours("Sites that link to it", found.from_sites),
        _neighbours("Sites that it links to", found.to_sites),
        _feeds(found),
        table(streams),
        _missed(found),
    ]


def _now(found: SiteDetails) -> Figures:
    line = found.line
    figures: dict[str, Cell] = {
        "standing": badge(line.standing),
        "work": badge(line.state),
        "relevance": rank(line.relevance),
        "hub rank": rank(line.hub),
        "authority rank": rank(line.authority),
        "priority": rank(line.priority),
        "due by itself": moment(line.next) or "never",
        "crawls": line.crawls,
    }
    return Figures("Now", figures | ({"error": line.error} if line.error else {}))


def _judgement(found: SiteDetails) -> Note:
    if found.passed is None:
        return Note("Judgement", "\n".join(found.judgement) or "It has not been judged yet.")
    verdict = "It passed the filters." if found.passed else "It did not pass the filters."
    words = "\n".join([verdict, *found.judgement])
    return Note("Judgement", words, "good" if found.passed else "bad")


def _bounds(found: SiteDetails) -> Table:
    held = ", ".join(found.held)
    rows: list[list[Cell]] = [
        ["begins at", LinkTo(found.line.start_url, found.line.start_url)],
        ["accepts", found.accept],
        ["rejects", found.reject or "nothing of that"],
        ["depth", f"{found.maximum_depth:,} page links"],
        ["takes turns in", found.lane],
        ["led to by", site_link(found.line.referrer) if found.line.referrer else ""],
        ["known since", moment(found.registered)],
        ["fixed by hand", held or "nothing"],
        ["campaigns", ", ".join(found.campaigns)],
    ]
    rows += [[f"settled: {name}", str(value)] for name, value in found.settings.items()]
    return Table("Bounds and settings", ["what", "value"], rows)


def _rhythm(found: SiteDetails) -> list[Section]:
    levels: list[list[Cell]] = [
        [
            each.depth,
            each.urls,
            human_seconds(each.interval),
            f"{each.doubt:.2f}",
            moment(each.seen),
        ]
        for each in found.levels
    ]
    crawls: list[list[Cell]] = [
        [
            moment(each.date),
            "what changed" if each.quick else "whole",
            depth(each.maximum_depth),
            each.requests,
            each.reason,
        ]
        for each in found.ahead
    ]
    columns = ["level", "URLs", "a text changes every", "doubt", "seen"]
    never = "It does not fall due by itself."
    return [
        Table("How it changes", columns, levels, "Nothing is known yet.", half=True),
        Table("Next crawls", ["due", "kind", "depth", "requests", "why"], crawls, never, half=True),
    ]


def _story(found: SiteDetails) -> Table:
    rows: list[list[Cell]] = [
        [moment(each.date), each.who, each.what, each.before, each.after, each.why]
        for each in found.story
    ]
    return Table("Its story", ["date", "who", "what", "before", "after", "why"], rows)


def _crawls(found: SiteDetails) -> Table:
    rows: list[list[Cell]] = [
        [
            each.crawl,
            badge(each.state),
            moment(each.ordered),
            moment(each.changed),
            each.captures,
            human_bytes(each.bytes),
            each.error,
        ]
        for each in found.crawls
    ]
    columns = ["crawl", "state", "ordered", "changed", "captures", "received", "error"]
    return Table("Crawls", columns, rows, "None yet.")


def _neighbours(title: str, found: Neighbours) -> Table:
    rows: list[list[Cell]] = [
        [
            site_link(each.site),
            badge(each.standing),
            rank(each.relevance),
            rank(each.hub),
            rank(each.authority),
            each.documents,
            moment(each.first),
            moment(each.last),
        ]
        for each in found.sites
    ]
    count = f" ({found.number:,}{' or more' if found.more else ''})" if rows else ""
    return Table(title + count, _NEIGHBOUR, rows, "None.")


def _feeds(found: SiteDetails) -> Table:
    rows: list[list[Cell]] = [
        [LinkTo(each.feed, each.feed), moment(each.found), moment(each.heard)]
        for each in found.feeds
    ]
    return Table("Feeds", ["feed", "found", "last told of something"], rows, "None.")


def _missed(found: SiteDetails) -> Table:
    rows: list[list[Cell]] = [
        [
            LinkTo(each.url, each.url),
            LinkTo(each.page, each.page) if each.page else "",
            each.times,
            moment(each.last),
            moment(each.ordered),
        ]
        for each in found.missed
    ]
    columns = ["link", "on the page", "times", "last missed", "asked for"]
    return Table("Missed by readers", columns, rows, "None.")
