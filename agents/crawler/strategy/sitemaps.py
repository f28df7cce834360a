"""Where a site tells of its pages beside links: the sitemaps of its servers (sitemaps.org)."""

from collections.abc import Iterable

from agents import urls
from agents.crawler.findings import Findings
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.traps import SITEMAPS
from agents.delimitation import Delimitation

USUAL = "/sitemap.xml"  # asked for where robots.txt names none
SERVERS = 1000  # whose sitemaps are asked for
LIMIT = 100  # sitemaps of one robots.txt


class Sitemaps:
    """Queues the sitemaps of each server of a site, once.

    Args:
        frontier: takes them.
        delimitation: of the site; other servers' sitemaps are of no interest.
        findings: takes what is left aside.
    """

    def __init__(self, frontier: Frontier, delimitation: Delimitation, findings: Findings) -> None:
        self._frontier = frontier
        self._delimitation = delimitation
        self._findings = findings
        self._met: set[str] = set()

    def look(self, task: Task, named: Iterable[str]) -> None:
        """Queue the sitemaps of the server of a task.

        Args:
            task: about to be fetched.
            named: sitemaps that the server's robots.txt names.
        """
        server = urls.authority(task.url)
        if server in self._met or len(self._met) >= SERVERS:
            return
        if not self._delimitation.internal(task.url):
            return
        self._met.add(server)
        for count, url in enumerate(list(named) or [USUAL]):
            found = urls.canonical(url, task.url)
            if found is None:
                continue
            if count < LIMIT:
                self._frontier.add_component(found, True, 0, 1)
            else:
                self._findings.trap(found, SITEMAPS)
