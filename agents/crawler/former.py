"""What the former crawl of a site found: its signatures and its structure (*INA §1.4.5*)."""

import mmap
from pathlib import Path

import msgspec

from agents.compact import HashMap
from agents.crawler.errors import BadFormer

_LINE = 65  # a SHA-256 in hexadecimal, and a line feed


class _Line(msgspec.Struct):
    """What is needed of a line of a structure file."""

    url: str
    content: str


class Signatures:
    """The contents of the former crawl: sorted lines of one size, searched where they lie.

    Raises:
        BadFormer: the file is not one of sorted signatures.
    """

    def __init__(self, path: Path) -> None:
        self._map: mmap.mmap | None = None
        with path.open("rb") as file:
            size = path.stat().st_size
            if size % _LINE:
                raise BadFormer(f"{path} has a line that is not 64 hexadecimal digits")
            if size:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._count = size // _LINE

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        if self._map is None:
            return False
        wanted = digest.hex().encode("ascii")
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            found = self._map[middle * _LINE : middle * _LINE + 64]
            if found == wanted:
                return True
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return False

    def close(self) -> None:
        """Let go of the file."""
        if self._map is not None:
            self._map.close()
            self._map, self._count = None, 0


class Former:
    """What a former crawl left; nothing at all for a first crawl.

    Attributes:
        signatures: its contents, or none.
        urls: how many URLs it had.
    """

    def __init__(self, signatures: Signatures | None = None, contents: HashMap | None = None):
        self.signatures = signatures
        self._contents = contents or HashMap()

    @classmethod
    def load(cls, folder: Path) -> "Former":
        """Read `signatures` and `structure` in a folder; a folder without them is a first crawl's.

        Blocks, for up to some seconds a million URLs: to be called in a worker.

        Raises:
            BadFormer: a file can't be read.
        """
        try:
            signatures = Signatures(folder / "signatures")
        except FileNotFoundError:
            return cls()
        contents = HashMap()
        try:
            _read_structure(folder / "structure", contents)
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            signatures.close()
            raise BadFormer(f"{folder / 'structure'} can't be read: {error}") from error
        return cls(signatures, contents)

    @property
    def urls(self) -> int:
        """How many URLs the former crawl had."""
        return len(self._contents)

    def knows(self, digest: bytes) -> bool:
        """Tell whether the former crawl had a content."""
        return self.signatures is not None and digest in self.signatures

    def change(self, url: str, digest: bytes) -> str:
        """Return what became of a URL: `new`, `changed` or `unchanged`."""
        content = self._contents.get(hash(url))
        if content is None:
            return "new"
        return "unchanged" if content == _short(digest) else "changed"

    def close(self) -> None:
        """Let go of the files."""
        if self.signatures is not None:
            self.signatures.close()


def _short(digest: bytes) -> int:
    """Return the part of a digest that tells a change; only the counts of a report hang on it."""
    return int.from_bytes(digest[:8], "big")


def _read_structure(path: Path, contents: HashMap) -> None:
    decode = msgspec.json.Decoder(_Line).decode
    with path.open("rb") as file:
        for line in file:
            entry = decode(line)
            contents[hash(entry.url)] = _short(bytes.fromhex(entry.content))
