"""Links of Flash movies, compressed or not, read as they come (SWF File Format Specification 19).

A movie is a sequence of tags. Links are in the code of frames, sprites, buttons and clips
(`getURL`, `loadMovie`), in the constants of ActionScript 3, in text marked up as HTML, in imports
and in metadata. What code puts together when it runs is not found. A movie's relative URLs are
relative to the page that shows it, which is most often in the same folder; here they are relative
to the movie.
"""

import re
from collections.abc import Iterator
from html import unescape
from struct import error

from agents.parsers import flash_actions, flash_records
from agents.parsers.flash_constants import constant_links
from agents.parsers.flash_links import address_links, guessed_links
from agents.parsers.flash_tags import Inflater, Tags
from agents.parsers.link import Found, component
from agents.parsers.parser import Format, Source

TEXT_LIMIT = 256 * 1024  # bytes of a piece of text that are searched, at once
_HREF = re.compile(r"""<a\s[^<>]*?\bhref\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++))""", re.I)
_METADATA_URL = re.compile(r">\s*+([a-z]++://[^\s<]++)", re.I)
_WITH_CODE = {
    7: flash_records.button,
    12: lambda body, version: [body],
    26: flash_records.placement,
    34: flash_records.button_with_conditions,
    59: lambda body, version: [body[2:]],
    70: flash_records.placement_with_effects,
}


class FlashParser:
    """Parses a movie (see `agents.parsers.Parser`)."""

    format = Format(
        "flash",
        ("application/x-shockwave-flash", "application/vnd.adobe.flash.movie"),
        (".swf",),
        (b"FWS", b"CWS", b"ZWS"),
    )
    base = ""
    encoding = "utf-8"

    def __init__(self, source: Source) -> None:
        self._inflater = Inflater()
        self._tags = Tags({37, 57, 71, 72, 77, 82, *_WITH_CODE})
        self._broken = False

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._broken or self._inflater.truncated or self._tags.truncated

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links in the next bytes."""
        for piece in self._inflater.feed(chunk):
            yield None
            for tag in self._tags.feed(piece):
                if tag is None:
                    yield None
                else:
                    yield from self._tag(*tag)

    def close(self) -> Iterator[Found]:
        """Yield nothing: a tag that has no end is left out."""
        return iter(())

    def _tag(self, code: int, body: bytes) -> Iterator[Found]:
        version = self._inflater.version
        try:
            if code in _WITH_CODE:
                for actions in _WITH_CODE[code](body, version):
                    yield from flash_actions.links(actions, self._decode)
                    yield None
            elif code == 82:  # flags, a name, and constants
                yield from constant_links(body, body.index(b"\0", 4) + 1)
            elif code == 72:
                yield from constant_links(body, 0)
            elif code in (57, 71):  # the URL of a movie whose parts are used
                yield from component(self._decode(body.partition(b"\0")[0]))
            else:
                self._broken = self._broken or len(body) > TEXT_LIMIT
                yield from self._text_links(code, self._decode(body[:TEXT_LIMIT]))
        except (error, IndexError, ValueError):  # it ends too early
            self._broken = True

    def _text_links(self, code: int, text: str) -> Iterator[Found]:
        if code == 77:
            for url in _METADATA_URL.findall(text):
                yield from guessed_links(unescape(url))
        elif code == 37:
            for found in _HREF.finditer(text):
                yield from address_links(unescape(found[1] or found[2] or found[3] or ""))

    def _decode(self, text: bytes) -> str:
        return text.decode("utf-8" if self._inflater.version >= 6 else "cp1252", "replace")
