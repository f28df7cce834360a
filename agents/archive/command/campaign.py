"""`dlweb campaign …`: sites that are collected more often for some time."""

import argparse
import sys
from typing import Any

from agents.archive.command.scheduler_link import SchedulerLink, story
from agents.archive.command.settings import seconds
from agents.archive.command.tables import as_json, moment, table
from agents.page import human_seconds
from agents.portion import CampaignStatus


async def campaign(reactor: Any, options: argparse.Namespace) -> int:
    """Do what is asked, and show how campaigns are then.

    Raises:
        ArchiveError: the scheduler refuses, or does not answer.
    """
    async with SchedulerLink(reactor, options) as scheduler:
        if options.action == "put":
            await scheduler.order("put_campaign", campaign=_campaign(options), **story(options))
        elif options.action == "end":
            await scheduler.order("end_campaign", campaign=options.campaign, **story(options))
        elif options.action in ("join", "leave"):
            named = {"campaign": options.campaign, "sites": options.sites}
            await scheduler.order(f"{options.action}_campaign", **named, **story(options))
        found = await scheduler.call(list[CampaignStatus], "campaigns")
    lines = [as_json(found)] if options.json else lines_of(found)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _campaign(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "name": options.campaign,
        "begins": options.begins,
        "ends": options.ends,
        "interval": seconds(options.every),
        "maximum_depth": options.depth,
        "priority": options.priority,
    }


def lines_of(found: list[CampaignStatus]) -> list[str]:
    """Return campaigns for people."""
    if not found:
        return ["There is no campaign."]
    columns = ["campaign", "state", "begins", "ends", "every", "depth", "priority", "sites"]
    rows = [
        [
            each.name,
            each.state,
            moment(each.begins),
            moment(each.ends),
            human_seconds(each.interval),
            "all" if each.maximum_depth is None else each.maximum_depth,
            f"{each.priority:g}",
            each.number,
        ]
        for each in found
    ]
    return table(columns, rows)
