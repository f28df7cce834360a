"""What a document that is no stream itself says of where one is. Pure.

Playlists of all kinds are read by the parsers of the crawler, so that both find the same.
"""

from itertools import islice

from agents import urls
from agents.parsers.link import Link
from agents.parsers.parser import Source, format_of
from agents.parsers.registry import BEGINNING, registry
from agents.stream import canonical

READ_LIMIT = 64 * 1024  # bytes of a playlist that are read
LOOKED_AT = 200  # entries of a playlist, of which some are no URLs
ENTRY_LIMIT = 20  # streams of a playlist that are asked for

_PLAYLISTS = frozenset(["m3u", "pls", "asx", "xspf", "real", "smil"])
_HLS = b"#EXT-X-"
_DASH = b"<MPD"


def manifest_kind(body: bytes) -> str:
    """Return "hls" or "dash" for a manifest of a stream in segments; "" for anything else."""
    beginning = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if beginning.startswith(b"#EXTM3U") and _HLS in body:
        return "hls"
    return "dash" if beginning[:1] == b"<" and _DASH in beginning[:4096] else ""


def entries(url: str, media_type: str, body: bytes) -> list[str]:
    """Return the streams that a playlist leads to, in its order, each once; none for others.

    Args:
        url: where it lies.
        media_type: that its server gives it, without parameters.
        body: of it.
    """
    body = body[:READ_LIMIT]
    chosen = registry().choose(media_type, url, body[:BEGINNING])
    if chosen is None or chosen.format.heavy:
        return []
    parser = chosen(Source(url))
    found = [*parser.feed(body), *parser.close()]
    if format_of(parser).name not in _PLAYLISTS:
        return []
    listed = dict.fromkeys(link.url for link in found if isinstance(link, Link) and link.stream)
    led_to = (absolute(each, url) for each in islice(listed, LOOKED_AT))
    return list(dict.fromkeys(each for each in led_to if each is not None))[:ENTRY_LIMIT]


def absolute(written: str, base: str) -> str | None:
    """Return the canonical URL of what is written somewhere, which may be relative to that."""
    return canonical(written) or urls.canonical(written, base)
