"""Certificates of hosts, made when somebody asks for them, and TLS with them."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Any

from attrs import frozen
from cryptography.hazmat.primitives.asymmetric import ec
from OpenSSL import SSL
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from zope.interface import implementer

from agents.consultation.proxy.authority import Authority
from agents.urls import canonical, host
from anet.names import literal

HOSTS_LIMIT = 500  # hosts whose certificates are kept
_RENEWED = 30 * 86400  # seconds after which a host gets another certificate
_OPTIONS = SSL.OP_NO_COMPRESSION | SSL.OP_NO_RENEGOTIATION | SSL.OP_CIPHER_SERVER_PREFERENCE
_SESSION_ID = 32  # bytes that OpenSSL takes at most
_REACHED = "reached.invalid"  # stands for the address that a client has reached
_SPOKEN = b"http/1.1"  # inside (ALPN, RFC 7301)


class Mint:
    """Makes what TLS needs to speak for a host.

    All certificates are of one key, which is made at each start and never written. A host's
    certificate takes less than a millisecond, and is kept for its next connections.
    """

    def __init__(self, authority: Authority, clock: Callable[[], float] = time.time) -> None:
        """Let an authority sign; `clock` tells the seconds since 1970."""
        self.authority = authority
        self.key = ec.generate_private_key(ec.SECP256R1())
        self._clock = clock
        self._made = lru_cache(HOSTS_LIMIT)(self._make)

    def context(self, name: str) -> SSL.Context:
        """Return what speaks for a host: a name in ASCII, or an IP address without brackets."""
        return self._made(name, int(self._clock() // _RENEWED))

    def speaker(self, name: str = _REACHED) -> IOpenSSLServerConnectionCreator:
        """Return what makes TLS connections for a host that clients may name otherwise (SNI).

        Args:
            name: of the host; without one, it is the address that the client has reached.
        """
        return _Speaker(self, name)

    def _make(self, name: str, _: int) -> SSL.Context:
        now = datetime.fromtimestamp(self._clock(), UTC)
        certificate = self.authority.issue(name, self.key.public_key(), now)
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_2_VERSION)
        context.set_options(_OPTIONS)
        context.set_mode(SSL.MODE_RELEASE_BUFFERS)  # browsers keep many that are mostly idle
        context.set_session_id(name.encode()[:_SESSION_ID])
        context.set_alpn_select_callback(lambda _, offered: _spoken(offered))
        context.use_certificate(certificate)
        context.use_privatekey(self.key)
        context.add_extra_chain_cert(self.authority.certificate)

        def choose(connection: SSL.Connection) -> None:
            asked = named_host(connection.get_servername()) or name
            if asked == _REACHED:
                asked = plain_address(connection.get_app_data().transport.getHost().host)
            if asked != name:
                connection.set_context(self.context(asked))

        context.set_tlsext_servername_callback(choose)
        return context


@implementer(IOpenSSLServerConnectionCreator)
@frozen
class _Speaker:
    """Makes the TLS connections for one host."""

    _mint: Mint
    _name: str

    def serverConnectionForTLS(self, protocol: Any) -> SSL.Connection:
        connection = SSL.Connection(self._mint.context(self._name), None)
        connection.set_app_data(protocol)
        return connection


def plain_address(text: str) -> str:
    """Return an address as clients name it: no zone, and IPv4 not dressed up as IPv6."""
    address = ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _spoken(offered: list[bytes]) -> Any:
    return _SPOKEN if _SPOKEN in offered else SSL.NO_OVERLAPPING_PROTOCOLS


def named_host(name: bytes | None) -> str | None:
    """Return the host that a client of TLS names; None where it names none, or nonsense."""
    try:
        text = (name or b"").decode("ascii").lower()
    except UnicodeDecodeError:
        return None
    url = canonical(f"https://{text}/") if text and not literal(text) else None
    return text if url is not None and host(url) == text else None
