"""Fault contents: one explicit message in each format a client may expect (*INA §2.4.2*).

Every text in them comes from outside (a URL that anyone may have written), so each format
escapes in its own way.
"""

from collections.abc import Callable

from agents.consultation.faults import documents, motion, pictures, texts, typeface
from agents.consultation.faults.fault import Fault
from agents.consultation.faults.kinds import FaultKind, guess_kind
from agents.consultation.faults.words import LANGUAGES
from agents.consultation.harbor.words import chosen_language
from agents.page import FRAMED_POLICY
from anet.http import Request, Response

_UTF8 = b"; charset=utf-8"
_OPEN_XML = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_FORMATS: dict[FaultKind, tuple[bytes, Callable[[Fault], bytes]]] = {
    "html": (b"text/html" + _UTF8, documents.html),
    "text": (b"text/plain" + _UTF8, texts.text),
    "css": (b"text/css" + _UTF8, texts.css),
    "javascript": (b"text/javascript" + _UTF8, texts.javascript),
    "json": (b"application/json", texts.json_object),
    "xml": (b"application/xml", texts.xml),
    "rss": (b"application/rss+xml", texts.rss),
    "vtt": (b"text/vtt" + _UTF8, texts.vtt),
    "m3u8": (b"application/vnd.apple.mpegurl", texts.m3u8),
    "svg": (b"image/svg+xml", pictures.svg),
    "png": (b"image/png", pictures.png),
    "gif": (b"image/gif", pictures.gif),
    "flash": (b"application/x-shockwave-flash", motion.flash),
    "pdf": (b"application/pdf", documents.pdf),
    "rtf": (b"application/msword", documents.rtf),
    "docx": (_OPEN_XML, documents.docx),
    "odt": (b"application/vnd.oasis.opendocument.text", documents.odt),
    "audio": (b"audio/wav", motion.audio),
    "video": (b"video/webm", motion.video),
    "font": (b"font/ttf", typeface.font),
}
KINDS = tuple(_FORMATS)
"""All formats that a fault is written in."""


def render_fault(fault: Fault, kind: FaultKind, language: str = "en") -> tuple[bytes, bytes]:
    """Return a fault's content in one format.

    Args:
        fault: what is missing, and why.
        kind: the format.
        language: of pages; other contents are in English.

    Returns:
        Its media type, and its bytes.
    """
    media_type, write = _FORMATS[kind]
    return media_type, documents.html(fault, language) if kind == "html" else write(fault)


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
    if fault.status == 451:  # RFC 7725: who keeps it back
        fields.append((b"Link", b'<http://dlweb/>; rel="blocked-by"'))
    return fields


def fault_answer(request: Request, fault: Fault, choice: str = "") -> Response:
    """Return a fault in the format that whoever asks expects.

    Args:
        request: which is answered.
        fault: what is missing, and why.
        choice: language that the reader chose; without one their browser says.
    """
    headers = request.headers
    language = chosen_language(choice, headers.text(b"accept-language"), LANGUAGES)
    kind = guess_kind(
        fault.url or request.target, headers.text(b"accept"), headers.text(b"sec-fetch-dest")
    )
    media_type, content = render_fault(fault, kind, language)
    return Response(fault.status, fault_headers(fault, media_type), content)
