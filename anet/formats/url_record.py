"""The line of an ARC file that stands before each block: the URL record, of version 1 or 2.

    URL IP-address Archive-date Content-type Archive-length
    URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename
        Archive-length

It is read from its end, for URLs have spaces in them that crawlers did not escape, and media types
have, too. Which version it is of is told by the line itself: version blocks err. DAT files have the
same lines, some without the address.
"""

import re
from collections.abc import Callable
from datetime import datetime

from attrs import frozen

from anet.formats.record import Fields, Record

LONGEST = 100 * 1024
"""Bytes of the longest line, as Heritrix and Alexa's tools have it."""

BEGINNING = re.compile(
    rb"(\n)(?=[A-Za-z][A-Za-z0-9+.-]{0,30}:)|(?=(?:https?|ftp|dns|filedesc|metadata):)"
)
"""Matches where a URL record may begin: at a line, or, when newlines are lost, a usual scheme."""

DAT_TYPE = "alexa/dat"
"""The media type of the records of DAT files."""


# No part of these can match the same bytes in two ways, so that no line takes long.
_URL = rb"(?P<url>[A-Za-z][A-Za-z0-9+.-]{0,30}:.*[^ ]) ++"
_TAIL = rb"(?P<date>\d{14}) ++(?:(?P<type>.*[^ ]) ++)?(?P<length>\d{1,15})"
_LINE = re.compile(_URL + rb"(?P<address>[0-9A-Fa-f:.]++|-) ++" + _TAIL)
_WITHOUT_ADDRESS = re.compile(_URL + rb"(?P<address>)" + _TAIL)
_NO_ADDRESS = ("", "-", "0", "0.0.0.0")  # noqa: S104 (nothing is bound)
_SECOND = ("Result", "Checksum", "Location", "Offset", "Filename")
_KNOWN = re.compile(rb"(?:https?|ftp|dns|filedesc|metadata):")


@frozen
class UrlRecord:
    """A URL record.

    Attributes:
        line: as it lies in the file, without its newline.
        url: what it is of.
        address: of the server; empty if it has none.
        date: 14 digits.
        media_type: empty if it has none.
        length: bytes of the block.
        more: what only version 2 says, named `Arc-Result`, `Arc-Checksum`, `Arc-Location`,
            `Arc-Offset`, `Arc-Filename`.
    """

    line: bytes
    url: str
    address: str
    date: str
    media_type: str
    length: int
    more: Fields = ()

    @property
    def version(self) -> int:
        """Return the version of ARC that has such lines."""
        return 2 if self.more else 1

    @property
    def fields(self) -> Fields:
        """Return what a WARC would say of it, besides what depends on the block."""
        said = [("WARC-Target-URI", self.url)]
        if date := iso(self.date):
            said.append(("WARC-Date", date))
        if self.address not in _NO_ADDRESS:
            said.append(("WARC-IP-Address", self.address))
        line = ("Arc-Line", self.line.decode("latin-1"))
        return (*said, ("Content-Length", str(self.length)), line, *self.more)


Recorded = Callable[[UrlRecord, int, bytes, object], Record]
"""Makes a record of its line, its offset in the file, its block's first bytes, and its block."""


def parsed(line: bytes, *, begins_line: bool = True) -> UrlRecord | None:
    """Return what a line says, or None if it is no URL record.

    Args:
        line: without its newline.
        begins_line: whether a newline is before it. What follows something else may be one with a
            letter before it that is not its own; then only schemes that ARC files have are taken.
    """
    text = line.removesuffix(b"\r")
    length = text.rpartition(b" ")[2]
    if not (length.isdigit() and (begins_line or _KNOWN.match(text))):
        return None
    match = _LINE.fullmatch(text)
    if not match and DAT_TYPE.encode() in text:
        match = _WITHOUT_ADDRESS.fullmatch(text)
    if not match:
        return None
    media_type, more = _first_and_second(match["type"] or b"")
    return UrlRecord(
        line=line,
        url=_text(match["url"]),
        address=match["address"].decode(),
        date=match["date"].decode(),
        media_type=media_type,
        length=int(match["length"]),
        more=more,
    )


def _first_and_second(between: bytes) -> tuple[str, Fields]:
    """Return what is between date and length: the media type, and what version 2 has after it."""
    words = between.decode("latin-1").split(" ")
    after = [word for word in words if word][-len(_SECOND) :]
    if len(words) <= len(_SECOND) or not re.fullmatch(r"\d{3}", after[0], re.ASCII):
        return " ".join(words), ()
    named = tuple((f"Arc-{name}", word) for name, word in zip(_SECOND, after, strict=True))
    return " ".join(words[: -len(_SECOND)]).strip(), named


def _text(url: bytes) -> str:
    """Return a URL as text: some wrote it in UTF-8, others a byte for each character."""
    try:
        return url.decode()
    except UnicodeDecodeError:
        return url.decode("latin-1")


def iso(date: str) -> str:
    """Return 14 digits as `YYYY-MM-DDThh:mm:ssZ`, or nothing if they are no date."""
    try:
        moment = datetime.fromisoformat(f"{date[:8]}T{date[8:14]}")
    except ValueError:
        return ""
    return f"{moment.isoformat()}Z"
