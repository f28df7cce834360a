"""M3U playlists: Winamp's lists of streams, and HTTP Live Streaming (*INA §1.4.3*; RFC 8216).

A playlist is HLS from its first `#EXT-X-…` line on. What a player of HLS fetches by itself, it
fetches for what it shows: variants, renditions, segments, keys and maps are components and
requisites. A list of segments that does not say that it ends is live: it is told as a stream, for
its scheduler to record; the few segments that it names at the moment are components all the same,
being what a visitor of this moment would have seen, and soon gone.
"""

import re
from collections.abc import Iterable, Iterator

from agents.parsers.lines import LineParser
from agents.parsers.link import Found, component, stream
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.playlist import played

VARIABLE_LIMIT = 100  # of EXT-X-DEFINE
USE_LIMIT = 10  # of them in one URL

_ATTRIBUTE = re.compile(r'([A-Za-z0-9\-]++)=(?:"([^"]*+)"|([^",]*+))')
_FETCHED = frozenset(["URI", "SERVER-URI", "X-ASSET-URI", "X-ASSET-LIST"])
_VARIABLE = re.compile(r"\{\$([\w\-]++)\}")


class M3uParser(LineParser):
    """Parses a playlist of either kind."""

    format = Format(
        "m3u",
        ("audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
         "application/vnd.apple.mpegurl", "application/vnd.apple.mpegurl.audio", "audio/x-m3u"),
        (".m3u", ".m3u8"),
        (b"#EXTM3U", b"\xef\xbb\xbf#EXTM3U"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
    )  # fmt: skip

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._hls = False
        self._segments = False
        self._ended = False
        self._title = ""
        self._variables: dict[str, str] = {}

    def line(self, line: str) -> Iterable[Found]:
        """Return the links of a line."""
        line = line.strip(" \t\ufeff")
        if line.startswith("#EXT-X-"):
            return self._tag(*line[7:].partition(":")[::2])
        if line.startswith("#EXTINF:"):
            return self._entry(line[8:])
        if not line or line[0] == "#":
            return ()
        title, self._title = self._title, ""
        return component(self._filled(line)) if self._hls else played(line, title)

    def end(self) -> Iterable[Found]:
        """Return the stream that a live playlist is."""
        live = self._segments and not self._ended
        return stream(self.source.url) if live else ()

    def _entry(self, described: str) -> Iterator[Found]:
        """Read the length, attributes and title of the entry in the next line."""
        if self._hls:
            return
        attributes, title = _parted(described)
        self._title = title if self.source.text else ""
        for name, quoted, bare in _ATTRIBUTE.findall(attributes):
            if name.lower() == "tvg-logo":
                yield from component(quoted or bare)

    def _tag(self, name: str, value: str) -> Iterator[Found]:
        self._hls = True
        self._segments = self._segments or name == "TARGETDURATION"  # all lists of segments have it
        self._ended = self._ended or name == "ENDLIST" or value.strip() == "VOD"
        attributes = {found[0]: found[1] or found[2] for found in _ATTRIBUTE.findall(value)}
        if name == "DEFINE" and len(self._variables) < VARIABLE_LIMIT:
            self._variables[attributes.get("NAME", "")] = attributes.get("VALUE", "")
        for attribute, url in attributes.items():
            if attribute in _FETCHED:
                yield from component(self._filled(url))

    def _filled(self, url: str) -> str:
        """Put the values of variables into a URL."""
        return _VARIABLE.sub(lambda found: self._variables.get(found[1], found[0]), url, USE_LIMIT)


def _parted(described: str) -> tuple[str, str]:
    """Split at the first comma that is not in quotes: what describes an entry, and its title."""
    quoted = False
    for place, letter in enumerate(described):
        if letter == '"':
            quoted = not quoted
        elif letter == "," and not quoted:
            return described[:place], described[place + 1 :].strip()
    return described, ""
