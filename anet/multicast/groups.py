"""Where questions are asked: one group of addresses for each first byte of a key."""

import ipaddress

from attrs import field, frozen, validators

GROUPS = 256
MEMBERSHIPS = 20  # groups a socket may join, by the default of Linux


def _is_base(_: object, __: object, value: str) -> None:
    try:
        right = ipaddress.IPv4Address(value).is_multicast and value.endswith(".0")
    except ValueError:
        right = False
    if not right:
        raise ValueError("the first of 256 multicast addresses, 239.192.77.0")


@frozen
class Groups:
    """Where questions are asked.

    Attributes:
        port: UDP port of all groups.
        base: the group of keys that begin with byte 0; the others follow.
        interface: IP address of the network card that carries them.
        ttl: routers a datagram may pass, plus one; 0 stays on this machine.
        secret: shared by all who ask and answer; nobody else is heard.
    """

    port: int
    base: str = field(default="239.192.77.0", validator=_is_base)
    interface: str = "127.0.0.1"
    ttl: int = field(default=0, validator=[validators.ge(0), validators.le(255)])
    secret: str = field(default="", repr=False)

    def address(self, first: int) -> str:
        """Return the group of keys that begin with a byte."""
        return str(ipaddress.IPv4Address(self.base) + first)
