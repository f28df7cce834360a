"""Where a site tells of its pages beside links: the sitemaps of its servers (sitemaps.org)."""

from collections.abc import Iterable

from agents import urls
from agents.crawler.frontier import Frontier, Task
from agents.delimitation import Delimitation

USUAL = "/sitemap.xml"  # asked for where robots.txt names none
SERVERS = 1000  # whose sitemaps are asked for
LIMIT = 100  # sitemaps of one robots.txt


class Sitemaps:
    """Queues the sitemaps of each server of a site, once.

    Args:
        frontier: takes them.
        delimitation: of the site; other servers' sitemaps are of no interest.
    """

    def __init__(self, frontier: Frontier, delimitation: Delimitation) -> None:
        self._frontier = frontier
        self._delimitation = delimitation
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
        for url in list(named)[:LIMIT] or [USUAL]:
            found = urls.canonical(url, task.url)
            if found is not None:
                self._frontier.add_component(found, True, 0, 1)
