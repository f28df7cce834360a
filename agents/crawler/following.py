"""Following the internal links of a site as far as traps allow, and telling what was decided."""

from agents.crawler.compact import HashSet
from agents.crawler.dynamic import looks_dynamic
from agents.crawler.findings import Findings
from agents.crawler.frontier import Frontier, Task
from agents.crawler.parsers import PAGE, Link
from agents.crawler.stories import Stories
from agents.crawler.traps import FULL, Traps

_ASIDE_LIMIT = 1_000_000  # URLs not followed remembered, so that each is told of once


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
        self._aside = HashSet()

    def page(self, url: str, link: Link, task: Task) -> None:
        """Follow a page link, unless its URL is known or leads into a trap."""
        if self._frontier.knows(url):
            return
        depth, dynamic = task.depth + 1, looks_dynamic(url)
        trap = self._traps.of_page(url, depth, dynamic)
        if not trap and not self._frontier.add_page(url, depth, dynamic):
            trap = FULL
        self._decided(url, link, task, trap)

    def component(self, url: str, link: Link, task: Task) -> None:
        """Follow a component link, unless its URL has been taken or leads into a trap."""
        frontier, chain = self._frontier, task.chain + 1
        if frontier.has_taken(url):
            return
        if frontier.knows(url):
            frontier.add_component(url, link.requisite, task.depth, chain)
            return
        trap = self._traps.of_component(url, chain, link.requisite and chain == 1)
        if not trap and not frontier.add_component(url, link.requisite, task.depth, chain):
            trap = FULL
        self._decided(url, link, task, trap)

    def _decided(self, url: str, link: Link, task: Task, trap: str) -> None:
        """Tell of a URL met for the first time that it is followed, or which trap it is."""
        if not trap:
            if self._stories is not None:
                verdict = "followed: a requisite" if link.requisite else "followed"
                self._met(url, link, task, verdict)
        elif self.set_aside(url, link, task, trap):
            self._findings.trap(url, trap)

    def set_aside(self, url: str, link: Link, task: Task, verdict: str) -> bool:
        """Tell of a URL that is not followed; return whether this is the first time."""
        key = hash(url)
        if key in self._aside:
            return False
        if len(self._aside) < _ASIDE_LIMIT:
            self._aside.add(key)
        if self._stories is not None:
            self._met(url, link, task, verdict)
        return True

    def _met(self, url: str, link: Link, task: Task, verdict: str) -> None:
        assert self._stories is not None
        depth = task.depth + 1 if link.kind == PAGE else task.depth
        self._stories.met(url, task.url, link.kind, depth, verdict)
