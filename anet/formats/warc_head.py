"""The header of a WARC record (ISO 28500 §4), of version 0.17, 0.18, 1.0, or 1.1.

Lines may end in a line feed alone, or after two carriage returns, and be folded; all of that is
mended. White space around values is not kept. A line that is no UTF-8 is read as ISO 8859-1.
"""

import re
from io import BytesIO
from typing import NamedTuple

from fastwarc.warc import HeaderMap

from anet.formats.record import Fields

MOST_HEADER = 1024 * 1024
"""Bytes of the longest header that is read."""

BEGINNING = b"WARC/"
VERSION_LINE = re.compile(rb"WARC/(?:0\.1\d|1\.\d)\r{0,2}\n")

# Possessive: what is no header costs no more than one look at each byte.
_HEADER = re.compile(
    rb"(WARC/(?:0\.1\d|1\.\d))\r{0,2}\n"
    rb"((?:[!-9;-~]++:[^\n]*+\n(?:[ \t]++[^\r\n][^\n]*+\n)*+)*+)"
    rb"(\r{0,2}\n)?"
)
_FOLD = re.compile(r"\r*\n[ \t]+")
_ALWAYS = ("warc-type", "warc-record-id", "warc-date")
_MOST_PLAIN = 16 * 1024  # FastWARC has a limit, too
_MOST_DIGITS = 18  # an exabyte is no record
_SHOWN = 40
_VERSION = len(b"WARC/0.18\r\n")
_VERSIONS = {"WARC/1.0", "WARC/1.1", "WARC/0.17", "WARC/0.18"}
_EMPTY_LINE = b"\r\n\r\n"
_CUT = "the header ends before its empty line"


class BadHeader(Exception):
    """No sound header begins here; the message says why."""


class HeaderCut(BadHeader):
    """The header goes on behind the bytes that were given, or ends with the file."""


class Header(NamedTuple):
    """What stands before a block.

    Attributes:
        version: such as "WARC/1.0".
        kind: its WARC-Type.
        fields: all, in order.
        length: bytes of the header, with the empty line.
        size: bytes of the block.
    """

    version: str
    kind: str
    fields: Fields
    length: int
    size: int

    @property
    def complete(self) -> bool:
        """Return whether it has every field that ISO 28500 §5 asks for."""
        names = {name.lower() for name, value in self.fields if value}
        return names.issuperset(_ALWAYS)


def parse_header(data: bytes) -> Header:
    """Return the header that some bytes begin with.

    Raises:
        HeaderCut: more bytes are needed to tell.
        BadHeader: there is none that can be trusted.
    """
    return _plain_header(data) or _any_header(data)


def _plain_header(data: bytes) -> Header | None:
    """Return a header that has nothing unusual, as FastWARC reads it; None if it is not such.

    Nine headers in ten; the other way takes a third more.
    """
    end = data.find(_EMPTY_LINE, 0, _MOST_PLAIN) + len(_EMPTY_LINE)
    head = data[:end]
    if not head.isascii():
        return None
    lines = HeaderMap()
    lines.parse(BytesIO(head))
    fields = lines.to_tuples()
    named = {name.lower(): value for name, value in fields}
    kind, size = named.get("warc-type"), named.get("content-length", "")
    version = lines.status_line
    if not (
        version in _VERSIONS
        and len(named) == head.count(b"\n") - 2  # it passes over lines that are no fields
        and kind
        and size.isdigit()
        and len(size) <= _MOST_DIGITS
    ):
        return None
    return Header(version, kind, fields, end, int(size))


def _any_header(data: bytes) -> Header:
    match = _HEADER.match(data)
    if not match or not match[3]:
        raise _bad(data, match.end() if match else -1)
    fields = _fields(match[2])
    kind, size = _only(fields, "WARC-Type"), _only(fields, "Content-Length")
    _only(fields, "WARC-Record-ID")  # two headers that have run into one have two
    if not kind:
        raise BadHeader("the header has no WARC-Type")
    if not (size.isascii() and size.isdigit() and len(size) <= _MOST_DIGITS):
        raise BadHeader(f"Content-Length is no length: {size[:_SHOWN]!r}")
    return Header(match[1].decode(), kind, fields, match.end(), int(size))


def _bad(data: bytes, end: int) -> BadHeader:
    """Return what is wrong where no header matches (`end` is -1), or none to its end."""
    if end < 0:
        rest = data[:_SHOWN]
        cut = len(rest) < _VERSION - 1 and b"\n" not in rest and BEGINNING[: len(rest)] == rest[:5]
        line = rest.split(b"\n", 1)[0]
        return HeaderCut(_CUT) if cut else BadHeader(f"no record begins here, but {line!r}")
    newline = data.find(b"\n", end)
    if newline >= 0:
        line = data[end : min(newline, end + _SHOWN)]
        return BadHeader(f"a line of the header is no field: {line!r}")
    if len(data) > MOST_HEADER:
        return BadHeader(f"the header does not end within {MOST_HEADER} bytes")
    return HeaderCut(_CUT)


def _fields(lines: bytes) -> Fields:
    try:
        text = lines.decode()
    except UnicodeDecodeError:
        text = "\n".join(_text(line) for line in lines.split(b"\n"))
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    fields = []
    for line in text.split("\n")[:-1]:
        name, _, value = line.partition(":")
        fields.append((name, value.strip()))
    return tuple(fields)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _only(fields: Fields, name: str) -> str:
    """Return the value of a field that may be there once, or repeated with the same value.

    Raises:
        BadHeader: it has two values.
    """
    values = {value for key, value in fields if key.lower() == name.lower()}
    if len(values) > 1:
        raise BadHeader(f"{name} is there with {len(values)} values")
    return values.pop() if values else ""
