"""Titles between the bytes of a radio: the ICY protocol of SHOUTcast and Icecast. Sans I/O.

A listener that asks with `Icy-MetaData: 1` is told an interval, `icy-metaint`. After each such
number of bytes of media comes a block: one byte, a sixteenth of the length of what follows, then a
text as `StreamTitle='…';StreamUrl='…';`, filled up with NULs. Mostly that length is 0.

Media and blocks are told apart here and nothing is lost: the bytes as they came are the media with
each block that said something at its place, and a zero byte after each other interval.
"""

import re
from collections.abc import Sequence
from html import unescape

from anet.errors import MalformedMessage
from anet.http.message import ResponseHead
from anet.media.interface import Heard, Media, Said

SMALLEST = 64  # bytes; at a smaller interval there would be more blocks than media
_UNIT = 16
_KEY = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"
# Values hold quotes and semicolons as they like: one ends where another begins, or all ends.
_FIELD = re.compile(rf"\s*({_KEY})='(.*?)(?:';(?=\s*{_KEY}=')|'?;?\Z)", re.DOTALL)


def interval_of(head: ResponseHead) -> int:
    """Return the bytes of media between two blocks; 0 where the server inserts none.

    Raises:
        MalformedMessage: it is no number, or one that makes no sense.
    """
    said = head.headers.text(b"icy-metaint")
    if not said or said == "0":
        return 0
    if not (said.isascii() and said.isdigit() and len(said) < 10) or int(said) < SMALLEST:
        raise MalformedMessage(f"icy-metaint {said[:40]!r} is no interval of titles")
    return int(said)


class IcyDemux:
    """Takes what a radio sends; gives the media, and what is said of them.

    A block is 4081 bytes at most, so that hardly anything waits here.

    Args:
        interval: bytes of media between two blocks; 0 for media without any.
    """

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._media = interval  # bytes until the next block
        self._block = b""  # what is here of it

    def feed(self, data: bytes) -> Sequence[Heard]:
        """Return what is in the next bytes, in its order."""
        if not self._interval:
            return [Media(data)] if data else []
        heard: list[Heard] = []
        parts: list[bytes] = []
        at, size = 0, len(data)
        while at < size:
            if self._media:
                end = at + self._media
                parts.append(data[at:end])
                at, self._media = min(end, size), max(0, end - size)
            elif data[at] == 0 and not self._block:  # it says nothing, as most do
                at, self._media = at + 1, self._interval
            else:
                at = self._take_block(data, at)
                if not self._media:
                    break  # the rest of the block is still to come
                block, self._block = self._block, b""
                _put(heard, parts)
                heard.append(said_in(block))
        _put(heard, parts)
        return heard

    def _take_block(self, data: bytes, at: int) -> int:
        """Take what is here of a block; return where it ends. When it is whole, media follow."""
        if not self._block:
            self._block = data[at : at + 1]
            at += 1
        missing = 1 + self._block[0] * _UNIT - len(self._block)
        self._block += data[at : at + missing]
        if len(self._block) == 1 + self._block[0] * _UNIT:
            self._media = self._interval
        return min(at + missing, len(data))


def _put(heard: list[Heard], parts: list[bytes]) -> None:
    """Put media that belong together into one."""
    if parts:
        heard.append(Media(parts[0] if len(parts) == 1 else b"".join(parts)))
        parts.clear()


def said_in(block: bytes) -> Said:
    """Return what a block says, from its length byte on.

    Icecast writes what its charset lacks as HTML does (`&#8212;`); titles are given without that.
    """
    text = text_of(block[1:].rstrip(b"\0 ")).rstrip()
    fields: dict[str, str] = {}
    place = 0
    while found := _FIELD.match(text, place):
        fields.setdefault(found[1], found[2])
        place = found.end()
    return Said(unescape(fields.get("StreamTitle", "")).strip(), fields, block)


def text_of(raw: bytes) -> str:
    """Return a text whose charset nobody told: UTF-8 if it can be, else what Windows had."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("windows-1252", "replace")
