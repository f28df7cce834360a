"""Scripts within a page: what `script` elements hold, and of which format it is."""

import re
from collections.abc import Iterator, Mapping

from agents.parsers.link import Embedded

SCRIPT_LIMIT = 1024 * 1024  # characters of a script that are kept
JAVASCRIPT = "text/javascript"

_JAVASCRIPT_TYPES = re.compile(
    r"|module|(?:text|application)/(?:x-)?(?:java|ecma)script|text/(?:jscript|livescript)"
    r"|text/javascript1\.[0-5]"
)
_OTHERS = {
    "importmap": "application/importmap+json",
    "speculationrules": "application/speculationrules+json",
}
_MEDIA_TYPE = re.compile(r"[a-z]++/[a-z0-9.+-]++")
_CDATA = re.compile(r"\s*(?:<!\[CDATA\[(?P<data>.*)\]\]>\s*\Z)", re.DOTALL)


def script_type(attributes: Mapping[str, str]) -> str:
    """Return the media type of what a `script` element holds; empty if browsers don't look at it.

    That of a data block is what its author says, as in `application/ld+json`.
    """
    if "src" in attributes:
        return ""
    kind = attributes.get("type")
    if kind is None and attributes.get("language"):
        kind = "text/" + attributes["language"]
    kind = (kind or "").partition(";")[0].strip().lower()
    if _JAVASCRIPT_TYPES.fullmatch(kind):
        return JAVASCRIPT
    return _OTHERS.get(kind) or (kind if _MEDIA_TYPE.fullmatch(kind) else "")


class Scripts:
    """Keeps each script until its end.

    Attributes:
        truncated: whether one was cut because of its length.
    """

    def __init__(self) -> None:
        self.truncated = False
        self._type = ""
        self._pieces: list[str] = []
        self._left = 0

    def begin(self, attributes: Mapping[str, str]) -> None:
        """Take the start tag of a script."""
        self._type = script_type(attributes)
        self._pieces.clear()
        self._left = SCRIPT_LIMIT

    def feed(self, piece: str, end: bool) -> Iterator[Embedded]:
        """Take the next piece of a script; yield the script at its end."""
        if self._type and piece:
            self.truncated = self.truncated or len(piece) > self._left
            self._pieces.append(piece[: self._left])
            self._left -= len(self._pieces[-1])
        if end and self._type:
            text, self._pieces = "".join(self._pieces), []
            section = _CDATA.match(text)
            text = text if section is None else section["data"]
            if text and not text.isspace():
                yield Embedded(self._type, text)
