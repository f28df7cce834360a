"""A capture as one line of a list, in the forms of the field's tools. Pure."""

import re
from collections.abc import Callable, Sequence

import msgspec
from attrs import frozen

from agents.consultation.cdx.records import filename, record_length
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.urls.surt import surt
from agents.urls import canonical

PYWB = ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename")
WAYBACK = PYWB[:7]
ELEVEN = (*PYWB[:6], "redirect", "robotflags", *PYWB[6:])  # of OutbackCDX and OpenWayback

OTHER_NAMES = {
    "original": "url",
    "mimetype": "mime",
    "statuscode": "status",
    "redirecturl": "redirect",
    "key": "urlkey",
    "compressedsize": "length",
    "length": "length",
}
_WAYBACK_NAMES = {"url": "original", "mime": "mimetype", "status": "statuscode"}

_TYPE = re.compile(rb"^content-type[ \t]*:[ \t]*([\w!#$&^.+-]+/[\w!#$&^.+-]+)", re.I | re.M)
_LOCATION = re.compile(rb"^location[ \t]*:[ \t]*([^\r\n]*)", re.I | re.M)


@frozen
class Line:
    """A capture; all but `date` are the texts of fields.

    Attributes:
        date: 20 digits; `timestamp` are the first 14.
        digest: `sha256:` and 64 hexadecimal digits; the archive knows no SHA-1 of what it holds.
    """

    date: str
    urlkey: str
    timestamp: str
    url: str
    mime: str
    status: str
    digest: str
    redirect: str
    length: str
    filename: str
    offset: str = "0"
    robotflags: str = "-"

    def get(self, name: str) -> str:
        """Return a field by its name; `-` when there is none such."""
        text: str = getattr(self, name, "-")
        return text

    def text(self, fields: Sequence[str]) -> str:
        """Return the fields with spaces between, as CDX files have them."""
        return " ".join(self.get(name) for name in fields)


def line_of(capture: CaptureLine) -> Line:
    """Return the line of a capture; its head must be there."""
    return Line(
        capture.date,
        surt(capture.url),
        capture.date[:14],
        capture.url,
        _mime(capture.head),
        str(capture.status),
        f"sha256:{capture.content}",
        _redirect(capture),
        str(record_length(capture)),
        filename(capture.url, capture.date),
    )


def as_text(line: Line, fields: Sequence[str]) -> str:
    """Return a line of a CDX file."""
    return line.text(fields) + "\n"


def as_cdxj(line: Line, fields: Sequence[str]) -> str:
    """Return a line of a CDXJ file: urlkey, timestamp, and the other fields as JSON."""
    rest = {name: line.get(name) for name in fields if name not in ("urlkey", "timestamp")}
    return f"{line.urlkey} {line.timestamp} {msgspec.json.encode(rest).decode()}\n"


def as_json(line: Line, fields: Sequence[str]) -> str:
    """Return a line of JSON of its own, as pywb gives."""
    return msgspec.json.encode({name: line.get(name) for name in fields}).decode() + "\n"


def as_row(line: Line, fields: Sequence[str]) -> str:
    """Return a row of one JSON list, as OutbackCDX and the Wayback Machine give."""
    return msgspec.json.encode([line.get(name) for name in fields]).decode()


def row_of_names(fields: Sequence[str]) -> str:
    """Return the first row of such a list, with the names that the Wayback Machine gives them."""
    return msgspec.json.encode([_WAYBACK_NAMES.get(name, name) for name in fields]).decode()


Form = Callable[[Line, Sequence[str]], str]


def _mime(head: bytes) -> str:
    found = _TYPE.search(head)
    return found[1].decode("latin-1").lower() if found else "unk"


def _redirect(capture: CaptureLine) -> str:
    found = _LOCATION.search(capture.head) if 300 <= capture.status < 400 else None
    if found is None:
        return "-"
    return canonical(found[1].decode("latin-1"), capture.url) or "-"
