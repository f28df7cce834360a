"""Following the internal links of a site as far as traps allow, and telling what was decided."""

from agents.compact import HashSet
from agents.crawler.findings import Findings
from agents.crawler.strategy.base import Base
from agents.crawler.strategy.dynamic import looks_dynamic
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.stories import Stories
from agents.crawler.strategy.traps import FULL, Traps
from agents.parsers import PAGE, Link

_TRAPPED_LIMIT = 1_000_000  # URLs in traps remembered, so that each counts once
_OUTSIDE_LIMIT = 100_000  # other URLs not followed remembered, so that each has one story


class Following:
    """Puts URLs in the queues, or aside.

    Args:
        frontier: takes what is followed.
        traps: says where following stops.
        findings: takes what was left aside.
        stories: takes what was decided of each URL; without it nobody is told.
    """

    def __init__(
        self, frontier: Frontier, traps: Traps, findings: Findings, stories: Stories | None
    ) -> None:
        self._frontier = frontier
        self._traps = traps
        self._findings = findings
        self._stories = stories
        self._trapped = HashSet()
        self._outside = HashSet()

    def page(self, url: str, link: Link, task: Task) -> None:
        """Follow a page link, unless its URL is known or leads into a trap."""
        if self._frontier.knows(url):
            return
        depth, dynamic = task.depth + 1, looks_dynamic(url)
        trap = self._traps.of_page(url, depth, dynamic)
        if not trap and not self._frontier.add_page(url, depth, dynamic):
            trap = FULL
        self._decided(url, link, task, trap)

    def component(self, url: str, link: Link, task: Task, base: Base) -> None:
        """Follow a component link, unless its URL has been taken or leads into a trap.

        Args:
            url: canonical.
            link: that leads to it.
            task: what was fetched and holds the link.
            base: what links there are relative to; for those of a script, its page.
        """
        encoding = "" if base.encoding == "utf-8" else base.encoding
        frontier, chain = self._frontier, task.chain + 1
        if frontier.has_taken(url):
            return
        if frontier.knows(url):
            frontier.add_component(url, link.requisite, task.depth, chain, base.url, encoding)
            return
        trap = self._traps.of_component(url, chain, link.requisite and chain == 1)
        if not trap and not frontier.add_component(
            url, link.requisite, task.depth, chain, base.url, encoding
        ):
            trap = FULL
        self._decided(url, link, task, trap)

    def _decided(self, url: str, link: Link, task: Task, trap: str) -> None:
        """Tell of a URL met for the first time that it is followed, or which trap it is."""
        if not trap:
            self._met(url, link, task, "followed: a requisite" if link.requisite else "followed")
        elif _is_first(self._trapped, url, _TRAPPED_LIMIT):
            self._findings.trap(url, trap)
            self._met(url, link, task, trap)

    def has_taken(self, url: str) -> bool:
        """Tell whether a URL has been given out to be fetched."""
        return self._frontier.has_taken(url)

    def set_aside(self, url: str, link: Link, task: Task, verdict: str) -> None:
        """Tell of a URL that is not followed, and is in no trap."""
        if self._stories is not None and _is_first(self._outside, url, _OUTSIDE_LIMIT):
            self._met(url, link, task, verdict)

    def _met(self, url: str, link: Link, task: Task, verdict: str) -> None:
        if self._stories is not None:
            depth = task.depth + 1 if link.kind == PAGE else task.depth
            self._stories.met(url, task.url, link.kind, depth, verdict)


def _is_first(known: HashSet, url: str, limit: int) -> bool:
    """Tell whether a URL is not known yet; remember it, if there is room."""
    key = hash(url)
    if key in known:
        return False
    if len(known) < limit:
        known.add(key)
    return True
