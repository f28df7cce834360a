"""The text of a document of Word, with the marks of its fields ([MS-DOC] 2.4.1, 2.5.1).

The stream `WordDocument` begins with a header, the FIB; it tells where in the table stream the
piece table lies, and that where in `WordDocument` each piece of the text lies.
"""

from collections.abc import Iterator, Mapping
from struct import error, iter_unpack, unpack_from

_WORD_8 = 0x00C1  # the oldest version of the FIB with a table stream: Word 97
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_PIECES = 2  # the kind of the part of the Clx that is the piece table; 1 is formatting
_SINGLE = 1 << 30  # a piece of characters of one byte
TEXT_LIMIT = 32 * 1024 * 1024  # bytes of pieces, which may overlap


def word_text(document: bytes, streams: Mapping[str, bytes]) -> str | None:
    """Return the text, headers and footnotes behind it; None, if it can't be read.

    Args:
        document: the stream `WordDocument`.
        streams: all streams by their names.
    """
    try:
        magic, version = unpack_from("<HH", document)
        (flags,) = unpack_from("<H", document, 10)
        if magic not in (0xA5EC, 0xA5DC) or flags & _ENCRYPTED:
            return None
        if version < _WORD_8:
            start, end = unpack_from("<II", document, 24)
            return document[start:end].decode("cp1252", "replace")
        table = streams.get("1Table" if flags & _SECOND_TABLE else "0Table", b"")
        place, size = unpack_from("<II", document, 0x01A2)
        return "".join(_pieces(document, _piece_table(table[place : place + size])))
    except error:  # something lies beyond the end
        return None


def _piece_table(clx: bytes) -> bytes:
    """Return the piece table of a Clx, behind any parts of formatting."""
    start = 0
    while start < len(clx) and clx[start] != _PIECES:
        start += 3 + unpack_from("<H", clx, start + 1)[0]
    (size,) = unpack_from("<I", clx, start + 1)
    return clx[start + 5 : start + 5 + size]


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    """Yield the pieces of the text: n + 1 positions of characters, then n descriptions."""
    count = max(0, len(table) - 4) // 12
    positions = [position for (position,) in iter_unpack("<I", table[: 4 * (count + 1)])]
    left = TEXT_LIMIT
    for number in range(count):
        (place,) = unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)
        length = max(0, positions[number + 1] - positions[number])
        if place & _SINGLE:
            start, width, encoding = (place & ~_SINGLE) // 2, 1, "cp1252"
        else:
            start, width, encoding = place, 2, "utf-16-le"
        piece = document[start : start + min(length * width, left)]
        left -= len(piece)
        yield piece.decode(encoding, "replace")
