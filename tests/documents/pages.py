"""An encoder of small PDF documents."""

import zlib


def pdf(*objects: str | bytes, root: int = 1) -> bytes:
    """Return a document of objects, numbered from 1."""
    body, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        inside = one.encode() if isinstance(one, str) else one
        body += b"%d 0 obj\n%s\nendobj\n" % (number, inside)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size %d/Root %d 0 R>>\n" % (len(objects) + 1, root)
    return body + table + trailer + b"startxref\n%d\n%%%%EOF" % len(body)


def stream(content: bytes) -> bytes:
    """Return a compressed stream."""
    packed = zlib.compress(content, 9)
    return b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed)


def document(*annotations: str, text: str = "Hello", outline: str = "", pages: int = 1) -> bytes:
    """Return a document of pages that all show the same text and links."""
    kids = " ".join("4 0 R" for _ in range(pages))
    return pdf(
        f"<</Type/Catalog/Pages 2 0 R{'/Outlines 6 0 R' if outline else ''}>>",
        f"<</Type/Pages/Count {pages}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R"
        f"/Resources<</Font<</F 3 0 R>>>>/Annots[{' '.join(annotations)}]>>",
        stream(f"BT /F 20 Tf 50 700 Td ({text}) Tj ET".encode()),
        "<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>",
        f"<</Title(chapter)/Parent 6 0 R/A {outline or '<<>>'}>>",
    )


def link(action: str) -> str:
    """Return an annotation over the text of a page."""
    return f"<</Type/Annot/Subtype/Link/Rect[40 690 500 730]/A {action}>>"


def uri(url: str) -> str:
    """Return the action that leads to a URL."""
    return f"<</S/URI/URI({url})>>"
