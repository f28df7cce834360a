"""Where in a content the sound of a date is: the metadata of captures of streams. Pure.

A stream is archived as contents, one after another. Dates that are logged while it comes in are
captures of the content that they fall into, and say how far into it they are (*INA §2.2.2*).
"""

import re

from attrs import field, frozen, validators

MILLISECONDS_LIMIT = 9_999_999  # 2 hours 46 minutes
BYTE_LIMIT = 99_999_999

_METADATA = re.compile(r"(\d{7})@(\d{8})")


@frozen
class StreamOffset:
    """A place in a content.

    Attributes:
        milliseconds: of signal, from the beginning of the content: the calculated time.
        byte: where that begins.
    """

    milliseconds: int = field(validator=[validators.ge(0), validators.le(MILLISECONDS_LIMIT)])
    byte: int = field(validator=[validators.ge(0), validators.le(BYTE_LIMIT)])

    @property
    def metadata(self) -> str:
        """The 16 characters of a line of a structure file: `MMMMMMM@BBBBBBBB`."""
        return f"{self.milliseconds:07}@{self.byte:08}"

    @property
    def seconds(self) -> float:
        """Of signal, from the beginning of the content."""
        return self.milliseconds / 1000


def offset_of(metadata: str) -> StreamOffset | None:
    """Return what metadata of a capture says; None where it is not of a stream."""
    found = _METADATA.fullmatch(metadata)
    return StreamOffset(int(found[1]), int(found[2])) if found and metadata.isascii() else None


def is_within(metadata: str) -> bool:
    """Tell whether a capture only notes a place further on in a content: it is no new version."""
    offset = offset_of(metadata)
    return offset is not None and (offset.milliseconds, offset.byte) != (0, 0)
