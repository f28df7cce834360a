"""The log of a stream, a line of JSON for each thing told (docs/reference/stream-logs.md). Pure.

Written while a stream comes in, and read by whoever wants to know what was on the air, and when.
"""

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT

LINE_LIMIT = 2 * 2**20  # bytes of a line; a longer one is damaged
PREAMBLE_LIMIT = 64 * 1024  # bytes
TEXT_LIMIT = 4096  # characters of what a server says
FIELDS_LIMIT = 100  # of what was said at once
FIELD_LIMIT = 1024  # characters of the name or the value of one
RAW_LIMIT = 64 * 1024  # bytes

_DAY = r"[1-9][0-9]{3}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
_TIME = r"([01][0-9]|2[0-3])([0-5][0-9]){2}[0-9]{6}"
Date = Annotated[str, msgspec.Meta(pattern=rf"^{_DAY}{_TIME}\Z")]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=MILLISECONDS_LIMIT)]
Byte = Annotated[int, msgspec.Meta(ge=0, le=BYTE_LIMIT)]


class LoggedGap(msgspec.Struct, frozen=True, rename={"since": "from", "until": "to"}):
    """A time of which nothing was received."""

    since: Date
    until: Date
    why: str


class Begun(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line: of which stream it is, and what was said of it.

    Attributes:
        stream: the stream's URL.
        date: of the first byte.
        session: date at which this reception began, the same until it breaks.
        piece: its number in that session, from 1.
        protocol: as of `anet.media.interface.Described`; so are the next six.
        preamble: what a decoder must be given before the content; absent when there is none.
        gap: the break before it, if there was one.
    """

    stream: str
    date: Date
    session: Date
    piece: int
    protocol: str = ""
    media_type: str = ""
    name: str = ""
    description: str = ""
    genre: str = ""
    homepage: str = ""
    bitrate: int = 0
    preamble: bytes = b""
    gap: LoggedGap | None = None


class ClockEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Real time and signal time together (*INA §1.6*).

    Attributes:
        at: the date, by the receiver's clock.
        ms: milliseconds of signal since the beginning of the content.
        byte: of the content at which that moment begins; absent where there is no content.
        ratio: seconds of signal in a second of real time, in the long run; absent if unknown.
        skew: seconds by which signal and real time have come apart.
        program: the date that the stream itself says it is, where it does.
    """

    at: Date
    ms: Milliseconds
    byte: Byte | None = None
    ratio: float = 0.0
    skew: float = 0.0
    program: str = ""


class TitleEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was said of what is on the air.

    Attributes:
        title: as text; it may be empty.
        at: as of `ClockEntry`; so are the next two.
        fields: all that was said, by name.
        raw: as it came, byte for byte.
    """

    title: str
    at: Date
    ms: Milliseconds
    byte: Byte | None = None
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    raw: bytes = b""


class GapEntry(msgspec.Struct, frozen=True):
    """A gap within a log that has no content of its own: segments that are missing."""

    gap: LoggedGap
    at: Date
    ms: Milliseconds


class MarkEntry(msgspec.Struct, frozen=True):
    """Something that happened to the stream there, such as "discontinuity"."""

    mark: str
    at: Date
    ms: Milliseconds


class Ended(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last line.

    Attributes:
        end: date of the last byte.
        ms: milliseconds of signal in all.
        why: "time", "size", "break: …", "stopped" or "killed"; after the last, `ms` is an
            estimate, and `end` the date at which bytes came to the disk last.
        bytes: of the content; absent where there is none. So is `content`, its SHA-256.
        left_out: lines that had no room any more.
    """

    end: Date
    ms: Milliseconds
    why: str
    bytes: Byte | None = None
    content: str = ""
    left_out: int = 0


LogLine = Begun | ClockEntry | TitleEntry | GapEntry | MarkEntry | Ended

_encode = msgspec.json.Encoder().encode
# By the name that only they have; of a line that has several, the first counts.
_KINDS: tuple[tuple[str, type[LogLine]], ...] = (
    ("stream", Begun),
    ("title", TitleEntry),
    ("gap", GapEntry),
    ("mark", MarkEntry),
    ("end", Ended),
    ("at", ClockEntry),
)
_first_name = re.compile(rb'\s*\{\s*"([a-z]+)"').match
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in _KINDS}


def told(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return what somebody else said as it may be written: within a limit, and as UTF-8."""
    return text[:limit].encode("utf-8", "replace").decode()


def encoded(line: LogLine) -> bytes:
    """Return a line, with its line feed."""
    return _encode(line) + b"\n"


def read_line(text: bytes) -> LogLine | None:
    """Return what a line says; None where it is damaged, or of a kind that is not known."""
    found = _first_name(text) if len(text) <= LINE_LIMIT else None
    decoder = _DECODERS.get(found[1].decode("ascii")) if found else None
    try:
        return decoder.decode(text) if decoder else None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def read_log(data: bytes) -> Iterator[LogLine]:
    """Yield what lines say; damaged ones, and those of other kinds, are passed over."""
    for text in data.splitlines():
        line = read_line(text)
        if line is not None:
            yield line
