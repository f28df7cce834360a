"""What connections to servers share, whatever version of HTTP they speak."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Protocol

from twisted.internet.defer import Deferred

from anet.http.incoming import IncomingBody, Sink
from anet.http.message import ResponseHead
from anet.tls import TlsSession

HEAD_LIMIT = 256 * 1024  # bytes; browsers stop at about as much
INTERIM_LIMIT = 20  # heads of status 1xx before the answer


class State(Enum):
    """Where a connection stands.

    IDLE --request--> HEAD --head complete--> BODY --body complete--> IDLE or CLOSED
    any state --connection lost, time out, nonsense--> CLOSED
    """

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    CLOSED = auto()


class Connection(Protocol):
    """A connection to one server, used for one exchange after another.

    Attributes:
        address: `ip:port` of the server, or of the proxy in between.
        state: where the connection stands.
        exchanges: how many answers came whole.
        tls: what was agreed upon, if TLS is spoken.
    """

    address: str
    state: State
    exchanges: int
    tls: TlsSession | None

    async def request(
        self, method: str, target: str, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> "ClientResponse":
        """Ask, and return the answer as soon as its head is here.

        Raises:
            HttpError: no head came; the connection is closed.
        """

    def abandon(self, body: IncomingBody) -> None:
        """Close if `body` is the one that is being taken."""

    def close(self) -> None:
        """Close now; what waits for an answer fails."""


class ClientResponse:
    """An answer whose head is here and whose body is on its way.

    Attributes:
        head: the head as received.
        address: `ip:port` of the server.
        tls: what was agreed upon with it, if TLS is spoken.
        sent: the head of the request as it was sent; by HTTP/2, as it would read in HTTP/1.
    """

    def __init__(
        self, head: ResponseHead, connection: Connection, body: IncomingBody, sent: bytes
    ) -> None:
        self.head = head
        self.sent = sent
        self.address = connection.address
        self.tls = connection.tls
        self._connection = connection
        self._body = body

    def deliver(self, sink: Sink) -> Deferred[int]:
        """Give the body to `sink`, piece by piece, as it arrives.

        Args:
            sink: takes each piece; a Deferred it returns holds the server back until it fires.
                An error it raises ends the connection.

        Returns:
            Fires with the size of the body in bytes.

        Raises:
            HttpError: the body did not come whole.
        """
        return self._body.deliver(sink)

    async def read(self, limit: int) -> bytes:
        """Return the body.

        Raises:
            BodyTooLarge: it has more than `limit` bytes; the connection is closed.
            HttpError: it did not come whole.
        """
        return await self._body.read(limit)

    def abandon(self) -> None:
        """Give up the body, and with it the connection; nothing happens once it is taken."""
        self._connection.abandon(self._body)
