"""A request as a server's handler sees it."""

from typing import Any
from urllib.parse import parse_qsl, unquote

from attrs import define, field
from cryptography.x509 import Certificate
from twisted.internet.defer import Deferred

from anet.http.incoming import IncomingBody, Sink
from anet.http.message import Headers


@define(eq=False)
class Request:
    """A request whose head is here and whose body may still be on its way.

    Attributes:
        method: in capitals.
        target: as received: a path and query, or an absolute URL from a client of a proxy.
        headers: its fields.
        client: IP address of who asks.
        version: `1.1` or `1.0`.
        secure: whether it came inside TLS.
        body: what comes after the head; handlers take it by `read` or `deliver`.
        certificate: what the client showed of itself over TLS, as good as the server asks for;
            None without one, or without TLS.
        asker: who asks, as a handler that lets people in tells the handlers behind it.
    """

    method: str
    target: str
    headers: Headers
    client: str = ""
    version: str = "1.1"
    secure: bool = False
    body: IncomingBody = field(factory=IncomingBody, repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    asker: Any = field(default=None, repr=False)

    @property
    def path(self) -> str:
        """The path, percent-decoded; that of the URL when the target is absolute."""
        return unquote(self._local().partition("?")[0])

    @property
    def query(self) -> dict[str, str]:
        """The parameters, the last of a name; none when there are more than a hundred."""
        text = self._local().partition("?")[2]
        try:
            return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
        except ValueError:
            return {}

    def _local(self) -> str:
        if self.target.startswith("/") or "://" not in self.target.partition("?")[0]:
            return self.target  # a path may hold a URL
        rest = self.target.partition("://")[2]
        return rest[rest.find("/") :] if "/" in rest else "/"

    async def read(self, limit: int) -> bytes:
        """Return the body.

        Raises:
            BodyTooLarge: it has more than `limit` bytes.
            ConnectionBroken: it did not come whole, or was taken already.
        """
        return await self.body.read(limit)

    def deliver(self, sink: Sink) -> Deferred[int]:
        """Give the body to `sink`, piece by piece, as it arrives.

        Args:
            sink: takes each piece; a Deferred it returns holds the client back until it fires.

        Returns:
            Fires with the size of the body in bytes.

        Raises:
            ConnectionBroken: the client went away before the end, or the body was taken already.
        """
        return self.body.deliver(sink)
