"""What the records of DAT files say: what Alexa knew of the pages of an ARC file.

A DAT file lies beside an ARC file (*Cornell Web Library §2.1*) and has records like those of one,
of the media type `alexa/dat`; `ArcReader` reads it. Their blocks are lines of a letter, a space and
a value. docs/reference/arc.md says where that is from, and what is not known.
"""

from collections.abc import Iterator

from attrs import frozen

NAMES = {
    "c": "old style checksum",
    "f": "frame",
    "i": "image",
    "j": "original jump point",
    "k": "new style checksum",
    "l": "link",
    "m": "media type of the original document",
    "M": "meta tag",
    "n": "length of the document in the ARC file",
    "r": "redirect",
    "s": "response code",
    "t": "title",
    "v": "offset in the uncompressed ARC file",
    "V": "offset in the compressed ARC file",
    "x": "URL in another href attribute",
    "y": "URL in another src attribute",
    "z": "URL found in a script",
}
"""Letters of DAT files that Alexa made, by the Internet Archive's legend of DAT and CDX files."""

LINKS = frozenset("fijlrxyz")
"""Letters whose values are addresses to which the document leads; without `http://`."""


@frozen
class Line:
    """A line of the block of a DAT record.

    Attributes:
        letter: of the legend, or another.
        value: as it lies there, each byte a character.
    """

    letter: str
    value: str


def lines(block: bytes) -> Iterator[Line]:
    """Yield what the block of a record says, line for line, unknown letters too."""
    for text in block.decode("latin-1").split("\n"):
        letter, _, value = text.removesuffix("\r").partition(" ")
        if letter:
            yield Line(letter, value)


def arc_offset(block: bytes) -> int | None:
    """Return where the record of the document lies in the ARC file without its compression."""
    said = {line.letter: line.value for line in lines(block)}
    offset = said.get("v", "")
    return int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 16 else None
