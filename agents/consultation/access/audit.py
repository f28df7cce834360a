"""The log of what was asked of the archive, by whom, and what was answered."""

import re
from collections.abc import Collection
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from agents import dates
from agents.consultation.access.audit_file import AuditFile
from agents.consultation.readers.reader import Reader
from agents.urls import canonical
from anet.errors import AnetError
from anet.http import Handler, Request, Response
from anet.tasks import Tasks, every
from anet.workers import Workers

PERIOD = 1.0  # seconds between two writings; so much is lost when the process is killed
QUEUE_LIMIT = 50_000  # lines that wait while the disk does not answer
URL_LIMIT = 8192  # characters

_USER = re.compile(
    r"((?:[:]|%3a)(?:[/\\]|%2f|%5c)+|[?&]url=|^/web/[^/]*/)"  # after these a host begins
    r"(?:(?!%2f|%3f|%23|%26|%5c)[^/?#&\\])*(?:@|%40)",
    re.IGNORECASE,
)
_log = Logger()


class Audit:
    """Notes what passes the doors; a thread writes it down, a second's worth at a time.

    The archive is read on when the log cannot be written: lines wait within a limit, the further
    ones are counted in `lost`, and the log itself says how many as soon as it can.

    Attributes:
        lost: lines that are in no file, since the start.
        trouble: why the last writing failed; empty when it did not.
    """

    def __init__(self, reactor: Any = None, file: AuditFile | None = None) -> None:
        """Write to a file; without one nothing is noted.

        Args:
            reactor: tells the time, and where the thread's results arrive.
            file: the log.
        """
        self.lost = 0
        self.trouble = ""
        self._reactor = reactor
        self._file = file
        self._waiting: list[bytes] = []
        self._untold = 0
        self._tasks = Tasks()
        self._workers = Workers(reactor, 1, name="audit log") if file is not None else None

    @property
    def on(self) -> bool:
        """Whether anything is noted."""
        return self._file is not None

    @property
    def waiting(self) -> int:
        """Lines that are not written yet."""
        return len(self._waiting)

    def start(self) -> None:
        """Begin to write."""
        if self._workers is not None:
            self._workers.startService()
            self._tasks.start(every(self._reactor, PERIOD, self.flush), "audit log")

    async def stop(self) -> None:
        """Write what is there, and end."""
        if self._workers is None:
            return
        await self._tasks.stop()
        await self.flush()
        await self._workers.stopService()

    def note(
        self, request: Request, outcome: str, date: str = "", response: Response | None = None
    ) -> None:
        """Note an answer.

        Args:
            request: its `asker` is who asked, if they were let in.
            outcome: as `Measures` counts it.
            date: of the capture that was given, or empty.
            response: the answer; its length is what was begun, for a reader may leave before the
                end.
        """
        if self._file is None:
            return
        asker = request.asker
        line = {
            "reader": asker.name if isinstance(asker, Reader) else "",
            "address": request.client,
            "method": request.method[:20],
            "url": shown_url(request.target),
            "capture": date,
            "outcome": outcome,
            "status": response.status if response is not None else None,
            "bytes": response.body_length() if response is not None else None,
        }
        self._add(line)

    def noting(self, handler: Handler, but: Collection[str] = ()) -> Handler:
        """Return a handler whose answers are noted, as those of the harbor.

        Args:
            handler: answers.
            but: paths that are not worth a line, such as a page that renews itself.
        """

        async def answer(request: Request) -> Response:
            response = await handler(request)
            if request.path not in but:
                self.note(request, "harbor", "", response)
            return response

        return answer

    def event(self, what: str, **told: Any) -> None:
        """Note something else than an answer, such as other rules."""
        if self._file is not None:
            self._add({"event": what, **told})

    async def flush(self) -> None:
        """Write what waits, and wait until it is durable."""
        if self._file is None or self._workers is None:
            return
        if self._untold and len(self._waiting) < QUEUE_LIMIT:
            untold, self._untold = self._untold, 0
            self._add({"event": "lost", "lines": untold})
        lines, self._waiting = self._waiting, []
        if not lines:
            return
        try:
            await self._written(lines)
        except (OSError, AnetError) as error:
            self._failed(lines, str(error))
        else:
            self.trouble = ""

    def _written(self, lines: list[bytes]) -> "Deferred[None]":
        if self._workers is None or self._file is None:  # pragma: no cover - `flush` asked
            raise AnetError("there is no log")
        return self._workers.run(self._file.write, lines)

    def _failed(self, lines: list[bytes], why: str) -> None:
        """Keep lines for the next time, as many as may wait."""
        if not self.trouble:
            _log.error("the audit log cannot be written: {why}", why=why)
        self.trouble = why
        self._waiting = lines + self._waiting
        over = len(self._waiting) - QUEUE_LIMIT
        if over > 0:
            del self._waiting[QUEUE_LIMIT:]
            self._count(over)

    def _add(self, line: dict[str, Any]) -> None:
        if len(self._waiting) >= QUEUE_LIMIT:
            self._count(1)
            return
        dated = {"date": dates.to_iso(dates.now(self._reactor)), **line}
        self._waiting.append(msgspec.json.encode(dated) + b"\n")

    def _count(self, lines: int) -> None:
        self.lost += lines
        self._untold += lines


def shown_url(target: str) -> str:
    """Return the URL of a request as the log may hold it: without what lets anybody in.

    User names, passwords and the tickets that carry a reader's cookie from host to host are not
    in it.
    """
    url = canonical(target) or target
    before, question, _ = url.partition("?")
    if question and before.endswith(("/.well-known/dlweb-reader", "//dlweb/reader")):
        url = before
    if url.startswith("/"):
        url = _USER.sub(r"\1", url)
    elif "://" not in url[:10]:
        url = url.rpartition("@")[2]
    return url[:URL_LIMIT]
