"""The proxy: what browsers send to the web, answered from the archive (*INA §2.4.2*).

Nothing is ever fetched from the live web: every URL is a look-up in the archive, whatever host,
port or network it names, so the proxy is no relay and no way into the operator's network.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

from attrs import frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents import dates
from agents.capture import Capture
from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.asked import Asked
from agents.consultation.errors import Faulted
from agents.consultation.faults.contents import fault_headers, render_fault
from agents.consultation.faults.fault import Fault, bad_request, guess_kind, no_tunnel, wrong_method
from agents.consultation.faults.missing import Missing
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.measures import Measures
from agents.consultation.proxy.heads import forwardable
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.urls import authority, canonical, split_port
from anet.http import Request, Response

HARBOR = "dlweb"
"""The made-up top-level domain of the archive's harbors (*INA §2.4.3*)."""

_OUTCOMES = {404: "unknown", 500: "missing", 503: "unreachable"}
_log = Logger()


@frozen
class Proxy:
    """Answers browsers.

    Attributes:
        clock: tells how long an answer takes, and when a hole was met.
        doors: let readers in.
        retrieval: finds captures.
        readers: what each reader chose.
        screens: what is on the readers' screens.
        missing: the log of holes.
        measures: the agent's figures.
        audit: the log of what was asked.
        harbor: answers http://dlweb/.
        no_store: whether answers to browsers carry `Cache-Control: no-store` too.
    """

    clock: IReactorTime
    doors: Doors
    retrieval: Retrieval
    readers: Readers
    screens: Screens
    missing: Missing
    measures: Measures
    audit: Audit
    harbor: Callable[[Request], Awaitable[Response]]
    no_store: bool = True

    async def __call__(self, request: Request) -> Response:
        """Answer a request of whoever is let in."""
        started = self.clock.seconds()
        outcome, response = await self._answer(request)
        now = self.clock.seconds()
        self.measures.answered(now, outcome, now - started)
        self.audit.note(request, outcome)
        return response

    async def _answer(self, request: Request) -> tuple[str, Response]:
        try:
            reader = self.doors.admit(request)
            if request.method == "CONNECT":
                raise Faulted(no_tunnel(request.target))
            url = requested_url(request)
            if is_harbor(url):
                return "harbor", await self.harbor(request)
            if request.method not in ("GET", "HEAD"):
                raise Faulted(wrong_method(request.method, url))
            return "hit", await self._capture(request, asked_of(request, url, reader))
        except Faulted as error:
            return self._fault(request, error.fault)

    async def _capture(self, request: Request, asked: Asked) -> Response:
        head_only = request.method == "HEAD"
        found = await self.retrieval.retrieve(
            asked.url, self._date(asked), reader=asked.reader, head_only=head_only
        )
        capture = found.nearest.capture
        self.screens.note(asked, capture)
        fields = archive_fields(capture, asked.url)
        if self.no_store and keeps_cache(request):
            fields.append((b"Cache-Control", b"no-store"))
        head = forwardable(capture.head)
        if head is None:
            fields.insert(0, (b"Content-Type", b"application/octet-stream"))
        if found.content is not None:
            found.content.on_piece = self._gave
        body = found.content or _nothing()
        return Response(capture.status, fields, body, raw_head=head, length=capture.size)

    def _date(self, asked: Asked) -> str:
        """Return the date to read at: the request's, its page's, or the reader's."""
        page = asked.date or self.screens.date_for(asked)
        return page or self.readers.choice_of(asked.reader.key).date

    def _gave(self, size: int) -> None:
        self.measures.gave(self.clock.seconds(), size)

    def _fault(self, request: Request, fault: Fault) -> tuple[str, Response]:
        outcome = _OUTCOMES.get(fault.status, "refused")
        if outcome != "refused" and fault.url:
            page = request.headers.text(b"referer")
            self.missing.note(fault, page, dates.now(self.clock))
        if fault.status == 500:
            _log.error("{url}: {message}", url=fault.url, message=fault.message)
        return outcome, fault_response(request, fault)


def asked_of(request: Request, url: str, reader: Reader) -> Asked:
    """Return what a request of a reader asks for.

    Raises:
        Faulted: it names a date that is none.
    """
    headers = request.headers
    return Asked(
        url,
        reader,
        requested_date(request),
        canonical(headers.text(b"referer")) or "",
        headers.text(b"sec-fetch-dest"),
    )


def requested_url(request: Request) -> str:
    """Return the canonical URL that a browser asks its proxy for.

    Raises:
        Faulted: the target is not the URL of a web page.
    """
    if "://" not in request.target.partition("?")[0]:
        raise Faulted(
            bad_request(
                "This is the archive's proxy. Set it as the HTTP proxy of a browser, "
                "then open http://dlweb/ there."
            )
        )
    url = canonical(request.target)
    if url is None:
        raise Faulted(
            bad_request("The archive holds http:// and https:// URLs only.", request.target)
        )
    return url


def requested_date(request: Request) -> str:
    """Return the date that this one request asks for (RFC 7089), or nothing.

    Raises:
        Faulted: it is no date.
    """
    text = request.headers.text(b"accept-datetime")
    try:
        return dates.parse(text) if text else ""
    except dates.InvalidDate as error:
        raise Faulted(bad_request(f"Accept-Datetime: {error}", request.target)) from None


def keeps_cache(request: Request) -> bool:
    """Tell whether a browser asks, which would mix pages of different dates from its cache.

    Other programs get the web's own fields and those of the archive, and no more.
    """
    return request.headers.text(b"user-agent").startswith("Mozilla/")


def archive_fields(capture: Capture, url: str) -> list[tuple[bytes, bytes]]:
    """Return what the archive adds to the fields that the web gave."""
    fields = [
        (b"Dlweb-Date", capture.date.encode()),
        (b"Dlweb-Content", capture.content.encode()),
    ]
    if capture.url != url:
        fields.append((b"Dlweb-Url", capture.url.encode("ascii", "replace")))
    return fields


def fault_response(request: Request, fault: Fault) -> Response:
    """Return a fault in the format that the browser expects."""
    kind = guess_kind(fault.url or request.target, request.headers.text(b"accept"))
    media_type, content = render_fault(fault, kind)
    return Response(fault.status, fault_headers(fault, media_type), content)


def is_harbor(url: str) -> bool:
    """Tell whether a canonical URL is of the archive's harbor, and not of the web.

    Raises:
        Faulted: it is under the harbors' domain, but there is no such harbor.
    """
    name, port = split_port(authority(url))
    if name != HARBOR and not name.endswith("." + HARBOR):
        return False
    if name == HARBOR and port is None and url.startswith("http://"):
        return True
    raise Faulted(
        Fault(404, "unknown-harbor", "No such harbor", "The archive's harbor is http://dlweb/.")
    )


async def _nothing() -> AsyncIterator[bytes]:
    """Be the body of an answer to HEAD: never read, but not empty, so that its length is said."""
    return
    yield b""
