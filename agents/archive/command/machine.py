"""`dlweb machine …`: the machines that crawlers run on, and how one is taken out."""

import argparse
import sys
from typing import Any

from agents.archive.command.scheduler_link import SchedulerLink
from agents.archive.command.tables import as_json, table
from agents.machines import MachineStatus


async def machine(reactor: Any, options: argparse.Namespace) -> int:
    """Do what is asked, and show machines; the status is 1 when one has a problem.

    Raises:
        ArchiveError: the scheduler refuses, or does not answer.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        if options.action == "forget":
            await scheduler.order("forget", machine=options.machine, lost=options.lost)
        elif options.action != "list":
            await scheduler.order(options.action, machine=options.machine)
        found = await scheduler.call(list[MachineStatus], "machines")
    lines = [as_json(found)] if options.json else lines_of(found)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if any(each.problem for each in found) else 0


def lines_of(found: list[MachineStatus]) -> list[str]:
    """Return machines for people."""
    if not found:
        return ["No agent has said yet where it runs."]
    columns = ["machine", "state", "crawlers", "busy", "not deposited", "problem"]
    rows = [
        [each.machine, each.state, each.crawlers, each.busy, each.undeposited, each.problem]
        for each in found
    ]
    return table(columns, rows)
