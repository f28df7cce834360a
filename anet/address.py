"""`host:port` texts, and which addresses belong to one's own network."""

import ipaddress

from attrs import frozen

from anet.errors import InvalidAddress

_GIVEN_OUT = ipaddress.ip_network("2000::/3")  # all of IPv6 that the Internet uses so far
# Their last 32 bits are an IPv4 address: mapped (RFC 4291), or for a translator (RFC 6052).
_TRANSLATED = (ipaddress.ip_network("::ffff:0:0/96"), ipaddress.ip_network("64:ff9b::/96"))


@frozen
class Address:
    """Where to listen or connect.

    Attributes:
        host: a name or an IP address, without brackets.
        port: 0 to 65535; 0 lets the system choose when listening.
    """

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read `host:port` or `[IPv6]:port`.

        Raises:
            InvalidAddress: the text is neither.
        """
        host, _, port = text.strip().rpartition(":")
        bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        is_host = _is_ipv6(bare) if bare != host else _is_name(host)
        is_port = port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535
        if not (is_host and is_port):
            raise InvalidAddress(f"{text[:80]!r} is not an address: write host:port")
        return cls(bare, int(port))


def _is_name(host: str) -> bool:
    return 0 < len(host) <= 253 and host.isprintable() and not set(host) & set(" /[]@:")


def _is_ipv6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Tell whether `host` is this machine's loopback, by name or by address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_public(ip: str) -> bool:
    """Tell whether an IP address is on the public internet, and not one's own network.

    Loopback, private, link-local, shared, reserved and multicast addresses are not, nor are IPv6
    addresses that lead to such an IPv4 address.
    """
    try:
        return _is_public(ipaddress.ip_address(ip.partition("%")[0]))
    except ValueError:
        return False


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    if any(address in network for network in _TRANSLATED):
        return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    tunnelled = (address.sixtofour, *(address.teredo or ()))
    return (
        address in _GIVEN_OUT
        and address.is_global
        and all(inner is None or _is_public(inner) for inner in tunnelled)
    )
