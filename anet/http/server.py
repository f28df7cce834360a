"""An HTTP/1.1 server for agents: monitoring pages, storage nodes, the proxy."""

from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import DeferredList
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator

from anet.address import Address
from anet.factories import factory_of
from anet.http.plain import Prompt, Taker
from anet.http.server_connection import Handler, Limits, ServerConnection, ServerState
from anet.listening import listen
from anet.tls import over_tls

GRACE = 5.0  # seconds that requests under way are given when the server stops


class HttpServer(Service):
    """Serves one handler at one address; `prompt` and `taker` may answer before it.

    Args:
        reactor: which reactor.
        address: "host:port"; port 0 takes any that is free.
        handler: gives the answers.
        name: of the server, for errors and the log.
        limits: what is accepted.
        tls: makes the TLS connections; without it HTTP is spoken in the clear.

    Attributes:
        port: where it listens once started; the real one when 0 was asked for.
    """

    def __init__(
        self,
        reactor: Any,
        address: str,
        handler: Handler,
        *,
        name: str,
        limits: Limits | None = None,
        tls: IOpenSSLServerConnectionCreator | None = None,
        prompt: Prompt | None = None,
        taker: Taker | None = None,
    ) -> None:
        self.name: str = name
        self._reactor = reactor
        self._address = Address.parse(address)
        self.port = self._address.port
        self._state = ServerState(name, handler, limits or Limits(), reactor, prompt, taker)
        self._tls = tls
        self._listening: Any = None

    @property
    def address(self) -> str:
        """`host:port` where it listens."""
        return str(Address(self._address.host, self.port))

    @property
    def url(self) -> str:
        """Where it listens, as a URL."""
        return f"{'http' if self._tls is None else 'https'}://{self.address}/"

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return self._state.requests

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._state.connections)

    def startService(self) -> None:
        """Listen.

        Raises:
            AddressInUse: another process listens there.
            PermissionRefused: this user may not listen there.
        """
        super().startService()
        factory = factory_of(lambda: ServerConnection(self._state))
        if self._tls is not None:
            factory = over_tls(factory, self._tls, self._reactor)
        self._listening = listen(self._reactor, self._address, factory, self.name)
        self.port = self._listening.getHost().port

    async def stopService(self) -> None:
        """Stop listening, let requests under way end for a few seconds, then close."""
        super().stopService()
        listening, self._listening = self._listening, None
        if listening is not None:
            await listening.stopListening()
        ended = [connection.finish() for connection in list(self._state.connections)]
        late = self._reactor.callLater(GRACE, self._abort_all)
        try:
            await DeferredList(ended)
        finally:
            if late.active():
                late.cancel()

    def _abort_all(self) -> None:
        for connection in list(self._state.connections):
            connection.abort()
