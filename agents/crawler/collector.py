"""Collecting one URL: robots.txt, fetch, record, judge the links."""

from collections.abc import Callable
from pathlib import Path

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from agents import urls
from agents.crawler.errors import FetchFailed, LiveStream, TooLong
from agents.crawler.findings import Findings
from agents.crawler.network import referrer
from agents.crawler.network.fetcher import SUFFERING, Answer, Fetcher, Fields
from agents.crawler.network.health import Health
from agents.crawler.network.revalidation import (
    NOT_MODIFIED,
    FormerCapture,
    FormerStructure,
    conditions,
)
from agents.crawler.reading.heavy import HeavyParsers
from agents.crawler.reading.link_reader import FEEDS, LinkReader
from agents.crawler.reading.reader import Reader
from agents.crawler.reading.reception import Reception
from agents.crawler.record import Recorder
from agents.crawler.robots_files import RobotsFiles
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.judge import Judge
from agents.crawler.strategy.sitemaps import Sitemaps
from agents.crawler.strategy.stories import Stories
from agents.crawler.strategy.traps import ENDLESS, LOST
from agents.delimitation import Delimitation
from agents.order import Order
from agents.parsers import Source, media_type, registry
from agents.parsers.header_links import header_links
from agents.robots import Rules
from anet.clock import wall
from anet.http import ResponseHead
from anet.workers import Workers

ATTEMPTS = 3  # at one URL
_PAGES = frozenset(["text/html", "application/xhtml+xml"])  # shown with an icon
_LINKING = frozenset([b"content-location", b"link", b"location", b"refresh", b"sourcemap"])

ReaderChoice = Callable[[ResponseHead], Reader | None]


@define
class Received:
    """An answer with what its body became."""

    answer: Answer
    reception: Reception
    digest: bytes
    seconds: float


@define
class Collector:
    """Collects the URLs of one crawl, one by one.

    Attributes:
        clock: the reactor.
        workers: threads for files.
        order: what is collected, and how.
        delimitation: what belongs to the site.
        temporary: the file for the body on its way.
        frontier: gives what failed back to it.
        fetcher: fetches.
        recorder: records.
        judge: judges the links found.
        findings: what the report tells.
        health: which servers answer.
        robots: the robots.txt files met, unless they are not obeyed.
        stories: takes what became of each URL.
        sitemaps: finds sitemaps, unless they are not followed.
        heavy: runs parsers that are too heavy for this process; without it, what they read is
            not searched for links.
        former: the former crawl's structure, if only what has changed since is wanted.
    """

    clock: IReactorTime
    workers: Workers
    order: Order
    delimitation: Delimitation
    temporary: Path
    frontier: Frontier
    fetcher: Fetcher
    recorder: Recorder
    judge: Judge
    findings: Findings
    health: Health
    stories: Stories
    robots: RobotsFiles | None = None
    sitemaps: Sitemaps | None = None
    heavy: HeavyParsers | None = None
    former: FormerStructure | None = None
    _left_aside: frozenset[str] = field(init=False)  # formats whose page links are left aside

    @_left_aside.default
    def _of_strategy(self) -> frozenset[str]:
        strategy = self.order.strategy
        followed = {"sitemap": strategy.sitemaps, **dict.fromkeys(FEEDS, strategy.feeds)}
        return frozenset(name for name, wanted in followed.items() if not wanted)

    async def collect(self, task: Task) -> None:
        """Collect a URL; what fails is queued again or reported.

        Raises:
            OSError: the disk does not take it.
        """
        try:
            if self.health.troubled and self._given_up(task.url):
                raise FetchFailed("given up: nothing there answers", again=False)
            rules = await self._rules(task)
            if self.sitemaps is not None:
                self.sitemaps.look(task, () if rules is None else rules.sitemaps)
            if rules is not None and not rules.allow(task.url):
                self.findings.excluded.add(task.url, "robots.txt")
                self.stories.became(task.url, "not fetched: the server's robots.txt forbids it")
                return
            delay = 0.0 if rules is None else rules.delay
            before = None if self.former is None else self.former.find(task.url)
            asked = conditions(before)
            told = [*asked, *referrer.fields(task.url, task.referrer)]
            received = await self.receive(task, lambda head: self._reader(task, head), delay, told)
        except FetchFailed as error:
            self._failed(task, error)
            return
        if before is not None and asked and received.answer.head.status == NOT_MODIFIED:
            self._stands(task, received, before)
            return
        self.keep(task, received)
        self._follow(task, received)

    def _given_up(self, url: str) -> bool:
        own = self.delimitation.internal(url)
        return self.health.given_up(urls.authority(url), url, own)

    def _stands(self, task: Task, received: Received, before: FormerCapture) -> None:
        """Record that a URL is as it was; its links are those of the former crawl."""
        received.reception.discard()
        self.recorder.unchanged(task, received.answer, before, received.seconds)
        self.stories.became(task.url, "not changed since the former crawl (304)")

    async def receive(
        self,
        task: Task,
        choice: ReaderChoice,
        delay: float = 0.0,
        told: Fields = (),
        beginning: int = 0,
    ) -> Received:
        """Fetch a URL and take its body.

        Args:
            task: what to fetch.
            choice: gives what reads the body that follows a head.
            delay: seconds that the server's robots.txt asks for.
            told: further header fields of the request.
            beginning: bytes of the body that are enough; 0 if it is wanted whole.

        Raises:
            FetchFailed: no whole answer came, or one to be asked for again.
        """
        reception: Reception | None = None

        def receiver(head: ResponseHead) -> Reception:
            nonlocal reception
            reception = Reception(
                self.clock,
                self.workers,
                self.temporary,
                beginning or self.order.content_limit,
                choice(head),
                head.headers.text(b"content-encoding"),
                cut=beginning > 0,
            )
            return reception

        try:
            last = task.attempt + 1 >= ATTEMPTS
            answer = await self.fetcher.fetch(
                task.url, receiver, delay, task.attempt, last=last, told=told
            )
            assert reception is not None
            digest = await reception.finish()
        except BaseException as error:
            if reception is not None:
                reception.discard()
            elif isinstance(error, FetchFailed) and error.again:
                self._fails(task.url, error.reached)
            raise
        if answer.truncated == "time":
            self._fails(task.url)
        elif self.health.troubled:
            self.health.good(urls.authority(task.url), task.url)
        if self._asked_again(task, answer.head):
            reception.discard()
            raise FetchFailed(f"the server asks to be left alone ({answer.head.status})")
        return Received(answer, reception, digest, self.clock.seconds() - answer.asked)

    def _fails(self, url: str, reached: bool = True) -> None:
        """Note that a URL does not answer, or never ends to; one that breaks off does answer."""
        self.fetcher.rest(url, self.health.bad(urls.authority(url), url, reached))

    def keep(self, task: Task, received: Received) -> None:
        """Record what was received."""
        status = received.answer.head.status
        self.stories.became(task.url, f"answered {status}, {received.reception.size} bytes")
        self.recorder.record(
            task, received.answer, received.reception, received.digest, received.seconds
        )

    async def _rules(self, task: Task) -> Rules | None:
        if self.robots is None:
            return None
        known = self.robots.known(task.url, task.attempt)
        rules = known or await self.robots.ask(self, task)
        if rules.unknown:
            raise FetchFailed(
                f"robots.txt can't be read, so nothing may be fetched for now: {rules.unknown}"
            )
        return rules

    def _failed(self, task: Task, error: FetchFailed) -> None:
        if isinstance(error, LiveStream):
            self.stories.became(task.url, "a stream: only reported")
            self.findings.streams.add(task.url, task.url)
            return
        self.stories.became(task.url, f"attempt {task.attempt + 1} failed: {error}")
        if error.again and task.attempt + 1 < ATTEMPTS:
            self.frontier.retry(task)
            return
        self.recorder.failure(task.url, str(error), wall(self.clock))
        if isinstance(error, TooLong):
            self.findings.trap(task.url, ENDLESS, str(error))

    def _follow(self, task: Task, received: Received) -> None:
        head = received.answer.head
        if not _LINKING.isdisjoint(head.headers.by_name):
            self._follow_fields(task, head)
        kind = media_type(head.headers.text(b"content-type"))[0]
        if kind in _PAGES and 200 <= head.status < 300 and not task.requisite:
            self.judge.favicon(task)
        if received.reception.reader_failed:
            self.findings.trap(task.url, LOST)
        elif received.reception.reader_cut:
            self.judge.truncated(task.url)

    def _follow_fields(self, task: Task, head: ResponseHead) -> None:
        headers = head.headers
        links = header_links(
            _first(headers.get_all(b"location")) if 300 <= head.status < 400 else None,
            _first(headers.get_all(b"refresh")),
            headers.get_all(b"link"),
            [*headers.get_all(b"content-location"), *headers.get_all(b"sourcemap")],
        )
        for link in links:
            self.judge.header(task, link)

    def _reader(self, task: Task, head: ResponseHead) -> Reader | None:
        """Return what reads the links of an answer, if it may have any.

        A page or a frame that says what went wrong is shown with its components; where its links
        lead is of no interest, and what is no page is not shown at all.
        """
        whole = 200 <= head.status < 300
        if not whole and (head.status < 400 or task.requisite or self._asked_again(task, head)):
            return None
        kind, charset = media_type(head.headers.text(b"content-type"))
        if not registry().reads(kind):
            return None
        strategy = self.order.strategy
        return LinkReader(
            self.judge,
            task,
            kind,
            Source(task.url, charset, task.encoding or None, referrer=task.referrer),
            self.heavy,
            scripts=strategy.scripts,
            components_only=not whole,
            left_aside=self._left_aside,
            html="html-fast" if strategy.partial else "html",
        )

    @staticmethod
    def _asked_again(task: Task, head: ResponseHead) -> bool:
        return head.status in SUFFERING and task.attempt + 1 < ATTEMPTS


def _first(values: list[bytes]) -> bytes | None:
    return values[0] if values else None
