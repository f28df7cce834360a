"""The story of each URL of a crawl: who linked it, why it was followed or not, what came of it.

Stories are told in one file of text lines, only ever appended to, that takes no memory:

    < PAGE                        the next links were found in this page
    + URL KIND DEPTH VERDICT      a URL was met for the first time, or followed after all
    = URL WHAT                    something became of it

A story is found by reading the file from its beginning, block by block, in a worker thread.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from attrs import evolve, frozen

SIZE_LIMIT = 4 * 1024**3  # bytes of the file; what comes later is not told
EVENT_LIMIT = 100  # things told that became of one URL

_BUFFER = 256 * 1024
_BLOCK = 1024 * 1024


@frozen
class Story:
    """What is known of a URL.

    Attributes:
        url: canonical.
        page: URL of the document whose link was judged; empty for the start of the crawl.
        kind: of the link, `page` or `component`.
        depth: level at which it is, or would have been, collected.
        verdict: what was decided of it at last; empty if no link to it has been judged.
        events: what became of it, in order.
    """

    url: str
    page: str = ""
    kind: str = ""
    depth: int = 0
    verdict: str = ""
    events: tuple[str, ...] = ()


class Stories:
    """Tells the stories of one crawl.

    Args:
        path: the file; made at once.
        limit: bytes of the file.
    """

    def __init__(self, path: Path, limit: int = SIZE_LIMIT) -> None:
        self.path = path
        self.full = False
        self._left = limit
        self._file = path.open("wb", buffering=_BUFFER)
        self._page = ""

    def met(self, url: str, page: str, kind: str, depth: int, verdict: str) -> None:
        """Tell that a URL was met for the first time.

        Args:
            url: canonical.
            page: where the link was found; empty for the start of the crawl.
            kind: of the link.
            depth: of what the link leads to.
            verdict: what was decided, in a few words.

        Raises:
            OSError: the disk does not take it.
        """
        line = f"+ {url} {kind} {depth} {verdict}\n"
        if page != self._page:
            self._page = page
            line = f"< {page}\n{line}"
        self._write(line)

    def became(self, url: str, what: str) -> None:
        """Tell what became of a URL: its answer, a failure, that robots.txt forbids it.

        Raises:
            OSError: the disk does not take it.
        """
        self._write(f"= {url} {' '.join(what.split())}\n")

    def flush(self) -> None:
        """Let readers of the file see everything told so far."""
        self._file.flush()

    def close(self) -> None:
        """Tell no more."""
        self._left = 0
        self._file.close()

    def _write(self, line: str) -> None:
        data = line.encode("utf-8", "replace")
        self._left -= len(data)
        if self._left >= 0:
            self._file.write(data)
        else:
            self.full = True


def story_of(path: Path, url: str) -> Story:
    """Return the story of a URL; to be called in a thread, for the file may be large.

    Args:
        path: the file of `Stories`.
        url: canonical.

    Raises:
        OSError: the file can't be read.
    """
    story = Story(url)
    with path.open("rb") as file:
        for page, line in _lines_about(file, url.encode("utf-8", "replace")):
            if line.startswith("= "):
                if len(story.events) < EVENT_LIMIT:
                    story = evolve(story, events=(*story.events, line.split(" ", 2)[2]))
            else:
                _, _, kind, depth, verdict = line.split(" ", 4)
                story = evolve(story, page=page, kind=kind, depth=int(depth), verdict=verdict)
    return story


def _lines_about(file: BinaryIO, url: bytes) -> Iterator[tuple[str, str]]:
    """Yield the lines that tell of a URL, each with the page told of before it.

    The search within a block is one call for each place where the URL stands: other threads wait
    no longer than that.
    """
    wanted = b" " + url + b" "
    page = rest = b""
    while block := file.read(_BLOCK):
        lines, newline, rest = (rest + block).rpartition(b"\n")
        lines = b"\n" + lines + newline
        place = lines.find(wanted)
        while place >= 0:
            if lines[place - 2 : place - 1] == b"\n":
                line = lines[place - 1 : lines.index(b"\n", place)]
                yield _page_before(lines, place, page).decode(), line.decode()
            place = lines.find(wanted, place + 1)
        page = _page_before(lines, len(lines), page)


def _page_before(lines: bytes, place: int, page: bytes) -> bytes:
    """Return the last page told of before a place, `page` if there is none."""
    found = lines.rfind(b"\n< ", 0, place)
    return lines[found + 3 : lines.index(b"\n", found + 1)] if found >= 0 else page
