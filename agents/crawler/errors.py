"""Errors of the site crawler.

CrawlerError
├── CrawlFailed        the crawl can't go on; the message says why and what to do
│   ├── BadDisk        because the disk can't be written, which is no fault of the site's
│   └── NoRoom         because the disk is full, which is none either
├── Enough             as much of a body is here as is wanted
├── FetchFailed        one URL gave no answer
│   ├── TooLong        its body passes the limit of the order
│   └── LiveStream     it never ends; it is the streaming agent's
└── BadFormer          the former crawl's files can't be read
"""

from agents.order import Fault


class CrawlerError(Exception):
    """Root of the site crawler's errors."""


class CrawlFailed(CrawlerError):
    """The crawl can't go on; the message says why and what to do."""

    fault = Fault.SITE


class BadDisk(CrawlFailed):
    """The disk can't be written; a crawler of another machine may do better."""

    fault = Fault.CRAWLER


class NoRoom(CrawlFailed):
    """The disk is full; the same crawl may be made once it is not."""

    fault = Fault.DISK


class Enough(CrawlerError):
    """As much of a body is here as is wanted; what takes it says so to the one who fetches."""


class FetchFailed(CrawlerError):
    """One URL gave no answer.

    Attributes:
        again: whether another attempt may do better.
        reached: whether a connection to the server could be made.
    """

    def __init__(self, reason: str, again: bool = True, reached: bool = True) -> None:
        super().__init__(reason)
        self.again = again
        self.reached = reached


class TooLong(FetchFailed):
    """The body of an answer passes the limit of the order; it is cut off and not kept."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body passes {limit} bytes; it is cut off and not kept", again=False)


class LiveStream(FetchFailed):
    """What a URL answers has no end; it is not collected, but reported for the streaming agent."""

    def __init__(self) -> None:
        super().__init__("a live stream, which has no end", again=False)


class BadFormer(CrawlerError):
    """The former crawl's files can't be read."""
