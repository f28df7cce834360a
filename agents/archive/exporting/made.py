"""What captures are made into: records that are ready to be written."""

# ruff: noqa: N805 (an interface has no self)

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from attrs import field, frozen
from zope.interface import Attribute, Interface

from agents.archive.exporting.items import Item
from agents.archive.exporting.reading import Body, Missing
from agents.archive.kept_records import KeptRecord
from anet.formats.record import Fields

AT_ONCE = 4 << 20  # bytes of a record up to which it stays in memory
_PIECE = 1 << 20

Bodies = Mapping[str, Body | Missing]
"""Contents by their keys."""


@frozen
class Made:
    """A record that is ready to be written.

    Attributes:
        kind: as in WARC: "response".
        data: its bytes, or a file of them.
        url: under which the archive has it; empty for what has none of its own there.
        fields: of WARC, for an index.
        head: of the answer in it, for an index.
        page: the title, if it is a page that people go to.
        date: digits, at least to the month; empty where nobody asks.
        posted: method and query of the request, if the URL holds them.
    """

    kind: str
    data: bytes | BinaryIO = field(repr=False)
    url: str = ""
    fields: Fields = ()
    head: bytes = b""
    page: str | None = None
    posted: tuple[str, str] | None = None
    date: str = ""

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes, once."""
        if isinstance(self.data, bytes):
            yield self.data
            return
        self.data.seek(0)
        yield from iter(partial(self.data.read, _PIECE), b"")

    def close(self) -> None:
        """Let go of the file, if there is one."""
        if not isinstance(self.data, bytes):
            self.data.close()


@frozen
class Group:
    """What was made of an item, which stays together.

    Attributes:
        place: of the item in the selection.
        captures: captures that the records tell.
        bytes: of their bodies.
        records: in their order.
        problems: what could not be given.
        left_out: records for which the format has no place.
    """

    place: int
    captures: int
    bytes: int
    records: Sequence[Made]
    problems: Sequence[str] = ()
    left_out: int = 0


class IForm(Interface):
    """How captures are written in a format. Its methods block, and are called in any thread."""

    suffix: str = Attribute("What files are called after their serial, `.warc.gz`.")

    def begin(name: str) -> Iterable[bytes]:
        """Return what a file of a name begins with."""

    def capture(item: Item, bodies: Bodies) -> Group:
        """Return what a capture is made into."""

    def kept(item: Item, records: Sequence[KeptRecord], bodies: Bodies) -> Group:
        """Return what records of an imported file are made into."""


class IWriting(Interface):
    """Where what was made goes. Its methods block, and are called in one thread."""

    figures: object = Attribute("The `Figures` of the export.")

    def begin() -> int:
        """Go on where it stopped; return the place of the last item that is given."""

    def write(groups: Sequence[tuple[Item, Group]]) -> None:
        """Write what was made of some items; of an item all is given, or nothing."""

    def finish() -> None:
        """Make all of it durable, and keep that all is given."""

    def abandon() -> None:
        """Forget what is half written."""


def held(pieces: Iterator[bytes], size: int, spool: Path) -> bytes | BinaryIO:
    """Return the bytes of a record, or a file of those of a large one.

    Args:
        pieces: of the record, perhaps compressed.
        size: bytes of its block.
        spool: folder of such files, which go away once they are closed.
    """
    if size <= AT_ONCE:
        return b"".join(pieces)
    file: BinaryIO = TemporaryFile(dir=spool)  # noqa: SIM115
    file.writelines(pieces)
    return file
