"""The pages of one level, dynamic ones spread over the others (*INA §1.4.4*)."""

from pathlib import Path

from agents.crawler.strategy.spool import Spool


class Level:
    """A queue of lines that gives dynamic pages with as many static ones between as can be.

    A dynamic page costs its server more than a file does. Of S static and D dynamic pages, each
    dynamic one waits for S/D static ones, so that the server's load is levelled. The order depends
    on what was pushed only.

    Args:
        path: for what does not fit in memory.
    """

    def __init__(self, path: Path) -> None:
        self._static = Spool(path.with_suffix(".static.spool"))
        self._dynamic = Spool(path.with_suffix(".dynamic.spool"))
        self._before = -1  # static pages to give before a dynamic one; -1 when not known

    def __len__(self) -> int:
        return len(self._static) + len(self._dynamic)

    @property
    def static(self) -> int:
        """Pages waiting that look static."""
        return len(self._static)

    @property
    def dynamic(self) -> int:
        """Pages waiting that look dynamic."""
        return len(self._dynamic)

    def push(self, line: str, dynamic: bool) -> None:
        """Append a line; it may not hold a line feed."""
        (self._dynamic if dynamic else self._static).push(line)

    def pop(self) -> str:
        """Take a line.

        Raises:
            IndexError: the queue is empty.
        """
        dynamic = len(self._dynamic)
        if not dynamic:
            return self._static.pop()
        if self._before < 0:
            self._before = len(self._static) // dynamic
        self._before -= 1
        return self._static.pop() if self._before >= 0 else self._dynamic.pop()

    def close(self) -> None:
        """Forget everything, and remove the files."""
        self._static.close()
        self._dynamic.close()
