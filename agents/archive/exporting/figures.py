"""How an export is getting on, or how it ended."""

from collections.abc import Sequence

import attrs
import msgspec
from attrs import define, field

from agents.archive.exporting.made import Group
from agents.archive.exporting.selection import Selection


@define
class Figures:
    """What an export has given, and what is left.

    Attributes:
        doing: `choosing`, `arranging`, `writing`, `packing`; empty once all is done.
        looked_at: structure files that were looked at.
        chosen: captures, and slices of imported files, that were chosen.
        left: of these, how many are not given yet.
        bytes_left: bytes of their contents.
        captures: captures given.
        records: records given, by kind.
        left_out: records for which the format has no place.
        bytes: bytes of the bodies and blocks that they stand for.
        bytes_now: of these, those since it was taken up.
        files: files that are whole.
        file_bytes: their bytes.
        lost: what could not be given.
        problems: some of that, in words.
        absent: parts of the store that were not asked for what is chosen, and may hold more.
        begun: when the export was begun, and chosen, 14 digits.
        is_repeat: whether that was an earlier run.
    """

    doing: str = ""
    looked_at: int = 0
    chosen: int = 0
    left: int = 0
    bytes_left: int = 0
    captures: int = 0
    records: dict[str, int] = field(factory=dict)
    left_out: int = 0
    bytes: int = 0
    bytes_now: int = 0
    files: int = 0
    file_bytes: int = 0
    lost: int = 0
    problems: list[str] = field(factory=list)
    absent: Sequence[str] = field(factory=list)
    begun: str = ""
    is_repeat: bool = False

    @property
    def well(self) -> bool:
        """Whether there was something to give, all of it is given, and everybody was asked."""
        return bool(self.chosen) and not (self.lost or self.absent)

    def take_up(self, selection: Selection, last: int) -> None:
        """Begin again after an item; what was told of those behind it is told again."""
        selection.forget(last)
        left = selection.amount(last)
        self.doing = "writing"
        self.chosen = selection.amount().captures
        self.left, self.bytes_left = left.captures, left.bytes
        self.bytes_now = 0
        self.lost = selection.problems()[0]

    def take(self, group: Group, size: int) -> None:
        """Add what was written of an item.

        Args:
            group: what was made of it.
            size: bytes of its content.
        """
        self.left -= 1
        self.bytes_left -= size
        self.captures += group.captures
        self.bytes += group.bytes
        self.bytes_now += group.bytes
        self.lost += len(group.problems)
        self.left_out += group.left_out
        for made in group.records:
            self.records[made.kind] = self.records.get(made.kind, 0) + 1


def tell(figures: Figures) -> str:
    """Return figures as text."""
    return msgspec.json.encode(attrs.asdict(figures)).decode()


def told_of(text: str) -> Figures:
    """Return the figures of a text."""
    return Figures(**msgspec.json.decode(text))
