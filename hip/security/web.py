"""The certificates of agents for HTTP between them: what makes its TLS connections.

A server wants no certificate of who only reads, for a browser has none; but one that is shown has
to be good. A client shows its own, and takes a server's only from the same authority, and for the
host that it went to. Why a certificate is not taken is an error of OpenSSL as its others are, so
that whoever speaks inside needs to know nothing of this.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from cryptography.x509 import Certificate
from OpenSSL import SSL
from twisted.internet.interfaces import (
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
)
from twisted.logger import Logger
from zope.interface import implementer

from anet.errors import TlsFailed
from anet.names import ascii_name, literal
from hip.errors import CredentialsRefused, NotTrusted
from hip.security.credentials import Credentials, Loaded, utc_now
from hip.security.doorway import verify_host, why_not_good
from hip.security.guard import no_longer_good
from hip.security.roles import Identity
from hip.security.settings import Security

_log = Logger()


@implementer(IOpenSSLServerConnectionCreator)
class WebTls:
    """Makes the TLS connections of an agent's HTTP servers and clients.

    Its files are read again when they have changed, as they are for HIP.

    Args:
        security: which files.
        now: the time.
    """

    def __init__(self, security: Security, now: Callable[[], datetime] = utc_now) -> None:
        self._credentials = Credentials(security, _judge, now)
        self._now = now

    def serverConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        """Return a new connection of a server; Twisted asks for it."""
        try:
            connection = SSL.Connection(self._credentials.current().context, None)
        except CredentialsRefused as error:
            _log.error("nobody is let in: {error}", error=error)
            return SSL.Connection(SSL.Context(SSL.TLS_METHOD), None)  # which can show nothing
        connection.set_verify(SSL.VERIFY_PEER)  # of a certificate that is shown
        return connection

    def client(self, host: str) -> IOpenSSLClientConnectionCreator:
        """Return what makes connections to a host.

        Raises:
            TlsFailed: our own files are not in order.
        """
        try:
            return _Client(self._credentials.current(), host)
        except CredentialsRefused as error:
            raise TlsFailed(str(error)) from None

    def trusts(self, certificate: Certificate | None, roles: Collection[str]) -> bool:
        """Tell whether a certificate that was good at the handshake still is, and has a role.

        Args:
            certificate: what a client has shown; None is not trusted.
            roles: of which it needs one.
        """
        if certificate is None:
            return False
        try:
            revoked = self._credentials.current().revoked
            if no_longer_good(certificate, revoked, self._now()):
                return False
            return not Identity.of(certificate).roles.isdisjoint(roles)
        except (CredentialsRefused, NotTrusted):
            return False

    def is_for(self, host: str) -> bool:
        """Tell whether our own certificate is for a host, so that others believe us there.

        Raises:
            CredentialsRefused: our own files are not in order.
        """
        try:
            verify_host(self._credentials.current().certificate, host)
        except NotTrusted:
            return False
        return True


@implementer(IOpenSSLClientConnectionCreator)
class _Client:
    """Makes the TLS connections to one host."""

    def __init__(self, loaded: Loaded, host: str) -> None:
        self._context, self._host = loaded.context, host

    def clientConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        return _ConnectionTo(self._host, self._context)


class _ConnectionTo(SSL.Connection):
    """A client's TLS connection, which knows the host that it leads to, and names it (SNI)."""

    def __init__(self, host: str, context: SSL.Context) -> None:
        super().__init__(context, None)
        self.host = host
        if literal(host) is None:
            self.set_tlsext_host_name(ascii_name(host).encode())


def _judge(connection: SSL.Connection, certificate: Any, error: int, depth: int, ok: int) -> bool:
    """Take a certificate or not; OpenSSL asks of each one in a chain, the peer's own last.

    Raises:
        SSL.Error: it is not taken; pyOpenSSL hands it on as what came of the handshake.
    """
    if not ok:
        raise _error(why_not_good(error))
    if depth == 0 and isinstance(connection, _ConnectionTo):
        try:
            verify_host(certificate.to_cryptography(), connection.host)
        except NotTrusted as refusal:
            raise _error(str(refusal)) from None
    return True


def _error(words: str) -> SSL.Error:
    return SSL.Error([("", "", words)])
