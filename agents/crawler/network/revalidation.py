"""Asking only for what has changed since the former crawl (*INA §1.5.2*).

The former crawl's structure is at once the list of URLs to go through and, by the heads in it, what
each is asked with: its `ETag` and `Last-Modified` (RFC 9110 §13). What a server answers 304 for
stands as it was: it is neither fetched, stored nor searched for links again.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

import msgspec

from agents import origin
from agents.compact import HashMap
from agents.crawler.errors import BadFormer
from anet.http import parse_head

NOT_MODIFIED = 304


class FormerCapture(msgspec.Struct, frozen=True):
    """A line of the former structure (docs/reference/crawl-directory.md)."""

    url: str
    date: str
    content: str
    size: int
    status: int
    head: str
    origin: str = ""
    depth: int = 0
    kind: str = "page"


class FormerStructure:
    """The captures of the former crawl, found by their URL or one after another.

    The file is searched where it lies; of each URL only the place of its last capture is kept in
    memory. Opening reads all of it, and blocks: to be done in a worker.

    Raises:
        BadFormer: the file can't be read.
    """

    def __init__(self, path: Path) -> None:
        self._decode = msgspec.json.Decoder(FormerCapture).decode
        self._places = HashMap()
        self._map: mmap.mmap | None = None
        try:
            with path.open("rb") as file:
                if path.stat().st_size:
                    self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            for place, capture in self._lines():
                self._places[hash(capture.url)] = place
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            self.close()
            raise BadFormer(f"{path} can't be read: {error}") from error

    def find(self, url: str) -> FormerCapture | None:
        """Return the last capture of a URL."""
        place = self._places.get(hash(url))
        if place is None or self._map is None:
            return None
        capture = self._decode(self._map[place : self._end(place)])
        return capture if capture.url == url else None

    def captures(self) -> Iterator[FormerCapture]:
        """Yield the last capture of each URL, in the order of the former crawl."""
        for place, capture in self._lines():
            if self._places.get(hash(capture.url)) == place:
                yield capture

    def close(self) -> None:
        """Let go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None

    def _lines(self) -> Iterator[tuple[int, FormerCapture]]:
        place = 0
        while self._map is not None and place < len(self._map):
            end = self._end(place)
            yield place, self._decode(self._map[place:end])
            place = end

    def _end(self, place: int) -> int:
        assert self._map is not None
        found = self._map.find(b"\n", place)
        return len(self._map) if found < 0 else found + 1


def conditions(capture: FormerCapture | None) -> list[tuple[bytes, bytes]]:
    """Return the fields that ask for a URL only if it is not as it was; nothing when none can."""
    if capture is None or capture.status != 200 or origin.value(capture.origin, "truncated"):
        return []
    try:
        headers = parse_head(capture.head.encode("latin-1")).headers
    except ValueError:
        return []
    asked = ((b"If-None-Match", b"etag"), (b"If-Modified-Since", b"last-modified"))
    told = [(name, headers.text(of).encode("latin-1")) for name, of in asked]
    return [(name, value) for name, value in told if value and _is_safe(value)]


def _is_safe(value: bytes) -> bool:
    """Tell whether a value that came from a file fits in one line of a head."""
    return len(value) <= 1024 and not any(byte < 32 for byte in value)
