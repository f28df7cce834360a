"""Style sheets within a page."""

from collections.abc import Iterator
from functools import lru_cache

from agents.parsers import css
from agents.parsers.link import Link, component

KEPT = 64 * 1024  # characters of a sheet that is read whole, and remembered
_REMEMBERED = 64  # sheets; the pages of a site share theirs


class Sheet:
    """Reads each `style` element: a short one whole at its end, a long one as it comes.

    Attributes:
        truncated: whether links may be missing (see `css.Scanner`).
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._scanner: css.Scanner | None = None  # of a long sheet
        self._cut = False

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._cut or (self._scanner is not None and self._scanner.truncated)

    def feed(self, piece: str, end: bool) -> Iterator[Link | None]:
        """Take the next piece of a sheet; yield its links once they are known."""
        if self._scanner is None:
            self._pieces.append(piece)
            self._size += len(piece)
            if self._size <= KEPT and not end:
                return
            piece, self._pieces = "".join(self._pieces), []
            if self._size <= KEPT:
                self._size = 0
                yield from _links(piece)
                return
            self._scanner = css.Scanner()
        for url in self._scanner.feed(piece, end):
            yield from component(url) or (None,)
        if end:
            self._cut = self.truncated
            self._scanner, self._size = None, 0


@lru_cache(maxsize=_REMEMBERED)
def _links(sheet: str) -> tuple[Link, ...]:
    return tuple(link for url in css.scan(sheet) for link in component(url))
