"""Names that are known without asking anybody."""

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path

from twisted.internet.interfaces import IReactorTime

from anet.dns.system import parse_hosts
from anet.dns.watched import Watched

LOOPBACK = ("127.0.0.1", "::1")


class Tables:
    """A table of our own, which wins over everything, and the machine's hosts file."""

    def __init__(self, clock: IReactorTime, own: str, hosts: Path) -> None:
        self._own = parse_hosts(own)
        self._hosts = Watched(clock, hosts, parse_hosts)

    def given(self, name: str) -> tuple[str, ...] | None:
        """Return where a name leads, which may be nowhere; None when servers must be asked."""
        given = self._own.get(name)
        if given is not None:
            return given
        hosts = self._hosts.value()
        given = reserved(name, hosts)
        return hosts.get(name) if given is None else given


def reserved(name: str, hosts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return where a name leads of which no server is asked; None for all others.

    `localhost` and what is under it is this machine (RFC 6761 §6.3), at those of its loopback
    addresses that the hosts table gives it; `invalid` (§6.4) and `onion` (RFC 7686) lead nowhere.
    """
    match name.rpartition(".")[2]:
        case "localhost":
            given = hosts.get("localhost", ())
            return tuple(ip for ip in given if ip_address(ip).is_loopback) or LOOPBACK
        case "invalid" | "onion":
            return ()
    return None
