"""The time between a connection and a peer: the TLS handshake.

CONNECTED --handshake done, certificate good--> the transport goes to the peer
CONNECTED --handshake failed, certificate not good, too slow, one too many--> closed

Nothing is kept for a peer, and nothing said to it, before it has proved who it is.
"""

from collections.abc import Callable
from typing import Any

from cryptography.x509 import Certificate
from OpenSSL import SSL
from service_identity import CertificateError, VerificationError
from service_identity.cryptography import (
    verify_certificate_hostname,
    verify_certificate_ip_address,
)
from twisted.internet.interfaces import IHandshakeListener, IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.deadline import Deadline
from anet.errors import ConnectFailed
from anet.names import ascii_name, literal
from hip.errors import HipError, NotTrusted

_REASONS = {  # of OpenSSL's X509_V_ERR_…
    3: "its authority has no revocation list here",
    9: "its certificate is not valid yet; compare the clocks",
    10: "its certificate has run out",
    11: "the revocation list is not valid yet; compare the clocks",
    12: "the revocation list has run out",
    18: "its certificate is signed by nobody but itself",
    19: "its certificate comes from another authority",
    20: "its certificate comes from another authority",
    21: "its certificate comes from another authority",
    22: "its certificate is too many steps from the authority",
    23: "its certificate has been revoked",
    26: "its certificate is not for this; a master's needs `hip certs create --host`",
}
_ALERTS = {  # what OpenSSL says of the peer's words, or of their absence
    "alert certificate required": "the peer wants a certificate",
    "did not return a certificate": "the peer shows no certificate",
    "alert unknown ca": "the peer does not trust our certificate's authority",
    "alert certificate revoked": "the peer says that our certificate has been revoked",
    "alert certificate expired": "the peer says that our certificate has run out",
    "alert bad certificate": "the peer does not take our certificate",
    "wrong version number": "the peer does not speak TLS",
    "record layer failure": "the peer does not speak TLS",
    "packet length too long": "the peer does not speak TLS",
    "http request": "the peer speaks HTTP and not TLS",
    "unsupported protocol": "the peer speaks no TLS of version 1.2 or later",
    "protocol version": "the peer speaks no TLS of version 1.2 or later",
}


def in_words(reason: str) -> str:
    """Return why a link ended, with what OpenSSL says of it put in words."""
    for alert, words in _ALERTS.items():
        if alert in reason:
            return words
    return reason


def verified(
    connection: SSL.Connection, _certificate: Any, error: int, _depth: int, ok: int
) -> bool:
    """Note why OpenSSL does not take a certificate; it is asked of each one in a chain."""
    doorway = connection.get_app_data()
    if not ok and isinstance(doorway, Doorway):
        doorway.blame(why_not_good(error))
    return bool(ok)


def why_not_good(error: int) -> str:
    """Return in words why OpenSSL does not take a certificate (X509_V_ERR_…)."""
    return _REASONS.get(error, f"its certificate is not good (OpenSSL's error {error})")


def verify_host(certificate: Certificate, host: str) -> None:
    """Check that a certificate is for the host that was asked for.

    Raises:
        NotTrusted: it is not.
    """
    try:
        if literal(host) is not None:
            verify_certificate_ip_address(certificate, host)
        else:
            verify_certificate_hostname(certificate, ascii_name(host))
    except (VerificationError, CertificateError, ConnectFailed, ValueError):  # no name for TLS
        raise NotTrusted(
            f"the certificate shown at {host} is not for {host}; "
            "`hip certs create --host` names a master's hosts"
        ) from None


@implementer(IHandshakeListener)
class Doorway(Protocol):
    """Waits for the handshake, and then gives the TLS transport to a peer.

    Args:
        clock: for the time limit.
        seconds: how long a handshake may take.
        admit: returns the peer for a connection whose handshake is done, or raises a HipError.
        refused: called once with the error, if there will be no peer.
        ended: called once when this doorway has done its work.
    """

    transport: Any

    def __init__(
        self,
        clock: IReactorTime,
        seconds: float,
        admit: Callable[[SSL.Connection], Any],
        refused: Callable[[HipError], object],
        ended: Callable[["Doorway"], object] = lambda _: None,
    ) -> None:
        self._seconds = seconds
        self._admit, self._refused, self._ended = admit, refused, ended
        self._deadline = Deadline(clock, self._late)
        self._blame = ""
        self._done = False

    def connectionMade(self) -> None:
        """Wait for the handshake."""
        self.transport.getHandle().set_app_data(self)
        self._deadline.set(self._seconds)

    def blame(self, words: str) -> None:
        """Remember why the peer's certificate is not good."""
        self._blame = self._blame or words

    def handshakeCompleted(self) -> None:
        """Let the peer in, or not."""
        if self._done:
            return
        try:
            peer = self._admit(self.transport.getHandle())
        except HipError as error:
            self.turn_away(error)
            return
        self._finish()
        self.transport.getHandle().set_app_data(None)  # lest this doorway live as long as the peer
        self.transport.wrappedProtocol = peer
        peer.makeConnection(self.transport)

    def turn_away(self, error: HipError) -> None:
        """Close the connection at once."""
        if not self._done:
            self._finish()
            self.transport.abortConnection()
            self._refused(error)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Say why there will be no peer."""
        if not self._done:
            self._finish()
            why = self._blame or in_words(reason.getErrorMessage())
            self._refused(NotTrusted(f"no TLS handshake: {why}"))

    def _late(self) -> None:
        self.turn_away(NotTrusted(f"no TLS handshake within {self._seconds:g} seconds"))

    def _finish(self) -> None:
        self._done = True
        self._deadline.stop()
        self._ended(self)
