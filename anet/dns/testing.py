"""Name servers that answer from a table, in memory and under a clock, for tests."""

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.task import Clock
from twisted.names import dns

Answer = list[dns.RRHeader] | Callable[[dns.Message], bytes | None]


def record(name: str, payload: Any, ttl: int = 300) -> dns.RRHeader:
    """Return a record of the DNS."""
    return dns.RRHeader(name, payload.TYPE, dns.IN, ttl, payload)


def a(name: str, ip: str, ttl: int = 300) -> dns.RRHeader:
    """Return an IPv4 address."""
    return record(name, dns.Record_A(ip), ttl)


def aaaa(name: str, ip: str, ttl: int = 300) -> dns.RRHeader:
    """Return an IPv6 address."""
    return record(name, dns.Record_AAAA(ip), ttl)


def cname(name: str, target: str, ttl: int = 300) -> dns.RRHeader:
    """Return an alias."""
    return record(name, dns.Record_CNAME(target), ttl)


def soa(zone: str, minimum: int, ttl: int = 3600) -> dns.RRHeader:
    """Return what says how long absence may be kept."""
    return record(zone, dns.Record_SOA(mname="ns", rname="root", minimum=minimum), ttl)


def reply(
    query: dns.Message,
    answers: list[dns.RRHeader] | None = None,
    authority: list[dns.RRHeader] | None = None,
    **header: Any,
) -> bytes:
    """Return the message that answers another."""
    message = dns.Message(query.id, answer=1, recAv=1, maxSize=0)  # of any size
    message.queries = query.queries
    message.answers, message.authority = answers or [], authority or []
    for name, value in header.items():
        setattr(message, name, value)
    return bytes(message.toStr())


def unknown(query: dns.Message) -> bytes:
    """Return the answer that there is no such name."""
    return reply(query, rCode=dns.ENAME)


def silent(_: dns.Message) -> None:
    """Answer nothing."""


@define
class Zone:
    """What a name server knows; names not in its table do not exist.

    Attributes:
        table: by name and kind, the records, or what makes an answer of a question.
        others: answers what is not in the table.
        asked: names and kinds asked for, in order.
    """

    table: dict[tuple[str, int], Answer] = field(factory=dict)
    others: Callable[[dns.Message], bytes | None] = unknown
    asked: list[tuple[str, int]] = field(factory=list)

    def answer(self, data: bytes) -> bytes | None:
        """Return the answer to a message; None to be silent."""
        query = dns.Message()
        query.fromStr(data)
        key = (query.queries[0].name.name.decode().lower(), query.queries[0].type)
        self.asked.append(key)
        answer = self.table.get(key, self.others)
        return reply(query, answer) if isinstance(answer, list) else answer(query)


class MemoryReactor(Clock):
    """A clock, and datagrams to name servers in memory; what is sent elsewhere is refused.

    Attributes:
        zones: name servers, by IP address.
        nameResolver: what was installed.
        open: sockets that were not closed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.zones: dict[str, Zone] = {}
        self.nameResolver: Any = None
        self.open = 0

    def installNameResolver(self, resolver: Any) -> Any:
        """Note what the reactor resolves names by."""
        before, self.nameResolver = self.nameResolver, resolver
        return before

    def listenUDP(self, port: int, protocol: Any, interface: str = "") -> Any:
        """Open a socket for datagrams."""
        self.open += 1
        return _MemoryPort(self, protocol)


@define
class _MemoryPort:
    reactor: MemoryReactor
    protocol: Any
    peer: str = ""

    def connect(self, ip: str, _port: int) -> None:
        self.peer = ip

    def write(self, data: bytes) -> None:
        zone = self.reactor.zones.get(self.peer)
        if zone is None:
            self.reactor.callLater(0, self.protocol.connectionRefused)
        elif (answer := zone.answer(data)) is not None:
            self.reactor.callLater(0, self.protocol.datagramReceived, answer, (self.peer, 53))

    async def stopListening(self) -> None:
        self.reactor.open -= 1
