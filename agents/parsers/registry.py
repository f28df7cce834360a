"""Which parser reads a document: by its media type, its name, or its first bytes.

Parsers are plug-ins: each is an entry point of the group `dlweb.parsers`, named as its format.
"""

import re
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import TypeAlias

from attrs import frozen
from twisted.logger import Logger

from agents.parsers.parser import Parser

ParserClass: TypeAlias = type[Parser]
_log = Logger()

GROUP = "dlweb.parsers"
BEGINNING = 512  # first bytes looked at when a document has no media type that tells
_HTML = re.compile(
    rb"\s*<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title"
    rb"|b|body|br|p|svg|meta|link)[\s>])",
    re.IGNORECASE,
)
# No type at all, and types that servers give to whatever they do not know.
_UNTOLD = frozenset(["", "unknown/unknown", "application/unknown", "*/*"])
_VAGUE = _UNTOLD | {"application/octet-stream", "binary/octet-stream", "text/plain"}
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:\-]+)""", re.IGNORECASE)
_EXTENSION = re.compile(r"\.[a-z0-9]{1,12}\Z", re.IGNORECASE)


@frozen
class Registry:
    """All parsers there are, by what tells their format."""

    by_name: dict[str, ParserClass]
    by_type: dict[str, ParserClass]
    by_extension: dict[str, ParserClass]
    by_beginning: dict[bytes, ParserClass]

    def named(self, name: str) -> ParserClass:
        """Return the parser of a format.

        Raises:
            KeyError: there is none of this name.
        """
        return self.by_name[name]

    def reads(self, kind: str) -> bool:
        """Tell whether there may be a parser for documents of a media type."""
        return kind in _VAGUE or self._by_type(kind) is not None

    def _by_type(self, kind: str) -> ParserClass | None:
        """Return the parser of a media type, be it only of what it is written in (RFC 6839)."""
        found = self.by_type.get(kind)
        if found is None and kind.endswith(("+xml", "+json")):
            found = self.by_name.get(kind.rpartition("+")[2])
        return found

    def choose(self, kind: str, url: str, beginning: bytes) -> ParserClass | None:
        """Return the parser of a document, or None when no parser knows its format.

        Args:
            kind: its media type, in lower case without parameters; empty if there is none.
            url: where it lies.
            beginning: its first `BEGINNING` bytes, or all of it; of use when `is_vague(kind)`.
        """
        if kind not in _VAGUE:
            return self._by_type(kind)
        found = _EXTENSION.search(url.partition("?")[0].rpartition("/")[2])
        by_extension = self.by_extension.get(found[0].lower()) if found else None
        if kind != "text/plain":
            by_extension = self._recognise(beginning, kind in _UNTOLD) or by_extension
        return by_extension or self.by_type.get(kind)

    def _recognise(self, beginning: bytes, page: bool) -> ParserClass | None:
        for known, parser in self.by_beginning.items():
            if beginning.startswith(known):
                return parser
        return self.by_name.get("html") if page and _HTML.match(beginning) else None


def is_vague(kind: str) -> bool:
    """Tell whether a media type does not tell the format, so that first bytes are needed."""
    return kind in _VAGUE


@cache
def registry() -> Registry:
    """Return all parsers; the first call imports them."""
    found = Registry({}, {}, {}, {})
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            parser: ParserClass = entry.load()
        except ImportError as error:
            _log.warn("no parser {name}: {why}", name=entry.name, why=str(error))
            continue
        described = parser.format
        found.by_name[described.name] = parser
        found.by_type.update(dict.fromkeys(described.media_types, parser))
        found.by_extension.update(dict.fromkeys(described.extensions, parser))
        found.by_beginning.update(dict.fromkeys(described.beginnings, parser))
    return found


def media_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type header into the media type, in lower case, and its charset."""
    # Most servers write few different ones; a long one is not worth its memory.
    return _split(content_type) if len(content_type) < 200 else _split.__wrapped__(content_type)


@lru_cache(1000)
def _split(content_type: str) -> tuple[str, str | None]:
    kind, _, parameters = content_type.partition(";")
    found = _CHARSET.search(parameters)
    return kind.strip().lower(), found[1].lower() if found else None
