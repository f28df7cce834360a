"""`host:port` texts, and which addresses belong to one's own network."""

import ipaddress

from attrs import frozen

from anet.errors import InvalidAddress


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
        host, colon, port = text.strip().rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if not (colon and host and port.isascii() and port.isdigit() and int(port) <= 65535):
            raise InvalidAddress(f"{text[:80]!r} is not an address: write host:port")
        return cls(host, int(port))


def is_loopback(host: str) -> bool:
    """Tell whether `host` is this machine's loopback, by name or by address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_public(ip: str) -> bool:
    """Tell whether an IP address is on the public internet, and not one's own network."""
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped if mapped is not None else address
    return address.is_global and not address.is_multicast
