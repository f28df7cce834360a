"""A record of a web archive's file, and what stands in its place where the file is damaged."""

# ruff: noqa: N805 (an interface has no self)

from collections.abc import Iterator

from attrs import field, frozen
from zope.interface import Interface

Fields = tuple[tuple[str, str], ...]
"""Named fields in the order of the file, as they are written there."""


class IBlock(Interface):
    """The block of a record, read once, in order; gone when the next record is asked for."""

    def read(size: int) -> bytes:
        """Return the next bytes, at most `size`; nothing at the end.

        Raises:
            DamagedRecord: the block ends before it should, or cannot be decompressed.
        """


class DamagedRecord(Exception):
    """A record cannot be read to its end; the message says why."""


@frozen
class Record:
    """A record, in the words of WARC (ISO 28500), whatever format it is read from.

    Attributes:
        version: as the file says, such as "WARC/1.0" or "ARC/1".
        kind: "warcinfo", "response", "request", "revisit", "resource", "metadata", "conversion",
            "continuation", or what else a file says; an ARC's first record is its "warcinfo".
        fields: as named and ordered in the file; those of an ARC or a Tianwang record are what a
            WARC would say, besides what only they know, in their own names.
        offset: byte of the file at which it begins, or the compressed member that it is in. A
            reader can be started there.
        size: bytes of the block, as the file says.
        block: an `IBlock`.
    """

    version: str
    kind: str
    fields: Fields
    offset: int
    size: int
    block: object = field(eq=False, repr=False)

    def get(self, name: str, default: str = "") -> str:
        """Return the first field of a name, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.fields if key.lower() == wanted), default)


@frozen
class Damage:
    """A part of a file that holds no sound record.

    Attributes:
        offset: the byte at which it begins.
        end: the byte at which reading goes on.
        cause: what is wrong, for people.
    """

    offset: int
    end: int
    cause: str


class IRecordReader(Interface):
    """The records of a file, in order."""

    def __iter__() -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some; reads on at the next sound record.

        A record whose block cannot be read to its end is followed by the `Damage` that says why.
        Nothing but `OSError`, of the system itself, ends the reading.
        """
