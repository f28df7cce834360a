"""What becomes of each link of a document: followed, or set aside and reported (*INA §1.4.1*).

A page of a site repeats most links of its neighbours. What a link text became is remembered for
each folder, so that only the first page of a folder pays for resolving and judging it.
"""

import re
from collections import Counter

from agents import urls
from agents.crawler.findings import Findings, folder
from agents.crawler.frontier import Frontier, Task
from agents.crawler.parsers import PAGE, Link, Parser
from agents.crawler.traps import repeats
from agents.delimitation import Delimitation

CHAIN_LIMIT = 20  # components of components; a frame that frames itself for ever stops here
MEMORY_LIMIT = 100_000  # link texts and folders remembered
_STREAM = re.compile(
    r"(?:mms[htu]?|rts?p[stu]?|rtmp[est]*|pnm|icy|icyx|lastfm):"
    r"|https?:[^?#]*\.(?:m3u8?|pls|asx|wax|wvx|ram|rpm|smil?|mpd|xspf)(?:[?#]|\Z)",
    re.IGNORECASE,
)
_NOTHING = ""


class Judge:
    """Judges links for one crawl.

    Args:
        delimitation: what belongs to the site.
        maximum_depth: levels of pages that are followed.
        frontier: takes what is followed.
        findings: takes what is reported.
    """

    def __init__(
        self,
        delimitation: Delimitation,
        maximum_depth: int,
        frontier: Frontier,
        findings: Findings,
    ) -> None:
        self._delimitation = delimitation
        self._maximum_depth = maximum_depth
        self._frontier = frontier
        self._findings = findings
        self._memory: dict[str, dict[tuple[str, str], str]] = {}
        self._remembered = 0

    def document(self, task: Task, url: str, parser: Parser) -> None:
        """Judge the links of a document.

        Args:
            task: what led to it.
            url: where it lies.
            parser: has read it whole.
        """
        base = (urls.canonical(parser.base, url) or url) if parser.base else url
        encoding = parser.encoding
        settled = self._settled(base, encoding)
        count: Counter[str] = Counter()
        for link in parser.links:
            key = (link.url, link.kind)
            known = settled.get(key)
            if known is None:
                known = self._settle(link, task, base, encoding)
                # What begins so is relative to the document, not to its folder.
                if link.url[0] not in "?#" and not link.feed:
                    settled[key] = known
                    self._remembered += 1
            count[known] += 1
        self._tell(folder(url), count)
        if parser.truncated:
            self._findings.traps.add(url, "the document has more links than are taken from one")

    def redirection(self, task: Task, url: str, location: str) -> None:
        """Judge where an answer redirects to, or says that it refreshes from.

        It is a component and not a requisite (*INA §1.4.2*); but where an image or a sheet moved
        to is what the page needs, so what a requisite redirects to is one too.
        """
        requisite = task.requisite and task.kind != PAGE
        kind = self._settle(Link(location, "component", requisite), task, url, "utf-8")
        self._tell(folder(url), Counter([kind]))

    def _settled(self, base: str, encoding: str) -> dict[tuple[str, str], str]:
        if self._remembered > MEMORY_LIMIT:
            self._memory.clear()
            self._remembered = 0
        key = base.partition("?")[0].rpartition("/")[0]
        if encoding != "utf-8":
            key += " " + encoding
        self._remembered += key not in self._memory
        return self._memory.setdefault(key, {})

    def _settle(self, link: Link, task: Task, base: str, encoding: str) -> str:
        """Follow a link or not; return how it counts: an external URL, a folder, or nothing."""
        url = urls.canonical(link.url, base, encoding)
        if _STREAM.match(url or link.url):
            self._findings.streams.add(url or link.url[: urls.LENGTH_LIMIT], task.url)
        if url is None:
            return _NOTHING
        if link.feed:
            self._findings.feeds.add(url, task.url)
        if not link.requisite and not self._delimitation.internal(url):
            return url
        if repeats(url):
            self._findings.traps.add(url, "the path repeats itself")
        elif link.kind == PAGE:
            self._page(url, task.depth + 1)
        elif task.chain >= CHAIN_LIMIT:
            self._findings.traps.add(url, f"{CHAIN_LIMIT} components of components")
        else:
            self._frontier.add_component(url, link.requisite, task.depth, task.chain + 1)
        return folder(url)

    def _page(self, url: str, depth: int) -> None:
        if depth <= self._maximum_depth:
            self._frontier.add_page(url, depth)
        else:
            self._findings.traps.add(url, "past the maximum depth")

    def _tell(self, source: str, count: Counter[str]) -> None:
        for destination, number in count.items():
            if destination.startswith(("http://", "https://")):
                self._findings.external(destination, number)
            elif destination:
                self._findings.edge(source, destination, number)
