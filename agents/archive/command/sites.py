"""`dlweb sites`: the sites of the portion, a page at a time."""

import argparse
import sys
from typing import Any

from agents.archive.command.scheduler_link import SchedulerLink
from agents.archive.command.tables import as_json, moment, table
from agents.portion import SitesFound


async def sites(reactor: Any, options: argparse.Namespace) -> int:
    """List sites; the status is 1 when there is none.

    Raises:
        ArchiveError: the scheduler refuses the question, or does not answer.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        found = await scheduler.call(
            SitesFound,
            "find_sites",
            beginning=options.beginning,
            standing=options.standing,
            state=options.state,
            order=options.order,
            after=options.after,
            limit=options.limit,
        )
    lines = [as_json(found)] if options.json else lines_of(found)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0 if found.sites else 1


def lines_of(found: SitesFound) -> list[str]:
    """Return a list of sites for people."""
    if not found.sites:
        return ["There is no such site."]
    columns = ["site", "standing", "work", "relevance", "authority", "priority", "due"]
    rows = [
        [
            site.site,
            site.standing,
            site.state,
            f"{site.relevance:.3f}",
            f"{site.authority:.3f}",
            f"{site.priority:.3f}",
            moment(site.next),
        ]
        for site in found.sites
    ]
    lines = table(columns, rows)
    return [*lines, f"There are more: --after '{found.after}'"] if found.after else lines
