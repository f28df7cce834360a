"""`dlweb site SITE …`: what is known of a site, and what an archivist decides of it."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from agents.archive.command.scheduler_link import SchedulerLink, story
from agents.archive.command.settings import read
from agents.archive.command.tables import as_json, moment, plain, table
from agents.page import human_seconds
from agents.portion import SiteDetails


async def site(reactor: Any, options: argparse.Namespace) -> int:
    """Show a site, or decide of it.

    Raises:
        ArchiveError: there is no such site, the decision has no place, or nobody answers.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        if options.action == "set":
            await _settle(scheduler, options)
        elif options.action == "release":
            named = {"site": options.site, "names": options.names}
            await scheduler.order("release", **named, **story(options))
        elif options.action == "follow":
            named = {"site": options.site, "feed": options.feed}
            await scheduler.order("add_feed", **named, **story(options))
        elif options.action == "unfollow":
            await scheduler.order("forget_feed", feed=options.feed, **story(options))
        elif options.action != "show":
            named = {"site": options.site, "decision": options.action}
            await scheduler.order("decide", **named, **story(options))
        found = await scheduler.call(SiteDetails, "site", site=options.site)
    if options.json:
        lines = [as_json(found)]
    elif options.action == "show":
        lines = list(lines_of(found))
    else:
        lines = [_now(found)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


async def _settle(scheduler: SchedulerLink, options: argparse.Namespace) -> None:
    """Change settings, and leave the others as they are."""
    wanted = read(options.settings)
    told = {"site": options.site} | story(options)
    if wanted.bounds:
        await scheduler.order("bound", **told, **wanted.bounds)
    if wanted.rank is not None:
        await scheduler.order("prioritise", **told, priority=wanted.rank)
    if wanted.settings:
        found = await scheduler.call(SiteDetails, "site", site=options.site)
        settings = found.settings | wanted.settings
        usual = {name for name, value in wanted.settings.items() if value is None}
        settings = {name: value for name, value in settings.items() if name not in usual}
        await scheduler.order("settle", **told, settings=settings)


def lines_of(found: SiteDetails) -> Iterator[str]:
    """Yield what is known of a site, for people."""
    line = found.line
    yield _now(found)
    yield f"  begins at   {plain(line.start_url)}"
    yield f"  accepts     {plain(found.accept)}"
    yield f"  rejects     {plain(found.reject) or '-'}"
    yield f"  relevance {line.relevance:.3f}, hub {line.hub:.3f}, authority {line.authority:.3f}"
    yield f"  fixed by hand: {', '.join(found.held) or 'nothing'}"
    for name, value in found.settings.items():
        yield f"  settled: {name} = {plain(str(value))}"
    yield from _told("Why it ranks there", [found.priority])
    yield from _told("Judgement", found.judgement)
    yield from _told("How its bounds were guessed", found.guess)
    for level in found.levels:
        every = human_seconds(level.interval)
        yield f"  level {level.depth}: a text of {level.urls:,} URLs changes every {every}"
    crawls = [[moment(each.date), each.requests, each.reason] for each in found.ahead]
    yield from _table("Next crawls", ["due", "requests", "why"], crawls)
    lines = [
        [moment(each.date), each.who, each.what, each.before, each.after, each.why]
        for each in found.story
    ]
    yield from _table("Story", ["date", "who", "what", "before", "after", "why"], lines)
    near = [
        [each.site, each.standing, f"{each.relevance:.3f}", f"{each.hub:.3f}", each.documents]
        for each in found.from_sites.sites[:10]
    ]
    columns = ["site", "standing", "relevance", "hub", "documents"]
    yield from _table("Sites that link to it, the foremost", columns, near)


def _now(found: SiteDetails) -> str:
    line = found.line
    due = f", due {moment(line.next)}" if line.next else ""
    return f"{line.site}: {line.standing}, {line.state}, priority {line.priority:.3f}{due}"


def _told(title: str, sentences: list[str]) -> Iterator[str]:
    if sentences:
        yield f"{title}:"
        yield from (f"  {plain(sentence)}" for sentence in sentences)


def _table(title: str, columns: list[str], rows: list[list[Any]]) -> Iterator[str]:
    if rows:
        yield f"{title}:"
        yield from (f"  {line}" for line in table(columns, rows))
