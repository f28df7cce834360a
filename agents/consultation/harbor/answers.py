"""The harbor: where readers choose their date and see what the archive holds (*INA §2.4.3*).

The same pages answer as `http://dlweb/` through the proxy, and on the pages port for people
without it. Nothing here changes by GET; the one POST is guarded by `forms`.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from attrs import asdict, frozen
from twisted.internet.interfaces import IReactorTime

from agents import dates
from agents.capture import structure_key
from agents.consultation.access.doors import Doors
from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.faults.missing import Missing
from agents.consultation.harbor import pages
from agents.consultation.harbor.asked import is_absolute, origin_of, typed_url, wants_json
from agents.consultation.harbor.forms import FormRefused, Forms
from agents.consultation.harbor.listing import Listings
from agents.consultation.harbor.parts import View
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.readers.readers import Readers
from agents.page import HEADERS
from agents.urls import canonical
from anet.http import Request, Response, Router

URLS_LIMIT = 1000  # URLs on a page at most
URLS_SHOWN = 100
HOLES_SHOWN = 10
_LINE = ("date", "status", "size", "content", "metadata")


@frozen
class Harbor:
    """Answers the harbor's pages.

    Attributes:
        clock: tells the time.
        retrieval: finds captures.
        listings: lists URLs.
        doors: tell who asks.
        readers: what each reader chose.
        missing: the log of holes.
        forms: guards the one form that changes something.
        proxy: tells `host:port` of the proxy.
    """

    clock: IReactorTime
    retrieval: Retrieval
    listings: Listings
    doors: Doors
    readers: Readers
    missing: Missing
    forms: Forms
    proxy: Callable[[], str]

    def router(self, *homes: str) -> Router:
        """Return the harbor's pages, with the first one at each of `homes`."""
        router = Router()
        for home in homes:
            router.route("GET", home, self.home)
        router.route("GET", "/urls", self.urls)
        router.route("GET", "/captures", self.captures)
        router.route("GET", "/missing", self.holes)
        router.route("GET", "/going", self.going)
        router.route("POST", "/date", self.choose)
        return router

    def view(self, request: Request) -> View:
        """Return who looks, and from where."""
        reader = self.doors.admit(request)
        through_proxy = is_absolute(request)
        return View(
            home="/" if through_proxy else "/harbor",
            through_proxy=through_proxy,
            proxy=self.proxy(),
            token=self.forms.token(request.client),
            date=self.readers.choice_of(reader.key).date,
            lookup=self.retrieval.locator.lookup,
        )

    async def home(self, request: Request) -> Response:
        """Show the reader's date, and ways to go."""
        view = self.view(request)
        holes = self.missing.newest(HOLES_SHOWN)
        if wants_json(request):
            return _json({"date": view.date, "lookup": view.lookup, "proxy": view.proxy})
        return _html(200, pages.home_page(view, holes))

    async def urls(self, request: Request) -> Response:
        """List archived URLs: `prefix`, `after` a key, `limit`."""
        query = request.query
        limit = _limit(query.get("limit", ""), URLS_SHOWN, URLS_LIMIT)
        prefix = query.get("prefix", "").strip()
        try:
            listing = await self.listings.page(prefix, query.get("after", ""), limit)
        except (LookupFailed, NodesFailed) as error:
            return self._unreachable(request, error)
        if wants_json(request):
            urls = [{"url": listed.url, "key": listed.key} for listed in listing.urls]
            return _json({"urls": urls, "after": listing.after, "silent_nodes": listing.silent})
        return _html(200, pages.urls_page(self.view(request), prefix, listing))

    async def captures(self, request: Request) -> Response:
        """List the captures of `url`."""
        typed = request.query.get("url", "").strip()
        url = typed_url(typed)
        if url is None:
            return self._say(request, 400, "No such URL", f"{typed[:200]!r} is not an http(s) URL.")
        try:
            captures = await self.retrieval.captures(url)
        except (LookupFailed, NodesFailed) as error:
            return self._unreachable(request, error)
        status = 200 if captures else 404
        if wants_json(request):
            lines = [{name: getattr(line, name) for name in _LINE} for line in captures]
            return _json({"url": url, "key": structure_key(url), "captures": lines}, status)
        return _html(status, pages.captures_page(self.view(request), url, captures))

    async def holes(self, request: Request) -> Response:
        """Show what readers asked for in vain."""
        holes = self.missing.newest(URLS_LIMIT)
        if wants_json(request):
            return _json({"missing": [asdict(hole) for hole in holes]})
        return _html(200, pages.missing_page(self.view(request), holes))

    async def going(self, request: Request) -> Response:
        """Lead on to the archived `url`, after a date was chosen for it."""
        url = canonical(request.query.get("url", ""))
        view = self.view(request)
        if url is None or not view.through_proxy:
            return Response.redirect(view.home, 303)
        return _html(200, pages.going_page(view, url))

    async def choose(self, request: Request) -> Response:
        """Set the reader's date, and lead to `url` or back home."""
        try:
            fields = await self.forms.read(request, origin_of(request))
            date = "" if fields.get("newest") else dates.parse(fields.get("date", ""))
        except FormRefused as error:
            return self._say(request, 403, "The date is unchanged", str(error))
        except dates.InvalidDate as error:
            return self._say(request, 400, "The date is unchanged", str(error))
        self.readers.choose(self.doors.admit(request).key, date=date)
        url = canonical(fields.get("url", ""))
        if url is None:
            return Response.redirect(self.view(request).home, 303)
        page = "/going?url=" if is_absolute(request) else "/captures?url="
        return Response.redirect(page + quote(url, safe=""), 303)

    def _unreachable(self, request: Request, error: Exception) -> Response:
        message = f"The archive does not answer: {error}. Try again in a moment."
        return self._say(request, 503, "The archive does not answer", message)

    def _say(self, request: Request, status: int, title: str, message: str) -> Response:
        if wants_json(request):
            return _json({"error": title, "message": message}, status)
        return _html(status, pages.message_page(self.view(request), title, message))


def _limit(text: str, default: int, most: int) -> int:
    return min(most, max(1, int(text))) if text.isascii() and text.isdigit() else default


def _html(status: int, page: bytes) -> Response:
    return Response(status, HEADERS, page)


def _json(value: Any, status: int = 200) -> Response:
    plain = Response.json(status, value)
    fields = [pair for pair in HEADERS if pair[0] != b"Content-Type"]
    return Response(status, [*plain.headers, *fields], plain.body)
