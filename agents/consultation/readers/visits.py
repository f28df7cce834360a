"""Readers told apart by a cookie, which redirections replicate over all hosts (*Cornell §5.3.1*).

Several people may read behind one address. A browser keeps a cookie for each host, so whoever goes
to a page of a host that has not seen them yet is led round by the harbor, which knows them:

    a page of HOST, no cookie      --> ASKED at http://dlweb/reader
    ASKED    cookie of the harbor  --> CARRIED at HOST          (or back, when HOST is the harbor)
             none: one is set      --> GIVEN at the harbor
    GIVEN    it is there           --> the captures of the page, to choose a date; this once
             it is not             --> refused
    CARRIED  one is set            --> PROVEN at HOST
    PROVEN   it is there           --> the page
             it is not             --> refused

Every arrow is a redirection with a ticket for that one step, so that no step is made twice and
nobody is led in a circle. *Refused* is a page that says so; for some minutes that browser reads by
its address, as all do without cookies.

Only pages are led round: what belongs to a page is of its reader (`screens`). Pages that a browser
fetches before anybody wants them come without cookies, whoever reads; these are refused, and asked
for again when they are wanted.
"""

from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable
from html import escape
from secrets import token_bytes
from time import time
from urllib.parse import quote

from attrs import evolve

from agents.consultation.readers.cookies import ours, set_cookie, without_ours
from agents.consultation.readers.destinations import is_navigation
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.tickets import LIFE, Ticket, Tickets
from agents.page import FRAMED_POLICY, document, text_html
from agents.urls import host, readable
from anet.http import Request, Response

HARBOR = "dlweb"
HARBOR_PATH = "/reader"
HOST_PATH = "/.well-known/dlweb-reader"
ASKED, GIVEN, CARRIED, PROVEN = "asked", "given", "carried", "proven"
URL_LIMIT = 4000  # characters of a URL that a ticket may carry
REFUSAL = 600.0  # seconds for which a browser without cookies is left alone
REFUSALS = 1000

_NO_STORE = (b"Cache-Control", b"no-store")
_Browser = tuple[str, str]


class Visits:
    """Knows readers by their cookies, and leads those round who have none yet."""

    def __init__(
        self,
        secret: bytes,
        clock: Callable[[], float] = time,
        random: Callable[[int], bytes] = token_bytes,
    ) -> None:
        """Sign by a secret.

        Args:
            secret: of the archive, so that cookies are good for longer than the agent runs.
            clock: tells seconds since the epoch.
            random: gives so many bytes that nobody can guess.
        """
        self._tickets = Tickets(secret)
        self._clock = clock
        self._random = random
        self._refusing: OrderedDict[_Browser, float] = OrderedDict()

    def detour(self, request: Request, url: str) -> Response | None:
        """Know the reader by the cookie, or lead them round to get one.

        The reader's key in `request.asker` becomes that of the cookie, and the cookie is taken out
        of the request, so that nobody behind sees it.

        Args:
            request: of whoever was let in.
            url: that is asked for, canonical.

        Returns:
            A redirection or a page, or None to answer the request itself.
        """
        asker: Reader = request.asker
        if asker.name:
            return None
        secure, name = url.startswith("https:"), host(url)
        reader = self._known(request, name, secure)
        step = self._step(request, url, name, reader)
        if step is not None or reader is not None:
            return step
        if b"prefetch" in (request.headers.get(b"sec-purpose") or b""):
            return Response.text(503, "Ask when the page is wanted.\n")
        begins = request.method == "GET" and is_navigation(request.headers)
        if not begins or len(url) > URL_LIMIT or self._refuses(request):
            return None
        return self._send(request, ASKED, HARBOR, url)

    def _known(self, request: Request, name: str, secure: bool) -> str | None:
        """Return whose cookie is in the request, and take it out."""
        cookies = ours(request.headers, secure=secure)
        request.headers = without_ours(request.headers)
        found = (self._tickets.reader_of(cookie, name) for cookie in cookies)
        reader = next((reader for reader in found if reader is not None), None)
        if reader is not None:
            request.asker = evolve(request.asker, key=f"~{reader}")
        return reader

    def _step(self, request: Request, url: str, name: str, reader: str | None) -> Response | None:
        """Make the step that the request has a ticket for, if it is at a place of ours."""
        path = HARBOR_PATH if name == HARBOR else HOST_PATH
        if request.method != "GET" or url.split("/", 3)[3].partition("?")[0] != path[1:]:
            return None
        text = request.query.get("ticket", "")
        for step in (ASKED, GIVEN) if name == HARBOR else (CARRIED, PROVEN):
            ticket = self._tickets.read(text, step, name, request.client, self._clock())
            if ticket is not None:
                return self._take(request, ticket, reader)
        return _page(403, "This way has closed", "Open the page that you wanted again.")

    def _take(self, request: Request, ticket: Ticket, reader: str | None) -> Response:
        secure = ticket.url.startswith("https:")
        if ticket.step == CARRIED:
            cookie = self._tickets.cookie(ticket.reader, ticket.host)
            field = set_cookie(cookie, secure=secure)
            return self._send(request, PROVEN, ticket.host, ticket.url, fields=[field])
        if ticket.step == ASKED and reader is None:
            fresh = urlsafe_b64encode(self._random(16)).decode().rstrip("=")
            field = set_cookie(self._tickets.cookie(fresh, HARBOR), secure=False)
            return self._send(request, GIVEN, HARBOR, ticket.url, fields=[field])
        if reader is None:
            return self._refused(request, ticket.url)
        if ticket.step == PROVEN or host(ticket.url) == HARBOR:
            return _redirection(ticket.url)
        if ticket.step == GIVEN:
            return _redirection(f"http://{HARBOR}/captures?url={quote(ticket.url, safe='')}")
        return self._send(request, CARRIED, host(ticket.url), ticket.url, reader=reader)

    def _send(
        self,
        request: Request,
        step: str,
        to: str,
        url: str,
        *,
        reader: str = "",
        fields: list[tuple[bytes, bytes]] | None = None,
    ) -> Response:
        """Send the browser to the next step."""
        until = self._clock() + LIFE
        text = self._tickets.write(Ticket(step, to, request.client, url, until, reader))
        place = f"http://{HARBOR}{HARBOR_PATH}"
        if to != HARBOR:
            place = "/".join(url.split("/", 3)[:3]) + HOST_PATH
        return _redirection(f"{place}?ticket={text}", fields)

    def _refused(self, request: Request, url: str) -> Response:
        self._refusing[_browser(request)] = self._clock() + REFUSAL
        while len(self._refusing) > REFUSALS:
            self._refusing.popitem(last=False)
        return _page(
            200, "Cookies are refused",
            "This archive tells its readers apart by a cookie, and this browser keeps none. It "
            "reads by its address now, at the same date as everybody there who keeps no cookies.",
            url,
        )  # fmt: skip

    def _refuses(self, request: Request) -> bool:
        return self._refusing.get(_browser(request), 0.0) > self._clock()


def _browser(request: Request) -> _Browser:
    return request.client, request.headers.text(b"user-agent")[:300]


def _redirection(url: str, fields: list[tuple[bytes, bytes]] | None = None) -> Response:
    plain = Response.redirect(url, 302)
    return Response(302, [*plain.headers, *(fields or []), _NO_STORE], plain.body)


def _page(status: int, title: str, message: str, url: str = "") -> Response:
    main = f'<p class="summary">{text_html(message)}</p>'
    if url:
        main += f'<p><a href="{escape(url)}">Go on to {text_html(readable(url))}</a></p>'
    policy = (b"Content-Security-Policy", FRAMED_POLICY.encode())
    return Response.html(status, document(title, main, who="web archive"), [policy, _NO_STORE])
