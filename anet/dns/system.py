"""What a machine says about names in resolv.conf(5) and hosts(5); only read here, not opened."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_address

from attrs import frozen

from anet.errors import ConnectFailed
from anet.names import ascii_name

_PORT = 53
_MOST_SERVERS = 3  # of resolv.conf, as the C library's
_MOST_DOMAINS = 6


@frozen
class Server:
    """A name server.

    Attributes:
        ip: its address.
        port: its port, of UDP and TCP.
    """

    ip: str
    port: int = _PORT

    @classmethod
    def parse(cls, text: str) -> "Server":
        """Return the server of an address: "192.0.2.1", "192.0.2.1:5353", "[2001:db8::1]:5353".

        Raises:
            ValueError: it is not one; names are not, for who would look them up?
        """
        if _is_address(text):
            return cls(text)
        ip, _, port = text.rpartition(":")
        ip = ip[1:-1] if ip.startswith("[") and ip.endswith("]") else ip
        number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else 0
        if not _is_address(ip) or not 0 < number < 65536:
            raise ValueError("the IP address of a name server, with or without :port")
        return cls(ip, number)

    def __str__(self) -> str:
        return self.ip if self.port == _PORT else f"{self.ip} port {self.port}"


@frozen
class Settings:
    """Whom to ask, and how patiently.

    Attributes:
        servers: asked in turn.
        search: domains in which a name without a dot is looked for.
        timeout: seconds that one server has for one answer.
        attempts: how often each server is asked.
    """

    servers: tuple[Server, ...] = (Server("127.0.0.1"),)
    search: tuple[str, ...] = ()
    timeout: float = 5.0
    attempts: int = 2

    def candidates(self, name: str) -> tuple[str, ...]:
        """Return the full names that a name may stand for, in order.

        A name with a dot stands for itself, whatever `ndots` says: names of the web are whole,
        and a wildcard in the operator's domain must not take the place of sites that are gone.
        """
        if "." in name:
            return (name,)
        return (*(f"{name}.{domain}" for domain in self.search), name)


def parse_resolv(text: str) -> Settings:
    """Return what a resolv.conf(5) says; lines that make no sense are passed over."""
    servers: list[Server] = []
    search: tuple[str, ...] = ()
    numbers = {"timeout": 5, "attempts": 2}
    for line in text.splitlines():
        match line.partition("#")[0].partition(";")[0].split():
            case ["nameserver", ip, *_] if _is_address(ip):
                servers.append(Server(ip))
            case ["search" | "domain", *domains]:
                search = tuple(_domains(domains))
            case ["options", *options]:
                for option in options:
                    key, _, value = option.partition(":")
                    if key in numbers and value.isascii() and value.isdigit():
                        numbers[key] = int(value[:9])
    return Settings(
        tuple(servers[:_MOST_SERVERS]) or (Server("127.0.0.1"),),
        search[:_MOST_DOMAINS],
        float(min(max(numbers["timeout"], 1), 30)),  # the C library's bounds
        min(max(numbers["attempts"], 1), 5),
    )


def parse_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Return the addresses of each name in a hosts(5) table; senseless lines are passed over."""
    table: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if not _is_address(address):
            continue
        for name in (each.rstrip(".").lower() for each in names):
            known = table.get(name, ())
            table[name] = known if address in known else (*known, address)
    return table


def _domains(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        with suppress(ConnectFailed):
            yield ascii_name(text.strip(".").lower())


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
