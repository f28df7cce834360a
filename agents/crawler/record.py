"""Recording answers: content, structure line, figures, findings."""

from pathlib import Path

from agents import dates, origin
from agents.capture import HEAD_LIMIT
from agents.crawler.analysing import Analysing, Text, reader_of_text
from agents.crawler.directory import CrawlDirectory
from agents.crawler.findings import Findings
from agents.crawler.former import Former
from agents.crawler.monitor import Monitor
from agents.crawler.network.fetcher import Answer
from agents.crawler.network.revalidation import FormerCapture
from agents.crawler.reading.reception import Reception
from agents.crawler.strategy.frontier import Task
from agents.order import Access, CrawlFigures, Order
from agents.parsers import PAGE
from agents.parsers.registry import media_type
from agents.structure_line import StructureLine
from anet.http import Headers, parse_head


class Recorder:
    """Records the answers of one crawl.

    Args:
        order: what is collected.
        agent: the name of the crawler.
        directory: takes contents and structure.
        former: the former crawl of the site.
        findings: takes what the report tells.
        monitor: takes what people watch.
        analysing: takes the texts of new contents; without it they are not analysed.
    """

    def __init__(
        self,
        order: Order,
        agent: str,
        directory: CrawlDirectory,
        former: Former,
        findings: Findings,
        monitor: Monitor,
        analysing: Analysing | None = None,
    ) -> None:
        self._monitor = monitor
        self._analysing = analysing
        self._origin = origin.composed(
            [("crawl", order.crawl), ("site", order.site), ("agent", agent)]
        )
        self._secrets = secrets_of(order.access)
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
        first = self._directory.met.add(digest)
        analysing = self._analysing if first and 200 <= head.status < 300 else None
        new = first and not self._former.knows(digest)
        if not new and analysing is not None:
            new = analysing.outdated(digest)  # its text is needed once more
        place = None
        if new:
            place = reception.store(self._directory.pack, self._directory.content(digest))
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
                place=place,
            )
        )
        kind = media_type(head.headers.text(b"content-type"))[0]
        self._findings.answer(head.status, kind, reception.size, task.depth, change)
        self._monitor.answered(task.url, seconds, reception.size)
        self._count(task, reception.size, new)
        if analysing is not None:
            if new:
                self._analyse(analysing, task, head.headers, digest, reception.size, place)
            else:
                analysing.known(digest, task.url, task.depth)

    def _analyse(
        self,
        analysing: Analysing,
        task: Task,
        headers: Headers,
        digest: bytes,
        size: int,
        place: int | None,
    ) -> None:
        """Have the text of a content analysed, which lies in the crawl's folder."""
        kind, charset = media_type(headers.text(b"content-type"))
        parser = reader_of_text(kind, task.url)
        if parser is not None:
            directory, coding = self._directory, headers.text(b"content-encoding")
            path = Path(directory.content(digest)) if place is None else directory.pack.path
            text = Text(
                digest, path, place or 0, size, task.url, task.depth, parser, charset, coding
            )
            analysing.add(text)

    def unchanged(self, task: Task, answer: Answer, former: FormerCapture, seconds: float) -> None:
        """Record that a URL is as it was: the former head and content, at the new date.

        Raises:
            OSError: it can't be written.
        """
        self._directory.met.add(bytes.fromhex(former.content))
        self._directory.write_line(
            StructureLine(
                url=task.url,
                date=dates.from_timestamp(answer.begun),
                content=former.content,
                size=former.size,
                status=former.status,
                head=former.head,
                origin=self._origin_of(answer, f"not-modified {former.date}"),
                depth=task.depth,
                kind=task.kind,
                new=False,
                change="unchanged",
            )
        )
        head = parse_head(former.head.encode("latin-1"))
        kind = media_type(head.headers.text(b"content-type"))[0]
        self._findings.answer(answer.head.status, kind, former.size, task.depth, "unchanged")
        self._monitor.answered(task.url, seconds, 0)
        self._count(task, 0, new=False)

    def _origin_of(self, answer: Answer, revisit: str = "") -> str:
        tls = answer.tls
        told = origin.composed(
            [
                ("address", answer.address),
                ("protocol", "h2" if answer.head.version == "2" else ""),
                ("tls", "" if tls is None else self._directory.certificates.keep(tls)),
                ("proxy", answer.proxy),
                ("resumed", str(answer.resumed or "")),
                ("truncated", answer.truncated),
                ("revisit", revisit),
            ]
        )
        return self._origin + told + origin.request_lines(answer.sent, self._secrets)

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


def secrets_of(access: Access) -> frozenset[bytes]:
    """Return the fields of requests that are not kept, in small letters.

    Cookies that the site has set for anybody are in the heads of its answers, too; those that the
    order gives, and those of a site that knows by its credentials who asks, are a way in.
    """
    is_known = access.credentials or access.given_cookies
    return origin.CREDENTIALS | {b"cookie"} if is_known else origin.CREDENTIALS
