"""Fault contents: one explicit message in each format a browser may expect (*INA §2.4.2*).

Every text in them comes from outside (a URL that anyone may have written), so each format
escapes in its own way.
"""

import json
import re
import struct
import zlib
from base64 import b64decode
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from agents import dates
from agents.consultation.faults.fault import Fault, FaultKind
from agents.page import FRAMED_POLICY, document, text_html

URL_LENGTH_LIMIT = 2000  # characters of a URL that a fault content shows

_GIF = b64decode(
    "R0lGODlhEAAQAIAAAPr6+rMmHiwAAAAAEAAQAAACkQwIECDAgAABAgQIECBCgAABIgQIEGBAgAABBgQIECFAgAAR"
    "AgQIMCBAgAADAgSIECBAgAgBAgQYECBAgAEBAkQIECBAhAABAgwIECDAgAABAgQIECBCgAABIgQIEGBAgAABBgQI"
    "ECFAgAARAgQIMCBAgAADAgSIECBAgAgBAgQYECBAgAEBAkQIECBAhAABAgUAOw=="
)  # 16 × 16 pixels, the same hatching as `_png`


def render_fault(fault: Fault, kind: FaultKind) -> tuple[bytes, bytes]:
    """Return a fault's content in one format.

    Returns:
        Its media type, and its bytes.
    """
    media_type, write = _FORMATS[kind]
    return media_type, write(fault)


def fault_headers(fault: Fault, media_type: bytes) -> list[tuple[bytes, bytes]]:
    """Return the header fields of a fault: never kept, never read by another site."""
    fields = [
        (b"Content-Type", media_type),
        (b"Cache-Control", b"no-store"),
        (b"X-Content-Type-Options", b"nosniff"),
        (b"Dlweb-Fault", fault.code.encode()),
    ]
    if media_type.startswith(b"text/html"):
        fields.append((b"Content-Security-Policy", FRAMED_POLICY.encode()))
    if fault.status == 405:
        fields.append((b"Allow", b"GET, HEAD"))
    if fault.status == 503:
        fields.append((b"Retry-After", b"5"))
    return fields


def _date_words(fault: Fault) -> str:
    return f"{dates.to_words(fault.date)} UTC" if fault.date else "the newest"


def _sentence(fault: Fault) -> str:
    url = fault.url[:URL_LENGTH_LIMIT]
    return f"dlweb: {fault.title}. {fault.message}" + (f" [{url}]" if url else "")


def _html(fault: Fault) -> bytes:
    url = fault.url[:URL_LENGTH_LIMIT]
    main = f'<p class="summary">{text_html(fault.message)}</p>'
    if url:
        captures = "http://dlweb/captures?url=" + quote(url, safe="", errors="replace")
        main += (
            '<dl class="box figures">'
            f'<div class="wide"><dt>URL</dt><dd class="words">{text_html(url)}</dd></div>'
            f'<div><dt>your date</dt><dd class="words">{escape(_date_words(fault))}</dd></div>'
            f'<div><dt>fault</dt><dd class="words">{fault.status} {escape(fault.code)}</dd></div>'
            f'</dl><p><a target="_top" href="{escape(captures)}">Captures of this URL</a> · '
            '<a target="_top" href="http://dlweb/">Choose another date, or see what the archive '
            "holds</a></p>"
        )
    return document(fault.title, main, who="web archive")


def _svg(fault: Fault) -> bytes:
    title = escape(_xml(_sentence(fault)))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 80" width="160" height="80" '
        f'role="img"><title>{title}</title><rect x=".5" y=".5" width="159" height="79" rx="4" '
        'fill="#fafafa" stroke="#b3261e" stroke-dasharray="4 3"/>'
        '<text x="80" y="37" text-anchor="middle" font-family="system-ui, sans-serif" '
        f'font-size="12" font-weight="600" fill="#b3261e">{escape(fault.title)}</text>'
        '<text x="80" y="54" text-anchor="middle" font-family="system-ui, sans-serif" '
        f'font-size="10" fill="#59656f">web archive, {fault.status}</text></svg>\n'
    ).encode("utf-8", "replace")


def _png(_: Fault) -> bytes:
    """Return a red hatching of 32 × 32 pixels: visible, and clearly no picture of the web."""
    side = 32
    rows = b"".join(
        b"\0" + bytes(1 if (x + y) % 8 == 0 else 0 for x in range(side)) for y in range(side)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 3, 0, 0, 0)
    palette = bytes.fromhex("fafafab3261e")
    chunks = [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, data) for kind, data in chunks)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _gif(_: Fault) -> bytes:
    return _GIF


def _css(fault: Fault) -> bytes:
    sentence = _sentence(fault)
    string = re.sub(r"[^ -~]|[\"\\<>]", lambda found: f"\\{ord(found[0]):x} ", sentence)
    return (
        f'html::before {{ content: "{string}"; display: block; padding: .5em; '
        "font: 14px system-ui, sans-serif; color: #b3261e; background: #fafafa; "
        "border: 1px dashed; }\n"
    ).encode()


def _javascript(fault: Fault) -> bytes:
    string = json.dumps(_sentence(fault)).replace("<", "\\u003c")
    return f'if (typeof console !== "undefined") console.warn({string});\n'.encode()


def _json(fault: Fault) -> bytes:
    values = {
        "fault": fault.code,
        "status": fault.status,
        "message": fault.message,
        "url": fault.url[:URL_LENGTH_LIMIT],
        "date": fault.date,
    }
    return json.dumps(values).encode() + b"\n"


def _text(fault: Fault) -> bytes:
    return (_sentence(fault) + "\n").encode("utf-8", "replace")


def _xml(text: str) -> str:
    """Return the text without the characters that XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


_FORMATS: dict[FaultKind, tuple[bytes, Callable[[Fault], bytes]]] = {
    "html": (b"text/html; charset=utf-8", _html),
    "svg": (b"image/svg+xml", _svg),
    "png": (b"image/png", _png),
    "gif": (b"image/gif", _gif),
    "css": (b"text/css; charset=utf-8", _css),
    "javascript": (b"text/javascript; charset=utf-8", _javascript),
    "json": (b"application/json", _json),
    "text": (b"text/plain; charset=utf-8", _text),
}
