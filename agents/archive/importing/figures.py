"""How an import is getting on, and how it ended."""

from attrs import define, field

_NAMED = 100  # problems that are named; the others are counted


@define
class Figures:
    """What one command imported.

    Attributes:
        files: files that were read to their ends.
        files_known: files that had been imported before, and have not changed.
        files_refused: files that were named and are none of a web archive, or cannot be read.
        files_other: files in folders that are none of a web archive.
        records: records read, by their kinds.
        captures: captures recorded; those that the target had already are among them.
        only_kept: responses, resources and revisits that are kept and make no capture.
        contents: contents that were new to the target.
        contents_known: contents that it had.
        bytes: bytes of the new contents.
        bytes_read: bytes of the blocks of all records.
        revisits: revisits whose contents were found.
        pending: revisits of these files whose contents were not found yet; the next import tries
            again.
        damage: parts of files that hold no sound record.
        digests: records whose declared digests, or fields of this archive's own, are not true.
        problems: some of all that is wrong, in words.
        absent: parts of the target that could not be reached.
        size: bytes of the files to read.
        done: bytes of them that were read, or need not be.
        files_left: files that were not looked at yet.
    """

    files: int = 0
    files_known: int = 0
    files_refused: int = 0
    files_other: int = 0
    records: dict[str, int] = field(factory=dict)
    captures: int = 0
    only_kept: int = 0
    contents: int = 0
    contents_known: int = 0
    bytes: int = 0
    bytes_read: int = 0
    revisits: int = 0
    pending: int = 0
    damage: int = 0
    digests: int = 0
    problems: list[str] = field(factory=list)
    absent: list[str] = field(factory=list)
    size: int = 0
    done: int = 0
    files_left: int = 0

    @property
    def well(self) -> bool:
        """Whether all is in the target, whole and true."""
        return not (self.files_refused or self.pending or self.damage or self.digests)

    def tell(self, words: str) -> None:
        """Take note of what is wrong, in words."""
        if len(self.problems) < _NAMED:
            self.problems.append(words)
