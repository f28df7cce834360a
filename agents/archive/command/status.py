"""`dlweb status`: what the running archive is doing."""

import argparse
import json
import sys
from typing import Any

import msgspec

from agents.archive.command.console import KIND, Console
from agents.archive.command.progress import many, progress_line, result_lines
from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.archive.plan import addresses
from agents.configuration import load
from agents.page import human_bytes, human_seconds
from agents.schedule import CRAWL_ENDS, SchedulerStatus

_NOT_RUNNING = 1  # the exit status when there is nothing to tell about
_ENDED_SHOWN = 5  # crawls that have ended, in the text for people


async def status(reactor: Any, options: argparse.Namespace) -> int:
    """Show the agents, the crawls and the totals; the status is 1 when no archive runs.

    Raises:
        ArchiveError: it runs and does not answer.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    running = running_archive(configuration.directory)
    if running is None:
        if options.json:
            _write(json.dumps({"running": False, "directory": str(configuration.directory)}))
        else:
            _write(f"No archive is running in {configuration.directory}.")
        return _NOT_RUNNING
    _, configuration.base_port = running
    config = configuration.section("archive", ArchiveConfig)
    security = configuration.security(KIND)
    console = Console(reactor, *addresses(configuration, config), security)
    try:
        archive = await console.supervisor()
        if archive is None:
            raise ArchiveError(f"process {running[0]} runs the archive, and does not answer")
        scheduler = await console.status()
    finally:
        await console.close()
    if options.json:
        told = {"running": True, "archive": archive, "scheduler": msgspec.to_builtins(scheduler)}
        _write(json.dumps(told))
    else:
        _write("\n".join([*_agents(archive), "", *_crawls(scheduler)]))
    return 0


def _agents(archive: dict[str, Any]) -> list[str]:
    lines = [f"The archive in {archive['directory']} (process {archive['pid']}):"]
    lines += [
        f"  {agent['name']:<15} {agent['state']:<9} for {human_seconds(agent['seconds']):<12}"
        f" {agent['page']}"
        for agent in archive["agents"]
    ]
    return lines


def _crawls(scheduler: SchedulerStatus) -> list[str]:
    totals = scheduler.totals
    lines = [
        f"{many(sum(scheduler.sites.values()), 'site')}, "
        f"{many(totals.captures_deposited, 'capture')} deposited, "
        f"{many(totals.contents_stored, 'content')} of "
        f"{human_bytes(totals.bytes_stored)} stored"
    ]
    running = [crawl for crawl in scheduler.crawls if crawl.state not in CRAWL_ENDS]
    lines += [f"  {crawl.site}: {progress_line([crawl])}" for crawl in running]
    ended = [crawl for crawl in scheduler.crawls if crawl.state in CRAWL_ENDS]
    lines += [f"  {line}" for line in result_lines(ended[:_ENDED_SHOWN])]
    return lines


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
