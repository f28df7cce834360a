"""Contexts for TLS connections to the web."""

from OpenSSL.SSL import Connection
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.internet.ssl import CertificateOptions, optionsForClientTLS
from twisted.protocols.tls import TLSMemoryBIOProtocol
from zope.interface import implementer


@implementer(IOpenSSLClientConnectionCreator)
class _Unverified:
    """Names the server (SNI) and takes any certificate."""

    def __init__(self, hostname: str) -> None:
        self._hostname = hostname.encode("idna")
        self._context = CertificateOptions(verify=False).getContext()

    def clientConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Connection:
        connection = Connection(self._context, None)
        connection.set_tlsext_host_name(self._hostname)
        return connection


def client_creator(hostname: str, verify: bool = True) -> IOpenSSLClientConnectionCreator:
    """Return what makes TLS connections to `hostname`.

    Args:
        hostname: the name that is asked for, and that the certificate must carry.
        verify: whether the certificate must be good. An archive records what the web gave,
            also from servers whose certificate has expired.
    """
    return optionsForClientTLS(hostname) if verify else _Unverified(hostname)
