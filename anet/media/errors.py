"""What can go wrong with live media.

MediaError
├── NotAStream     what a server gave is no live stream that is understood
├── StreamRefused  the server does not give it; `gone` says that it never will
├── StreamEnded    the server says that it is over
└── StreamBroken   it broke off, fell silent, or cannot be understood any more
"""

from anet.errors import AnetError


class MediaError(AnetError):
    """Root of the errors of live media; the message says what happened."""


class NotAStream(MediaError):
    """What a server gave is no live stream that is understood."""


class StreamRefused(MediaError):
    """The server does not give the stream.

    Attributes:
        gone: whether it says that it never will again.
        rest: seconds for which it asks to be left alone, or 0.
    """

    def __init__(self, message: str, *, gone: bool = False, rest: float = 0.0) -> None:
        super().__init__(message)
        self.gone, self.rest = gone, rest


class StreamEnded(MediaError):
    """The server says that the stream is over."""


class StreamBroken(MediaError):
    """The stream broke off, fell silent, or cannot be understood any more."""
