"""JSON of any kind: what looks like a URL, and HTML within (*INA §1.4.3*, brought up to date).

What a script will do with a value is not known. An absolute URL, and a relative one under a key
such as `href`, leads to a page; one under a key such as `image`, or of a picture by its name, is a
component. None is a requisite: a guess is no reason to leave the site. Formats of JSON that have a
parser of their own are recognised, whatever their media type says.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from agents.parsers.json_document import JsonDocument, texts
from agents.parsers.link import Embedded, Found, component, page
from agents.parsers.parser import Extracts, Format
from agents.parsers.registry import registry

URL_LIMIT = 4096  # characters of a URL

_ABSOLUTE = re.compile(r"(?:https?:)?//[^\s/<>\"{}|\\^`]++[^\s<>\"{}|\\^`]*+", re.IGNORECASE)
_ROOTED = re.compile(r"/[^\s/<>\"{}|\\^`*][^\s<>\"{}|\\^`*]*+")
_NAMED = re.compile(r"[^\s<>\"{}|\\^`*:()]++")
_LINKING = re.compile(
    r"(?:(?<=[a-z_\-])(?:URL|Url|Uri|Href|Link|Permalink)|(?<![a-zA-Z])(?:ur[li]|href|link|permalink))"
    r"s?\Z|\A(?:canonical|next|prev|previous|self)\Z"
)
_PICTURES = (
    "image|img|picture|photo|icon|logo|thumbnail|thumb|avatar|poster|cover|banner|src|sprite"
)
_SHOWING = re.compile(  # in snake_case and in camelCase
    rf"(?:(?<![a-zA-Z])(?:{_PICTURES})|{'|'.join(map(str.capitalize, _PICTURES.split('|')))})"
    r"s?(?![a-z])"
)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp)(?:[?#]|\Z)", re.IGNORECASE)
_FILE = re.compile(r"\.[a-z][a-z0-9]{1,5}(?:[?#]|\Z)|/\Z", re.IGNORECASE)
_HTML = re.compile(r"<(?:a|img|p|div|iframe|video|audio|source|link|script|figure)[\s>]", re.I)
_VOCABULARY = re.compile(
    r"https?://(?:schema\.org|(?:www\.)?w3\.org/(?:ns|199\d|200\d)|json-schema)"
)


def links_of(key: str, text: str) -> tuple[Found, ...]:
    """Return what a string links to, or the HTML that it is.

    Args:
        key: of the member whose value it is.
        text: the string.
    """
    if "<" in text:
        return (Embedded("text/html", text),) if _HTML.search(text) else ()
    text = text.strip()
    if not 1 < len(text) <= URL_LIMIT or _VOCABULARY.match(text):
        return ()
    shown = _SHOWING.search(key) is not None
    linking = shown or _LINKING.search(key) is not None
    if not _is_url(text, linking):
        return ()
    return component(text, False) if shown or _PICTURE.search(text) else page(text)


def _is_url(text: str, linking: bool) -> bool:
    if _ABSOLUTE.fullmatch(text):
        return True
    if _ROOTED.fullmatch(text):
        return linking or _FILE.search(text) is not None
    return linking and _NAMED.fullmatch(text) is not None and _FILE.search(text) is not None


class JsonParser(JsonDocument):
    """Parses JSON."""

    inner: JsonDocument | None = None  # parser of a format of JSON, once it is recognised

    format = Format(
        "json",
        ("application/json", "text/json", "application/x-json", "application/vnd.api+json",
         "application/hal+json", "application/geo+json", "application/problem+json"),
        (".json", ".geojson"),
        extracts=Extracts.LINKS,
        chunked=False,
    )  # fmt: skip

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Leave to the others what they recognise."""
        return False

    def links(self, value: Any) -> Iterator[Found]:
        """Yield what the value links to, as the parser of its format sees it."""
        for other in _others():
            if other.recognises(value):
                self.inner = other(self.source)
                yield from self.inner.links(value)
                return
        # What a script asks for, it writes into its page.
        self.base = self.source.referrer
        for found in texts(value):
            yield from (links_of(*found) if found else (None,))


@cache
def _others() -> tuple[type[JsonDocument], ...]:
    """Return the parsers of formats of JSON."""
    parsers: list[Any] = list(registry().by_name.values())
    return tuple(parser for parser in parsers if issubclass(parser, JsonDocument))
