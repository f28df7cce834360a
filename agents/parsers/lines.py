"""Text documents read line by line, as they come (*INA §1.4.3*: "line buffered")."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import ClassVar

from agents.parsers.charset import Text
from agents.parsers.link import Found
from agents.parsers.parser import Format, Source

LINE_LIMIT = 16 * 1024  # characters of a line; a longer one is read in parts
_BREATH = 64  # lines without a finding after which others get their turn


class Lines:
    """Cuts text into lines, however it comes in pieces.

    A line ends with CR, LF or both. One longer than `LINE_LIMIT` is cut after a space, so that no
    URL is cut in two, or where there is none, at the limit.

    Attributes:
        cut: whether a line had to be cut within a word.
    """

    def __init__(self) -> None:
        self.cut = False
        self._newlines = IncrementalNewlineDecoder(None, translate=True)
        self._pieces: list[str] = []  # of the last line, of which the end is not here yet
        self._size = 0  # characters of them

    def feed(self, text: str, final: bool = False) -> Iterator[str]:
        """Yield the lines that end in the next text, without their ends; finally also the last."""
        first, *others = self._newlines.decode(text, final).split("\n")
        for line in others:
            yield from self._parts(first, ended=True)
            first = line
        yield from self._parts(first, ended=False)
        if final and self._size:
            yield from self._parts("", ended=True)

    def _parts(self, text: str, ended: bool) -> Iterator[str]:
        self._pieces.append(text)
        self._size += len(text)
        if not ended and self._size <= LINE_LIMIT:
            return
        line, start = "".join(self._pieces), 0
        while len(line) - start > LINE_LIMIT:
            end = 1 + max(line.rfind(space, start, start + LINE_LIMIT) for space in " \t")
            self.cut = self.cut or not end
            end = end or start + LINE_LIMIT
            yield line[start:end]
            start = end
        if ended:
            yield line[start:]
        self._pieces, self._size = ([], 0) if ended else ([line[start:]], len(line) - start)


class LineParser(ABC):
    """Base of the parsers of text formats that mean something line by line."""

    format: ClassVar[Format]
    base = ""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._text = Text(source.charset, source.environment, source.url)
        self._lines = Lines()

    @property
    def encoding(self) -> str:
        """The encoding of the document; final once closed."""
        return self._text.encoding

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because a line passes the limit."""
        return self._lines.cut

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the lines that end in the next bytes."""
        return self._take(self._lines.feed(self._text.feed(chunk)))

    def close(self) -> Iterator[Found]:
        """Yield what is in the last line, and what only the end tells."""
        yield from self._take(self._lines.feed(self._text.close(), final=True))
        yield from self.end()

    def _take(self, lines: Iterable[str]) -> Iterator[Found]:
        for number, line in enumerate(lines):
            if number % _BREATH == 0:
                yield None
            yield from self.line(line)

    @abstractmethod
    def line(self, line: str) -> Iterable[Found]:
        """Return what is in a line, or in a part of an overlong one."""

    def end(self) -> Iterable[Found]:
        """Return what is found at the end of the document."""
        return ()
