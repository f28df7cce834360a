"""Every error of the connectivity agent; each has a code that the scheduler knows it by.

ConnectivityError
├── NoCrawl         there is no such crawl folder
├── BadCrawl        the folder holds no whole crawl
├── Forbidden       the folder is not one of a crawl; it is left alone
├── Elsewhere       the crawl lies on a machine that this agent does not serve; ask another
├── Busy            the folder is being deposited
├── OutOfStep       the scheduler forgot what it was told; begin the deposit again
└── Stalled         storage or scheduler took nothing for too long; ask again later
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


class Elsewhere(ConnectivityError):
    """The crawl lies on another machine; the message says which folder this agent serves."""

    code = "elsewhere"


class Busy(ConnectivityError):
    """The folder is being deposited."""

    code = "busy"


class OutOfStep(ConnectivityError):
    """The scheduler wants a part of a report again that it has taken already."""

    code = "out-of-step"


class Stalled(ConnectivityError):
    """Storage or scheduler took nothing for longer than the configured patience."""

    code = "stalled"
