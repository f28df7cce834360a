"""Titles and what else is said in tags: ID3, and the headers of Ogg and ASF."""

from io import BytesIO

from tinytag import TinyTag, TinyTagException

from anet.media.interface import Said

ID3_HEADER = 10
ID3V1 = 128
SHORTEST = 24  # bytes of a tag that says something
SEEN = 65_536  # bytes of a tag that are looked at
TAG_LIMIT = 16 * 2**20  # bytes; what says to be longer is no tag
_NOT_SAID = {"filesize", "mime_type", "encoder_settings", "encoded_by", "encoder"}


def id3_length(data: bytes | bytearray, at: int) -> int:
    """Return how long the ID3 tag is that begins here, with its header; 0 where none does.

    Of an old one (`TAG`) too, which stands behind what it names. At least `ID3_HEADER` bytes must
    be there.
    """
    if data.startswith(b"TAG", at):
        return ID3V1
    size = data[at + 6 : at + ID3_HEADER]
    if not data.startswith(b"ID3", at) or data[at + 3] not in (2, 3, 4) or max(size) > 0x7F:
        return 0
    footer = ID3_HEADER if data[at + 5] & 0x10 else 0
    body = size[0] << 21 | size[1] << 14 | size[2] << 7 | size[3]
    return ID3_HEADER + body + footer if body <= TAG_LIMIT else 0


def said_in(raw: bytes) -> Said | None:
    """Return what a tag or the header of a stream says; None where it says nothing."""
    raw = raw[:SEEN]
    if len(raw) < SHORTEST:
        return None
    try:
        found = TinyTag.get(file_obj=BytesIO(raw), duration=False).as_dict()
    except (TinyTagException, ValueError, OverflowError, LookupError):  # hostile: says nothing
        return None
    fields = {name: _text(value) for name, value in found.items() if name not in _NOT_SAID}
    fields = {name: text for name, text in fields.items() if text}
    title = " - ".join(fields[name] for name in ("artist", "title") if name in fields)
    return Said(title, fields, raw) if fields else None


def _text(value: object) -> str:
    """Return what a field says as one line."""
    values = value if isinstance(value, list) else [value]
    return " / ".join(str(each) for each in values if each is not None)
