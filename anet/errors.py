"""Every error of the networking toolkit.

AnetError
├── Overloaded             a bounded queue is full
├── Stopped                the service was stopped, and does nothing more
├── AddressInUse           somebody else listens there
├── PermissionRefused      this user may not listen there
├── InvalidAddress         the text is not host:port
└── HttpError
    ├── ConnectFailed      nobody answers at that address, or the name is unknown
    │   ├── ForbiddenAddress   the address may not be connected to
    │   └── TlsFailed          no TLS, or a certificate that is not good
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


class HttpError(AnetError):
    """Root of what can go wrong in an exchange of HTTP messages."""


class ConnectFailed(HttpError):
    """No connection could be made."""


class ForbiddenAddress(ConnectFailed):
    """The name leads to an address that may not be connected to."""


class TlsFailed(ConnectFailed):
    """The server speaks no TLS, or its certificate is not good."""


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
