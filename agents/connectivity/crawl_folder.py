"""The folder of one crawl, as its crawler left it. Looking into it blocks: do it in a worker."""

from pathlib import Path

from attrs import frozen

from agents.capture import is_key
from agents.connectivity.errors import BadCrawl, Forbidden, NoCrawl

STRUCTURE = "structure"
SIGNATURES = "signatures"
REPORT = "report.xml"
CONTENTS = "contents"
_NAME_LIMIT = 200  # characters


@frozen
class CrawlFolder:
    """A folder directly under the folder of crawls.

    Attributes:
        path: where it is.
    """

    path: Path

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

    def content(self, key: str) -> Path | None:
        """Return the file of a content, or None when the crawl has not brought it."""
        if not is_key(key):
            return None
        path = self.path / CONTENTS / key[:2] / key
        return path if path.is_file() and not path.is_symlink() else None

    def contents(self, keys: list[str]) -> dict[str, Path]:
        """Return the files of those contents that the crawl has brought."""
        found = {key: self.content(key) for key in keys}
        return {key: path for key, path in found.items() if path is not None}


def is_name(text: str) -> bool:
    """Tell whether a text may be the name of a site's or a crawl's folder."""
    return 0 < len(text) <= _NAME_LIMIT and text[0] != "." and "/" not in text and "\0" not in text
