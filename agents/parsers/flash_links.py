"""What the addresses in a Flash movie mean: for sure, or by their looks."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from agents.parsers.link import Embedded, Found, component, page, stream

_JAVASCRIPT = "javascript:"
# Addresses for the player itself.
_INNER = re.compile(r"\s*+(?:asfunction|event|fscommand|print|printasbitmap):", re.I)
_STREAM = re.compile(r"\s*+rtmp[a-z]{0,2}+:", re.I)
_LEVEL = re.compile(r"_level[0-9]", re.I)
_MEDIA = "swf|flv|f4v|mp4|m4v|mp3|m4a|jpe?+g|png|gif|xml|css|txt|srt|json"
_ADDRESS = re.compile(
    rf"(?:https?|ftp|rtmp[a-z]{{0,2}})://[\w\[][^\s\"'<>\\{{}}|]*+"
    rf"|[\w./%~\-]*[\w%~\-]\.(?:{_MEDIA})",
    re.I,
)
_LOADED = re.compile(rf"\.(?:{_MEDIA})(?:\?|\Z)", re.I)
LENGTH_LIMIT = 4096  # characters of what may be an address


def address_links(url: str, loaded: bool = False) -> Iterator[Found]:
    """Yield the link to an address.

    Args:
        url: as written.
        loaded: whether it is loaded into the movie; otherwise a person follows it.
    """
    url = url.strip()
    if url[: len(_JAVASCRIPT)].lower() == _JAVASCRIPT:
        yield Embedded("text/javascript", unquote(url[len(_JAVASCRIPT) :]))
    elif _STREAM.match(url):
        yield from stream(url)
    elif not _INNER.match(url):
        yield from component(url) if loaded else page(url)


def loads(target: str) -> bool:
    """Tell whether `getURL` for a target loads a movie and does not open a window."""
    return _LEVEL.match(target) is not None


def guessed_links(text: str) -> Iterator[Found]:
    """Yield the link that a constant of a program seems to be, by its looks."""
    text = text.strip() if len(text) <= LENGTH_LIMIT else ""
    if "." in text and _ADDRESS.fullmatch(text):
        yield from address_links(text, _LOADED.search(text) is not None)
