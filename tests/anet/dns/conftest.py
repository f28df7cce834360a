"""Name servers that answer from a table: in memory under a clock, and on loopback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from attrs import define
from helpers_of_names import MemoryReactor, Zone, by_memory
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as run
from twisted.internet.protocol import DatagramProtocol, Factory
from twisted.protocols.basic import Int16StringReceiver
from twisted.python.failure import Failure

from anet.dns import Resolver, Server, Sources


@define
class World:
    """A resolver in memory with one name server, 10.0.0.1, whose zone is at hand."""

    reactor: MemoryReactor
    folder: Path
    zone: Zone

    def resolver(self, **options: Any) -> Resolver:
        """Return a resolver that asks 10.0.0.1, unless told otherwise."""
        sources = Sources(
            options.pop("table", ""),
            options.pop("servers", (Server("10.0.0.1"),)),
            self.folder / "hosts",
            self.folder / "resolv.conf",
        )
        return Resolver(self.reactor, sources, **options)

    def begin(self, resolver: Resolver, host: str) -> list[Any]:
        """Ask for a name; return the list into which the addresses or the failure will come."""
        results: list[Any] = []
        run(resolver.resolve(host)).addBoth(results.append)
        self.turn()
        return results

    def ask(self, resolver: Resolver, host: str) -> tuple[str, ...]:
        """Return the addresses of a name that are told without a wait."""
        (result,) = self.begin(resolver, host)
        if isinstance(result, Failure):
            result.raiseException()
        return result

    def turn(self) -> None:
        """Let all arrive that is under way."""
        for _ in range(100):
            self.reactor.advance(0)

    def zone_at(self, ip: str, zone: Zone) -> Zone:
        """Put another name server into the world."""
        self.reactor.zones[ip] = zone
        return zone


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a world that both versions of IP reach; nothing is left open in the end."""
    monkeypatch.setattr("anet.dns.exchange.by_udp", by_memory)
    monkeypatch.setattr("anet.dns.resolver.routed", lambda: frozenset((4, 6)))
    made = World(MemoryReactor(), tmp_path, Zone())
    made.zone_at("10.0.0.1", made.zone)
    yield made
    assert not made.reactor.getDelayedCalls()
    assert made.reactor.open == 0


class _Datagrams(DatagramProtocol):
    def __init__(self, zone: Zone) -> None:
        self.zone = zone

    def datagramReceived(self, data: bytes, address: Any) -> None:
        answer = self.zone.answer(data)
        if answer is not None:
            self.transport.write(answer, address)


class _Stream(Int16StringReceiver):
    def stringReceived(self, string: bytes) -> None:
        answer = self.factory.zone.answer(string)
        if answer is not None:
            self.sendString(answer)


@define
class RealServer:
    """A name server on loopback, with one zone for UDP and one for TCP."""

    datagrams: Zone
    stream: Zone
    address: Server
    tcp: Factory


@pytest.fixture
def real() -> Iterator[RealServer]:
    """Listen on loopback, on the same port of UDP and TCP."""
    over_udp, factory = Zone(), Factory.forProtocol(_Stream)
    factory.zone = Zone()
    tcp = reactor.listenTCP(0, factory, interface="127.0.0.1")
    port = tcp.getHost().port
    udp = reactor.listenUDP(port, _Datagrams(over_udp), interface="127.0.0.1")
    yield RealServer(over_udp, factory.zone, Server("127.0.0.1", port), factory)
    pytest_twisted.blockon(udp.stopListening())
    pytest_twisted.blockon(tcp.stopListening())
