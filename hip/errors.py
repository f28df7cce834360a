"""Every error of HIP.

HipError
├── ProtocolError       the peer does not speak HIP, or passes a limit; the link is closed
├── NotConnected        there is no link to call over
├── ConnectionLost      the link ended before the answer came
├── CallTimedOut        no answer within the time that the caller gave
├── Overloaded          more calls wait already than there is room for
├── CannotCarry         a value has no form on the wire
│   └── TooLarge        a value does not fit in a frame
├── PlaintextRefused    no TLS beyond loopback
├── NotTrusted          the peer's certificate, name, kind or user is not what it must be
├── CredentialsRefused  our own certificate, key or revocation list cannot be used
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


class Overloaded(HipError):
    """More calls wait already than there is room for, or the peer does not read: try later."""


class CannotCarry(HipError):
    """A value has a part that has no form on the wire."""


class TooLarge(CannotCarry):
    """A value does not fit in a frame."""


class PlaintextRefused(HipError):
    """A link beyond loopback would not be encrypted."""


class NotTrusted(HipError):
    """The peer has not proved who it is, or is not who it says."""


class CredentialsRefused(HipError):
    """A file of our own certificate is missing, unusable or has run out."""


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
CANNOT_CARRY = "cannot-carry"  # the answer has no form on the wire
UNREACHABLE = "unreachable"  # a descendant on the way is not there
AMBIGUOUS = "ambiguous"  # several descendants have the name
CANCELLED = "cancelled"
TIMED_OUT = "timed-out"  # the method worked longer than the caller waits
FORBIDDEN = "forbidden"  # the caller's certificate has none of the roles that may call it
