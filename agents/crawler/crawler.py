"""A site crawler at work: free, or busy with one crawl.

FREE --collect--> BUSY --the crawl ends, well or not--> TELLING --finished answered--> FREE
BUSY --stop--> TELLING (the crawl is abandoned, and the scheduler is not to begin it anew)
BUSY --the scheduler wants it no more--> FREE (the crawl is abandoned)
"""

import re
from collections import deque
from enum import Enum
from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger

from agents import dates
from agents.crawler.crawl import Crawl
from agents.crawler.errors import CrawlFailed
from agents.crawler.limits import Limits
from agents.crawler.parts import Means
from agents.crawler.reading.heavy import BODY_LIMIT
from agents.order import CrawlFigures, Fault, Order
from agents.page import Series
from anet.backoff import Backoff
from anet.processes import Processes
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import CallRefused, HipError, Link, Peer

PARSERS = 2  # processes that read heavy documents for one crawler; one may analyse texts
PARSER_MEMORY = 512 * 2**20  # bytes that reading one document may take
PARSER_TIME = 30.0  # seconds
STOPPED = "stopped by an operator"  # the error of a crawl that a person stops
PROGRESS_EVERY = 1.0  # seconds between two words to the scheduler
# Seconds before another crawl may be begun on a disk that is full, and those it grows to: each
# time the server is asked for all of it again.
_FULL_DISK_REST, _LONGEST_REST = 10.0, 3600.0
_REMEMBERED = 50  # ended crawls and errors that pages show
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,199}")

_log = Logger()


class State(Enum):
    """What the crawler is doing; the table is in the module's docstring."""

    FREE = "free"
    BUSY = "busy"
    TELLING = "telling the scheduler"


class SiteCrawler(Service):
    """Collects the site it is ordered to, one at a time.

    Args:
        reactor: which reactor.
        scheduler: link to the scheduler.
        crawls: folder of crawl directories.
        name: of this crawler.
        limits: of each crawl.
        machine: that it runs on.

    Attributes:
        state: what it is doing.
        crawl: the crawl it works on or tells of, or none.
        ended: crawls that ended: date, name, how, figures; newest first.
        errors: what went wrong, newest first.
        captures: answers each second.
        bytes: bytes of bodies each second.
    """

    def __init__(
        self,
        reactor: Any,
        scheduler: Link,
        crawls: Path,
        name: str,
        limits: Limits,
        machine: str = "",
    ) -> None:
        self.state = State.FREE
        self.crawl: Crawl | None = None
        self.ended: deque[tuple[str, str, str, CrawlFigures]] = deque(maxlen=_REMEMBERED)
        self.errors: deque[str] = deque(maxlen=_REMEMBERED)
        self.captures = Series()
        self.bytes = Series()
        self._reactor = reactor
        self._scheduler = scheduler
        self._crawls = crawls
        self._agent = name
        self._limits = limits
        self._machine = machine
        self._told: frozenset[str] = frozenset()  # addresses, over the present link
        self._rests = Backoff(_FULL_DISK_REST, _LONGEST_REST)
        self._workers = Workers(reactor, 2, name="crawl files")
        self._processes = Processes(
            reactor,
            PARSERS,
            memory=PARSER_MEMORY,
            time=PARSER_TIME,
            value_limit=BODY_LIMIT + 2**20,
            preload=["agents.parsers.worker", "agents.analysis.worker"],
            name="parsers",
        )
        self._tasks = Tasks()
        self._running: Deferred[CrawlFigures] | None = None
        self._stopped = False
        self._before = CrawlFigures()
        scheduler.on_connect = self._connected

    def startService(self) -> None:
        """Begin to take orders."""
        super().startService()
        self._workers.startService()
        self._processes.startService()
        self._tasks.start(every(self._reactor, PROGRESS_EVERY, self._progress), "progress")

    async def stopService(self) -> None:
        """Abandon the current crawl, wait until its directory is gone, and stop."""
        super().stopService()
        await self._tasks.stop()
        await self._workers.stopService()
        await self._processes.stopService()

    def collect(self, order: Order) -> None:
        """Begin the crawl of an order.

        Raises:
            CallRefused: `busy` with another; `bad-order` when it can't be carried out at all.
        """
        if self.crawl is not None:
            if self.crawl.order.crawl == order.crawl and self.state is State.BUSY:
                return  # asked twice, as after a broken link
            raise CallRefused("busy", self._busy())
        if not self.running:
            raise CallRefused("busy", f"{self._agent} is stopping")
        if not _NAME.fullmatch(order.crawl):
            raise CallRefused("bad-order", f"{order.crawl[:60]!r} can't be the name of a crawl")
        path = self._crawls / order.crawl
        self.state, self._stopped = State.BUSY, False
        self._before, self._told = CrawlFigures(), frozenset()
        means = Means(self._reactor, self._workers, self._processes, self._agent, self._limits)
        self.crawl = crawl = Crawl(means, order, path)
        self._tasks.start(self._work(crawl), f"crawl {order.crawl}")

    def figures(self) -> CrawlFigures:
        """Return how far the current crawl is; zeros when there is none."""
        return CrawlFigures() if self.crawl is None else self.crawl.figures()

    def stop(self) -> bool:
        """Abandon the current crawl for good: the scheduler is told, so that it is not repeated."""
        self._stopped = self.abandon()
        return self._stopped

    def abandon(self) -> bool:
        """Give up the current crawl; tell whether one was being collected."""
        if self._running is None:
            return False
        self._running.cancel()
        return True

    async def _work(self, crawl: Crawl) -> None:
        name, error, figures, fault = crawl.order.crawl, None, CrawlFigures(), Fault.SITE
        _log.info("collecting {url} as {crawl}", url=crawl.order.start_url, crawl=name)
        try:
            self._running = Deferred.fromCoroutine(crawl.run())
            figures = await self._running
        except CancelledError:
            if not self._stopped:
                self._end(crawl, "abandoned", crawl.figures())
                if self.running:
                    self._tasks.start(self._free(), "telling that the crawler is free")
                return
            error, figures = STOPPED, crawl.figures()
        except CrawlFailed as failure:
            error, figures = str(failure), crawl.figures()
            fault = failure.fault
        except Exception as failure:
            _log.failure("crawl {crawl} failed", crawl=name)
            error, figures = f"{type(failure).__name__}: {failure}", crawl.figures()
            fault = Fault.CRAWLER
        finally:
            self._running = None
        self.state = State.TELLING
        if error:
            self._error(f"{name}: {error}")
        if fault is Fault.DISK:
            rest = self._rests.next()
            await crawl.waiting.sleep(rest, "the disk is full; begun anew after a rest")
        else:
            self._rests.reset()
        crawl.waiting.begin("the scheduler is being told how the crawl ended")
        await self._tell(crawl, figures, error, fault)

    async def _tell(
        self, crawl: Crawl, figures: CrawlFigures, error: str | None, fault: Fault
    ) -> None:
        """Tell the scheduler of the end until it has heard, then be free."""
        try:
            await self._scheduler.insist(
                "finished",
                crawl=crawl.order.crawl,
                directory=str(crawl.path),
                figures=figures,
                error=error,
                fault=fault,
            )
        except HipError as refusal:
            self._error(f"{crawl.order.crawl}: the scheduler refuses its end: {refusal}")
        self._end(crawl, error or "whole", figures)
        await self._free()

    def _end(self, crawl: Crawl, how: str, figures: CrawlFigures) -> None:
        _log.info("{crawl} ended: {how}", crawl=crawl.order.crawl, how=how)
        self.ended.appendleft((self._now(), crawl.order.crawl, how, figures))
        self.crawl, self.state = None, State.FREE

    async def _free(self) -> None:
        try:
            if self._scheduler.peer is not None and self.crawl is None:
                await self._scheduler.peer.call("ready", crawl=None, machine=self._machine)
        except HipError as error:
            # A new link says the same again.
            _log.info("the scheduler did not hear that it has a free crawler: {error}", error=error)

    async def _connected(self, peer: Peer) -> None:
        """Say what this crawler is doing; go on with it only if it is still wanted."""
        crawl = None if self.crawl is None else self.crawl.order.crawl
        self._told = frozenset()
        wanted = await peer.call("ready", crawl=crawl, machine=self._machine)
        if crawl is not None and not wanted and self.state is State.BUSY:
            self._error(f"{crawl} is not wanted any more")
            self.abandon()

    def _progress(self) -> None:
        figures, before = self.figures(), self._before
        now = self._reactor.seconds()
        self.captures.add(now, max(0, figures.captures - before.captures) / PROGRESS_EVERY)
        received = max(0, figures.bytes_received - before.bytes_received)
        self.bytes.add(now, received / PROGRESS_EVERY)
        self._before = figures
        if self.crawl is not None:
            self.crawl.monitor.queued.add(now, figures.queued)
        if self.crawl is not None and (self.state is State.BUSY or figures.waiting_for):
            addresses = self.crawl.addresses()
            self._scheduler.notify(
                "progress",
                crawl=self.crawl.order.crawl,
                figures=figures,
                addresses=sorted(addresses - self._told),
            )
            self._told |= addresses

    def _busy(self) -> str:
        assert self.crawl is not None
        doing = "collecting" if self.state is State.BUSY else "telling of"
        order = self.crawl.order
        return f"{self._agent} is {doing} {order.crawl} ({order.site}); wait for it to finish"

    def _error(self, text: str) -> None:
        _log.warn("{text}", text=text)
        self.errors.appendleft(f"{dates.to_iso(self._now())} {text}")

    def _now(self) -> str:
        return dates.now(self._reactor)
