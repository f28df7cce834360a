"""The interface for programs, under `/api/1/` of the harbor (*INA §2.4.4*).

`openapi.yaml` is its contract, and a test holds the two together. Every answer passes the doors
and the rules, as pages do. Nothing changes by GET; the reader's date is set by PUT, which no
archived page can do (see `set_date`).
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from attrs import Attribute, asdict, frozen

from agents import dates, origin
from agents.capture import Capture, structure_key
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.errors import ContentDamaged, Faulted, LookupFailed, NodesFailed
from agents.consultation.faults.fault import unknown_url
from agents.consultation.harbor.asked import origin_of
from agents.consultation.harbor.forms import FormRefused, check_origin
from agents.consultation.lookup.contents import Content
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine, Nearest
from agents.consultation.mining import contract
from agents.consultation.mining.asking import Query, Refused, answer, ending, problem
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.extraction import Extracted
from agents.consultation.mining.mining import Mining
from agents.consultation.mining.records import Backlink
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screen import told as screen_told
from agents.consultation.readers.screens import Screens
from agents.consultation.streams.catalogue import Catalogue, CatalogueAway
from agents.consultation.urls.index import UrlIndex
from agents.consultation.urls.surt import MATCHES
from anet.errors import AnetError, Overloaded
from anet.http import Request, Response, Router

MOST = 1000  # captures, URLs, backlinks and similar documents of one answer
USUAL = 100
MOST_LINKS = 20_000
_DATE_LIMIT = 1024  # bytes of a body that sets a date
_GUARD = b"dlweb-api"
_CAPTURE = ("url", "date", "status", "size", "content", "metadata")

Answering = Callable[[Request, Reader], Awaitable[Response]]


@frozen
class Api:
    """Answers programs.

    Attributes:
        doors: let readers in.
        rules: what may not be shown.
        retrieval: finds captures.
        readers: what each reader chose.
        screens: what is on the readers' screens.
        index: of URLs.
        extracting: reads documents.
        mining: knows who links to whom; None where the operator did not switch it on.
        catalogue: knows the archived streams.
    """

    doors: Doors
    rules: Rules
    retrieval: Retrieval
    readers: Readers
    screens: Screens
    index: UrlIndex
    extracting: Extracting
    mining: Mining | None = None
    catalogue: Catalogue | None = None

    def add_to(self, router: Router) -> Router:
        """Serve the interface, and its contract at `/api/openapi.json`."""
        for name in (
            "captures",
            "capture",
            "content",
            "links",
            "text",
            "urls",
            "streams",
            "titles",
        ):
            self._route(router, "GET", name, getattr(self, name))
        for name in ("backlinks", "similar"):
            self._route(router, "GET", name, getattr(self, name))
        self._route(router, "GET", "screens", self.screens_of)
        self._route(router, "GET", "date", self.date)
        self._route(router, "PUT", "date", self.set_date)
        router.route("GET", "/api/openapi.json", self._contract)
        router.route("GET", "/api/{rest:path}", _nothing)
        return router

    def _route(self, router: Router, method: str, name: str, handler: Answering) -> None:
        async def handle(request: Request) -> Response:
            return await self._answered(request, handler)

        router.route(method, f"/api/1/{name}", handle)

    async def _answered(self, request: Request, handler: Answering) -> Response:
        """Answer, with errors in the one form that the contract gives them."""
        try:
            return await handler(request, self.doors.admit(request))
        except Faulted as error:
            fault = error.fault
            return problem(fault.status, fault.code, fault.title, fault.message, fault.url)
        except Refused as error:
            return problem(error.status, error.code, "The question cannot be answered", str(error))
        except FormRefused:
            detail = "the request was sent by another site than the harbor"
            return problem(403, "refused", "The date is unchanged", detail)
        except (LookupFailed, NodesFailed, ContentDamaged, CatalogueAway, Overloaded) as error:
            detail = f"The archive does not answer: {error}. Try again in a moment."
            return problem(503, "archive-unreachable", "The archive does not answer", detail)

    async def _contract(self, _request: Request) -> Response:
        return answer(contract.openapi())

    # The reader's date

    async def date(self, request: Request, reader: Reader) -> Response:
        """Tell the date at which the reader reads."""
        Query.of(request, ())
        return answer({"date": self.readers.choice_of(reader.key).date})

    async def set_date(self, request: Request, reader: Reader) -> Response:
        """Set the date at which the reader reads; empty means the newest.

        A page that runs in the reader's browser cannot: browsers ask before they send JSON or a
        field of their own to another origin, the harbor never allows it, and what they say of the
        sender is checked as well.
        """
        check_origin(request, origin_of(request))
        kind = request.headers.text(b"content-type").partition(";")[0].strip().lower()
        if kind != "application/json" or request.headers.get(_GUARD) is None:
            raise Refused("send the date as application/json, with the header field Dlweb-Api: 1")
        Query.of(request, ())
        try:
            told = msgspec.json.decode(await request.read(_DATE_LIMIT), type=dict[str, str])
            date = dates.parse(told["date"]) if told["date"] else ""
        except (AnetError, msgspec.MsgspecError, KeyError):
            raise Refused('the body is not {"date": "2026-11-21"}') from None
        except dates.InvalidDate as error:
            raise Refused(str(error)) from None
        self.readers.choose(reader.key, date=date)
        return answer({"date": date})

    async def screens_of(self, request: Request, reader: Reader) -> Response:
        """Tell which pages the reader has on the screen, and what belongs to each."""
        Query.of(request, ())
        return answer({"screens": [screen_told(one) for one in self.screens.of(reader.key)]})

    # URLs and captures

    async def urls(self, request: Request, reader: Reader) -> Response:
        """List archived URLs, site by site."""
        query = Query.of(request, ("url", "match", "limit", "after"))
        url = query.url() if query.values.get("url") else ""
        match, limit = query.choice("match", MATCHES, "prefix"), query.number("limit", USUAL, MOST)
        found = await self.index.urls(url, match, query.after(), limit, reader)
        shown = [{"url": listed.url, "key": listed.key} for listed in found.urls]
        after = ending(found.after) if found.after else None
        return answer({"urls": shown, "after": after, "complete": self.index.complete})

    async def captures(self, request: Request, reader: Reader) -> Response:
        """List the captures of a URL between two dates, oldest first."""
        query = Query.of(request, ("url", "from", "to", "limit", "after"))
        url, limit, after = query.url(), query.number("limit", USUAL, MOST), query.after()
        first, last = query.date("from"), query.date("to", "~")
        self.rules.check(url, reader=reader)
        captures = await self.retrieval.captures(url)
        if not captures:
            raise Faulted(unknown_url(url))
        found = [
            line
            for line in self.rules.shown(captures, reader)
            if first <= line.date <= last and _place(line) > after
        ]
        more = ending(_place(found[limit - 1])) if len(found) > limit else None
        lines = [_told(line) for line in found[:limit]]
        return answer({"url": url, "key": structure_key(url), "captures": lines, "after": more})

    async def capture(self, request: Request, reader: Reader) -> Response:
        """Tell all of the capture nearest to a date."""
        nearest = await self._find(Query.of(request, ("url", "date")), reader)
        capture = nearest.capture
        told = _told(capture) | {
            "head": capture.head.decode("latin-1"),
            "origin": _origin(capture.origin),
            "count": nearest.count,
            "first": nearest.first,
            "last": nearest.last,
            "previous": nearest.previous,
            "next": nearest.next,
        }
        return answer(told)

    async def content(self, request: Request, reader: Reader) -> Response:
        """Give the bytes of a capture as they were received, to be kept and never to be shown."""
        capture = (await self._find(Query.of(request, ("url", "date")), reader)).capture
        content = await self._open(capture)
        fields = [
            (b"Content-Type", b"application/octet-stream"),
            (b"Content-Disposition", b"attachment"),
            (b"Content-Security-Policy", b"sandbox; default-src 'none'"),
            (b"Cross-Origin-Resource-Policy", b"same-origin"),
            (b"X-Content-Type-Options", b"nosniff"),
            (b"Cache-Control", b"no-store"),
            (b"Dlweb-Date", capture.date.encode()),
            (b"Dlweb-Content", capture.content.encode()),
        ]
        return Response(200, fields, content, length=capture.size)

    # Streams

    async def streams(self, request: Request, reader: Reader) -> Response:
        """List archived radios and televisions in the order of their URLs."""
        query = Query.of(request, ("limit", "after"))
        limit = query.number("limit", USUAL, MOST)
        found, more = await self._catalogue().streams(query.after(), limit, reader)
        after = ending(more) if more else None
        return answer({"streams": [asdict(each) for each in found], "after": after})

    async def titles(self, request: Request, reader: Reader) -> Response:
        """Find what was said of streams and of what was on the air, what was learned of last first.

        The URL is that of the stream, which need not be one of the web.
        """
        query = Query.of(request, ("words", "url", "after"))
        words, place = query.values.get("words", ""), _position(query.after())
        url = query.values.get("url", "")
        if not words:
            raise Refused("write which words: words=fou de toi")
        found, more = await self._catalogue().search(words, url, place, reader)
        told = [asdict(each, filter=_is_told) for each in found]
        return answer({"titles": told, "after": ending(str(more)) if more else None})

    def _catalogue(self) -> Catalogue:
        if self.catalogue is None:
            raise Refused("this archive lists no streams", 501, "no-streams")
        return self.catalogue

    # What documents hold

    async def links(self, request: Request, reader: Reader) -> Response:
        """Tell what a document links to."""
        query = Query.of(request, ("url", "date", "limit", "after"))
        limit, begin = query.number("limit", USUAL, MOST_LINKS), _position(query.after())
        capture, found = await self._extract(query, reader)
        end = begin + limit
        told = _told(capture) | {
            "links": found.links[begin:end],
            "number": len(found.links),
            "truncated": found.truncated,
            "after": ending(str(end)) if end < len(found.links) else None,
        }
        return answer(told)

    async def text(self, request: Request, reader: Reader) -> Response:
        """Tell the text of a document, its languages, and what it is about."""
        capture, found = await self._extract(Query.of(request, ("url", "date")), reader)
        told = _told(capture) | {
            "format": found.format,
            "title": found.title,
            "text": found.text,
            "languages": [{"language": name, "share": share} for name, share in found.languages],
            "keywords": [{"keyword": word, "number": number} for word, number in found.keywords],
            "truncated": found.truncated,
        }
        return answer(told)

    async def backlinks(self, request: Request, reader: Reader) -> Response:
        """Tell which archived documents link to a URL."""
        query = Query.of(request, ("url", "limit", "after"))
        url, limit, mining = query.url(), query.number("limit", USUAL, MOST), self._mining()
        self.rules.check(url, reader=reader)
        found, after = await mining.backlinks(url, query.after(), limit)
        shown = [
            {"url": link.url, "first": seen[0], "last": seen[-1]}
            for link in found
            if (seen := self._seen(link, reader))
        ]
        told: dict[str, Any] = {"url": url, "backlinks": shown}
        return answer(told | {"after": ending(after) if after else None} | mining.reach())

    async def similar(self, request: Request, reader: Reader) -> Response:
        """Tell which archived documents have text in common with one, the most alike first."""
        query = Query.of(request, ("url", "date", "limit"))
        limit, mining = query.number("limit", USUAL, MOST), self._mining()
        capture, found = await self._extract(query, reader)
        alike = await mining.similar(capture.content, found, limit)
        shown = [
            {
                "url": one.url,
                "date": one.date,
                "content": one.content,
                "resemblance": round(one.resemblance, 4),
            }
            for one in alike
            if self._may_see(one.url, one.date, reader)
        ]
        return answer(_told(capture) | {"similar": shown} | mining.reach())

    def _mining(self) -> Mining:
        if self.mining is None:
            message = "this archive is not mined; its operator can switch it on: mining: true"
            raise Refused(message, 501, "not-mined")
        return self.mining

    async def _find(self, query: Query, reader: Reader) -> Nearest:
        date = query.date(otherwise=self.readers.choice_of(reader.key).date)
        return await self.retrieval.find(query.url(), date, reader=reader)

    async def _open(self, capture: Capture) -> Content:
        content = await self.retrieval.open(capture)
        assert content is not None  # it was not only the head that was asked for
        return content

    async def _extract(self, query: Query, reader: Reader) -> tuple[Capture, Extracted]:
        capture = (await self._find(query, reader)).capture
        known = self.extracting.known(capture)
        if known is not None:
            return capture, known
        try:
            return capture, await self.extracting.extract(capture, await self._open(capture))
        except Overloaded:
            raise Refused("too many documents wait; try again in a moment", 503, "busy") from None
        except AnetError as error:
            raise Refused(f"the document cannot be read: {error}", 422, "unreadable") from None

    def _seen(self, link: Backlink, reader: Reader) -> list[str]:
        """Return those of the two dates of a backlink whose captures the reader may see."""
        dates = (link.first, link.last)
        return [date for date in dates if self._may_see(link.url, date, reader)]

    def _may_see(self, url: str, date: str, reader: Reader) -> bool:
        return self.rules.reason(url, date, reader) is None


def _told(capture: Capture | CaptureLine) -> dict[str, Any]:
    return {name: getattr(capture, name) for name in _CAPTURE}


def _place(line: CaptureLine) -> str:
    """Return where a capture stands in the list of its URL, which is sorted by it."""
    return f"{line.date}-{line.content}"


def _origin(text: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in origin.fields(text)]


def _position(after: str) -> int:
    if after and not (after.isascii() and after.isdigit() and len(after) < 10):
        raise Refused("after is not what the former answer gave; leave it out")
    return int(after or 0)


async def _nothing(_request: Request, rest: str) -> Response:
    detail = f"there is no {rest[:60]!r}; the contract is at /api/openapi.json"
    return problem(404, "unknown-address", "There is nothing here", detail)


def _is_told(attribute: "Attribute[Any]", _value: object) -> bool:
    """Tell whether an attribute of what was said is for programs; its number is in `after`."""
    return attribute.name != "number"
