"""HTTP between the agents of an archive, guarded by the certificates that guard HIP.

docs/decisions/0031: storage nodes beyond loopback are reached over TLS, whose certificates come
from the archive's own authority, unless the operator says that the network is trusted.
"""

from typing import Any
from urllib.parse import urlsplit

from anet.address import Address, is_loopback
from anet.errors import ForbiddenAddress
from anet.http import HttpClient, PipelinedClient
from hip import CredentialsRefused, Security
from hip.security import WebTls


def http_client(reactor: Any, security: Security, **options: Any) -> HttpClient:
    """Return a client for the archive's own servers.

    It shows the agent's certificate, and believes only servers of the same authority. Without a
    certificate it believes the system's authorities, as for a server behind somebody's proxy. In
    the clear it speaks on loopback only, or where the network is trusted.

    Args:
        reactor: which reactor.
        security: what guards the agent's links.
        options: of `HttpClient`.
    """
    return HttpClient(reactor, **_guards(security), **options)


def pipelined_client(reactor: Any, security: Security, **options: Any) -> PipelinedClient:
    """Return a client as `http_client` does, for small answers that servers have at hand."""
    return PipelinedClient(reactor, **_guards(security), **options)


def _guards(security: Security) -> dict[str, Any]:
    def permit_plain(ip: str) -> bool:
        if security.insecure or is_loopback(ip):
            return True
        raise ForbiddenAddress(
            f"HTTP with {ip} would not be encrypted: let it serve HTTPS (`security.certificates`), "
            "or say `insecure: true` where the network is trusted"
        )

    tls = WebTls(security).client if security.has_certificate else None
    return {"permit_plain": permit_plain, "tls": tls}


def base_url(security: Security, address: str) -> str:
    """Return where a server is reached, if nobody says otherwise: beyond loopback over TLS."""
    encrypted = security.has_certificate and not is_loopback(Address.parse(address).host)
    return f"{'https' if encrypted else 'http'}://{address}"


def web_tls(security: Security, address: str, url: str) -> WebTls | None:
    """Return what makes the TLS connections of a server; None for one in the clear.

    Args:
        security: what guards the agent's links.
        address: "host:port" where it listens.
        url: where others reach it.

    Raises:
        PlaintextRefused: it would be in the clear beyond loopback.
        CredentialsRefused: the certificate cannot be used, or is not for the host of the URL.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if security.has_certificate and parts.scheme == "https":
        tls = WebTls(security)
        if not tls.is_for(host):
            raise CredentialsRefused(
                f"{security.certificate} is not for {host}, so nobody would believe {url}: make "
                "it with `hip certs create --host`, or say in `url` where others reach it"
            )
        return tls
    security.permit_plaintext(Address.parse(address), "HTTP")
    if parts.scheme == "http":
        security.permit_plaintext(Address(host, parts.port or 80), "HTTP")
    return None
