"""Real sockets: a server of Twisted's, one of Debian's, and some that misbehave."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from helpers_of_names import a, reply, silent
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as run
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.protocol import DatagramProtocol, Factory, Protocol
from twisted.logger import globalLogPublisher
from twisted.names import authority, dns, server

from anet.dns import Resolver, Server, Sources
from anet.dns.datagram import _Asking
from anet.errors import ConnectFailed, TimedOut
from anet.names import resolve

SITE = ("site.test", dns.A)


@pytest.fixture
def resolver_at(tmp_path: Path) -> Iterator[Callable[..., Resolver]]:
    """Make resolvers that run until the test's end, without this machine's files."""
    made: list[Resolver] = []

    def make(*servers: Server, **options: Any) -> Resolver:
        sources = Sources(options.pop("table", ""), servers, tmp_path / "no", tmp_path / "no")
        made.append(Resolver(reactor, sources, **options))
        made[-1].startService()
        return made[-1]

    yield make
    for each in made:
        pytest_twisted.blockon(run(each.stopService()))


@ensureDeferred
async def test_over_udp(real: Any, resolver_at: Any) -> None:
    """One datagram each way for each version of IP."""
    real.datagrams.table = {SITE: [a("site.test", "192.0.2.1")]}
    resolver = resolver_at(real.address)
    assert await resolver.resolve("site.test") == ("192.0.2.1",)
    assert not real.stream.asked and resolver.figures.queries == 2


@ensureDeferred
async def test_answers_cut_short_are_asked_for_by_tcp(real: Any, resolver_at: Any) -> None:
    """What the cut answer held is not used."""
    cut = [a("site.test", "203.0.113.66")]
    real.datagrams.others = lambda query: reply(query, cut, trunc=1)
    many = [a("site.test", f"192.0.2.{number}") for number in range(100)]
    real.stream.table = {SITE: many}
    resolver = resolver_at(real.address)
    assert len(await resolver.resolve("site.test")) == 32
    assert sorted(real.stream.asked) == [SITE, ("site.test", dns.AAAA)]


@ensureDeferred
async def test_questions_leave_the_log_alone(real: Any, resolver_at: Any) -> None:
    """A crawl asks thousands of them; neither UDP nor TCP writes a line."""
    events: list[Any] = []
    real.datagrams.others = lambda query: reply(query, trunc=1)
    real.stream.table = {SITE: [a("site.test", "192.0.2.1")]}
    globalLogPublisher.addObserver(events.append)
    try:
        assert await resolver_at(real.address).resolve("site.test") == ("192.0.2.1",)
    finally:
        globalLogPublisher.removeObserver(events.append)
    assert not events


@ensureDeferred
async def test_a_message_of_thousands_of_records(real: Any, resolver_at: Any) -> None:
    """The largest there can be is read, or refused, and does not end anything."""
    real.datagrams.others = lambda query: reply(query, trunc=1)
    many = [a(f"n{number}.test", "192.0.2.1") for number in range(2000)]
    real.stream.table = {SITE: [*many, a("site.test", "192.0.2.1")]}
    resolver = resolver_at(real.address)
    try:
        assert await resolver.resolve("site.test") == ("192.0.2.1",)
    except ConnectFailed as error:  # Twisted refuses messages of very many compressed names
        assert "answers another question" in str(error)


@pytest.mark.parametrize(
    "nonsense", [b"", b"x", b"\0\0", b"\xff\xff", b"\0\3abc", b"\0\x0c" + bytes(12)]
)
@ensureDeferred
async def test_nonsense_over_tcp(real: Any, resolver_at: Any, nonsense: bytes) -> None:
    """The connection is given up at the first wrong message, or when the time is up."""

    class Rude(Protocol):
        def dataReceived(self, data: bytes) -> None:
            self.transport.write(nonsense)
            if len(nonsense) < 2:
                self.transport.loseConnection()

    real.datagrams.others = lambda query: reply(query, trunc=1)
    real.tcp.protocol = Rude
    with pytest.raises((ConnectFailed, TimedOut)):
        await resolver_at(real.address, patience=0.5).resolve("site.test")


@ensureDeferred
async def test_nobody_listens(real: Any, resolver_at: Any) -> None:
    """The kernel says so at once; nobody waits five seconds for the next server."""
    real.datagrams.table = {SITE: [a("site.test", "192.0.2.1")]}
    closed = reactor.listenUDP(0, DatagramProtocol(), interface="127.0.0.1")
    port = closed.getHost().port
    await closed.stopListening()
    resolver = resolver_at(Server("127.0.0.1", port), real.address)
    found = run(resolver.resolve("site.test"))
    assert await found.addTimeout(2, reactor) == ("192.0.2.1",)
    with pytest.raises(ConnectFailed, match="does not run"):
        await resolver_at(Server("127.0.0.1", port)).resolve("site.test")


class Lying(DatagramProtocol):
    """Sends four false answers before the true one: what a forger may try, and garbage."""

    def datagramReceived(self, data: bytes, address: Any) -> None:
        query = dns.Message()
        query.fromStr(data)
        false, other = [a("site.test", "203.0.113.66")], [dns.Query("other.test", dns.A)]
        for answer in (
            reply(query, false, id=(query.id + 1) % 65536),
            reply(query, false, queries=other),
            b"",
            data[:2] + b"\xff" * 500,
            reply(query, [a("site.test", "192.0.2.1")]),
        ):
            self.transport.write(answer, address)


@ensureDeferred
async def test_false_answers_are_waited_out(resolver_at: Any) -> None:
    """They do not take the true one's place."""
    port = reactor.listenUDP(0, Lying(), interface="127.0.0.1")
    resolver = resolver_at(Server("127.0.0.1", port.getHost().port))
    assert await resolver.resolve("site.test") == ("192.0.2.1",)
    await port.stopListening()


@ensureDeferred
async def test_answers_from_elsewhere_never_arrive(real: Any, resolver_at: Any) -> None:
    """Somebody who knows number and port, but is not the server, is not heard."""
    forger = reactor.listenUDP(0, DatagramProtocol(), interface="127.0.0.1")
    known: list[Any] = []

    def forge(query: dns.Message) -> bytes:
        for descriptor in reactor.getReaders():
            if isinstance(descriptor, _Asking):
                known.append(descriptor)
                address = descriptor._socket.getsockname()
                forger.write(reply(query, [a("site.test", "203.0.113.66")]), address)
        return reply(query, [a("site.test", "192.0.2.1")])

    real.datagrams.table = {SITE: forge}
    assert await resolver_at(real.address).resolve("site.test") == ("192.0.2.1",)
    assert known
    await forger.stopListening()


@ensureDeferred
async def test_a_server_that_cannot_be_reached(resolver_at: Any) -> None:
    """The operating system's own words are told."""
    with pytest.raises(ConnectFailed, match="cannot be asked"):
        await resolver_at(Server("255.255.255.255")).resolve("site.test")


@ensureDeferred
async def test_giving_up_leaves_the_look_up_to_others(real: Any, resolver_at: Any) -> None:
    """`anet.names.resolve` keeps its own time."""
    real.datagrams.others = silent
    resolver_at(real.address, patience=0.3)
    with pytest.raises(TimedOut, match=r"in 0\.05 seconds"):
        await resolve(reactor, "site.test", 0.05)
    with pytest.raises(TimedOut, match=r"within 0\.3 seconds"):
        await resolve(reactor, "site.test", 5.0)


@ensureDeferred
async def test_endpoints_use_it(real: Any, resolver_at: Any) -> None:
    """What Twisted connects by name goes through the running resolver, unknown names too."""
    real.datagrams.table = {SITE: [a("site.test", "127.0.0.1")]}
    resolver_at(real.address)
    listening = reactor.listenTCP(0, Factory.forProtocol(Protocol), interface="127.0.0.1")
    port = listening.getHost().port
    connected = await connectProtocol(HostnameEndpoint(reactor, b"site.test", port), Protocol())
    assert connected.transport.getPeer().host == "127.0.0.1"
    connected.transport.abortConnection()
    with pytest.raises(Exception, match="other.test"):
        await connectProtocol(HostnameEndpoint(reactor, b"other.test", port), Protocol())
    await listening.stopListening()


@ensureDeferred
async def test_a_server_of_twisted(resolver_at: Any, tmp_path: Path) -> None:
    """An authority with a zone file: addresses, an alias, and absence with the zone's time."""
    zone = tmp_path / "zone.py"
    zone.write_text("""
zone = [
    SOA('site.test', mname='ns.site.test', rname='root.site.test', serial=1,
        refresh=60, retry=60, expire=60, minimum=60, ttl=60),
    A('www.site.test', '192.0.2.1'), AAAA('www.site.test', '2001:db8::1'),
    CNAME('alias.site.test', 'www.site.test'),
]
""")
    factory = server.DNSServerFactory(authorities=[authority.PySourceAuthority(str(zone))])
    datagrams = dns.DNSDatagramProtocol(factory)
    port = reactor.listenUDP(0, datagrams, interface="127.0.0.1")
    resolver = resolver_at(Server("127.0.0.1", port.getHost().port))
    assert "192.0.2.1" in await resolver.resolve("www.site.test")
    assert "192.0.2.1" in await resolver.resolve("alias.site.test")
    with pytest.raises(ConnectFailed, match="unknown"):
        await resolver.resolve("no.site.test")
    await port.stopListening()


@pytest.fixture
def dnsmasq(tmp_path: Path) -> Iterator[Server]:
    """Run Debian's dnsmasq with a few names; `many.test` does not fit into a datagram."""
    closed = reactor.listenTCP(0, Factory(), interface="127.0.0.1")
    port = closed.getHost().port
    pytest_twisted.blockon(closed.stopListening())
    many = [f"--host-record=many.test,192.0.2.{number}" for number in range(60)]
    process = subprocess.Popen(
        [
            "/usr/sbin/dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
            "--no-hosts", f"--port={port}", "--listen-address=127.0.0.1", "--bind-interfaces",
            "--pid-file=", "--user=", "--group=", "--log-facility=-", "--local=/test/",
            "--host-record=site.test,192.0.2.1,2001:db8::1,60", "--cname=alias.test,site.test,30",
            *many,
        ],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "started" in line:
            break
    yield Server("127.0.0.1", port)
    process.terminate()
    process.communicate(timeout=10)


@ensureDeferred
async def test_a_server_of_debian(dnsmasq: Server, resolver_at: Any) -> None:
    """Addresses of both versions, an alias, many addresses by TCP, and absence."""
    resolver = resolver_at(dnsmasq)
    assert "192.0.2.1" in await resolver.resolve("site.test")
    assert await resolver.resolve("alias.test") == await resolver.resolve("site.test")
    assert len(await resolver.resolve("many.test")) == 32
    for name in ("no.test", "elsewhere.example"):  # the second it refuses: it forwards nothing
        with pytest.raises(ConnectFailed, match="unknown|answers with error"):
            await resolver.resolve(name)
