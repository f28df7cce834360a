"""An endless stream as it was from a date on: what is given to whoever listens."""

from collections.abc import AsyncIterator, Awaitable, Callable

from attrs import field, frozen

from agents.capture import Capture
from agents.consultation.access.rules import Rules
from agents.consultation.lookup.retrieval import NEWEST, Retrieval
from agents.consultation.lookup.structures import CaptureLine, Nearest
from agents.consultation.proxy.giving import nothing
from agents.consultation.readers.reader import Reader
from agents.consultation.streams.beginning import find_beginning
from agents.consultation.streams.blocks import Blocks
from agents.consultation.streams.entries import Entries, place_in
from agents.consultation.streams.icy import IcyMux
from agents.consultation.streams.legs import Leg, in_order
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.logs import StreamLog
from agents.consultation.streams.noted import Noted
from agents.consultation.streams.playing import Pace, Sound, play
from agents.consultation.streams.tracks import Given, given_of
from agents.dates import from_timestamp
from agents.stream_log import TitleEntry
from agents.stream_offset import offset_of
from anet.http import Request, parse_head

TitleBefore = Callable[[str, str], Awaitable[TitleEntry | None]]
_FROM_THE_START = b"bytes=0-"  # what media elements ask for


@frozen
class Start:
    """Where in what was received a listener begins.

    Attributes:
        leg: in which it is.
        byte: of the leg's content.
        gap: from when to when nothing was received around the date asked for, both perhaps empty;
            None when something was.
    """

    leg: Leg
    byte: int
    gap: tuple[str, str] | None = None


@frozen
class Tuned:
    """A stream on its way to a listener.

    Attributes:
        date: of its first byte.
        fields: what the archive says of it.
        media_type: of what is given, without parameters; empty where it is not known.
        sound: its bytes; empty for who only asks for its head.
    """

    date: str
    fields: list[tuple[bytes, bytes]]
    media_type: str
    sound: AsyncIterator[bytes] = field(repr=False)


def is_of_stream(capture: Capture) -> bool:
    """Tell whether a capture is an entry of an endless stream."""
    return offset_of(capture.metadata) is not None


def listens(request: Request) -> bool:
    """Tell whether a request wants a stream as it goes on, and no part of a content."""
    wanted = request.headers.text(b"range").replace(" ", "").lower()
    return request.method in ("GET", "HEAD") and wanted in ("", _FROM_THE_START.decode())


def is_player(request: Request) -> bool:
    """Tell whether a player asks, and no program that wants the file of a date."""
    plays = request.headers.text(b"sec-fetch-dest") in ("audio", "video")
    return listens(request) and (plays or b"range" in request.headers.by_name)


class Radio:
    """Gives streams to listeners.

    Args:
        retrieval: finds what was received.
        rules: what may not be shown.
        listeners: how many there may be.
        pace: of each.
        gave: called with the size of what is given.
        title_before: tells what was said last of a stream before a date, if that is known.
    """

    def __init__(
        self,
        retrieval: Retrieval,
        rules: Rules,
        listeners: Listeners,
        pace: Pace,
        gave: Callable[[int], None],
        title_before: TitleBefore | None = None,
    ) -> None:
        self._retrieval, self._rules, self._noted = retrieval, rules, Noted(retrieval)
        self._listeners, self._pace, self._gave = listeners, pace, gave
        self._title_before = title_before or _no_title

    async def tune(
        self,
        nearest: Nearest,
        date: str,
        reader: Reader | None = None,
        *,
        metaint: int = 0,
        head_only: bool = False,
    ) -> Tuned | None:
        """Return a stream from a date on; None where there is nothing that goes on.

        A date at which nothing was received leads to what was received next; one after all that
        was received, and none, to the beginning of the last piece.

        Args:
            nearest: the entry nearest to the date.
            date: 20 digits, or empty for the newest.
            reader: who listens.
            metaint: bytes between two titles, or 0 for none.
            head_only: whether nobody listens, in fact.

        Raises:
            Faulted: too many listen (503), or a content cannot be had (500).
            LookupFailed, NodesFailed: it cannot be looked up now.
        """
        capture = nearest.capture
        self._listeners.check()
        entries = Entries(self._retrieval, self._rules, capture.url, reader)
        start = await _find_start(entries, nearest, date or NEWEST)
        if start is None:
            return None
        leg = start.leg
        log = await self._noted.of_piece(capture.url, leg.content, leg.date)
        blocks = Blocks(self._retrieval, capture.url)
        preamble = b"" if log is None else log.begun.preamble
        kind = "" if log is None else log.begun.media_type
        kind = kind or media_type(capture)
        begin = await find_beginning(blocks, leg, start.byte, kind, preamble)
        given = await given_of(kind, begin.preamble, blocks, leg)
        when = from_timestamp(leg.moment_of(begin.byte))
        sounds = play(entries.legs(leg.date), begin.byte, blocks, self._pace)
        mux = IcyMux(metaint) if metaint else None
        sound = self._sound(entries, when, begin.preamble, sounds, given, mux, log)
        body = nothing() if head_only else self._listeners.seat(sound)
        fields = [
            (b"Dlweb-Date", when.encode()),
            (b"Dlweb-Content", leg.content.encode()),
            (b"Dlweb-Stream", leg.offset_of(begin.byte).metadata.encode()),
        ]
        if start.gap is not None and date:
            said = " ".join(each or "-" for each in start.gap)
            fields.append((b"Dlweb-Gap", said.encode()))
        return Tuned(when, fields, given.media_type, body)

    async def _sound(
        self,
        entries: Entries,
        when: str,
        preamble: bytes,
        sounds: AsyncIterator[Sound],
        given: Given,
        mux: IcyMux | None,
        log: StreamLog | None,
    ) -> AsyncIterator[bytes]:
        """Yield the bytes, with titles between them where they are asked for."""
        title = await self._title_before(entries.url, when) if mux is not None else None
        if title is not None and not entries.shows(title.at):
            title = None
        content = "" if log is None else log.content
        preamble = given.feed(preamble)
        if preamble:
            yield preamble if mux is None else mux.feed(preamble, title)
        async for sound in sounds:
            data = given.feed(sound.data)
            if not data:  # of another track
                continue
            self._gave(len(data))
            if mux is None:
                yield data
                continue
            if sound.leg.content != content:
                content = sound.leg.content
                log = await self._noted.of_piece(entries.url, content, sound.leg.date)
            said = log.said_before(sound.byte) if log is not None else None
            if said is not None and entries.shows(said.at):
                title = said
            yield mux.feed(data, title)


async def _find_start(entries: Entries, nearest: Nearest, date: str) -> Start | None:
    lines = await entries.around(nearest, date)
    place = place_in(lines, date)
    if place is not None:
        for leg in entries.shown(lines):
            if leg.content == place.content and leg.start <= place.offset.byte < leg.stop:
                return Start(leg, place.offset.byte)
    return await _find_next(entries, lines, date) or await _find_last(entries, nearest.last)


async def _find_next(entries: Entries, lines: list[CaptureLine], date: str) -> Start | None:
    """Return the beginning of what was received next."""
    if not lines:
        return None
    before = max((line.date for line in lines if line.date <= date), default="")
    async for leg in entries.legs(lines[0].date):
        if leg.date >= date and leg.stop > leg.start:
            return Start(leg, leg.start, (before, leg.date))
    return None


async def _find_last(entries: Entries, date: str) -> Start | None:
    """Return the beginning of the last piece."""
    lines = await entries.last_piece(date)
    found = (leg for leg in in_order(entries.shown(lines)) if leg.stop > leg.start)
    leg = next(found, None)
    return None if leg is None else Start(leg, leg.start, (lines[-1].date, ""))


def media_type(capture: Capture) -> str:
    """Return the type of a capture's content, without parameters; empty where none is said."""
    try:
        said = parse_head(capture.head).headers.text(b"content-type")
    except ValueError:
        return ""
    return said.partition(";")[0].strip().lower()


async def _no_title(_stream: str, _date: str) -> TitleEntry | None:
    """Know nothing of what was said."""
    return None
