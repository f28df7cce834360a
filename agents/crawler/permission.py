"""Which addresses a crawler may connect to: by default, none of the operator's own network."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# IPv6 addresses that carry an IPv4 address in their last 32 bits: for a translator, or as of old.
_CARRIERS = (ip_network("64:ff9b::/96"), ip_network("::/96"))
_LOCAL = ip_network("64:ff9b:1::/48")  # translators of the operator's own (RFC 8215)


def public(address: str) -> bool:
    """Tell whether an IP address is of the public Internet.

    Loopback, private, link-local, shared, reserved and multicast addresses are not, nor are IPv6
    addresses that lead to such an IPv4 address.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _public(parsed)


def _public(address: IPv4Address | IPv6Address) -> bool:
    if not address.is_global or address.is_multicast or address.is_unspecified:
        return False
    if isinstance(address, IPv4Address):
        return True
    if address in _LOCAL:
        return False
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _CARRIERS):
        inner.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return all(one is None or one.is_global for one in inner)
