"""Name servers that answer from a table, in memory and under a clock, for tests."""

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.names import dns

from anet.dns.question import Question
from anet.dns.system import Server
from anet.errors import ConnectFailed
from anet.tasks import sleep

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
    """A clock, and name servers in memory.

    Attributes:
        zones: name servers, by IP address.
        nameResolver: what was installed.
        open: questions that are neither answered nor given up.
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


async def by_memory(reactor: MemoryReactor, server: Server, question: Question) -> dns.Message:
    """Stand in for `anet.dns.exchange.by_udp`: ask a zone of the reactor."""
    zone = reactor.zones.get(server.ip)
    if zone is None:
        await sleep(reactor, 0)
        raise ConnectFailed("does not run")
    reactor.open += 1
    try:
        data = zone.answer(question.to_bytes())
        await (sleep(reactor, 0) if data is not None else Deferred())
        message = question.answer(data or b"")
        return message if message is not None else await Deferred()
    finally:
        reactor.open -= 1
