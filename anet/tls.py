"""TLS for clients and servers, and what a handshake tells of the other side."""

from collections.abc import Callable
from functools import cache
from typing import Any

from attrs import frozen
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import Certificate
from OpenSSL.SSL import Connection, Context
from OpenSSL.SSL import Error as TlsError
from twisted.internet.interfaces import (
    IHandshakeListener,
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.ssl import CertificateOptions, optionsForClientTLS
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.errors import ConnectionBroken, HttpError, NoCommonProtocol, TlsFailed
from anet.names import literal

CHAIN_LIMIT = 16  # certificates kept of a chain; no server needs as many


@frozen
class TlsSession:
    """What was agreed upon with a server.

    Attributes:
        version: such as `TLSv1.3`.
        cipher: OpenSSL's name of the cipher suite.
        chain: the certificates that the server sent, in DER, its own first.
        protocol: what is spoken inside (ALPN, RFC 7301), or empty when that was left open.
    """

    version: str
    cipher: str
    chain: tuple[bytes, ...]
    protocol: str = ""


@implementer(IOpenSSLClientConnectionCreator)
class _Unverified:
    """Names the server (SNI) and takes any certificate."""

    def __init__(self, hostname: str, protocols: tuple[bytes, ...]) -> None:
        self._hostname = None if literal(hostname) else hostname.encode("idna")
        self._protocols = list(protocols)

    def clientConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Connection:
        connection = Connection(_unverified_context(), None)
        if self._protocols:
            connection.set_alpn_protos(self._protocols)
        if self._hostname is not None:  # addresses are not named (RFC 6066 §3)
            connection.set_tlsext_host_name(self._hostname)
        return connection


@cache
def _unverified_context() -> Context:
    """Return a context for servers whose certificates may be bad; one serves all of them."""
    return CertificateOptions(verify=False).getContext()


def client_creator(
    hostname: str, verify: bool = True, protocols: tuple[bytes, ...] = ()
) -> IOpenSSLClientConnectionCreator:
    """Return what makes TLS connections to `hostname`.

    Args:
        hostname: the name that is asked for, and that the certificate must carry.
        verify: whether the certificate must be good. An archive records what the web gave,
            also from servers whose certificate has expired.
        protocols: which protocols are offered inside (ALPN), the best first; none leaves it open.
    """
    if not verify:
        return _Unverified(hostname, protocols)
    return optionsForClientTLS(hostname, acceptableProtocols=list(protocols) or None)


def over_tls(factory: Any, creator: IOpenSSLServerConnectionCreator, clock: Any) -> Any:
    """Return a server's factory whose protocols are spoken inside TLS.

    Args:
        factory: makes the protocols.
        creator: makes the TLS connections.
        clock: the reactor.
    """
    wrapping: Any = TLSMemoryBIOFactory(creator, False, factory, clock)
    wrapping.protocol = _ServerTls
    return wrapping


class _ServerTls(TLSMemoryBIOProtocol):
    """A server's end of TLS, which can say the end and still read.

    HTTP writes whole pieces: Twisted's own choice would hold them until the reactor's next turn, to
    gather what is gathered already.
    """

    def loseWriteConnection(self) -> None:
        """Say the end inside TLS; the connection ends when the client says its own.

        To close half of the TCP connection instead would break off the end of TLS.
        """
        self.loseConnection()


def is_tls(transport: Any) -> bool:
    """Tell whether what goes over a transport is encrypted by TLS at this end."""
    return isinstance(transport, TLSMemoryBIOProtocol)


def peer_certificate(transport: Any) -> Certificate | None:
    """Return the certificate that the other side has shown; None without one, or without TLS."""
    if not is_tls(transport):
        return None
    certificate: Certificate | None = transport.getHandle().get_peer_certificate(
        as_cryptography=True
    )
    return certificate


@implementer(IHandshakeListener)
class Handshake(Protocol):
    """Waits for the end of a TLS handshake, then leaves its transport to another protocol.

    Args:
        build: makes the protocol that speaks inside, from what was agreed upon.
        failed: called with the error, if the handshake comes to nothing.
    """

    transport: Any

    def __init__(
        self, build: Callable[[TlsSession], Any], failed: Callable[[HttpError], object]
    ) -> None:
        self._build = build
        self._failed = failed

    def handshakeCompleted(self) -> None:
        """Leave the transport to what speaks inside."""
        inner = self._build(session_of(self.transport))
        self.transport.wrappedProtocol = inner
        inner.makeConnection(self.transport)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Say that nothing was agreed upon."""
        self._failed(error_of(reason))


def session_of(transport: Any) -> TlsSession:
    """Return what was agreed upon on a transport whose handshake is over."""
    connection = transport.getHandle()
    certificates = connection.get_peer_cert_chain(as_cryptography=True) or []
    return TlsSession(
        connection.get_protocol_version_name(),
        connection.get_cipher_name() or "",
        tuple(each.public_bytes(Encoding.DER) for each in certificates[:CHAIN_LIMIT]),
        (transport.negotiatedProtocol or b"").decode("latin-1"),
    )


def error_of(reason: Failure) -> HttpError:
    """Return why a handshake came to nothing."""
    if not reason.check(TlsError):
        return ConnectionBroken("the server closed the connection instead of a TLS handshake")
    words = tls_words(reason.value)
    kind = NoCommonProtocol if "no application protocol" in words else TlsFailed
    return kind(f"TLS: {words}")


def tls_words(error: Any) -> str:
    """Return why TLS failed, in OpenSSL's words."""
    reasons = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return ", ".join(str(reason[-1]) for reason in reasons) or str(error) or "the handshake failed"
