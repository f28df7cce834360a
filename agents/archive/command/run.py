"""`dlweb run`: collect websites, with an archive of one's own or the one that runs already."""

import argparse
import json
import os
import shutil
import sys
from ipaddress import ip_address
from typing import Any

from twisted.internet.defer import CancelledError

from agents.archive.command import places, progress
from agents.archive.command.console import KIND, Console
from agents.archive.command.terminal import ProgressLine
from agents.archive.command.tree import JoinedArchive, OwnArchive, wait_until_ready
from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.archive.plan import addresses, own_listeners, programs
from agents.configuration import load
from agents.schedule import CrawlStatus
from anet.address import is_loopback, is_public
from anet.tasks import sleep

_LOOK_EVERY = 0.25  # seconds between two looks at the crawls


class Run:
    """One `dlweb run`.

    Args:
        reactor: runs it all.
        options: the command line.
    """

    def __init__(self, reactor: Any, options: argparse.Namespace) -> None:
        self._reactor = reactor
        self._options = options
        self._configuration = load(
            options.config, directory=options.archive, base_port=options.base_port
        )
        self._config = self._configuration.section("archive", ArchiveConfig)
        self._line = ProgressLine(sys.stderr if options.json else sys.stdout, reactor.seconds)
        self._began = reactor.seconds()

    async def run(self) -> int:
        """Do what the command line asks; return the exit status.

        Raises:
            ArchiveError: something keeps it from being done.
        """
        archive = self._archive()
        self._reactor.addSystemEventTrigger("before", "shutdown", archive.abandon)
        security = self._configuration.security(KIND)
        where = addresses(self._configuration, self._config)
        console = Console(self._reactor, *where, security)
        try:
            await wait_until_ready(self._reactor, archive, console.supervisor, self._line.show)
            urls = self._options.urls or [self._demonstration()]
            crawls = await self._collect(archive, console, urls)
            status = self._tell(crawls)
            if not self._options.once:
                await self._stay(archive, console, crawls, urls)
        finally:
            self._line.clear()
            await console.close()
            await archive.stop()
        return status

    def _archive(self) -> OwnArchive | JoinedArchive:
        running = running_archive(self._configuration.directory)
        if running is None:
            self._line.show(f"starting an archive in {self._configuration.directory}")
            return OwnArchive(self._reactor, self._configuration, self._config)
        pid, self._configuration.base_port = running
        self._line.show(f"joining the archive in {self._configuration.directory} (process {pid})")
        return JoinedArchive(self._configuration, pid)

    def _demonstration(self) -> str:
        own = own_listeners(self._configuration, self._config)
        if len(own) < 2:
            raise ArchiveError(
                "which website? The demonstration website is switched off in the configuration; "
                "name a URL: dlweb run https://www.example.org/"
            )
        return own[1].page

    async def _collect(
        self, archive: OwnArchive | JoinedArchive, console: Console, urls: list[str]
    ) -> list[CrawlStatus]:
        """Order the URLs and wait until all of their crawls have ended, showing how it goes."""
        self._line.show(f"ordering {progress.many(len(urls), 'site')}")
        delay = self._options.delay
        if delay is None and not self._options.urls:
            delay = 0.0  # the demonstration website is our own, and need not be spared
        how: dict[str, Any] = {} if delay is None else {"delay": delay}
        names: list[str] = []
        for private, group in places.split_by_network(urls, is_own, self._options.private_networks):
            names += await console.order(group, private_networks=private, **how)
        while True:
            archive.check()
            crawls = await console.crawls(names)
            if progress.ended(crawls):
                self._line.clear()
                return crawls
            self._line.show(progress.progress_line(crawls))
            await sleep(self._reactor, _LOOK_EVERY)

    def _tell(self, crawls: list[CrawlStatus]) -> int:
        """Print what was collected; return the exit status."""
        summary = progress.summarize(crawls, self._reactor.seconds() - self._began)
        for line in progress.result_lines(crawls):
            self._line.print(line)
        if self._options.json:
            sys.stdout.write(json.dumps(summary.to_data()) + "\n")
            sys.stdout.flush()
        return 0 if summary.well else 1

    async def _stay(
        self,
        archive: OwnArchive | JoinedArchive,
        console: Console,
        crawls: list[CrawlStatus],
        urls: list[str],
    ) -> None:
        """Tell where to look, and keep the archive running until somebody stops it."""
        self._line.print()
        for line in await self._where(console, crawls, urls):
            self._line.print(line)
        if isinstance(archive, JoinedArchive):
            return
        self._line.print()
        self._line.print("The archive keeps running; Ctrl-C stops it.")
        try:
            await archive.ended()
        except CancelledError:
            self._line.print("Stopping every process.")
        else:
            if not archive.was_stopped:
                archive.check()
            self._line.print("The archive was stopped.")

    async def _where(
        self, console: Console, crawls: list[CrawlStatus], urls: list[str]
    ) -> list[str]:
        agents = {one.plugin: one for one in programs(self._configuration, self._config)}
        own = own_listeners(self._configuration, self._config)
        found = places.Places(
            archive=own[0].page,
            scheduler=agents["scheduler"].page,
            crawlers=tuple(dict.fromkeys(crawl.page for crawl in crawls if crawl.page)),
            harbor=agents["consultation"].page + "harbor",
            proxy=agents["consultation"].listens["proxy"],
            lookup=await console.lookup(agents["consultation"].page, urls[0]),
        )
        browser = places.installed_browser(shutil.which)
        return places.where_to_look(found, urls[0], browser, as_root=os.geteuid() == 0)


def is_own(host: str) -> bool:
    """Tell whether a host as written is loopback or a private address; no name is looked up."""
    if is_loopback(host):
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return not is_public(host)


async def run(reactor: Any, options: argparse.Namespace) -> int:
    """Collect websites; return the exit status."""
    return await Run(reactor, options).run()
