"""What becomes of each link of a document: followed, or set aside and reported (*INA §1.4.1*).

A page of a site repeats most links of its neighbours. What a link text became is remembered for
what it depends on, a folder or a server, so that only the first page pays for judging it.
"""

import re
from collections.abc import Mapping
from sys import intern

from agents import urls
from agents.crawler.findings import Findings, folder
from agents.crawler.strategy.base import Base
from agents.crawler.strategy.following import Following
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.known_links import Key, Known, KnownLinks
from agents.crawler.strategy.stories import Stories
from agents.crawler.strategy.streams import has_end, is_stream
from agents.crawler.strategy.traps import LOST, TOO_LONG, TRUNCATED, Traps
from agents.delimitation import Delimitation
from agents.order import Strategy
from agents.parsers import COMPONENT, PAGE, Basis, Link
from agents.session_ids import without_session

DOCUMENT_LIMIT = 50_000  # links of one document remembered, so that each counts once
_COUNT_LIMIT = 2000  # destinations counted before they are reported, which takes a while
_SERVERS = 1000  # whose icon is asked for
_NOTHING = ""
_SHOWN = 200  # characters of a URL that is too long
_OTHER_SCHEME = re.compile(r"\s*+(?!https?:)[a-z][a-z0-9+.-]*+:", re.IGNORECASE)


class Judge:
    """Judges links for one crawl.

    Args:
        delimitation: what belongs to the site.
        maximum_depth: levels of pages that are followed.
        frontier: takes what is followed.
        findings: takes what is reported.
        strategy: where following stops besides.
        stories: takes what was decided of each URL; without it nobody is told.
    """

    def __init__(
        self,
        delimitation: Delimitation,
        maximum_depth: int,
        frontier: Frontier,
        findings: Findings,
        strategy: Strategy | None = None,
        stories: Stories | None = None,
    ) -> None:
        strategy = strategy or Strategy()
        self._delimitation = delimitation
        self._sessions = strategy.sessions
        traps = Traps(maximum_depth, strategy)
        self._following = Following(frontier, traps, findings, stories)
        self._findings = findings
        self.known = KnownLinks()
        self._shown: set[str] = set()  # servers of which a page was shown

    def document(self, task: Task, url: str, parser: Basis) -> "Document":
        """Return what judges the links of a document while they are found.

        Args:
            task: what led to it.
            url: where it lies.
            parser: reads it.
        """
        return Document(self, task, url, parser)

    def header(self, task: Task, link: Link) -> None:
        """Judge a link in the head of an answer.

        Where an image or a sheet moved to is what the page needs, so where a requisite redirects
        to is a requisite too.
        """
        if link.kind != PAGE and task.requisite:
            link = link._replace(requisite=True)
        kind = self.settle(link, task, Base.of(task.url), moved=True)
        self.tell(folder(task.url), {kind: 1})

    def favicon(self, task: Task) -> None:
        """Collect what browsers ask of each server whose pages they show, without any link."""
        server = urls.authority(task.url)
        if len(self._shown) < _SERVERS and server not in self._shown:
            self._shown.add(server)
            self.header(task, Link("/favicon.ico", COMPONENT, True))

    def feed(self, url: str, task: Task) -> None:
        """Report a feed that was found to be one, whether a page declares it or not."""
        self._findings.feeds.add(url, task.referrer)

    def truncated(self, url: str) -> None:
        """Report a document of which links may be missing."""
        self._findings.trap(url, TRUNCATED)

    def lost(self, url: str, reason: str) -> None:
        """Report a document whose parser failed."""
        self._findings.trap(url, LOST, reason)

    def settle(self, link: Link, task: Task, base: Base, moved: bool = False) -> str:
        """Follow a link or not; return how it counts: an external URL, a folder, or nothing.

        Args:
            link: as the document writes it.
            task: what led to the document.
            base: what the link is relative to.
            moved: whether it stands in the head of an answer, as where a document moved to does.
        """
        url = base.resolve(link.url)
        if link.stream or is_stream(url or link.url):
            self._findings.streams.add(url or link.url[: urls.LENGTH_LIMIT], task.url)
        if url is None:
            if len(link.url) > urls.LENGTH_LIMIT and not _OTHER_SCHEME.match(link.url):
                self._findings.trap(link.url[:_SHOWN], TOO_LONG)
            return _NOTHING
        if self._sessions:
            url = self._without_session(url, link, task, moved)
        if link.feed:
            self._findings.feeds.add(url, task.url)
        if not link.requisite and not self._delimitation.internal(url):
            self._following.set_aside(url, link, task, "external: outside the delimitation")
            return url
        if link.stream and not has_end(url):
            self._following.set_aside(url, link, task, "a stream: only reported")
        elif link.kind == PAGE:
            self._following.page(url, link, task)
        else:
            self._following.component(url, link, task, base)
        return intern(folder(url))

    def _without_session(self, url: str, link: Link, task: Task, moved: bool) -> str:
        """Return a URL without its session.

        A redirection that does nothing but give a session, be it by way of others, is followed as
        it is: without the session it would lead to itself, and what it hides would be missed.
        """
        plain = without_session(url)
        if plain == url or (plain == task.url and link.kind == COMPONENT):
            return url
        if moved and task.chain and not link.requisite and self._following.has_taken(plain):
            return url
        self._findings.sessions.add(url, plain)
        return plain

    def tell(self, source: str, count: Mapping[str, int]) -> None:
        """Report what links of one folder lead to."""
        for destination, number in count.items():
            if destination.startswith(("http://", "https://")):
                self._findings.external(destination, number)
            elif destination:
                self._findings.edge(source, destination, number)


def is_absolute(link: str) -> bool:
    """Tell whether what a link leads to depends on the server at most, not on the folder."""
    return link[0] == "/" or link[:7].lower() == "http://" or link[:8].lower() == "https://"


class Document:
    """Judges the links of one document while they are found.

    Links are counted once for each document, as far as `DOCUMENT_LIMIT` of them can be remembered.

    Attributes:
        basis: what its links depend on.
    """

    def __init__(self, judge: Judge, task: Task, url: str, basis: Basis) -> None:
        self._judge = judge
        self._task = task
        self._url = url
        self.basis = basis
        self._seen: set[Key] = set()
        self._count: dict[str, int] = {}
        self._relative_to = ("", "")
        self._base = Base.of(url)
        self._settled: Known = {}
        self._absolute: Known = {}

    def begin(self) -> None:
        """Take note, before each part of the document, what links in it are relative to."""
        relative_to = (self.basis.base, self.basis.encoding)
        if relative_to != self._relative_to:
            self._relative_to = relative_to
            base, encoding = relative_to
            url = (urls.canonical(base, self._url) or self._url) if base else self._url
            self._base = Base.of(url, encoding)
            self._settled = self._judge.known.relative_to(self._base.folder, encoding)
            self._absolute = self._judge.known.relative_to(self._base.origin, encoding)

    def take(self, link: Link) -> None:
        """Judge a link."""
        key = link[:5]  # all that is judged; the text of a link is not
        seen, count = self._seen, self._count
        if key in seen:
            return
        if len(seen) >= DOCUMENT_LIMIT:
            seen.clear()
        if len(count) >= _COUNT_LIMIT:
            self._tell()
        seen.add(key)
        if self.basis.base != self._relative_to[0]:
            self.begin()
        known = self._settled.get(key)
        if known is None:
            known = self._absolute.get(key)
            if known is None:
                known = self._settle(link, key)
        count[known] = count.get(known, 0) + 1

    def end(self) -> None:
        """Report what the links lead to."""
        self._tell()
        if self.basis.truncated:
            self._judge.truncated(self._url)

    def _settle(self, link: Link, key: Key) -> str:
        """Judge a link that no document before had, and remember what it became."""
        known = self._judge.settle(link, self._task, self._base)
        # What begins so is relative to the document, not to its folder.
        if link.url[:1] not in "?#" and self._judge.known.has_room():
            memory = self._absolute if is_absolute(link.url) else self._settled
            memory[key] = known
        return known

    def _tell(self) -> None:
        self._judge.tell(folder(self._url), self._count)
        self._count.clear()
