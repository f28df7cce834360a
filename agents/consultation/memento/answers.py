"""TimeGate and TimeMaps of each URL, for clients with and without the proxy (RFC 7089 §4.2, §5).

Through the proxy a URL is its own TimeGate, see `fields`; these are for all other clients, and
lead to the replay server, where every memento has a URL of its own.
"""

import re
from urllib.parse import unquote

from attrs import evolve, frozen

from agents import dates
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.errors import Faulted, LookupFailed, NodesFailed
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.memento.fields import PROXIED, Addresses, distinct_links
from agents.consultation.memento.timemaps import FORMS, TimeMap, as_json, as_links
from agents.consultation.proxy.heads import secure_twin
from agents.consultation.readers.reader import Reader
from agents.urls import canonical
from anet.http import Request, Response, Router

_PAGE_AND_URL = re.compile(r"(?:(\d{1,7})/)?(.*)", re.DOTALL)
_NO_STORE = (b"Cache-Control", b"no-store")
_VARY = (b"Vary", b"accept-datetime")


@frozen
class Mementos:
    """Answers about the mementos of URLs.

    Attributes:
        doors: let readers in.
        retrieval: finds captures.
        rules: say which may not be shown.
        addresses: where things are for clients without the proxy.
    """

    doors: Doors
    retrieval: Retrieval
    rules: Rules
    addresses: Addresses

    def add_to(self, router: Router) -> Router:
        """Let a router answer TimeGates and TimeMaps."""
        router.route("GET", "/timegate/{rest:path}", self.timegate)
        router.route("GET", "/timemap/{form}/{rest:path}", self.timemap)
        return router

    async def timegate(self, request: Request, rest: str) -> Response:
        """Lead to the memento nearest to `Accept-Datetime`, or to the last one."""
        url = canonical(_written(request, "/timegate/"))
        if url is None:
            return _said(400, f"{rest[:200]!r} is not an http(s) URL.")
        if not self.addresses.replay:
            return _said(
                501,
                "This archive has no replay server, so its mementos have no URLs of their own. "
                "Set its proxy: there each URL takes Accept-Datetime itself.",
            )
        text = request.headers.text(b"accept-datetime")
        try:
            date = dates.sought(text) if text else ""
            nearest = await self.retrieval.find(url, date, reader=self.doors.admit(request))
        except dates.InvalidDate as error:
            return _said(400, f"Accept-Datetime: {error}")
        except Faulted as error:
            return _said(error.fault.status, error.fault.message, _VARY)
        addresses = self._addresses(request)
        location = addresses.memento(nearest.capture.date, nearest.capture.url)
        links = distinct_links(nearest, addresses).encode()
        fields = [_VARY, (b"Link", links), _NO_STORE, (b"Location", location.encode())]
        return Response(302, fields)

    async def timemap(self, request: Request, form: str, rest: str) -> Response:
        """List the mementos of a URL: `/timemap/link/URL`, `/timemap/json/2/URL`."""
        found = _PAGE_AND_URL.fullmatch(_written(request, f"/timemap/{form}/"))
        url = canonical(found[2]) if found else None
        if form not in FORMS or url is None or not found:
            return _said(400, "Ask for /timemap/link/URL or /timemap/json/URL.")
        try:
            captures = await self._shown(url, self.doors.admit(request))
        except Faulted as error:
            return _said(error.fault.status, error.fault.message)
        except (LookupFailed, NodesFailed) as error:
            return _said(503, f"The archive does not answer: {error}. Try again in a moment.")
        timemap = TimeMap(url, captures, int(found[1] or 1), self._addresses(request))
        if not 1 <= timemap.page <= timemap.pages:
            return _said(404, f"The archive shows no memento of {url} on this page.")
        body = as_links(timemap) if form == "link" else as_json(timemap)
        return Response(200, [(b"Content-Type", FORMS[form].encode()), _NO_STORE], body)

    async def _shown(self, url: str, reader: Reader) -> list[CaptureLine]:
        """Return the captures of a URL that a reader may see."""
        self.rules.check(url, reader=reader)
        captures = await self.retrieval.captures(url)
        twin = secure_twin(url)
        if not captures and twin is not None:
            captures = await self.retrieval.captures(twin)
        return self.rules.shown(captures, reader)

    def _addresses(self, request: Request) -> Addresses:
        """Return where things are for whom asks: a name that leads here from there."""
        if not request.target.startswith("/"):
            return evolve(self.addresses, harbor=PROXIED.harbor)
        host = request.headers.text(b"host")
        scheme = "https" if request.secure else "http"
        return evolve(self.addresses, harbor=f"{scheme}://{host}") if host else self.addresses


def _written(request: Request, before: str) -> str:
    """Return what stands after `before` in the target, with its query, decoded if it must be."""
    text = request.target.partition(before)[2]
    return text if "://" in text else unquote(text)


def _said(status: int, message: str, *fields: tuple[bytes, bytes]) -> Response:
    plain = Response.text(status, message + "\n")
    return Response(status, [*plain.headers, _NO_STORE, *fields], plain.body)
