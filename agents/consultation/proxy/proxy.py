"""The proxy: what browsers send to the web, answered from the archive (*INA §2.4.2*).

Nothing is fetched from the live web here: every URL is a look-up in the archive, whatever host,
port or network it names, so the proxy is no relay and no way into the operator's network. Only
readers who ask for the live web get it, by `live`, where the operator allows that.
"""

from collections.abc import Awaitable, Callable

from attrs import evolve, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents import dates
from agents.capture import Capture
from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.asked import Asked
from agents.consultation.errors import Faulted
from agents.consultation.faults.contents import fault_answer
from agents.consultation.faults.fault import Fault, bad_request, no_worker
from agents.consultation.faults.missing import Missing
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nearest
from agents.consultation.measures import Measures
from agents.consultation.memento.fields import memento_fields
from agents.consultation.proxy.cross_origin import preflight
from agents.consultation.proxy.giving import READING, find_answer, open_body
from agents.consultation.proxy.shaping import archive_fields, shape
from agents.consultation.proxy.tunnels import Tunnels, is_websocket, no_websocket
from agents.consultation.readers.destinations import destination_of, is_worker
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.streams.manifests import without_directives
from agents.consultation.streams.on_air import Found, OnAir, as_listener, as_stream
from agents.consultation.streams.radio import Tuned
from agents.urls import authority, canonical, split_port
from anet.http import Request, Response

HARBOR = "dlweb"
"""The made-up top-level domain of the archive's harbors (*INA §2.4.3*)."""

_OUTCOMES = {404: "unknown", 451: "kept-back", 500: "missing", 503: "unreachable"}
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
        tunnels: answer CONNECT.
        live: answers readers who chose the live web, where the operator allows it.
        on_air: gives streams at a date; without it they are contents like any other.
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
    tunnels: Tunnels = Tunnels()
    live: Callable[[Request, Asked], Awaitable[Response]] | None = None
    on_air: OnAir | None = None
    no_store: bool = True

    async def __call__(self, request: Request) -> Response:
        """Answer a request of whoever is let in."""
        started = self.clock.seconds()
        answered = await self._answer(request)
        now = self.clock.seconds()
        self.measures.answered(now, answered.outcome, now - started)
        self.audit.note(request, answered.outcome, answered.date, answered.response)
        return answered.response

    async def _answer(self, request: Request) -> "_Answered":
        asked: Asked | None = None
        try:
            self.doors.admit(request)
            if request.method == "CONNECT":
                return _Answered("tunnel", self.tunnels.answer(request))
            if is_websocket(request):
                raise Faulted(no_websocket(request.target))
            url = requested_url(request)
            led = self.readers.detour(request, url)
            if led is not None:
                return _Answered("harbor", led)
            if is_harbor(url):
                return _Answered("harbor", await self.harbor(request))
            if is_worker(request.headers):
                raise Faulted(no_worker(url))
            asked = asked_of(request, url, request.asker)
            if self.live is not None and self.readers.choice_of(asked.reader.key).live:
                return _Answered("live", await self.live(request, asked))
            allowed = preflight(request)
            if allowed is not None:
                return _Answered("preflight", allowed)
            return await self._capture(request, evolve(asked, url=without_directives(asked.url)))
        except Faulted as error:
            return self._fault(request, asked, error.fault)

    async def _capture(self, request: Request, asked: Asked) -> "_Answered":
        chosen = asked.date or self.readers.choice_of(asked.reader.key).date
        time = "" if self.on_air is None else self.on_air.time(asked, chosen)
        if time:
            return _Answered("hit", Response.text(200, time))
        found = await self._find(request, asked, chosen)
        nearest, capture = found.nearest, found.nearest.capture
        if self.on_air is not None:
            tuned = await self.on_air.tune(request, found, asked.reader)
            if tuned is not None:
                return self._stream(request, asked, nearest, tuned)
        fields = archive_fields(capture, asked.url)
        if request.method in READING:
            fields += memento_fields(nearest)
        shaped = shape(request, capture, fields, self.no_store and keeps_cache(request))
        body = await open_body(self.retrieval, nearest, shaped, self._gave, asked.reader)
        self._note(asked, capture)
        response = Response(
            shaped.status, shaped.fields, body, raw_head=shaped.head, length=shaped.length
        )
        return _Answered("hit", response, capture.date)

    async def _find(self, request: Request, asked: Asked, chosen: str) -> Found:
        """Return the capture that a request asks for, and the date for which it was found."""

        def find(date: str) -> Awaitable[Nearest]:
            return find_answer(self.retrieval, request, asked.url, date, asked.reader)

        date = self._date(asked)
        if self.on_air is None or request.method not in READING:
            return Found(await find(date), date)
        return await self.on_air.find(asked, date, chosen, find)

    def _stream(
        self, request: Request, asked: Asked, nearest: Nearest, tuned: Tuned
    ) -> "_Answered":
        """Return the answer to a listener: the head as received, and the stream as it goes on."""
        capture = nearest.capture
        fields = [*tuned.fields, *memento_fields(nearest)]
        for_browser = self.no_store and keeps_cache(request)
        shaped = shape(as_listener(request), capture, fields, for_browser)
        shaped = as_stream(shaped, request, tuned.media_type)
        self._note(asked, capture)
        response = Response(shaped.status, shaped.fields, tuned.sound, raw_head=shaped.head)
        return _Answered("hit", response, tuned.date)

    def _note(self, asked: Asked, capture: Capture) -> None:
        """Note what is on the reader's screen, and that it is not missing any more."""
        self.screens.note(asked, capture)
        if asked.url in self.missing:
            self.missing.found(asked.url, dates.now(self.clock))

    def _date(self, asked: Asked) -> str:
        """Return the date to read at: the request's, its page's, or the reader's."""
        page = asked.date or self.screens.date_for(asked)
        return page or self.readers.choice_of(asked.reader.key).date

    def _gave(self, size: int) -> None:
        self.measures.gave(self.clock.seconds(), size)

    def _fault(self, request: Request, asked: Asked | None, fault: Fault) -> "_Answered":
        outcome = _OUTCOMES.get(fault.status, "refused")
        if asked is not None and outcome != "refused":
            self.screens.missed(asked)
        if outcome not in ("refused", "kept-back") and fault.url:
            page = request.headers.text(b"referer")
            self.missing.note(fault, page, dates.now(self.clock))
        if fault.status == 500:
            _log.error("{url}: {message}", url=fault.url, message=fault.message)
        return _Answered(outcome, fault_response(request, fault))


@frozen
class _Answered:
    """An answer, what came of the request, and the date of the capture if one is given."""

    outcome: str
    response: Response
    date: str = ""


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
        destination_of(headers),
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
        return dates.sought(text) if text else ""
    except dates.InvalidDate as error:
        raise Faulted(bad_request(f"Accept-Datetime: {error}", request.target)) from None


def keeps_cache(request: Request) -> bool:
    """Tell whether a browser asks, which would mix pages of different dates from its cache.

    Other programs get the web's own fields and those of the archive, and no more.
    """
    return request.headers.text(b"user-agent").startswith("Mozilla/")


def fault_response(request: Request, fault: Fault) -> Response:
    """Return a fault in the format that the browser expects."""
    return fault_answer(request, fault)


def is_harbor(url: str) -> bool:
    """Tell whether a canonical URL is of the archive's harbor or a name under it, not of the web.

    Raises:
        Faulted: it is under the harbors' domain, but there is no such harbor.
    """
    if HARBOR not in url:
        return False
    name, port = split_port(authority(url))
    if name != HARBOR and not name.endswith("." + HARBOR):
        return False
    if port is None:
        return True
    raise Faulted(
        Fault(404, "unknown-harbor", "No such harbor", "The archive's harbor is http://dlweb/.")
    )
