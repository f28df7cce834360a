"""What is on the readers' screens: pages, and the parts that belong to each.

The parts of a page are read at the page's own date, so that a page is as it was at one time.
Whose part something is, browsers tell by `Referer`: the page itself, a part of it such as a style,
or only the origin of one of these. What has no referrer belongs to the newest page for some
seconds, and to the newest of the same origin after that, which is how service workers ask.

What a reader goes to, by a link or by hand, is no part: it is read at the date that the reader
chose, so that dates do not drift from page to page (*INA §2.4.3*). Only a redirection takes its
date along, for it is the same step.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import islice

from attrs import define, field

from agents.capture import Capture
from agents.consultation.asked import Asked
from agents.consultation.readers.destinations import DOCUMENT, OTHER, PAGE
from agents.consultation.readers.screen import Part, Screen
from agents.urls import canonical
from anet.http.message import parse_head

PAGES = 8  # of one reader
PARTS = 1000  # of one page, given or missing
URL_LIMIT = 2048  # characters of a part's URL that is remembered
MEMORY = 32_000_000  # characters, about, of all readers
SILENT = 10.0  # seconds that what has no referrer may come after the newest page
NEIGHBOURS = 20  # readers of one address among whom a part's page is looked for
LOADING = 2.0  # seconds in which a page may be for a frame of the page that refers to it
_REDIRECTIONS = frozenset((301, 302, 303, 307, 308))
_COST = 250  # characters that a part takes besides its URL


@define(eq=False)
class _Page:
    """A page on the screen, while it is asked for."""

    of: "_Seen"
    url: str
    date: str
    began: float
    seen: float
    parts: dict[str, Part] = field(factory=dict)
    missing: dict[str, None] = field(factory=dict)
    origins: set[str] = field(factory=set)
    unlisted: int = 0
    cost: int = _COST

    def screen(self) -> Screen:
        return Screen(
            self.url, self.date, tuple(self.parts.values()), tuple(self.missing), self.unlisted
        )

    def has_room(self, url: str) -> bool:
        """Tell whether one more part can be remembered; count it if not."""
        known = url in self.parts or url in self.missing
        fits = len(self.parts) + len(self.missing) < PARTS and len(url) <= URL_LIMIT
        self.unlisted += not (known or fits)
        return known or fits

    def refers(self, url: str) -> bool:
        """Tell whether a referrer is this page, or a part of it."""
        return url == self.url or url in self.parts


@define(eq=False)
class _Seen:
    """What one reader was given lately, the newest page first.

    Attributes:
        key: of the reader.
        address: where they read from.
        pages: the pages.
        moved: where a redirection led, at which date, and when that was.
    """

    key: str
    address: str
    pages: deque[_Page] = field(factory=deque)
    moved: tuple[str, str, float] = ("", "", 0.0)


_NOBODY: OrderedDict[str, _Seen] = OrderedDict()


class Screens:
    """The pages that were given to each reader."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, memory: int = MEMORY) -> None:
        """Remember pages in about so many characters; the reader seen least recently goes first.

        Args:
            clock: tells seconds.
            memory: characters.
        """
        self._clock = clock
        self._memory = memory
        self._cost = 0
        self._readers: OrderedDict[str, _Seen] = OrderedDict()
        self._at: dict[str, OrderedDict[str, _Seen]] = {}

    def date_for(self, asked: Asked) -> str:
        """Return the date of the page that what is asked for is a part of, or nothing."""
        seen = self._readers.get(asked.reader.key)
        if asked.destination in (DOCUMENT, PAGE) and seen is not None:
            url, date, when = seen.moved
            if url == asked.url and self._clock() - when < SILENT:
                return date
        page = self._page_of(asked)
        return "" if page is None else page.date

    def note(self, asked: Asked, capture: Capture) -> None:
        """Note what was given: a page, or a part of one."""
        page = self._page_of(asked)
        if page is not None:
            self._add(page, asked, capture)
        elif asked.destination in (DOCUMENT, PAGE):
            self._begin(asked, capture)

    def missed(self, asked: Asked) -> None:
        """Note what a page asked for in vain.

        What says neither whence it comes nor what it is for may well be the browser's own, such
        as its question whether it is online; no page lacks that.
        """
        if not asked.referrer and asked.destination == OTHER:
            return
        page = self._page_of(asked)
        if page is None:
            return
        self._touch(page.of)
        page.seen = self._clock()
        if not page.has_room(asked.url):
            return
        if asked.url not in page.parts and asked.url not in page.missing:
            page.missing[asked.url] = None
            self._grow(page, len(asked.url) + _COST)

    def of(self, key: str) -> list[Screen]:
        """Return what was given to the reader of a key, the newest page first."""
        seen = self._readers.get(key)
        return [page.screen() for page in seen.pages] if seen is not None else []

    def forget(self, key: str) -> None:
        """Forget what was given to the reader of a key."""
        seen = self._readers.pop(key, None)
        if seen is None:
            return
        self._cost -= sum(page.cost for page in seen.pages)
        others = self._at[seen.address]
        others.pop(key, None)
        if not others:
            del self._at[seen.address]

    def __len__(self) -> int:
        return len(self._readers)

    def _page_of(self, asked: Asked) -> _Page | None:
        """Return the page that what is asked for is a part of, or None."""
        destination = asked.destination
        if destination == DOCUMENT:
            return None
        if asked.referrer:
            page = self._referring(asked)
            if page is not None and destination == PAGE:
                return page if self._clock() - page.began < LOADING else None
            return page
        return self._silent(asked) if destination not in ("", PAGE) else None

    def _referring(self, asked: Asked) -> _Page | None:
        """Return the page that a referrer names, or the newest that has something of its origin.

        Browsers name but the origin to other origins, and pages name themselves as they like
        (`history.pushState`).
        """
        pages = self._pages(asked)
        for page in pages:
            if page.refers(asked.referrer):
                return page
        origin = _origin(asked.referrer)
        return next((page for page in pages if origin in page.origins), None)

    def _silent(self, asked: Asked) -> _Page | None:
        """Return the page that something without a referrer belongs to."""
        pages = self._pages(asked)
        if pages and self._clock() - pages[0].seen < SILENT:
            return pages[0]
        origin = _origin(asked.url)
        return next((page for page in pages if origin == _origin(page.url)), None)

    def _pages(self, asked: Asked) -> list[_Page]:
        """Return the pages that may have asked, the one that asked last first.

        A part from another host comes without the reader's cookie, and so by its address alone:
        it may be of any reader there.
        """
        key, address = asked.reader.key, asked.reader.address
        if key != address:
            seen = self._readers.get(key)
            near = [] if seen is None else [seen]
        else:
            near = list(islice(reversed(self._at.get(address, _NOBODY).values()), NEIGHBOURS))
        pages = [page for seen in near for page in seen.pages]
        if len(pages) > 1:
            pages.sort(key=_seen_last)
        return pages

    def _begin(self, asked: Asked, capture: Capture) -> None:
        """Begin a screen, or note where a redirection leads."""
        now = self._clock()
        key, address = asked.reader.key, asked.reader.address
        seen = self._readers.get(key)
        if seen is None:
            seen = self._readers[key] = _Seen(key, address)
            self._at.setdefault(address, OrderedDict())[key] = seen
        self._touch(seen)
        seen.moved = ("", "", 0.0)
        if capture.status in _REDIRECTIONS:
            seen.moved = (_location(capture), capture.date, now)
            return
        page = _Page(seen, asked.url, capture.date, now, now, origins={_origin(asked.url)})
        seen.pages.appendleft(page)
        if len(seen.pages) > PAGES:
            self._cost -= seen.pages.pop().cost
        self._grow(page, 0)
        self._cost += _COST

    def _touch(self, seen: _Seen) -> None:
        """Note that a reader reads; of those forgotten meanwhile there is nothing to note."""
        if seen.key in self._readers:
            self._readers.move_to_end(seen.key)
            self._at[seen.address].move_to_end(seen.key)

    def _add(self, page: _Page, asked: Asked, capture: Capture) -> None:
        self._touch(page.of)
        page.seen = self._clock()
        if not page.has_room(asked.url):
            return
        if asked.url not in page.parts:
            page.origins.add(_origin(asked.url))
            self._grow(page, 0 if asked.url in page.missing else len(asked.url) + _COST)
        page.missing.pop(asked.url, None)
        page.parts[asked.url] = Part(asked.url, capture.date, asked.destination, capture.status)

    def _grow(self, page: _Page, cost: int) -> None:
        page.cost += cost
        self._cost += cost
        while self._cost > self._memory and len(self._readers) > 1:
            self.forget(next(iter(self._readers)))


def _seen_last(page: _Page) -> float:
    return -page.seen


def _origin(url: str) -> str:
    """Return scheme, host and port of a canonical URL."""
    return url[: url.find("/", 8)]


def _location(capture: Capture) -> str:
    """Return where a redirection leads, canonical, or nothing."""
    try:
        location = parse_head(capture.head).headers.text(b"location")
    except ValueError:
        return ""
    return canonical(location, capture.url) or ""
