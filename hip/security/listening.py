"""Waiting for slaves: over TLS, over a UNIX socket, or in the clear where that is allowed."""

from collections.abc import Callable
from typing import Any

from OpenSSL import SSL
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from zope.interface import implementer

from anet.address import Address
from anet.factories import factory_of
from anet.listening import listen
from hip.address import SocketPath
from hip.errors import CredentialsRefused, HipError, NotTrusted
from hip.peer import Peer
from hip.security.doorway import Doorway
from hip.security.guard import Guard
from hip.security.local import Threshold, listen_locally, user_ids

_log = Logger()
_Build = Callable[[], Peer]


def listen_for_slaves(
    reactor: Any, where: Address | SocketPath, build: _Build, name: str, guard: Guard
) -> Any:
    """Listen for slaves and return the listening port.

    Args:
        reactor: which reactor.
        where: the address or UNIX socket.
        build: makes the peer for a connection; called only for those who may come in.
        name: who listens, for errors.
        guard: tells who may come in.

    Raises:
        PlaintextRefused: the address is beyond loopback, and there is no certificate.
        CredentialsRefused: our certificate cannot be used.
        anet.errors.AddressInUse: another process listens there.
        anet.errors.PermissionRefused: this user may not listen there.
    """
    security = guard.security
    if isinstance(where, SocketPath):
        permitted = user_ids(security.users)
        factory = factory_of(lambda: Threshold(permitted, build, _say_refused))
        return listen_locally(reactor, where, factory, name, shared=bool(security.users))
    if security.has_certificate:
        guard.check()
        return listen(reactor, where, Entrance(reactor, build, guard), name)
    security.permit_plaintext(where)
    return listen(reactor, where, factory_of(build), name)


@implementer(IOpenSSLServerConnectionCreator)
class Entrance(TLSMemoryBIOFactory):
    """Where slaves come in over TLS: bounds the handshakes that are under way.

    Whoever connects and says nothing holds a place only until others need it: beyond the limit
    the oldest handshake is ended. An honest one takes milliseconds, and comes back if it was hit.
    """

    protocol = TLSMemoryBIOProtocol  # HIP gathers what it writes, so nothing here does it again

    def __init__(self, reactor: Any, build: _Build, guard: Guard) -> None:
        super().__init__(self, False, factory_of(self._doorway), reactor)
        self._reactor, self._build, self._guard = reactor, build, guard
        self._under_way: dict[Doorway, None] = {}  # in the order they came

    def serverConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        """Return a new TLS connection; Twisted asks for it."""
        return self._guard.connection()

    def buildProtocol(self, addr: Any) -> Any:
        """Return what takes a connection; None when our own files are not in order."""
        try:
            self._guard.check()
        except CredentialsRefused as error:
            _log.error("nobody is let in: {error}", error=error)
            return None
        return super().buildProtocol(addr)

    def stopFactory(self) -> None:
        """End the handshakes that are under way: nobody listens any longer."""
        for doorway in list(self._under_way):
            doorway.turn_away(NotTrusted("the agent is stopping"))

    def _doorway(self) -> Doorway:
        if len(self._under_way) >= self._guard.security.handshakes:
            oldest = next(iter(self._under_way))
            oldest.turn_away(NotTrusted("too many TLS handshakes are under way"))
        doorway = Doorway(
            self._reactor,
            self._guard.security.handshake_time,
            lambda connection: self._guard.admit(self._build(), connection),
            _say_refused,
            self._forget,
        )
        self._under_way[doorway] = None
        return doorway

    def _forget(self, doorway: Doorway) -> None:
        self._under_way.pop(doorway, None)


def _say_refused(error: HipError) -> None:
    _log.info("a connection is refused: {error}", error=error)
