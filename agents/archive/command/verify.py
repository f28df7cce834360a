"""`dlweb verify SITE`: crawl a site out of the archive, and say what differs from then."""

import argparse
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents import dates
from agents.archive.command.agent_link import configured
from agents.archive.command.progress import many
from agents.archive.command.tables import as_json
from agents.archive.command.terminal import ProgressLine
from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.archive.plan import Program, programs
from agents.archive.verification.collected import Collection, read_collection
from agents.archive.verification.comparison import compare
from agents.archive.verification.recrawl import order_of, recrawl
from agents.archive.verification.remembered import Archive, completed, remembered
from agents.archive.verification.words import lines_of, to_data
from agents.configuration import Configuration
from agents.order import CrawlFigures
from agents.scheduler.config import SchedulerConfig
from anet.http import HttpClient


async def verify(reactor: Any, options: argparse.Namespace) -> int:
    """Verify a site; the status is 1 when something differs.

    Raises:
        ArchiveError: the archive does not run, or does not know the site.
        InvalidDate: the date is none.
    """
    configuration = configured(options)
    consultation = _consultation(configuration)
    line = ProgressLine(sys.stderr, reactor.seconds)
    then = read_collection(_folder(configuration, options.site))
    if options.date:
        line.show("asking the archive what was collected then")
        date = dates.parse(options.date)
        then = await _asked(reactor, consultation, lambda archive: remembered(archive, then, date))
    elif then.since:
        then = await _asked(reactor, consultation, lambda archive: completed(archive, then))
    order = order_of(
        then.bounds,
        configuration.section("scheduler", SchedulerConfig),
        options.site,
        _reachable(consultation.listens["proxy"]),
        then.middle,
    )
    with TemporaryDirectory(prefix="dlweb-verify-") as folder:
        now = await recrawl(reactor, order, Path(folder), _showing(line, then))
    line.clear()
    found = compare(then, now)
    if options.json:
        lines = [as_json(to_data(options.site, then, found))]
    else:
        lines = list(lines_of(options.site, then, found))
    sys.stdout.write("".join(f"{text}\n" for text in lines))
    return 0 if found.well else 1


def _consultation(configuration: Configuration) -> Program:
    if running_archive(configuration.directory) is None:
        raise ArchiveError(
            f"no archive runs in {configuration.directory}, and it is asked through its proxy; "
            "start it: dlweb run, or twistd archive"
        )
    config = configuration.section("archive", ArchiveConfig)
    return next(one for one in programs(configuration, config) if one.plugin == "consultation")


def _folder(configuration: Configuration, site: str) -> Path:
    """Return where the last crawl of a site left what it collected.

    Raises:
        ArchiveError: there is none.
    """
    folder = configuration.directory / "sites" / site
    if site.startswith(".") or folder.parent.name != "sites" or not folder.is_dir():
        raise ArchiveError(
            f"no crawl of a site named {site[:100]!r} was deposited from this machine; "
            "`dlweb sites` lists the sites"
        )
    return folder


async def _asked(
    reactor: Any, consultation: Program, ask: Callable[[Archive], Awaitable[Collection]]
) -> Collection:
    """Return what the archive itself tells of a crawl."""
    client = HttpClient(reactor, connect_timeout=5.0, response_timeout=60.0)
    client.startService()
    try:
        return await ask(Archive(client, _reachable(consultation.listens["pages"])))
    finally:
        await client.stopService()


def _reachable(address: str) -> str:
    """Return the address to connect to of who listens on all addresses, or on one."""
    host, _, port = address.rpartition(":")
    everywhere = ("", "0.0.0.0", "[::]")  # noqa: S104 - nobody listens there by this
    return f"127.0.0.1:{port}" if host in everywhere else address


def _showing(line: ProgressLine, then: Collection) -> Callable[[CrawlFigures], None]:
    of = many(len(then.lines), "URL")

    def show(figures: CrawlFigures) -> None:
        line.show(f"crawling the archive: {figures.captures} of {of}, {figures.queued} queued")

    return show
