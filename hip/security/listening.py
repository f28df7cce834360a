"""Waiting for slaves: over TLS, over a UNIX socket, or in the clear where that is allowed."""

from collections.abc import Callable
from typing import Any

from OpenSSL import SSL
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory
from zope.interface import implementer

from anet.address import Address
from anet.deadline import Deadline
from anet.factories import factory_of
from anet.gathering import PromptTLS
from anet.listening import listen
from hip.address import SocketPath
from hip.errors import CredentialsRefused, HipError, NotTrusted
from hip.peer import Peer
from hip.security.doorway import Doorway
from hip.security.guard import Guard
from hip.security.local import Threshold, listen_locally, user_ids

_log = Logger()
_Build = Callable[[], Peer]
GRACE = 5.0  # seconds that a handshake has in peace, also when there are too many


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
        return Entrance(reactor, build, guard).listen(where, name)
    security.permit_plaintext(where)
    return listen(reactor, where, factory_of(build), name)


@implementer(IOpenSSLServerConnectionCreator)
class Entrance(TLSMemoryBIOFactory):
    """Where slaves come in over TLS: bounds the handshakes that are under way.

    At the limit no more connections are accepted: the kernel keeps some hundreds waiting. When
    none of the handshakes ends within `GRACE` seconds the oldest is ended, and so on, so that
    those who connect and say nothing do not keep others out for long. (Ending the oldest at once
    made 1,500 slaves that came back together end each other's handshakes for 47 seconds.)
    """

    protocol = PromptTLS  # HIP gathers what it writes, so nothing here does it again

    def __init__(self, reactor: Any, build: _Build, guard: Guard) -> None:
        super().__init__(self, False, factory_of(self._doorway), reactor)
        self._reactor, self._build, self._guard = reactor, build, guard
        self._context = guard.context()
        self._begun: dict[Doorway, float] = {}  # when, by handshake under way, the oldest first
        self._deadline = Deadline(reactor, self._end_oldest)
        self._port: Any = None
        self._is_full = False

    def listen(self, where: Address, name: str) -> Any:
        """Begin to accept connections, and return the listening port.

        Raises:
            anet.errors.AddressInUse: another process listens there.
            anet.errors.PermissionRefused: this user may not listen there.
        """
        self._port = listen(self._reactor, where, self, name)
        return self._port

    def serverConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        """Return a new TLS connection; Twisted asks for it."""
        return SSL.Connection(self._context, None)

    def buildProtocol(self, addr: Any) -> Any:
        """Return what takes a connection; None when our own files are not in order."""
        try:
            self._context = self._guard.context()
        except CredentialsRefused as error:
            _log.error("nobody is let in: {error}", error=error)
            return None
        return super().buildProtocol(addr)

    def stopFactory(self) -> None:
        """End the handshakes that are under way: nobody listens any longer."""
        self._port = None
        for doorway in list(self._begun):
            doorway.turn_away(NotTrusted("the agent is stopping"))
        self._deadline.stop()

    def _doorway(self) -> Doorway:
        doorway = Doorway(
            self._reactor,
            self._guard.security.handshake_time,
            lambda connection: self._guard.admit(self._build(), connection),
            _say_refused,
            self._forget,
        )
        self._begun[doorway] = self._reactor.seconds()
        if len(self._begun) >= self._guard.security.handshakes and not self._is_full:
            self._is_full = True
            self._port.stopReading()
            self._wait_for_oldest()
        return doorway

    def _forget(self, doorway: Doorway) -> None:
        del self._begun[doorway]
        if not self._is_full or self._port is None:
            return
        if len(self._begun) < self._guard.security.handshakes:
            self._is_full = False
            self._deadline.lift()
            self._port.startReading()
        else:
            self._wait_for_oldest()

    def _wait_for_oldest(self) -> None:
        oldest = next(iter(self._begun.values()))
        self._deadline.set(max(0.0, oldest + GRACE - self._reactor.seconds()))

    def _end_oldest(self) -> None:
        oldest = next(iter(self._begun))
        oldest.turn_away(NotTrusted("too many TLS handshakes are under way"))


def _say_refused(error: HipError) -> None:
    _log.info("a connection is refused: {error}", error=error)
