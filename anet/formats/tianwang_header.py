"""The header of a Tianwang record: lines of a name, a colon and a value, and an empty line.

The first is `version`, the last is `length`; `url` and `date` are necessary (*Web InfoMall §3.1*).
"""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

from attrs import frozen

from anet.formats.record import Fields

LONGEST = 16 * 1024
"""Bytes of the longest header."""

BEGINNING = re.compile(rb"(?=version)")
"""Matches where a record may begin."""

_MOST_LINES = 64
_LINE = re.compile(rb"([a-z][a-z0-9-]{0,63}) *: *(.*)")
_VERSION = re.compile(r"1(?:\.\d{1,3})?", re.ASCII)
_LENGTH = re.compile(r"\d{1,15}", re.ASCII)


@frozen
class TianwangHeader:
    """The header of a record.

    Attributes:
        attributes: names and values in their order; each byte a character.
        bytes: that the header has, with its empty line.
    """

    attributes: Fields
    bytes: int

    def get(self, name: str) -> str:
        """Return the value of an attribute; empty if there is none."""
        return next((value for key, value in self.attributes if key == name), "")

    @property
    def length(self) -> int:
        """Return the bytes of the data part."""
        return int(self.get("length"))

    @property
    def unzip_length(self) -> int | None:
        """Return the bytes of the data before they were compressed; None if they are not."""
        text = self.get("unzip-length")
        return int(text) if text else None

    @property
    def fields(self) -> Fields:
        """Return what a WARC would say, and all attributes: `Tianwang-url: …`."""
        said = [("WARC-Target-URI", _text(self.get("url")))]
        if date := iso(self.get("date")):
            said.append(("WARC-Date", date))
        if address := self.get("ip"):
            said.append(("WARC-IP-Address", address))
        return (*said, *((f"Tianwang-{name}", value) for name, value in self.attributes))


def parsed(data: bytes) -> TianwangHeader | None:
    """Return the header with which some bytes begin, or None if it is none of format 1.x.

    Args:
        data: `LONGEST` bytes from where a record may begin, or all there are.
    """
    attributes: list[tuple[str, str]] = []
    place = 0
    while len(attributes) <= _MOST_LINES:
        end = data.find(b"\n", place, LONGEST)
        if end < 0:
            return None
        line, place = data[place:end], end + 1
        if line in (b"", b"\r"):
            return _checked(TianwangHeader(tuple(attributes), place))
        match = _LINE.fullmatch(line.removesuffix(b"\r"))
        if not match or (match[1] == b"version") == bool(attributes):
            return None  # version is the first, and nowhere else
        attributes.append((match[1].decode(), match[2].decode("latin-1")))
    return None


def _checked(header: TianwangHeader) -> TianwangHeader | None:
    """Return a header if it has all that one needs."""
    names = [name for name, _ in header.attributes]
    sound = (
        names[-1:] == ["length"]
        and "length" not in names[:-1]
        and _VERSION.fullmatch(header.get("version"))
        and _LENGTH.fullmatch(header.get("length"))
        and _LENGTH.fullmatch(header.get("unzip-length") or "0")
        and header.get("url")
        and header.get("date")
    )
    return header if sound else None


def _text(url: str) -> str:
    """Return a URL as text: some wrote it in UTF-8, others a byte for each character."""
    try:
        return url.encode("latin-1").decode()
    except UnicodeDecodeError:
        return url


def iso(date: str) -> str:
    """Return a date of RFC 822 as `YYYY-MM-DDThh:mm:ssZ`, or nothing if it is none."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return ""
    if moment.tzinfo is not None:
        try:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            return ""
    return f"{moment.isoformat(timespec='seconds')}Z"
