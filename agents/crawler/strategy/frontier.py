"""What is still to be fetched: breadth first over pages, depth first over components.

Page links go to the queue of the next level; component links are taken at once, whatever the
depth, so that a page's components are always collected with it (*INA §1.4.2*). Within a level the
dynamic pages are spread over the static ones (§1.4.4). Queues lie on disk beyond a few thousand
lines; what has been met is remembered in 16 bytes a URL.
"""

from pathlib import Path
from typing import NamedTuple

from agents.compact import HashSet
from agents.crawler.strategy.level import Level
from agents.crawler.strategy.spool import Spool
from agents.parsers import COMPONENT, PAGE


class Task(NamedTuple):
    """A URL to fetch.

    Attributes:
        url: canonical.
        kind: `PAGE` or `COMPONENT`, by the link that led here.
        requisite: whether it is wanted whatever the delimitation says.
        depth: level of the page, or of the page that it is a component of; the start is 0.
        chain: components, one of the other, between that page and this.
        attempt: earlier attempts that failed.
        referrer: the document that a component was found in, empty for pages.
        encoding: of that document, if it is another than UTF-8; what declares none has it.
    """

    url: str
    kind: str
    requisite: bool
    depth: int
    chain: int = 0
    attempt: int = 0
    referrer: str = ""
    encoding: str = ""

    def to_line(self) -> str:
        """Return the task as a line of a spool."""
        letter = "p" if self.kind == PAGE else "r" if self.requisite else "c"
        numbers = f"{self.depth} {self.chain} {self.attempt}"
        return f"{letter} {numbers} {self.url} {self.referrer} {self.encoding}"

    @classmethod
    def from_line(cls, line: str) -> "Task":
        """Read a line of a spool."""
        letter, depth, chain, attempt, url, referrer, encoding = line.split(" ", 6)
        kind = PAGE if letter == "p" else COMPONENT
        numbers = int(depth), int(chain), int(attempt)
        return cls(url, kind, letter == "r", *numbers, referrer, encoding)


class Queues(NamedTuple):
    """How many URLs wait in each queue, from the first to be taken to the last.

    Attributes:
        components: taken at once.
        static: pages of this level that look static.
        dynamic: pages of this level that look dynamic.
        retries: what failed and is tried again at the end of this level.
        next_static: pages of the next level that look static.
        next_dynamic: pages of the next level that look dynamic.
    """

    components: int
    static: int
    dynamic: int
    retries: int
    next_static: int
    next_dynamic: int


class Frontier:
    """The queues of one crawl.

    Attributes:
        depth: the level being collected.
        refused: URLs turned away because the limit was reached.

    Args:
        folder: for the parts of queues that do not fit in memory.
        url_limit: URLs of the crawl; more are turned away.
    """

    def __init__(self, folder: Path, url_limit: int) -> None:
        self.depth = 0
        self.refused = 0
        self._limit = url_limit
        self._met = HashSet()
        self._taken = HashSet()
        self._components = Spool(folder / "components.spool")
        self._retries = Spool(folder / "retries.spool")
        self._level = Level(folder / "level-0")
        self._next = Level(folder / "level-1")

    def __len__(self) -> int:
        return sum(self.queues)

    @property
    def queues(self) -> Queues:
        """How many URLs wait, and for what."""
        level, following = self._level, self._next
        return Queues(
            len(self._components),
            level.static,
            level.dynamic,
            len(self._retries),
            following.static,
            following.dynamic,
        )

    @property
    def met(self) -> int:
        """URLs met so far."""
        return len(self._met)

    def start(self, url: str) -> None:
        """Begin with the start URL; it is a page, taken whatever the delimitation says."""
        self._met.add(hash(url))
        self._level.push(Task(url, PAGE, False, 0).to_line(), False)

    def knows(self, url: str) -> bool:
        """Tell whether a URL has been met."""
        return hash(url) in self._met

    def has_taken(self, url: str) -> bool:
        """Tell whether a URL has been given out to be fetched."""
        return hash(url) in self._taken

    def add_page(self, url: str, depth: int, dynamic: bool = False) -> bool:
        """Queue a page of the next level, unless it has been met; tell whether it was queued.

        Args:
            url: canonical.
            depth: the level.
            dynamic: whether it looks dynamic.
        """
        if self._full or not self._met.add(hash(url)):
            return False
        self._next.push(Task(url, PAGE, False, depth).to_line(), dynamic)
        return True

    def add_component(
        self,
        url: str,
        requisite: bool,
        depth: int,
        chain: int,
        referrer: str = "",
        encoding: str = "",
    ) -> bool:
        """Queue a component, unless it has been taken; tell whether it was queued.

        One that waits as a page of the next level is taken now instead.
        """
        key = hash(url)
        if key in self._taken or (self._full and key not in self._met):
            return False
        self._met.add(key)
        task = Task(url, COMPONENT, requisite, depth, chain, 0, referrer, encoding)
        self._components.push(task.to_line())
        return True

    def retry(self, task: Task) -> None:
        """Queue again what failed; it is taken at the end of the level."""
        self._retries.push(task._replace(attempt=task.attempt + 1).to_line())

    def take(self, url: str) -> bool:
        """Note that a URL is fetched out of turn, as robots.txt is; tell whether it was not yet."""
        self._met.add(hash(url))
        return self._taken.add(hash(url))

    def next(self) -> Task | None:
        """Return what to fetch now, or None at the end of the crawl."""
        while True:
            queue = self._turn()
            if queue is None:
                return None
            task = Task.from_line(queue.pop())
            if self._taken.add(hash(task.url)) or task.attempt:
                self.depth = max(self.depth, task.depth)
                return task

    def close(self) -> None:
        """Drop all queues."""
        queues: tuple[Spool | Level, ...] = (
            self._components, self._retries, self._level, self._next,
        )  # fmt: skip
        for queue in queues:
            queue.close()

    @property
    def _full(self) -> bool:
        if len(self._met) < self._limit:
            return False
        self.refused += 1
        return True

    def _turn(self) -> Spool | Level | None:
        """Return the queue whose turn it is: components, this level, retries, the next level."""
        queues: tuple[Spool | Level, ...] = (self._components, self._level, self._retries)
        for queue in queues:
            if len(queue):
                return queue
        self._level, self._next = self._next, self._level
        return self._level if len(self._level) else None
