"""Which addresses a crawler may connect to: by default, none of the operator's own network."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# IPv6 addresses that carry an IPv4 address through a translator in their last 32 bits.
_TRANSLATED = ip_network("64:ff9b::/96")


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
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _TRANSLATED:
        inner.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return all(one is None or one.is_global for one in inner)
