"""The lines of one question: URLs from the index, their captures from the storage nodes.

Captures come urlkey by urlkey, a few at a time, as fast as they are taken; nothing is sorted that
does not belong to one urlkey. An answer has a bounded number of lines and of URLs looked at, and
tells where the next goes on.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import timedelta
from itertools import groupby

from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from agents import dates
from agents.consultation.access.rules import Rules
from agents.consultation.cdx.filters import CdxRefused
from agents.consultation.cdx.lines import Line, line_of
from agents.consultation.cdx.query import Query
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.readers.reader import Reader
from agents.consultation.urls.index import UrlIndex, decoded, encoded
from agents.consultation.urls.surt import surt
from agents.consultation.urls.tables import place_of
from anet.errors import Overloaded, Stopped
from anet.tasks import sleep
from anet.together import together

PAGE_URLS = 1000  # URLs of one page, of which `pageSize` may ask for some together
URLS_LIMIT = 100_000  # URLs that one answer looks at
COUNT_LIMIT = 1_000_000  # URLs that are counted
_GROUPS_AT_ONCE = 4  # urlkeys whose lines are in memory together
_AT_ONCE = 8  # URLs whose captures are asked for together
_SLICE = 100  # lines made before others have their turn
_URLS_AT_ONCE = 200  # asked of the index


@frozen
class Given:
    """A line, or the end of what is given.

    Attributes:
        line: a line; None at the end.
        resume: at the end, where the next answer goes on; empty when there is no more.
    """

    line: Line | None = None
    resume: str = ""


class CdxListing:
    """Answers questions.

    Args:
        clock: gives others their turn between many lines.
        retrieval: finds captures.
        index: knows the URLs.
        rules: what may not be shown.
    """

    def __init__(
        self, clock: IReactorTime, retrieval: Retrieval, index: UrlIndex, rules: Rules
    ) -> None:
        self._clock = clock
        self._retrieval, self._index, self._rules = retrieval, index, rules

    async def pages(self, query: Query, reader: Reader | None) -> int:
        """Return how many pages there are of the URLs that are asked for; none if all are hidden.

        Those of URLs that are kept back among others are counted, as they are passed over.
        """
        there = await self._index.urls(query.url, query.match, "", 1, reader)
        if not there.urls and there.after is None:
            return 0
        size = PAGE_URLS * query.page_size
        counted, _ = await self._index.skip(query.url, query.match, COUNT_LIMIT)
        return -(-counted // size)

    async def lines(self, query: Query, reader: Reader | None) -> AsyncIterator[Given]:
        """Yield the lines of a question, and then the end.

        Raises:
            CdxRefused: there is no such page.
            LookupFailed, NodesFailed: captures of a URL cannot be had now.
            Stopped, Overloaded: the index cannot be asked now.
        """
        left, last = abs(query.limit), None
        async for urls in self._groups(query, reader):
            if isinstance(urls, Given):
                yield urls
                return
            for line in kept(query, await self._wanted(query, urls, reader)):
                if not left:
                    yield Given(resume=resume_key(query, last))
                    return
                left, last = left - 1, line
                yield Given(line)
        yield Given()

    async def _groups(
        self, query: Query, reader: Reader | None
    ) -> AsyncIterator[list[str] | Given]:
        """Yield the URLs of some urlkeys, in order; at last where to go on, if there is more."""
        after, left = await self._beginning(query, reader)
        if query.match == "exact" and not query.resume:
            yield await self._exact(query, reader)
            return
        waiting: list[str] = []
        while left > 0:
            limit = min(left, _URLS_AT_ONCE)
            page = await self._index.urls(query.url, query.match, after, limit, reader)
            left -= len(page.urls)
            waiting += [each.url for each in page.urls]
            groups = [list(group) for _, group in groupby(waiting, surt)]
            waiting = groups.pop() if groups and page.after is not None and left > 0 else []
            for start in range(0, len(groups), _GROUPS_AT_ONCE):
                yield [url for group in groups[start : start + _GROUPS_AT_ONCE] for url in group]
            if page.after is None:
                return
            after = page.after
        if query.page is None:
            yield Given(resume=after)

    async def _beginning(self, query: Query, reader: Reader | None) -> tuple[str, int]:
        """Return where to begin in the index, and how many URLs to look at.

        Raises:
            CdxRefused: there is no such page.
        """
        if query.page is None:
            return query.resume.partition(".")[0], URLS_LIMIT
        size = PAGE_URLS * query.page_size
        skipped = query.page * size
        if query.match == "exact" and query.page:
            raise CdxRefused("an exact URL has one page, page=0")
        if skipped == 0:
            return "", size
        passed, after = await self._index.skip(query.url, query.match, min(skipped, COUNT_LIMIT))
        there = await self._index.urls(query.url, query.match, after, 1, reader)
        if passed < skipped or not (there.urls or there.after):
            raise CdxRefused(f"there is no page {query.page}")
        return after, size

    async def _exact(self, query: Query, reader: Reader | None) -> list[str]:
        """Return all URLs of a urlkey; the one asked for, also when the index does not know it."""
        try:
            page = await self._index.urls(query.url, "exact", "", _URLS_AT_ONCE, reader)
        except (Stopped, Overloaded):
            return [query.url]
        return list(dict.fromkeys([*(each.url for each in page.urls), query.url]))

    async def _wanted(self, query: Query, urls: list[str], reader: Reader | None) -> list[Line]:
        """Return the lines of some URLs that are wanted, by urlkey and date."""
        found: list[Line] = []
        for start in range(0, len(urls), _AT_ONCE):
            some = urls[start : start + _AT_ONCE]
            for captures in await together(
                self._retrieval.captures(url, heads=True) for url in some
            ):
                if isinstance(captures, Exception):
                    raise captures
                found += await self._lines_of(query, captures, reader)
        return sorted(found, key=lambda line: (line.urlkey, line.date))

    async def _lines_of(
        self, query: Query, captures: list[CaptureLine], reader: Reader | None
    ) -> list[Line]:
        """Return the lines that are wanted of a URL, which may have thousands."""
        found: list[Line] = []
        for start in range(0, len(captures), _SLICE):
            if start:
                await sleep(self._clock, 0)
            some = captures[start : start + _SLICE]
            lines = [line_of(each) for each in some if self._is_shown(each, reader)]
            found += [line for line in lines if query.takes(line)]
        return found

    def _is_shown(self, capture: CaptureLine, reader: Reader | None) -> bool:
        return self._rules.reason(capture.url, capture.date, reader) is None


def kept(query: Query, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines of some urlkeys in the order that is wanted, from where an answer goes on."""
    place, _, date = query.resume.partition(".")
    for urlkey, group in groupby(lines, lambda line: line.urlkey):
        begun = date if place_of(urlkey) == decoded(place) else ""
        ordered = collapsed(query, arranged(query, group))
        rest = [line for line in ordered if line.date > begun]
        yield from rest[query.limit :] if query.limit < 0 else rest


def resume_key(query: Query, last: Line | None) -> str:
    """Return what leads on after a line; only lines in the order of dates can be gone on after."""
    if last is None or query.order != "ascending" or query.page is not None:
        return ""
    return f"{encoded(place_of(last.urlkey), included=True)}.{last.date}"


def arranged(query: Query, lines: Iterable[Line]) -> list[Line]:
    """Return the lines of one urlkey in the order that is wanted."""
    if query.order == "reverse":
        return sorted(lines, key=lambda line: line.date, reverse=True)
    if query.order == "closest":
        return sorted(lines, key=lambda line: _apart(line.date, query.closest))
    return list(lines)


def collapsed(query: Query, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines without those that are as the one before, in one of the fields that count."""
    before: list[str] = []
    for line in lines:
        marks = [line.get(name)[:size] for name, size in query.collapse]
        if not any(one == other for one, other in zip(marks, before, strict=False)):
            yield line
            before = marks


def _apart(one: str, other: str) -> timedelta:
    return abs(dates.to_datetime(one) - dates.to_datetime(other))
