"""Faults as documents: a page, PDF, and what word processors read."""

import struct
import textwrap
from html import escape
from io import BytesIO
from urllib.parse import quote, urlsplit
from zipfile import ZipFile, ZipInfo

from agents import dates
from agents.consultation.faults.fault import Fault
from agents.consultation.faults.texts import xml_text
from agents.consultation.faults.words import page_words, sentence, shown_url
from agents.page import document, text_html

_NEARBY = 4  # links to what may be there instead
_LINE, _LINES = 84, 45  # characters of a line of a PDF page, and its lines


def html(fault: Fault, language: str = "en") -> bytes:
    """Return a page in the reader's language, with where to go from here."""
    words = page_words(fault, language)
    labels, url = words.labels, shown_url(fault)
    main = f'<p class="summary">{text_html(words.message)}</p>'
    if url:
        moment = f"{dates.to_words(fault.date)} UTC" if fault.date else labels["newest"]
        main += (
            '<dl class="box figures">'
            f'<div class="wide"><dt>{labels["url"]}</dt><dd class="words">{text_html(url)}</dd>'
            f'</div><div><dt>{labels["date"]}</dt><dd class="words">{escape(moment)}</dd></div>'
            f'<div><dt>{labels["fault"]}</dt><dd class="words">{fault.status} '
            f"{escape(fault.code)}</dd></div></dl>"
            f"<p>{_captures(url, labels['captures'])} · "
            f'<a target="_top" href="http://dlweb/">{labels["harbor"]}</a></p>'
        )
        near = [f"<li>{_captures(other, other)}</li>" for other in nearby(url)]
        if near and fault.status == 404:
            main += f"<p>{labels['nearby']}</p><ul>{''.join(near)}</ul>"
    return document(words.title, main, who=labels["who"], language=words.language)


def _captures(url: str, shown: str) -> str:
    href = "http://dlweb/captures?url=" + quote(url, safe="", errors="replace")
    return f'<a target="_top" href="{escape(href)}">{text_html(shown)}</a>'


def nearby(url: str) -> list[str]:
    """Return URLs above this one, that the archive may hold when it does not hold this.

    The same without its parameters, the folders it lies in, and the beginning of the site.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return []
    begin = f"{parts.scheme}://{parts.netloc}"
    folders = parts.path.rstrip("/").split("/")[:-1]
    above = ["/".join(folders[:depth]) + "/" for depth in range(len(folders), 0, -1)]
    paths = [parts.path or "/", *above]
    found = [begin + path for path in dict.fromkeys(paths) if begin + path != url]
    return found[:_NEARBY] if len(found) <= _NEARBY else [*found[: _NEARBY - 1], found[-1]]


def pdf(fault: Fault) -> bytes:
    """Return a PDF of one page; what Latin letters cannot write is in its title whole."""
    told = sentence(fault)
    lines = textwrap.wrap(told, _LINE, break_long_words=True)[:_LINES]
    shown = "\n".join(f"({_pdf_string(line)}) '" for line in lines)
    stream = f"BT /F 11 Tf 16 TL 60 780 Td\n{shown}\nET".encode("cp1252", "replace")
    title = ("\ufeff" + told).encode("utf-16-be", "replace").hex()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title <%s> >>" % title.encode(),
    ]
    return _pdf_file(objects)


def _pdf_string(line: str) -> str:
    escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return "".join(sign if sign >= " " and sign != "\x7f" else "?" for sign in escaped)


def _pdf_file(objects: list[bytes]) -> bytes:
    """Return a file of objects, the first of which is the catalogue and the last the title."""
    file, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, len(objects), len(file))
    )


def rtf(fault: Fault) -> bytes:
    """Return a Word document as RTF, which every Word since 1987 opens, whatever its name."""
    told = "".join(_rtf_sign(sign) for sign in sentence(fault))
    head = "{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0{\\fonttbl{\\f0 Helvetica;}}"
    return f"{head}\\f0\\fs24 {told}\\par}}\n".encode("ascii")


def _rtf_sign(sign: str) -> str:
    if sign in "\\{}":
        return "\\" + sign
    if " " <= sign <= "~":
        return sign
    units = struct.unpack("<" + "h" * (len(pair := sign.encode("utf-16-le")) // 2), pair)
    return "".join(f"\\u{unit}?" for unit in units)


def docx(fault: Fault) -> bytes:
    """Return a Word document (OOXML) of one paragraph."""
    told = xml_text(sentence(fault))
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    return _zip(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats'
            '-package.relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{main}"/></Types>',
            "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'relationships"><Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
            "</Relationships>",
            "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/'
            f'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{told}</w:t></w:r></w:p>'
            "</w:body></w:document>",
        }
    )


def odt(fault: Fault) -> bytes:
    """Return a document of OpenDocument of one paragraph."""
    told, kind = xml_text(sentence(fault)), "application/vnd.oasis.opendocument.text"
    space = "urn:oasis:names:tc:opendocument:xmlns"
    return _zip(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<m:manifest xmlns:m="{space}:manifest:1.0" m:version="1.2">'
            f'<m:file-entry m:full-path="/" m:media-type="{kind}"/><m:file-entry '
            'm:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
            "content.xml": f'<o:document-content xmlns:o="{space}:office:1.0" '
            f'xmlns:t="{space}:text:1.0" o:version="1.2"><o:body><o:text><t:p>{told}</t:p>'
            "</o:text></o:body></o:document-content>",
        }
    )


def _zip(members: dict[str, str]) -> bytes:
    """Return a ZIP file, the same bytes every time."""
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(ZipInfo(name), text)
    return file.getvalue()
