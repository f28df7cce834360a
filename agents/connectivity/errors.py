"""Every error of the connectivity agent; each has a code that the scheduler knows it by.

ConnectivityError
├── NoCrawl         there is no such crawl folder
├── BadCrawl        the folder holds no whole crawl
├── Forbidden       the folder is not one of a crawl; it is left alone
├── Busy            the folder is being deposited
└── Stalled         the storage took nothing for too long; ask again later
"""


class ConnectivityError(Exception):
    """Root of the agent's errors; the message says what happened and what to do."""

    code = "failed"


class NoCrawl(ConnectivityError):
    """There is no folder of that crawl."""

    code = "no-crawl"


class BadCrawl(ConnectivityError):
    """The folder holds no whole crawl: it cannot be deposited, however often it is tried."""

    code = "bad-crawl"


class Forbidden(ConnectivityError):
    """The path is not that of a crawl's folder."""

    code = "forbidden"


class Busy(ConnectivityError):
    """The folder is being deposited."""

    code = "busy"


class Stalled(ConnectivityError):
    """The storage took nothing for longer than the configured patience."""

    code = "stalled"
