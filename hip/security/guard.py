"""Who is let in, and for how long."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from cryptography import x509
from OpenSSL import SSL
from twisted.application.service import Service
from twisted.logger import Logger

from anet.tasks import Tasks, every
from hip.errors import CredentialsRefused, NotTrusted
from hip.methods import MASTER
from hip.peer import Peer
from hip.security.credentials import Credentials, utc_now
from hip.security.doorway import verified, verify_host
from hip.security.roles import Identity
from hip.security.settings import Security

_log = Logger()


def no_longer_good(
    certificate: x509.Certificate, revoked: frozenset[int], now: datetime
) -> str | None:
    """Return why a certificate that was good at the handshake counts no longer, or None."""
    if certificate.serial_number in revoked:
        return "its certificate has been revoked"
    if certificate.not_valid_after_utc <= now:
        return "its certificate has run out"
    return None


class Guard(Service):
    """Lets peers in by their certificates, and ends their links once those count no longer.

    Attributes:
        security: the settings.
    """

    def __init__(
        self, clock: Any, security: Security, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.security = security
        self._clock, self._now = clock, now
        self._credentials = Credentials(security, verified, now)
        self._admitted: dict[Peer, x509.Certificate] = {}
        self._tasks = Tasks()

    def startService(self) -> None:
        """Look at the certificates of those let in, again and again."""
        super().startService()
        if self.security.has_certificate:
            self._tasks = Tasks()
            self._tasks.start(
                every(self._clock, self.security.recheck, self.look_again), "certificates of peers"
            )

    async def stopService(self) -> None:
        """Look no longer."""
        super().stopService()
        await self._tasks.stop()

    def context(self) -> SSL.Context:
        """Return what makes TLS connections, either way, of our own files as they are now.

        Raises:
            CredentialsRefused: they are not in order; the message says what to do.
        """
        return self._credentials.current().context

    # Peers

    def admit(self, peer: Peer, connection: SSL.Connection, host: str | None = None) -> Peer:
        """Give a peer the roles of its certificate, and hold it to the name in it.

        Args:
            peer: who has not said a word yet.
            connection: its TLS connection, whose handshake is done.
            host: the host that it must be; None for a slave, which may be anywhere.

        Raises:
            NotTrusted: there is no certificate, or it is for another host or for no agent.
        """
        certificate = connection.get_peer_certificate(as_cryptography=True)
        if certificate is None:
            raise NotTrusted("the peer shows no certificate")
        if host is not None:
            verify_host(certificate, host)
        identity = Identity.of(certificate)
        peer.roles = identity.roles - {MASTER}  # a word for a place on the tree, not to be had
        _hold_to(identity, peer)
        self._admitted[peer] = certificate
        peer.closed.addCallback(lambda _: self._admitted.pop(peer))
        return peer

    def look_again(self) -> None:
        """End links whose certificates count no longer."""
        try:
            revoked = self._credentials.current().revoked
        except CredentialsRefused as error:
            _log.error("no new links: {error}", error=error)
            revoked = frozenset()  # those of the last list have been ended
        now = self._now()
        for peer, certificate in list(self._admitted.items()):
            why = no_longer_good(certificate, revoked, now)
            if why is not None:
                peer.close(why)


def _hold_to(identity: Identity, peer: Peer) -> None:
    """Welcome a peer only if it greets as whom its certificate says."""
    welcome = peer.on_greeted

    def compare(greeted: Peer) -> None:
        try:
            identity.permit(greeted.kind, greeted.name)
        except NotTrusted as error:
            greeted.close(str(error))
        else:
            welcome(greeted)

    peer.on_greeted = compare
