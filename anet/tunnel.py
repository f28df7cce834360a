"""Through an HTTP proxy to another host: CONNECT (RFC 9110 §9.3.6).

`Tunnel` is sans-I/O, as is that of `anet.socks`; `TunnelProtocol` drives one over a transport, and
then leaves the transport to the protocol that talks through the tunnel.
"""

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from attrs import field, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol as Connection
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure

from anet.address import Address
from anet.deadline import Deadline
from anet.errors import (
    ConnectionBroken,
    HttpError,
    InvalidAddress,
    MalformedMessage,
    TimedOut,
    TunnelRefused,
)

HEAD_LIMIT = 16 * 1024  # bytes of a proxy's answer
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: [^\r\n]*)?\r?\n")
_END = re.compile(rb"\r?\n\r?\n")
_UNAUTHORIZED = 407


@frozen
class Proxy:
    """An HTTP proxy to go out through.

    Attributes:
        address: where it is.
        credentials: `user:password`, or empty; never shown.
    """

    address: Address
    credentials: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"http://{self.address}"

    @classmethod
    def parse(cls, url: str) -> "Proxy":
        """Read `http://user:password@host:port`; what is special in either is percent-encoded.

        Raises:
            InvalidAddress: it is no such URL; the message does not repeat it, lest a password
                come into a log.
        """
        words = "a proxy is written http://host:port or http://user:password@host:port"
        try:
            parts = urlsplit(url)
            address = Address.parse(parts.netloc.rpartition("@")[2])
        except (ValueError, InvalidAddress):
            raise InvalidAddress(words) from None
        credentials = unquote(parts.netloc.rpartition("@")[0])
        right = parts.scheme == "http" and parts.path in ("", "/") and not parts.query
        if not right or not address.port or not credentials.isprintable():
            raise InvalidAddress(words)
        return cls(address, credentials)


class Words(Protocol):
    """What is said with a proxy, sans I/O, until there is a tunnel."""

    @property
    def request(self) -> bytes:
        """What to send first."""

    def receive(self, data: bytes) -> bytes | None:
        """Take what the proxy says; return the first bytes from beyond once the tunnel is there.

        Raises:
            HttpError: there will be no tunnel.
        """

    def reply(self) -> bytes:
        """Return what is to be sent after what was received, maybe nothing."""


class Tunnel:
    """The words with a proxy: `request` to send, and `receive` until the tunnel is there."""

    def __init__(self, proxy: Proxy, to: Address) -> None:
        self._proxy, self._to = proxy, to
        self._head = bytearray()

    @property
    def request(self) -> bytes:
        """What to send to the proxy first."""
        lines = [f"CONNECT {self._to} HTTP/1.1", f"Host: {self._to}"]
        if self._proxy.credentials:
            coded = b64encode(self._proxy.credentials.encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {coded}")
        return "\r\n".join([*lines, "", ""]).encode()

    def receive(self, data: bytes) -> bytes | None:
        """Take what the proxy says; return the first bytes from beyond once the tunnel is there.

        Raises:
            TunnelRefused: the proxy does not let us through; the message says what to do.
            MalformedMessage: it does not speak HTTP/1, or without end.
        """
        self._head += data
        if _could_not_be_http(self._head):
            raise MalformedMessage(f"the proxy {self._proxy} does not answer in HTTP")
        end = _END.search(self._head, 0, HEAD_LIMIT)
        if end is None:
            if len(self._head) >= HEAD_LIMIT:
                raise MalformedMessage(f"the answer of the proxy {self._proxy} has no end")
            return None
        status = _STATUS.match(self._head)
        if status is None:
            raise MalformedMessage(f"the proxy {self._proxy} does not answer in HTTP")
        self._judge(int(status[1]))
        return bytes(self._head[end.end() :])

    def reply(self) -> bytes:
        """Return nothing: all was said at first."""
        return b""

    def _judge(self, status: int) -> None:
        if 200 <= status < 300:
            return
        what = f"the proxy {self._proxy} does not let us through to {self._to}"
        if status == _UNAUTHORIZED and self._proxy.credentials:
            raise TunnelRefused(status, f"{what}: it refuses the user name and password given")
        if status == _UNAUTHORIZED:
            raise TunnelRefused(
                status, f"{what}: it wants credentials; write http://user:password@host:port"
            )
        raise TunnelRefused(
            status, f"{what}: it answers {status}; many proxies only lead to port 443"
        )


def _could_not_be_http(head: bytearray) -> bool:
    return not head.startswith(b"HTTP/1."[: len(head)])


class TunnelProtocol(Connection):
    """Asks a proxy for a tunnel, and then gives its transport to another protocol.

    The transport's reads go straight to that protocol from then on.

    Args:
        clock: for the time limit.
        tunnel: what to say to the proxy.
        build: makes the protocol to talk through the tunnel.
        failed: called once with the error, if there will be no tunnel.
        seconds: to wait for the proxy's whole answer.
    """

    transport: Any

    def __init__(
        self,
        clock: IReactorTime,
        tunnel: Words,
        build: Callable[[], Any],
        failed: Callable[[HttpError], object],
        seconds: float = 20.0,
    ) -> None:
        self._tunnel, self._build, self._failed = tunnel, build, failed
        self._deadline = Deadline(clock, self._late)
        self._seconds = seconds
        self._done = False

    def connectionMade(self) -> None:
        """Ask for the tunnel."""
        self._deadline.set(self._seconds)
        self.transport.write(self._tunnel.request)

    def dataReceived(self, data: bytes) -> None:
        """Take the proxy's answer."""
        if self._done:
            return
        try:
            first = self._tunnel.receive(data)
        except HttpError as error:
            self._fail(error)
            return
        if first is None:
            self.transport.write(self._tunnel.reply())
            return
        self._done = True
        self._deadline.stop()
        beyond = self._build()
        self.transport.protocol = beyond
        beyond.makeConnection(self.transport)
        if first:
            beyond.dataReceived(first)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Say so, if the tunnel was still to come."""
        self._fail(ConnectionBroken("the proxy closed the connection instead of an answer"))

    def _late(self) -> None:
        self._fail(TimedOut(f"the proxy did not answer in {self._seconds:g} seconds"))

    def _fail(self, error: HttpError) -> None:
        if self._done:
            return
        self._done = True
        self._deadline.stop()
        self.transport.abortConnection()
        self._failed(error)
