"""Recording answers: content, structure line, figures, findings."""

import msgspec

from agents import dates
from agents.capture import HEAD_LIMIT
from agents.crawler.directory import CrawlDirectory
from agents.crawler.fetcher import Answer
from agents.crawler.findings import Findings
from agents.crawler.former import Former
from agents.crawler.frontier import Task
from agents.crawler.monitor import Monitor
from agents.crawler.parsers import PAGE
from agents.crawler.parsers.registry import media_type
from agents.crawler.reception import Reception
from agents.order import CrawlFigures, Order


class StructureLine(msgspec.Struct):
    """One capture, as a line of the crawl's `structure` (docs/reference/crawl-directory.md)."""

    url: str
    date: str
    content: str
    size: int
    status: int
    head: str
    origin: str
    depth: int
    kind: str
    new: bool
    change: str


class Recorder:
    """Records the answers of one crawl.

    Args:
        order: what is collected.
        agent: the name of the crawler.
        directory: takes contents and structure.
        former: the former crawl of the site.
        findings: takes what the report tells.
        monitor: takes what people watch.
    """

    def __init__(
        self,
        order: Order,
        agent: str,
        directory: CrawlDirectory,
        former: Former,
        findings: Findings,
        monitor: Monitor,
    ) -> None:
        self._monitor = monitor
        self._origin = f"crawl: {order.crawl}\nsite: {order.site}\nagent: {agent}\naddress: "
        self._directory = directory
        self._former = former
        self._findings = findings
        self._captures = self._pages = self._new = self._known = self._bytes = 0

    def record(
        self, task: Task, answer: Answer, reception: Reception, digest: bytes, seconds: float
    ) -> None:
        """Record one answer, whose body `reception` holds and which took so many seconds.

        Raises:
            OSError: it can't be written.
        """
        head = answer.head
        new = self._directory.met.add(digest) and not self._former.knows(digest)
        if new:
            reception.move(self._directory.content(digest))
        else:
            reception.discard()
        change = self._former.change(task.url, digest)
        self._directory.write_line(
            StructureLine(
                url=task.url,
                date=dates.from_timestamp(answer.begun),
                content=digest.hex(),
                size=reception.size,
                status=head.status,
                head=head.raw[:HEAD_LIMIT].decode("latin-1"),
                origin=self._origin_of(answer),
                depth=task.depth,
                kind=task.kind,
                new=new,
                change=change,
            )
        )
        kind = media_type(head.headers.text(b"content-type"))[0]
        self._findings.answer(head.status, kind, reception.size, task.depth, change)
        self._monitor.answered(task.url, seconds, reception.size)
        self._count(task, reception.size, new)

    def _origin_of(self, answer: Answer) -> str:
        lines = [f"{self._origin}{answer.address}\n"]
        if answer.head.version == "2":
            lines.append("protocol: h2\n")
        if answer.tls is not None:
            lines.append(f"tls: {self._directory.certificates.keep(answer.tls)}\n")
        if answer.proxy:
            lines.append(f"proxy: {answer.proxy}\n")
        if answer.resumed:
            lines.append(f"resumed: {answer.resumed}\n")
        if answer.truncated:
            lines.append(f"truncated: {answer.truncated}\n")
        return "".join(lines)

    def failure(self, url: str, reason: str, now: float) -> None:
        """Note a URL that gave no answer, as seen at a time in seconds since the epoch."""
        self._findings.failures.add(url, reason)
        self._monitor.failed(dates.from_timestamp(now), url, reason)

    def now(self, queued: int, depth: int) -> CrawlFigures:
        """Return the figures as they are now."""
        changes = self._findings.changes
        return CrawlFigures(
            captures=self._captures,
            pages=self._pages,
            contents_new=self._new,
            contents_known=self._known,
            bytes_received=self._bytes,
            failures=len(self._findings.failures),
            queued=queued,
            depth=depth,
            urls_new=changes["new"],
            urls_changed=changes["changed"],
            urls_unchanged=changes["unchanged"],
        )

    def _count(self, task: Task, size: int, new: bool) -> None:
        self._captures += 1
        self._pages += task.kind == PAGE
        self._new += new
        self._known += not new
        self._bytes += size
