"""What was on the air, for the servers that readers meet: radio and television together."""

from collections.abc import Awaitable, Callable

from attrs import evolve, frozen

from agents.consultation.asked import Asked
from agents.consultation.errors import Faulted, LookupFailed, NodesFailed
from agents.consultation.faults.fault import missing_captures, unreachable
from agents.consultation.lookup.structures import Nearest
from agents.consultation.proxy.shaping import Shape, lacking
from agents.consultation.readers.reader import Reader
from agents.consultation.streams.icy import metaint_of
from agents.consultation.streams.manifests import is_manifest
from agents.consultation.streams.radio import Radio, Tuned, is_of_stream, listens
from agents.consultation.streams.television import Television
from anet.http import Headers, Request, parse_head
from anet.media.kinds import kind_of

METAINT = b"icy-metaint"
_TYPE = b"content-type"
_PARTIAL = (b"range", b"if-range", b"if-none-match", b"if-modified-since")
_OF_FILES = (b"accept-ranges", b"content-range", b"content-length")


@frozen
class Found:
    """A capture, and the date for which it was found.

    Attributes:
        nearest: the capture.
        date: 20 digits, or empty for the newest.
    """

    nearest: Nearest
    date: str


@frozen
class OnAir:
    """Gives streams at a date.

    Attributes:
        radio: of endless streams.
        television: of channels that players load part by part.
    """

    radio: Radio
    television: Television

    def time(self, asked: Asked, chosen: str) -> str:
        """Return what a player is told that asks a server for the time, as its channel named it.

        Empty where it does not. With the time of today it would ask for segments of today.
        """
        session = self.television.session(asked, chosen)
        return "" if session is None else self.television.time(session, asked.url)

    async def find(
        self,
        asked: Asked,
        date: str,
        chosen: str,
        find: Callable[[str], Awaitable[Nearest]],
    ) -> Found:
        """Return what a reader asks for, at the moment that they are at.

        What is on the air is not a part of the page that plays it: the page is a picture of one
        moment, and the reader may have chosen another one to listen to.

        Args:
            asked: what is asked for.
            date: of the page that it is a part of, or what the reader chose.
            chosen: what the reader chose, or empty.
            find: finds a capture for a date.

        Raises:
            Faulted: there is none, or it cannot be given.
        """
        session = self.television.session(asked, chosen)
        if session is not None:
            date = self.television.moment(session)
        nearest = await find(date)
        is_live = is_of_stream(nearest.capture) or is_manifest(nearest.capture)
        if is_live and session is None and chosen and chosen != date:
            date, nearest = chosen, await find(chosen)
        await self.television.follow(asked, nearest, date, chosen, session)
        return Found(nearest, date)

    async def tune(self, request: Request, found: Found, reader: Reader) -> Tuned | None:
        """Return the stream that a request listens to; None where it asks for something else.

        Raises:
            Faulted: too many listen, or what was received cannot be had.
        """
        capture = found.nearest.capture
        if not is_of_stream(capture) or not listens(request) or capture.status != 200:
            return None
        try:
            return await self.radio.tune(
                found.nearest,
                found.date,
                reader,
                metaint=wanted_metaint(request, capture.head),
                head_only=request.method == "HEAD",
            )
        except LookupFailed as error:
            raise Faulted(unreachable(capture.url, found.date, str(error))) from error
        except NodesFailed as error:
            raise Faulted(missing_captures(capture.url, found.date, str(error))) from error


def as_listener(request: Request) -> Request:
    """Return a request that asks for the whole of what is there, and for no part of it."""
    fields = [(name, value) for name, value in request.headers if name.lower() not in _PARTIAL]
    return evolve(request, headers=Headers(fields))


def as_stream(shaped: Shape, request: Request, media_type: str) -> Shape:
    """Return the answer to a listener without what is said of files.

    The number that tells where titles are stays only where there are some. Servers of Windows Media
    and RTSP give a type of their protocol, which is undone: what is given has another.

    Args:
        shaped: the answer, with the head as received.
        request: of the listener.
        media_type: of what is given, without parameters; empty where it is not known.
    """
    unwanted = [*_OF_FILES]
    if media_type and media_type != _received_type(shaped.head or b""):
        unwanted.append(_TYPE)
        shaped = evolve(
            shaped, fields=[*shaped.fields, (_TYPE, media_type.encode("latin-1", "replace"))]
        )
    has_titles = bool(wanted_metaint(request, shaped.head or b""))
    if not has_titles or b"\nicy-metaint" not in (shaped.head or b"").lower():
        unwanted.append(METAINT)
    shaped = lacking(evolve(shaped, length=None), unwanted)
    if has_titles and METAINT in unwanted:
        said = (METAINT, b"%d" % wanted_metaint(request, shaped.head or b""))
        shaped = evolve(shaped, fields=[*shaped.fields, said])
    return shaped


def _received_type(head: bytes) -> str:
    try:
        return kind_of(parse_head(head))
    except ValueError:
        return ""


def wanted_metaint(request: Request, head: bytes) -> int:
    """Return how many bytes lie between two titles for this listener; 0 for who wants none."""
    if request.headers.text(b"icy-metadata").strip() != "1":
        return 0
    try:
        return metaint_of(parse_head(head).headers.text(METAINT))
    except ValueError:
        return metaint_of("")
