"""What can go wrong in the feed aggregator.

FeedError
├── NotAFeed     what a server gave is no feed
├── LookFailed   a look brought nothing
│   └── Gone     the feed is not there any more, for good
├── Crowded      the server is asked for too much already; later
└── TooMany      more feeds than this agent follows
"""


class FeedError(Exception):
    """Root of the feed aggregator's errors; the message says what happened."""


class NotAFeed(FeedError):
    """What a server gave is no feed, or too damaged to be one."""


class LookFailed(FeedError):
    """A look brought nothing.

    Attributes:
        rest: seconds for which the server asks to be left alone, or 0.
    """

    def __init__(self, message: str, rest: float = 0.0) -> None:
        super().__init__(message)
        self.rest = rest


class Gone(LookFailed):
    """The server says that the feed is gone for good (410)."""


class Crowded(FeedError):
    """Many wait for their turn at a server, or it rests.

    Attributes:
        seconds: until it is worth while to ask again.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"in {seconds:.0f} seconds")
        self.seconds = seconds


class TooMany(FeedError):
    """More feeds than this agent follows; give them to another, or raise its limit."""
