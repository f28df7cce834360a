"""The question and answer of OpenWayback's remote collections, which OutbackCDX speaks too. Pure.

`q=type:urlquery url:http%3A%2F%2Fexample.org%2F limit:10`, the parts encoded once more.
"""

from collections.abc import Iterable
from urllib.parse import unquote_plus, urlencode
from xml.sax.saxutils import escape

from agents.consultation.cdx.filters import CdxRefused
from agents.consultation.cdx.lines import Line

MEDIA_TYPE = b"application/xml; charset=utf-8"
BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n<wayback>\n'
END = "</wayback>\n"
NONE = (
    "<error><title>Resource Not In Archive</title>"
    "<message>The Resource you requested is not in this archive.</message></error>\n"
)
_MATCHES = {"urlquery": "exact", "prefixquery": "prefix"}
_MOST = 10_000
_ELEMENTS = {
    "compressedoffset": "offset",
    "compressedendoffset": "length",
    "mimetype": "mime",
    "file": "filename",
    "redirecturl": "redirect",
    "urlkey": "urlkey",
    "digest": "digest",
    "httpresponsecode": "status",
    "robotflags": "robotflags",
    "url": "url",
    "originalurl": "url",
    "capturedate": "timestamp",
}


def plain_query(text: str) -> str:
    """Return such a question as the parameters of a plain one.

    Raises:
        CdxRefused: it is none.
    """
    parts = dict(part.partition(":")[::2] for part in text.split(" ")[:20] if part)
    kind = unquote_plus(parts.get("type", "urlquery")).lower()
    if kind not in _MATCHES:
        raise CdxRefused(f"type is one of {', '.join(_MATCHES)}, not {kind[:40]!r}")
    asked = {"url": unquote_plus(parts.get("url", "")), "matchType": _MATCHES[kind]}
    asked["limit"] = parts.get("limit", parts.get("count", str(_MOST)))
    dates = {"from": "startdate", "to": "enddate"}
    return urlencode(
        asked | {name: parts[given] for name, given in dates.items() if given in parts}
    )


def result(line: Line) -> str:
    """Return a line as an element."""
    inside = "".join(
        f"<{name}>{escape(line.get(field))}</{name}>" for name, field in _ELEMENTS.items()
    )
    return f"<result>{inside}</result>\n"


def results(lines: Iterable[Line]) -> str:
    """Return some lines as elements."""
    return "".join(map(result, lines))
