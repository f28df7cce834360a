"""A resolver whose servers and clock are in memory."""

from typing import Any

import pytest
from helpers_of_names import (
    MemoryReactor,
    Zone,
    a,
    aaaa,
    by_memory,
    cname,
    reply,
    silent,
    soa,
    unknown,
)
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import CancelledError
from twisted.internet.defer import ensureDeferred as run
from twisted.internet.interfaces import IResolutionReceiver
from twisted.logger import globalLogPublisher
from twisted.names import dns
from zope.interface import implementer

from anet.dns import Keeping, Resolver, Server, Sources
from anet.dns.families import SECOND
from anet.dns.hostnames import tell
from anet.dns.resolver import AT_ONCE, HURRY
from anet.errors import ConnectFailed, Overloaded, Stopped, TimedOut
from anet.names import resolve

SITE = ("site.test", dns.A)
SITE6 = ("site.test", dns.AAAA)


def fail(query: dns.Message) -> bytes:
    """Answer that the server has failed."""
    return reply(query, rCode=dns.ESERVER)


def test_both_versions_of_ip_are_asked_for_at_once(world: Any) -> None:
    """IPv6 comes first, as RFC 6724 has it."""
    world.zone.table = {
        SITE: [a("site.test", "192.0.2.1")],
        SITE6: [aaaa("site.test", "2001:db8::1")],
    }
    resolver = world.resolver()
    assert world.ask(resolver, "Site.Test.") == ("2001:db8::1", "192.0.2.1")
    assert sorted(world.zone.asked) == [SITE, SITE6]


def test_addresses_are_kept_for_their_time(world: Any) -> None:
    """Within it nobody is asked; after it the change is seen."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1", 60)]}
    resolver = world.resolver()
    world.ask(resolver, "site.test")
    world.zone.table = {SITE: [a("site.test", "192.0.2.2", 60)]}
    world.reactor.advance(59)
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)
    assert len(world.zone.asked) == 2
    world.reactor.advance(1)
    assert world.ask(resolver, "site.test") == ("192.0.2.2",)
    figures = resolver.figures
    assert (figures.hits, figures.misses, figures.queries, figures.size) == (1, 2, 4, 1)


def test_absence_is_kept_as_the_zone_says(world: Any) -> None:
    """An unknown name is not asked for again and again (RFC 2308)."""
    world.zone.others = lambda query: reply(query, [], [soa("test", 30)], rCode=dns.ENAME)
    resolver = world.resolver()
    for _ in range(3):
        with pytest.raises(ConnectFailed, match="site.test is unknown"):
            world.ask(resolver, "site.test")
    assert len(world.zone.asked) == 2
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")]}
    world.reactor.advance(30)
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)


def test_a_name_without_addresses_is_unknown(world: Any) -> None:
    """A domain that only has mail is no web site."""
    world.zone.others = lambda query: reply(query, [], [soa("test", 30)])
    with pytest.raises(ConnectFailed, match="unknown"):
        world.ask(world.resolver(), "site.test")


@pytest.mark.parametrize("ttl", [0, 2**31, 2**32 - 1])
def test_times_to_live_of_none(world: Any, ttl: int) -> None:
    """Even they are kept for the shortest time."""
    world.zone.table = {SITE: lambda query: reply(query, [a("site.test", "192.0.2.1", ttl)])}
    resolver = world.resolver(keeping=Keeping(shortest=5))
    world.ask(resolver, "site.test")
    world.reactor.advance(4.9)
    world.ask(resolver, "site.test")
    assert resolver.figures.hits == 1
    world.reactor.advance(0.1)
    world.ask(resolver, "site.test")
    assert resolver.figures.misses == 2


def test_times_to_live_of_decades(world: Any) -> None:
    """No server makes us believe it for longer than a day."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1", 2**31 - 1)]}
    resolver = world.resolver()
    world.ask(resolver, "site.test")
    world.reactor.advance(86_400)
    world.ask(resolver, "site.test")
    assert resolver.figures.misses == 2


def test_who_asks_for_the_same_name_shares_a_look_up(world: Any) -> None:
    """A hundred of them are two questions, and one who leaves takes nothing from the others."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")]}
    resolver, results = world.resolver(), []
    asking = [run(resolver.resolve("site.test")).addBoth(results.append) for _ in range(100)]
    asking[0].cancel()
    world.turn()
    assert results[0].check(CancelledError)
    assert results[1:] == [("192.0.2.1",)] * 99
    assert len(world.zone.asked) == 2


def test_the_cache_is_bounded(world: Any) -> None:
    """The name longest unasked for gives way."""
    world.zone.others = lambda query: reply(query, [a(str(query.queries[0].name), "192.0.2.1")])
    resolver = world.resolver(size=3)
    for name in ("a.test", "b.test", "c.test", "a.test", "d.test", "a.test", "b.test"):
        world.ask(resolver, name)
    assert (resolver.figures.size, resolver.figures.hits) == (3, 2)


def test_servers_are_asked_in_turn(world: Any) -> None:
    """One that does not run, one that fails and one that is silent are passed over."""
    world.zone.others = fail
    world.zone_at("10.0.0.2", Zone(others=silent))
    world.zone_at("10.0.0.3", Zone({SITE: [a("site.test", "192.0.2.1")]}))
    servers = tuple(Server(f"10.0.0.{number}") for number in (9, 1, 2, 3))
    resolver = world.resolver(servers=servers)
    results = world.begin(resolver, "site.test")
    assert not results
    world.reactor.advance(5)
    world.turn()
    assert results == [("192.0.2.1",)]


def test_the_server_that_answered_is_asked_first(world: Any) -> None:
    """A dead one costs its five seconds once."""
    world.zone.others = silent
    good = world.zone_at("10.0.0.2", Zone({SITE: [a("site.test", "192.0.2.1")]}))
    resolver = world.resolver(servers=(Server("10.0.0.1"), Server("10.0.0.2")))
    results = world.begin(resolver, "site.test")
    world.reactor.advance(5)
    world.turn()
    assert results == [("192.0.2.1",)]
    good.table["two.test", dns.A] = [a("two.test", "192.0.2.2")]
    assert world.ask(resolver, "two.test") == ("192.0.2.2",)


def test_silent_servers(world: Any) -> None:
    """Each is asked twice for five seconds; then the answer is that there is none, for a while."""
    world.zone.others = silent
    resolver = world.resolver()
    results = world.begin(resolver, "site.test")
    world.reactor.pump([1.0] * 9)
    assert not results and len(world.zone.asked) == 4
    world.reactor.pump([1.0] * 2)
    assert results[0].check(TimedOut)
    assert "server 10.0.0.1 is silent" in results[0].getErrorMessage()
    with pytest.raises(TimedOut):
        world.ask(resolver, "site.test")
    assert len(world.zone.asked) == 4
    assert resolver.figures.failures == 1


def test_a_look_up_ends_in_bounded_time(world: Any) -> None:
    """However many servers there are."""
    world.zone.others = silent
    resolver = world.resolver(servers=(Server("10.0.0.1"),) * 50, patience=12)
    results = world.begin(resolver, "site.test")
    world.reactor.pump([1.0] * 13)
    assert results[0].check(TimedOut)


def test_a_search_ends_in_bounded_time(world: Any) -> None:
    """However many domains there are in which to look for a name."""
    (world.folder / "resolv.conf").write_text("search a.test b.test\nnameserver 10.0.0.1\n")
    world.zone.others = silent
    results = world.begin(world.resolver(servers=(), patience=12), "box")
    world.reactor.pump([1.0] * 13)
    assert results[0].check(TimedOut)


def test_servers_that_fail(world: Any) -> None:
    """It is told which did what."""
    world.zone.others = fail
    with pytest.raises(ConnectFailed, match=r"server 10\.0\.0\.1 answers with error 2"):
        world.ask(world.resolver(), "site.test")


def test_old_addresses_are_better_than_none(world: Any) -> None:
    """While no server answers, what was known stands in for an hour (RFC 8767), no longer."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1", 60)]}
    resolver = world.resolver(keeping=Keeping(failure=10, stale=3600))
    world.ask(resolver, "site.test")
    world.zone.table, world.zone.others = {}, fail
    world.reactor.advance(60)
    asked = len(world.zone.asked)
    for _ in range(3600 // 12 + 1):
        assert world.ask(resolver, "site.test") == ("192.0.2.1",)
        world.reactor.advance(12)
    assert len(world.zone.asked) > asked + 100
    with pytest.raises(ConnectFailed, match="could not be looked up"):
        world.ask(resolver, "site.test")


def test_old_addresses_need_no_long_wait(world: Any) -> None:
    """They are told after two seconds of silence; the look-up goes on, and its end counts."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1", 60)]}
    resolver = world.resolver()
    world.ask(resolver, "site.test")
    world.zone.table, world.zone.others = {}, silent
    world.reactor.advance(60)
    results = world.begin(resolver, "site.test")
    assert not results
    world.reactor.advance(HURRY)
    assert results == [("192.0.2.1",)]
    world.zone.table, world.zone.others = {SITE: [a("site.test", "192.0.2.2")]}, unknown
    world.reactor.advance(5 - HURRY)
    world.turn()
    assert world.ask(resolver, "site.test") == ("192.0.2.2",)


def test_a_server_that_knows_no_ipv6(world: Any) -> None:
    """IPv4 addresses do not wait long for an answer about IPv6 that never comes (RFC 4074)."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")], SITE6: silent}
    results = world.begin(world.resolver(), "site.test")
    assert not results
    world.reactor.advance(SECOND)
    world.turn()
    assert results == [("192.0.2.1",)]


def test_aliases_across_answers(world: Any) -> None:
    """An alias without its addresses is asked for; a circle of them ends in an error."""
    world.zone.table = {
        SITE: [cname("site.test", "b.test", 20)],
        ("b.test", dns.A): [a("b.test", "192.0.2.1")],
        ("round.test", dns.A): [cname("round.test", "about.test")],
        ("about.test", dns.A): [cname("about.test", "round.test")],
    }
    resolver = world.resolver()
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)
    world.reactor.advance(20)
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)
    assert resolver.figures.misses == 2
    with pytest.raises(ConnectFailed, match="alias of itself"):
        world.ask(resolver, "round.test")


def test_aliases_that_never_end(world: Any) -> None:
    """A server that invents an alias for each name makes us ask it a bounded number of times."""

    def invent(query: dns.Message) -> bytes:
        name = str(query.queries[0].name)
        return reply(query, [cname(name, f"x{name}")])

    world.zone.others = invent
    with pytest.raises(ConnectFailed, match="more than 15 aliases"):
        world.ask(world.resolver(), "site.test")
    assert len(world.zone.asked) <= 2 * (16 + 2)


def test_tables_come_first(world: Any) -> None:
    """The configured table wins over the machine's, and that over servers; both are live."""
    hosts = world.folder / "hosts"
    hosts.write_text("192.0.2.9 site.test own.test\n")
    resolver = world.resolver(table="192.0.2.7 own.test\n192.0.2.8 own.test")
    assert world.ask(resolver, "own.test") == ("192.0.2.7", "192.0.2.8")
    assert world.ask(resolver, "site.test") == ("192.0.2.9",)
    assert not world.zone.asked
    hosts.write_text("")
    world.reactor.advance(1)
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")]}
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)


def test_reserved_names_are_never_asked_for(world: Any) -> None:
    """`localhost` and all under it is here; `invalid` and `onion` are nowhere."""
    resolver = world.resolver()
    assert world.ask(resolver, "localhost") == ("127.0.0.1", "::1")
    (world.folder / "hosts").write_text("127.0.0.1 localhost\n203.0.113.66 localhost\n")
    world.reactor.advance(1)
    assert world.ask(resolver, "any.thing.LocalHost") == ("127.0.0.1",)
    for name in ("no.invalid", "x.onion"):
        with pytest.raises(ConnectFailed, match="unknown"):
            world.ask(resolver, name)
    assert not world.zone.asked


def test_resolv_conf_is_read_again(world: Any) -> None:
    """Other servers are asked from then on, and what the former ones said is forgotten."""
    resolv = world.folder / "resolv.conf"
    resolv.write_text("nameserver 10.0.0.1\n")
    world.zone_at("10.0.0.2", Zone({SITE: [a("site.test", "192.0.2.2")]}))
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")]}
    resolver = world.resolver(servers=())
    assert world.ask(resolver, "site.test") == ("192.0.2.1",)
    resolv.write_text("nameserver 10.0.0.2  # moved\n")
    world.reactor.advance(1)
    assert world.ask(resolver, "site.test") == ("192.0.2.2",)


def test_what_former_servers_say_late_is_not_kept(world: Any) -> None:
    """Who waits for it gets it; the next one asks the new servers."""
    resolv = world.folder / "resolv.conf"
    resolv.write_text("nameserver 10.0.0.1\n")
    world.zone.others = silent
    new = {SITE: [a("site.test", "192.0.2.2")], ("b.test", dns.A): [a("b.test", "192.0.2.3")]}
    world.zone_at("10.0.0.2", Zone(new))
    resolver = world.resolver(servers=())
    results = world.begin(resolver, "site.test")
    resolv.write_text("nameserver 10.0.0.2\n")
    world.reactor.advance(1)
    assert world.ask(resolver, "b.test") == ("192.0.2.3",)
    world.zone.table, world.zone.others = {SITE: [a("site.test", "192.0.2.1")]}, unknown
    world.reactor.advance(4)
    world.turn()
    assert results == [("192.0.2.1",)]
    assert world.ask(resolver, "site.test") == ("192.0.2.2",)


def test_names_of_one_label_are_searched_for(world: Any) -> None:
    """In the domains of resolv.conf; names with a dot are whole."""
    (world.folder / "resolv.conf").write_text("search a.test b.test\nnameserver 10.0.0.1\n")
    world.zone.table = {("box.b.test", dns.A): [a("box.b.test", "192.0.2.1")]}
    resolver = world.resolver(servers=())
    assert world.ask(resolver, "box") == ("192.0.2.1",)
    with pytest.raises(ConnectFailed):
        world.ask(resolver, "box.b")


@pytest.mark.parametrize("host", ["192.0.2.1", "::1", "[::1]"])
def test_addresses_lead_to_themselves(world: Any, host: str) -> None:
    """Nobody is asked."""
    assert world.ask(world.resolver(), host) == (host.strip("[]"),)


@pytest.mark.parametrize("host", ["", ".", "a..b", "x" * 64, "a b", "\n", "a." * 130])
def test_what_is_no_name(world: Any, host: str) -> None:
    """It is refused before anybody is asked."""
    with pytest.raises(ConnectFailed):
        world.ask(world.resolver(), host)
    assert not world.zone.asked


def test_look_ups_are_bounded(world: Any) -> None:
    """Names past the limit are refused; the others come to their ends."""
    world.zone.others = silent
    resolver = world.resolver(patience=3)
    waiting = [world.begin(resolver, f"n{number}.test") for number in range(AT_ONCE)]
    with pytest.raises(Overloaded):
        world.ask(resolver, "one-more.test")
    world.reactor.advance(3)
    world.turn()
    assert all(results[0].check(TimedOut) for results in waiting)


def test_the_reactor_resolves_by_it_while_it_runs(world: Any) -> None:
    """`anet.names.resolve` goes through it, and says why there is no answer."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")]}
    first, second = world.resolver(), world.resolver()
    first.startService()
    second.startService()
    results: list[Any] = []
    for host in ("site.test", "other.test"):
        run(resolve(world.reactor, host, 1.0)).addBoth(results.append)
        world.turn()
    assert results[0] == ["192.0.2.1"]
    assert results[1].check(ConnectFailed)
    run(first.stopService())
    assert world.reactor.nameResolver is second
    run(second.stopService())
    assert world.reactor.nameResolver is None


def test_stopping(world: Any) -> None:
    """Look-ups under way are cancelled, their sockets closed, and nobody is asked any more."""
    world.zone.others = silent
    resolver = world.resolver()
    resolver.startService()
    results = world.begin(resolver, "site.test")
    stopped: list[Any] = []
    run(resolver.stopService()).addBoth(stopped.append)
    assert stopped == [None]
    assert results[0].check(CancelledError)
    with pytest.raises(Stopped):
        world.ask(resolver, "site.test")


@implementer(IResolutionReceiver)
class Receiver:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def resolutionBegan(self, resolution: Any) -> None:
        self.told.append(resolution.name)

    def addressResolved(self, address: Any) -> None:
        self.told.append(address)

    def resolutionComplete(self) -> None:
        self.told.append(None)


def test_endpoints_are_told(world: Any) -> None:
    """Addresses of the kinds they want; none for an unknown name, a cancelled look-up, or later."""
    world.zone.table = {SITE: [a("site.test", "192.0.2.1")], SITE6: [aaaa("site.test", "::2")]}
    world.zone.table["slow.test", dns.A] = world.zone.table["slow.test", dns.AAAA] = silent
    resolver = world.resolver()
    resolver.startService()

    def told(name: str, kinds: Any = None) -> list[Any]:
        receiver = Receiver()
        asking = resolver.resolveHostName(receiver, name, 80, kinds)
        world.turn()
        asking.cancel()
        return receiver.told

    four, six = IPv4Address("TCP", "192.0.2.1", 80), IPv6Address("TCP", "::2", 80)
    assert told("site.test") == ["site.test", six, four, None]
    assert told("site.test", [IPv4Address]) == ["site.test", four, None]
    for name in ("no.test", "a..b", "slow.test"):
        assert told(name) == [name, None]
    run(resolver.stopService())
    assert told("other.test") == ["other.test", None]


def test_endpoints_do_not_wait_for_our_mistakes(world: Any) -> None:
    """Who asks hears of no address, and the log of the error."""

    async def mistaken() -> list[str]:
        raise UnicodeError("a mistake")

    receiver = Receiver()
    events: list[Any] = []
    globalLogPublisher.addObserver(events.append)
    tell(receiver, mistaken(), "site.test", 80, None, "TCP")
    globalLogPublisher.removeObserver(events.append)
    assert receiver.told == ["site.test", None]
    assert [event["log_failure"].type for event in events] == [UnicodeError]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 90)), max_size=30))
def test_no_answer_outlives_its_time(steps: list[tuple[int, int]]) -> None:
    """Whatever is asked when, what comes was true no longer ago than its time to live."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anet.dns.exchange.by_udp", by_memory)
        follow(steps)


def follow(steps: list[tuple[int, int]]) -> None:
    """Ask for names as the steps say, and check the age of each answer."""
    reactor = MemoryReactor()
    ttls = (0, 1, 7, 30, 60, 90)

    def now(query: dns.Message) -> bytes:
        second = int(reactor.seconds())
        name = str(query.queries[0].name)
        number = int(name[1])
        return reply(query, [a(name, f"10.0.{second // 256}.{second % 256}", ttls[number])])

    reactor.zones["10.0.0.1"] = zone = Zone(others=now)
    resolver = Resolver(
        reactor, Sources(servers=(Server("10.0.0.1"),)), keeping=Keeping(shortest=1)
    )
    for number, wait in steps:
        results: list[Any] = []
        run(resolver.resolve(f"n{number}.test")).addBoth(results.append)
        for _ in range(10):
            reactor.advance(0)
        *_, high, low = (int(part) for part in results[0][0].split("."))
        assert 0 <= reactor.seconds() - (high * 256 + low) < max(ttls[number], 1)
        reactor.advance(wait)
    assert len(zone.asked) <= 2 * len(steps)
