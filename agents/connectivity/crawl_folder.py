"""The folder of one crawl, as its crawler left it. Looking into it blocks: do it in a worker."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG

from attrs import field, frozen

from agents.bundle import CONTENT_LIMIT
from agents.capture import is_key
from agents.connectivity.errors import BadCrawl, Forbidden, NoCrawl

STRUCTURE = "structure"
ANALYSIS = "analysis"
SIGNATURES = "signatures"
REPORT = "report.xml"
CONTENTS = "contents"
PACK = "pack"
CERTIFICATES = "certificates"
_NAME_LIMIT = 200  # characters
_SMALL = (
    CONTENT_LIMIT + 1
)  # bytes read of a small content: one that has grown is refused as damaged


@frozen
class CrawlFolder:
    """A folder directly under the folder of crawls.

    Attributes:
        path: where it is.
        packed: contents that lie in the file of small ones, with the byte at which each begins
            there and its size; those that are of interest now.
    """

    path: Path
    packed: Mapping[str, tuple[int, int]] = field(factory=dict, repr=False)

    @classmethod
    def named(cls, crawls: Path, directory: str) -> "CrawlFolder":
        """Return the folder that a path names, if it may be touched at all.

        Raises:
            Forbidden: it is not directly inside `crawls`.
        """
        path = Path(directory)
        if not is_name(path.name) or path.absolute().parent != crawls.absolute():
            raise Forbidden(f"{directory[:200]!r} is not the folder of a crawl in {crawls}")
        return cls(path)

    def check(self) -> None:
        """Make sure that a whole crawl is there; its report, written last, says so.

        Raises:
            NoCrawl: there is no such folder.
            BadCrawl: the crawl is not whole.
        """
        if self.path.is_symlink() or not self.path.is_dir():
            raise NoCrawl(f"there is no folder {self.path}")
        for name in (REPORT, STRUCTURE, SIGNATURES):
            if not (self.path / name).is_file():
                raise BadCrawl(f"{self.path} has no {name}: the crawl is not whole")
        pack = self.path / PACK
        if os.path.lexists(pack) and not S_ISREG(os.lstat(pack).st_mode):
            raise BadCrawl(f"{pack} is not a plain file: no crawler left it so")

    def content(self, key: str) -> str:
        """Return the name of the file of a content that the crawl may have brought.

        Raises:
            Forbidden: the key is none, and might lead elsewhere.
        """
        if not is_key(key):
            raise Forbidden(f"{key[:80]!r} is not the name of a content")
        return f"{self.path}/{CONTENTS}/{key[:2]}/{key}"

    def sizes(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the sizes of those contents that the crawl has brought."""
        found = {}
        for key in keys:
            if key in self.packed:
                found[key] = self.packed[key][1]
                continue
            with suppress(FileNotFoundError, NotADirectoryError):
                status = os.lstat(self.content(key))
                if S_ISREG(status.st_mode):
                    found[key] = status.st_size
        return found

    def read(self, keys: Iterable[str]) -> list[tuple[str, bytes]]:
        """Return those of some small contents that are still there, each with its key.

        Raises:
            OSError: one cannot be read.
        """
        keys = list(keys)
        found = self._unpack([key for key in keys if key in self.packed])
        for key in keys:
            if key in self.packed:
                continue
            with suppress(FileNotFoundError), _opened(self.content(key)) as descriptor:
                found.append((key, os.read(descriptor, _SMALL)))
        return found

    def _unpack(self, keys: list[str]) -> list[tuple[str, bytes]]:
        """Return contents that lie in the pack; one that is cut off is as good as gone."""
        found: list[tuple[str, bytes]] = []
        if not keys:
            return found
        with suppress(FileNotFoundError), _opened(f"{self.path}/{PACK}") as descriptor:
            for key in keys:
                begin, size = self.packed[key]
                content = os.pread(descriptor, size, begin)
                if len(content) == size:
                    found.append((key, content))
        return found


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """Open a file for reading, unless it is a link to another."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_name(text: str) -> bool:
    """Tell whether a text may be the name of a site's or a crawl's folder."""
    return 0 < len(text) <= _NAME_LIMIT and text[0] != "." and "/" not in text and "\0" not in text
