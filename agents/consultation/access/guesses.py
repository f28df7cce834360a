"""How often somebody may guess a credential wrongly. Pure."""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address

ALLOWED = 10  # wrong guesses at once
REGAINED = 30.0  # seconds in which one more is allowed
_REMEMBERED = 10_000  # addresses


class Guesses:
    """Wrong guesses by address; who has made too many has to wait.

    An IPv6 address counts with its network of 64 bits, all of which one person may have.
    """

    def __init__(self) -> None:
        self._spent: OrderedDict[str, float] = OrderedDict()  # when the last guess is forgotten

    def wait(self, address: str, now: float) -> float:
        """Return the seconds until an address may guess again; 0 when it may now."""
        until = self._spent.get(_network(address), now)
        return max(0.0, until - now - (ALLOWED - 1) * REGAINED)

    def wrong(self, address: str, now: float) -> None:
        """Note a wrong guess."""
        network = _network(address)
        until = max(now, self._spent.pop(network, now))
        self._spent[network] = until + REGAINED
        while len(self._spent) > _REMEMBERED:
            self._spent.popitem(last=False)

    def __len__(self) -> int:
        return len(self._spent)


def _network(address: str) -> str:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address) or parsed.ipv4_mapped:
        return address
    return str(IPv6Address(int(parsed) >> 64 << 64))
