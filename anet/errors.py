"""Every error of the networking toolkit.

AnetError
├── Overloaded             a bounded queue is full
├── Stopped                the service was stopped, and does nothing more
├── AddressInUse           somebody else listens there
├── PermissionRefused      this user may not listen there
├── InvalidAddress         the text is not host:port
├── TaskFailed             a worker process did not do its task; the others go on
│   ├── WorkerFailed           the function raised an exception
│   ├── WorkerDied             the process ended in the middle
│   ├── WorkerTooSlow          the task took longer than it may
│   ├── WorkerTooLarge         the task took more memory than it may
│   ├── WorkersUnavailable     no worker process could be started
│   └── NotSendable            arguments or result are no MessagePack values, or too large
└── HttpError
    ├── ConnectFailed      nobody answers at that address, or the name is unknown
    │   ├── ForbiddenAddress   the address may not be connected to
    │   ├── TunnelRefused      a proxy does not let us through
    │   └── TlsFailed          no TLS, or a certificate that is not good
    │       └── NoCommonProtocol   the server speaks none of the protocols offered inside TLS
    ├── ConnectionBroken   the peer went away in the middle
    ├── TimedOut           the peer is silent for too long
    ├── MalformedMessage   the peer does not speak HTTP/1
    ├── UnsafeMessage      what is to be sent would break out of its line
    └── BodyTooLarge       the body is larger than the reader accepts
"""


class AnetError(Exception):
    """Root of the toolkit's errors; the message says what happened and what to do."""


class Overloaded(AnetError):
    """A bounded queue is full; try later, or raise its limit."""


class Stopped(AnetError):
    """The service was stopped, and does nothing more."""


class AddressInUse(AnetError):
    """Another process listens on that address."""


class PermissionRefused(AnetError):
    """The operating system does not let this user listen on that address."""


class InvalidAddress(AnetError):
    """The text is not `host:port`."""


class TaskFailed(AnetError):
    """Root of why a worker process did not do its task; no other task is touched."""


class WorkerFailed(TaskFailed):
    """The function raised an exception.

    Attributes:
        type: the name of the exception's class.
        words: what the exception said.
    """

    def __init__(self, message: str, type: str, words: str) -> None:
        super().__init__(message)
        self.type = type
        self.words = words


class WorkerDied(TaskFailed):
    """The process that ran the task ended in the middle, or spoke nonsense and was killed."""


class WorkerTooSlow(TaskFailed):
    """The task took longer than it may; its process was killed."""


class WorkerTooLarge(TaskFailed):
    """The task took more memory than it may."""


class WorkersUnavailable(TaskFailed):
    """No worker process could be started, several times in a row."""


class NotSendable(TaskFailed):
    """A function, an argument or a result that cannot go between processes, or is too large."""


class HttpError(AnetError):
    """Root of what can go wrong in an exchange of HTTP messages."""


class ConnectFailed(HttpError):
    """No connection could be made."""


class ForbiddenAddress(ConnectFailed):
    """The name leads to an address that may not be connected to."""


class TunnelRefused(ConnectFailed):
    """A proxy does not let us through.

    Attributes:
        status: the proxy's answer: of HTTP, 407 when it wants credentials; of SOCKS, its code.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TlsFailed(ConnectFailed):
    """The server speaks no TLS, or its certificate is not good."""


class NoCommonProtocol(TlsFailed):
    """The server speaks none of the protocols that were offered inside TLS (RFC 7301)."""


class UnsafeMessage(HttpError):
    """A method, a target or a field that cannot be part of a head."""


class ConnectionBroken(HttpError):
    """The peer closed the connection before the message was whole."""


class TimedOut(HttpError):
    """The peer said nothing for longer than is waited."""


class MalformedMessage(HttpError):
    """What the peer sent is not HTTP/1, or passes a limit."""


class BodyTooLarge(HttpError):
    """The body is larger than the reader accepts."""
