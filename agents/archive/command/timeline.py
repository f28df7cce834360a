"""`dlweb timeline`: the schedule ahead."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from agents.archive.command.scheduler_link import SchedulerLink
from agents.archive.command.tables import as_json, moment, table
from agents.portion import Day, Timeline


async def timeline(reactor: Any, options: argparse.Namespace) -> int:
    """Show the load of the next days, and what falls due first.

    Raises:
        ArchiveError: the scheduler does not answer.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        asked = {"days": options.days, "sites": options.sites}
        found = await scheduler.call(Timeline, "timeline", **asked)
    lines = [as_json(found)] if options.json else list(lines_of(found))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def lines_of(found: Timeline) -> Iterator[str]:
    """Yield the schedule ahead for people."""
    yield f"{_count(found.belated)} waiting since their date"
    rows = [[f"{day.day[:4]}-{day.day[4:6]}-{day.day[6:]}", _count(day)] for day in found.days]
    yield from table(["day", "load"], rows)
    crawls = [
        [site.site, moment(each.date), each.requests, each.reason]
        for site in found.sites
        for each in site.crawls[:1]
    ]
    if crawls:
        yield from table(["site", "due", "requests", "why"], crawls)


def _count(day: Day) -> str:
    return f"{day.sites:,}{' or more' if day.more else ''} sites, {day.requests:,} requests"
