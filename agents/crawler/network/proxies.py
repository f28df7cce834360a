"""The proxy of an order, by its URL."""

from base64 import b64encode

from anet.errors import InvalidAddress
from anet.http.connect import AnyProxy
from anet.socks import SocksProxy
from anet.tunnel import Proxy


def read_proxy(url: str | None) -> AnyProxy | None:
    """Return the proxy that an order names, if it names one.

    Args:
        url: `http://host:port` or `socks5://host:port`, with `user:password@` where the proxy
            asks for them.

    Raises:
        InvalidAddress: it is neither; the message does not repeat it, lest a password be shown.
    """
    if not url:
        return None
    scheme = url.partition(":")[0].lower()
    if scheme == "http":
        return Proxy.parse(url)
    if scheme.startswith("socks5"):
        return SocksProxy.parse(url)
    raise InvalidAddress("a proxy is written http://host:port or socks5://host:port")


def proxy_fields(proxy: AnyProxy | None) -> list[tuple[bytes, bytes]]:
    """Return what a request to an HTTP proxy says of who asks."""
    if not isinstance(proxy, Proxy) or not proxy.credentials:
        return []
    return [(b"Proxy-Authorization", b"Basic " + b64encode(proxy.credentials.encode()))]
