"""Manifests of HLS and DASH, as far as the return must know them: what they refer to. Pure.

They go out byte for byte; here they are only read.
"""

import re
from html import unescape
from urllib.parse import urljoin

from attrs import field, frozen

from agents.capture import Capture
from agents.urls import canonical, target
from anet.http import parse_head

REFERENCES = 5000  # of one manifest that are remembered
_TYPES = (
    "application/vnd.apple.mpegurl",
    "application/x-mpegurl",
    "audio/mpegurl",
    "audio/x-mpegurl",
    "application/dash+xml",
)
_SUFFIXES = (".m3u8", ".mpd")
_QUOTED = re.compile(r'URI="([^"\r\n]{1,4096})"')
_BASE = re.compile(r"<BaseURL[^>]{0,200}>\s*([^<\s]{1,4096})\s*</BaseURL>")
_TIMING = re.compile(r"<UTCTiming\s([^>]{1,4096})>")
_ATTRIBUTE = re.compile(r"""(schemeIdUri|value)\s*=\s*["']([^"']{1,4096})["']""")
_DIRECTIVES = ("_HLS_msn=", "_HLS_part=", "_HLS_skip=")
_CLOCKS = ("urn:mpeg:dash:utc:http-xsdate:", "urn:mpeg:dash:utc:http-iso:")


@frozen
class Manifest:
    """What a manifest says of other URLs.

    Attributes:
        ended: whether nothing more will be added: it is no live one.
        references: canonical URLs of playlists, segments, keys and the like.
        folders: what the URLs of segments begin with, where they are made from a template.
        clocks: URLs that players ask for the time.
    """

    ended: bool = False
    references: frozenset[str] = field(default=frozenset(), repr=False)
    folders: tuple[str, ...] = ()
    clocks: frozenset[str] = frozenset()


def is_manifest(capture: Capture) -> bool:
    """Tell whether a capture is of a manifest, by its type, or by the name of its URL."""
    if capture.status != 200:
        return False
    try:
        kind = parse_head(capture.head).headers.text(b"content-type")
    except ValueError:
        kind = ""
    is_typed = kind.partition(";")[0].strip().lower() in _TYPES
    return is_typed or target(capture.url).partition("?")[0].lower().endswith(_SUFFIXES)


def without_directives(url: str) -> str:
    """Return the URL of a playlist without what a player of low latency asks of its server.

    It names the part for which the answer shall wait (RFC 8216bis §6.2.5); what is archived is the
    playlist, and nothing has to be waited for.
    """
    path, _, query = url.partition("?")
    if "_HLS_" not in query:
        return url
    kept = [each for each in query.split("&") if not each.startswith(_DIRECTIVES)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def read_manifest(url: str, body: bytes) -> Manifest:
    """Return what a manifest refers to, whatever it is."""
    text = body.decode("utf-8", "replace")
    return _dash(url, text) if "<MPD" in text[:4096] else _hls(url, text)


def _hls(url: str, text: str) -> Manifest:
    lines = [line.strip() for line in text.splitlines()]
    names = [line for line in lines if line and not line.startswith("#")][:REFERENCES]
    names += _QUOTED.findall(text)[:REFERENCES]
    found = (canonical(name, url) for name in names)
    return Manifest("#EXT-X-ENDLIST" in lines, frozenset(name for name in found if name))


def _dash(url: str, text: str) -> Manifest:
    bases = [unescape(base) for base in _BASE.findall(text)[:20]]
    folders = dict.fromkeys(canonical(urljoin(url, base)) or "" for base in [".", *bases])
    return Manifest(
        'type="dynamic"' not in text,
        folders=tuple(folder for folder in folders if folder),
        clocks=frozenset(_clocks(url, text)),
    )


def _clocks(url: str, text: str) -> list[str]:
    """Return the URLs that answer with nothing but the time in ISO 8601."""
    found = []
    for said in _TIMING.findall(text)[:10]:
        attributes = dict(_ATTRIBUTE.findall(said))
        if attributes.get("schemeIdUri", "").startswith(_CLOCKS):
            names = unescape(attributes.get("value", "")).split()
            found += [name for name in (canonical(each, url) for each in names) if name]
    return found
