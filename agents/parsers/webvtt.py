"""WebVTT: the text of captions, and the pictures of tracks of thumbnails.

A player with thumbnails shows the part `#xywh=…` of the picture that a cue names.
"""

import re
from collections.abc import Iterator
from html import unescape

from agents.parsers.lines import LineParser
from agents.parsers.link import Found, component
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.raw import urls_in

_PICTURE = re.compile(r"[^\s#]++(?:#xywh=\S++|(?<=\.(?:jpg|png|gif))|(?<=\.(?:jpeg|webp|avif)))")
_TAG = re.compile(r"</?[a-z0-9][^>]*+>", re.IGNORECASE)


class WebVttParser(LineParser):
    """Parses cues; what is no cue is not read."""

    format = Format(
        "webvtt",
        ("text/vtt",),
        (".vtt",),
        (b"WEBVTT", b"\xef\xbb\xbfWEBVTT"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._cue = False  # whether the times of a cue came, and no empty line since

    def line(self, line: str) -> Iterator[Found]:
        """Yield the links and text of a line of a cue."""
        if not line or "-->" in line:
            self._cue = bool(line)
        elif self._cue:
            words = unescape(_TAG.sub("", line)) if "<" in line or "&" in line else line
            if _PICTURE.fullmatch(words.strip()):
                yield from component(words.strip())
                return
            yield from urls_in(words, text=self.source.text)
            if self.source.text:
                yield words + "\n"
