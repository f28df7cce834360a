"""The routes by which other tools read the archive: lists of captures, and their records.

/cdx                     as pywb asks
/cdx/{collection}        as clients of OutbackCDX ask, any collection being the archive
/cdx/search/cdx          as clients of the Wayback Machine ask
/warc/{key}/{date}.warc  a record, under the name that the lists give it
/warc/{date}id_/{url}    the record of the capture nearest to a date
"""

import re
from email.utils import format_datetime

from twisted.internet.interfaces import IReactorTime

from agents import dates
from agents.capture import is_key
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.cdx.bodies import Frame, body
from agents.consultation.cdx.filters import CdxRefused
from agents.consultation.cdx.listing import CdxListing
from agents.consultation.cdx.query import (
    OF_OUTBACK,
    OF_PYWB,
    OF_WAYBACK,
    Dialect,
    Parameters,
    Query,
    read_query,
)
from agents.consultation.cdx.records import MEDIA_TYPE, Record, record_length
from agents.consultation.cdx.xml import plain_query
from agents.consultation.errors import Faulted, LookupFailed, NodesFailed
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nearest
from agents.consultation.readers.reader import Reader
from agents.consultation.urls.index import UrlIndex
from agents.urls import canonical
from anet.errors import Overloaded, Stopped
from anet.http import Request, Response, Router

_NAME = re.compile(r"([0-9a-f]{64})/([0-9]{20})\.warc\Z")
_NEAREST = re.compile(r"([0-9]{4,20})(?:id_)?/(.+)\Z", re.DOTALL)
_AS_DATA = [  # archived pages run in the browser that may ask for these too
    (b"X-Content-Type-Options", b"nosniff"),
    (b"Cross-Origin-Resource-Policy", b"same-origin"),
]


class CdxServer:
    """Answers the field's tools.

    Args:
        clock: gives others their turn.
        doors: tell who asks.
        rules: what may not be shown.
        retrieval: finds captures.
        index: knows the URLs.
    """

    def __init__(
        self,
        clock: IReactorTime,
        doors: Doors,
        rules: Rules,
        retrieval: Retrieval,
        index: UrlIndex,
    ) -> None:
        self._doors, self._retrieval = doors, retrieval
        self._listing = CdxListing(clock, retrieval, index, rules)

    def add_to(self, router: Router) -> Router:
        """Let a router answer at the server's paths."""
        router.route("GET", "/cdx", self.for_pywb)
        router.route("GET", "/cdx/search/cdx", self.for_wayback)
        router.route("GET", "/cdx/{collection}", self.for_outback)
        router.route("GET", "/warc/{name:path}", self.record)
        return router

    async def for_pywb(self, request: Request) -> Response:
        """Answer as pywb's CDX server does."""
        return await self._answer(request, OF_PYWB)

    async def for_wayback(self, request: Request) -> Response:
        """Answer as the CDX server of the Wayback Machine does."""
        return await self._answer(request, OF_WAYBACK)

    async def for_outback(self, request: Request, collection: str) -> Response:
        """Answer as OutbackCDX does, whatever the collection is called."""
        del collection
        return await self._answer(request, OF_OUTBACK)

    async def _answer(self, request: Request, dialect: Dialect) -> Response:
        reader = self._doors.admit(request)
        asked = request.target.partition("?")[2]
        try:
            question = Parameters(asked).get("q")
            query = read_query(plain_query(question) if question else asked, dialect)
            if query.counting:
                return await self._count(query, reader)
            return await self._list(query, reader, as_xml=bool(question))
        except CdxRefused as error:
            return _say(400, f"The question cannot be answered: {error}.")
        except (LookupFailed, NodesFailed, Stopped, Overloaded) as error:
            return _say(503, f"The archive does not answer: {error}. Try again in a moment.")

    async def _count(self, query: Query, reader: Reader) -> Response:
        pages = await self._listing.pages(query, reader)
        if query.dialect is not OF_PYWB:
            return Response.json(200, pages)
        said = {"pages": pages, "pageSize": query.page_size, "blocks": pages * query.page_size}
        return Response.json(200, said)

    async def _list(self, query: Query, reader: Reader, *, as_xml: bool) -> Response:
        lines = self._listing.lines(query, reader)
        first = await anext(lines)
        frame = Frame(query, as_xml=as_xml)
        fields = [(b"Content-Type", frame.media_type), *_AS_DATA]
        if first.line is None and not first.resume:
            if query.dialect.says_none and not as_xml:
                return Response.json(404, {"message": f"No Captures found for: {query.url}"})
            return Response(200, fields, frame.none().encode())
        return Response(200, fields, body(frame, first, lines))

    async def record(self, request: Request, name: str) -> Response:
        """Give the record of a capture."""
        del name  # percent-decoded; a URL in it must stay as it is
        reader = self._doors.admit(request)
        name = request.target.partition("/warc/")[2]
        try:
            nearest = await self._find(name, reader)
            content = await self._retrieval.open(nearest.capture, body=nearest.body, reader=reader)
        except CdxRefused as error:
            return _say(400, f"{error}.")
        except Faulted as error:
            return _say(error.fault.status, error.fault.message)
        assert content is not None  # it was not asked for the head only
        capture = nearest.capture
        return Response(
            200,
            _record_fields(nearest),
            Record(capture, content),
            length=record_length(capture),
        )

    async def _find(self, name: str, reader: Reader) -> Nearest:
        """Return the capture that a name tells.

        Raises:
            CdxRefused: it is no name of a record.
            Faulted: there is no such capture, or none that may be had.
        """
        if (named := _NAME.match(name)) and is_key(named[1]):
            return await self._retrieval.of_key(named[1], named[2], reader)
        if found := _NEAREST.match(name):
            url = canonical(found[2])
            if url is not None:
                return await self._retrieval.find(url, _date(found[1]), reader=reader)
        raise CdxRefused("write /warc/KEY/DATE.warc, or /warc/DATEid_/URL")


def _date(digits: str) -> str:
    try:
        return dates.sought(digits)
    except dates.InvalidDate as error:
        raise CdxRefused(str(error)) from None


def _record_fields(nearest: Nearest) -> list[tuple[bytes, bytes]]:
    """Return the fields of a record: those that pywb reads; no browser shall open it."""
    url, date = nearest.capture.url, nearest.capture.date
    moment = format_datetime(dates.to_datetime(date).replace(microsecond=0), usegmt=True)
    return [
        (b"Content-Type", MEDIA_TYPE),
        (b"Content-Disposition", b"attachment"),
        *_AS_DATA,
        (b"Dlweb-Date", date.encode()),
        (b"Memento-Datetime", moment.encode()),
        (b"Link", f'<{url}>; rel="original"'.encode()),
        (b"WARC-Target-URI", url.encode()),
        (b"Warcserver-Type", b"warc"),
        (b"Warcserver-Source-Coll", b"dlweb"),
    ]


def _say(status: int, text: str) -> Response:
    return Response.text(status, text + "\n")
