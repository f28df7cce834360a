"""The archive without its proxy: from a request for `/web/<date>/<url>` to its answer.

Scripts of archived pages run at this origin, so nothing else is served here.
"""

from collections.abc import Awaitable, Callable

from attrs import evolve, frozen
from twisted.internet.interfaces import IReactorTime

from agents import dates
from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault, bad_request, no_worker
from agents.consultation.faults.missing import Missing
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nearest
from agents.consultation.measures import Measures
from agents.consultation.memento.fields import Addresses, distinct_links, http_date
from agents.consultation.proxy.giving import find_answer, open_body
from agents.consultation.proxy.proxy import fault_response, is_harbor, requested_date
from agents.consultation.proxy.shaping import archive_fields, shape
from agents.consultation.readers.destinations import is_worker
from agents.consultation.readers.reader import Reader
from agents.consultation.replay import engine, frame
from agents.consultation.replay.places import PART, PREFIX, RAW, InvalidPlace, Place, path
from agents.consultation.replay.raw import raw_fields
from agents.consultation.streams.on_air import Found, OnAir, as_listener, as_stream
from agents.consultation.streams.radio import Tuned, is_player
from agents.urls import split_port
from anet.http import Headers, Request, Response, parse_head

ENGINE = f"{PREFIX}sw.js"
_PAGES = (b"text/html", b"application/xhtml+xml", b"image/svg+xml", b"text/xml", b"application/xml")
_OUTCOMES = {404: "unknown", 451: "kept-back", 500: "missing", 503: "unreachable"}


_OWN = (b"Cross-Origin-Resource-Policy", b"same-origin")


@frozen
class Replay:
    """Answers browsers and programs.

    Attributes:
        clock: tells how long an answer takes, and when a hole was met.
        doors: let readers in.
        retrieval: finds captures.
        missing: the log of holes.
        measures: the agent's figures.
        audit: the log of what was asked.
        addresses: where the TimeGates and lists of a URL are.
        script: the engine, or why there is none.
        on_air: gives streams at a date; without it they are contents like any other.
    """

    clock: IReactorTime
    doors: Doors
    retrieval: Retrieval
    missing: Missing
    measures: Measures
    audit: Audit
    addresses: Addresses
    script: bytes | engine.EngineMissing
    on_air: OnAir | None = None

    async def __call__(self, request: Request) -> Response:
        """Answer a request of whoever is let in."""
        started = self.clock.seconds()
        date = ""
        try:
            reader = self.doors.admit(request)
            outcome, response, date = await self._answer(request, reader)
        except Faulted as error:
            outcome, response = self._fault(request, error.fault)
        now = self.clock.seconds()
        self.measures.answered(now, outcome, now - started)
        self.audit.note(request, outcome, date, response)
        return response

    async def _answer(self, request: Request, reader: Reader) -> tuple[str, Response, str]:
        if is_worker(request.headers) and request.target != engine.WORKER:
            raise Faulted(no_worker(request.target))
        if request.path == ENGINE:
            return "harbor", self._engine(), ""
        place = _place_of(request)
        if place.modifier not in ("", RAW, PART):  # of the engine, which is not at work yet
            return "harbor", Response.redirect(path(place.date, "", place.url)), ""
        date = place.full_date() or requested_date(request)
        nearest = await find_answer(self.retrieval, request, place.url, date, reader)
        capture = nearest.capture
        tuned = None
        if self.on_air is not None and place.modifier in (RAW, PART) and is_player(request):
            tuned = await self.on_air.tune(request, Found(nearest, date), reader)
        if tuned is not None:
            return "hit", self._stream(request, place, nearest, tuned), tuned.date
        if place.modifier != PART and not place.is_of(capture.date):
            modifier = place.modifier
            return (
                "harbor",
                self._exact(request, nearest, path(capture.date, modifier, capture.url)),
                "",
            )
        if place.modifier == "":
            return "harbor", self._page(request, nearest), capture.date
        return "hit", await self._raw(request, place, nearest, reader), capture.date

    def _exact(self, request: Request, nearest: Nearest, location: str) -> Response:
        """Send a client to the capture's own date; such an answer is no memento itself."""
        response = Response.redirect(location)
        fields = [*response.headers, self._links(request, nearest), (b"Vary", b"accept-datetime")]
        return Response(response.status, fields, response.body)

    def _page(self, request: Request, nearest: Nearest) -> Response:
        """Return the page around an archived page; what is no page is given as it is."""
        capture = nearest.capture
        if not _is_page(capture.head):
            return Response.redirect(path(capture.date, RAW, capture.url))
        if isinstance(self.script, engine.EngineMissing):
            raise Faulted(_no_engine(self.script, capture.url))
        page = frame.frame_page(capture.url, path(capture.date, "mp_", capture.url))
        host = split_port(request.headers.text(b"host"))[0]
        return Response(200, frame.frame_fields(host), page)

    def _stream(self, request: Request, place: Place, nearest: Nearest, tuned: Tuned) -> Response:
        """Return a stream from the date of the place on, which any date is."""
        asked = as_listener(_nameless(request))
        shaped = shape(asked, nearest.capture, tuned.fields, for_browser=False)
        shaped = as_stream(shaped, request, tuned.media_type)
        fields = [
            *raw_fields(shaped.head, nearest.capture.url, tuned.date, place.modifier),
            *shaped.fields,
            self._links(request, nearest),
            (b"Cache-Control", b"no-store"),
            _OWN,
        ]
        return Response(shaped.status, _once(fields), tuned.sound)

    async def _raw(
        self, request: Request, place: Place, nearest: Nearest, reader: Reader
    ) -> Response:
        """Return a capture as it was received."""
        capture = nearest.capture
        said = archive_fields(capture, place.url)
        shaped = shape(_nameless(request), capture, said, for_browser=False)
        date = capture.date if place.modifier == RAW else place.date
        fields = [
            *raw_fields(shaped.head, capture.url, date, place.modifier),
            *shaped.fields,
            (b"Memento-Datetime", http_date(capture.date).encode()),
            self._links(request, nearest),
            (b"Content-Location", path(capture.date, RAW, capture.url).encode("ascii", "replace")),
            (b"Cache-Control", b"no-store"),
            _OWN,
        ]
        body = await open_body(self.retrieval, nearest, shaped, self._gave, reader)
        return Response(shaped.status, _once(fields), body, length=shaped.length)

    def _links(self, request: Request, nearest: Nearest) -> tuple[bytes, bytes]:
        """Return where the rest about a memento is; other mementos are where this one is."""
        host = request.headers.text(b"host")
        here = f"{'https' if request.secure else 'http'}://{host}"
        links = distinct_links(nearest, evolve(self.addresses, replay=here))
        return b"Link", links.encode("ascii", "replace")

    def _gave(self, size: int) -> None:
        self.measures.gave(self.clock.seconds(), size)

    def _engine(self) -> Response:
        if isinstance(self.script, engine.EngineMissing):
            raise Faulted(_no_engine(self.script))
        fields = [
            (b"Content-Type", b"text/javascript; charset=utf-8"),
            (b"Content-Security-Policy", engine.POLICY),
            (b"Cache-Control", b"no-cache"),
        ]
        return Response(200, fields, self.script)

    def _fault(self, request: Request, fault: Fault) -> tuple[str, Response]:
        outcome = _OUTCOMES.get(fault.status, "refused")
        if outcome not in ("refused", "kept-back") and fault.url:
            page = request.headers.text(b"referer")
            self.missing.note(fault, page, dates.now(self.clock))
        response = fault_response(request, fault)
        return outcome, evolve(response, headers=[*response.headers, _OWN])


def front(replay: Replay, harbor: Callable[[], str]) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that leads whoever asks for no archived page to the harbor.

    Args:
        replay: answers all else.
        harbor: tells the harbor's URL.
    """

    async def answer(request: Request) -> Response:
        if request.target.startswith(PREFIX):
            return await replay(request)
        return Response.redirect(harbor())

    return answer


def _nameless(request: Request) -> Request:
    """Return a request that names no origin: unlike through the proxy, no other may read here.

    A site of today may have the reader's browser ask this server as well.
    """
    fields = [(name, value) for name, value in request.headers if name.lower() != b"origin"]
    return evolve(request, headers=Headers(fields))


def _place_of(request: Request) -> Place:
    try:
        place = Place.of(request.target)
    except InvalidPlace as error:
        raise Faulted(bad_request(f"{error}.")) from None
    if is_harbor(place.url):
        raise Faulted(bad_request("The harbor is no part of the archive.", place.url))
    return place


def _is_page(head: bytes) -> bool:
    """Tell whether a capture is shown by the engine: it is of a page, or leads elsewhere."""
    try:
        parsed = parse_head(head)
    except ValueError:
        return False
    kind = (parsed.headers.get(b"content-type") or b"text/html").strip().lower()
    return kind.startswith(_PAGES) or 300 <= parsed.status < 400


def _once(fields: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return fields without what a later one of the same name says again."""
    latest = {name.lower(): index for index, (name, _) in enumerate(fields)}
    return [
        (name, value)
        for index, (name, value) in enumerate(fields)
        if latest[name.lower()] == index or name.startswith(b"X-Archive-Orig-")
    ]


def _no_engine(missing: engine.EngineMissing, url: str = "") -> Fault:
    return Fault(501, "no-engine", "No replay engine", str(missing), url)
