"""Every error of HIP.

HipError
├── ProtocolError       the peer does not speak HIP, or passes a limit; the link is closed
├── NotConnected        there is no link to call over
├── ConnectionLost      the link ended before the answer came
├── CallTimedOut        no answer within the time that the caller gave
├── TooLarge            a value does not fit in a frame
├── PlaintextRefused    no TLS beyond loopback
├── RemoteError         the callee answered with an error
└── CallRefused         raised by a method, to answer with an error
"""


class HipError(Exception):
    """Root of HIP's errors; the message says what happened and what to do."""


class ProtocolError(HipError):
    """The peer does not speak HIP, or passes a limit."""


class NotConnected(HipError):
    """There is no link to call over."""


class ConnectionLost(HipError):
    """The link ended before the answer came; whether the method ran is not known."""


class CallTimedOut(HipError):
    """No answer came within the time that the caller gave; the callee was told to stop."""


class TooLarge(HipError):
    """A value does not fit in a frame."""


class PlaintextRefused(HipError):
    """A link beyond loopback would not be encrypted."""


class _Coded(HipError):
    """An error that has a code on the wire."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class RemoteError(_Coded):
    """The callee answered with an error.

    Attributes:
        code: for programs, `busy`.
        message: for people.
    """


class CallRefused(_Coded):
    """Raised by a method to answer with an error that the caller can tell by its code.

    Attributes:
        code: for programs; a few words joined by hyphens.
        message: for people; what happened and what to do.
    """


UNKNOWN_METHOD = "unknown-method"
BAD_ARGUMENTS = "bad-arguments"
OVERLOADED = "overloaded"
FAILED = "failed"  # the method made a mistake; the callee's log says which
TOO_LARGE = "too-large"
UNREACHABLE = "unreachable"  # a descendant on the way is not there
CANCELLED = "cancelled"
