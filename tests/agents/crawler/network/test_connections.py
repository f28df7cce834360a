"""One kept connection an address, addresses in turn, closed when unused."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock

from agents.crawler.network import connections as module
from agents.crawler.network.connections import IDLE, KEPT, Connections, Place
from anet.errors import ConnectFailed, ForbiddenAddress
from anet.http.exchange import State

NAMES = {"one": ["8.8.8.1"], "two": ["8.8.8.1"], "many": ["8.8.8.1", "8.8.8.2", "8.8.8.3"],
         "mixed": ["10.0.0.1", "8.8.8.9"], "inside": ["10.0.0.1"]}  # fmt: skip


class FakeConnection:
    """What `Connections` needs of a connection."""

    def __init__(self) -> None:
        self.state = State.IDLE

    def close(self) -> None:
        self.state = State.CLOSED


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a clock; names resolve by the table, connections are fakes."""

    async def resolve(_: Any, host: str, __: float) -> list[str]:
        return NAMES.get(host, [])

    async def reach(*_: Any, **__: Any) -> FakeConnection:
        return FakeConnection()

    monkeypatch.setattr(module, "resolve", resolve)
    monkeypatch.setattr(module, "reach", reach)
    clock = Clock()
    yield clock
    assert not clock.getDelayedCalls()


def connections(clock: Any) -> Connections:
    """Return connections that may go to 8.8.8.0/24 only."""
    return Connections(clock, lambda ip: ip.startswith("8.8.8."), 10.0, 60.0)


@ensureDeferred
async def test_addresses_in_turn(clock: Any) -> None:
    """Each new connection goes to the next address; a kept one is used as long as it lasts."""
    made = connections(clock)
    first = await made.place(False, "many", 80)
    connection = await made.obtain(first)
    made.keep(first, connection)
    assert await made.place(False, "many", 80) == first
    connection.close()
    second = await made.place(False, "many", 80)
    third = await made.place(False, "many", 80)
    fourth = await made.place(False, "many", 80)
    assert [place.ip for place in (first, second, third, fourth)] == [
        "8.8.8.1", "8.8.8.2", "8.8.8.3", "8.8.8.1"]  # fmt: skip
    made.stop()


@ensureDeferred
async def test_addresses_are_looked_up_again(clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After seconds, for the resolver knows what has changed; turns go on while nothing has."""
    made = connections(clock)
    assert (await made.place(False, "many", 80)).ip == "8.8.8.1"
    clock.advance(10)
    assert (await made.place(False, "many", 80)).ip == "8.8.8.2"
    monkeypatch.setitem(NAMES, "many", ["8.8.8.9", "8.8.8.2"])
    assert (await made.place(False, "many", 80)).ip == "8.8.8.3"
    clock.advance(10)
    assert (await made.place(False, "many", 80)).ip == "8.8.8.9"


@ensureDeferred
async def test_hosts_of_one_address_share_a_connection(clock: Any) -> None:
    """Over plain HTTP the address counts; over TLS the host too, for its certificate."""
    made = connections(clock)
    one = await made.place(False, "one", 80)
    connection = await made.obtain(one)
    made.keep(one, connection)
    two = await made.place(False, "two", 80)
    assert await made.obtain(two) is connection
    assert Place("8.8.8.1", 443, "one", True).key != Place("8.8.8.1", 443, "two", True).key
    made.stop()


@ensureDeferred
async def test_unused_connections_are_closed(clock: Any) -> None:
    """Fifteen seconds without a request, and it is gone."""
    made = connections(clock)
    place = await made.place(False, "one", 80)
    connection = await made.obtain(place)
    made.keep(place, connection)
    clock.pump([1.0] * int(IDLE - 1))
    assert made.kept(place)
    clock.pump([1.0] * 2)
    assert not made.kept(place)
    assert connection.state is State.CLOSED


@ensureDeferred
async def test_connections_are_bounded(clock: Any) -> None:
    """The connection longest unused gives way."""
    made = connections(clock)
    places = [Place(f"8.8.8.{number}", 80, "x", False) for number in range(KEPT + 1)]
    for place in places:
        made.keep(place, await made.obtain(place))
    assert not made.kept(places[0])
    assert made.kept(places[1])
    made.stop()
    assert not made.kept(places[1])


@ensureDeferred
async def test_permission_is_asked_after_the_name(clock: Any) -> None:
    """A name that leads inside is refused; of a mixed one the outside is used."""
    made = connections(clock)
    assert (await made.place(False, "mixed", 80)).ip == "8.8.8.9"
    with pytest.raises(ForbiddenAddress, match="10.0.0.1"):
        await made.place(False, "inside", 80)
    with pytest.raises(ConnectFailed, match="unknown"):
        await made.place(False, "nowhere", 80)


@ensureDeferred
async def test_a_connection_that_is_over_is_not_kept(clock: Any) -> None:
    """A server that closes is connected to anew."""
    made = connections(clock)
    place = await made.place(False, "one", 80)
    connection = await made.obtain(place)
    connection.close()
    assert not made.keep(place, connection)
    assert await made.obtain(place) is not connection


@ensureDeferred
async def test_a_name_that_changes_its_mind(clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that rebinds from outside to inside is refused when it is looked up again."""
    made = connections(clock)
    assert (await made.place(False, "one", 80)).ip == "8.8.8.1"
    monkeypatch.setitem(NAMES, "one", ["10.0.0.1"])
    clock.advance(10)
    with pytest.raises(ForbiddenAddress):
        await made.place(False, "one", 80)


@ensureDeferred
async def test_the_address_is_asked_about_again_when_connecting() -> None:
    """Whatever place is given, an address that may not be connected to is not."""
    made = connections(Clock())
    for ip in ("10.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1"):
        with pytest.raises(ForbiddenAddress):
            await made.obtain(Place(ip, 80, "one", False))


@ensureDeferred
async def test_a_connection_to_a_proxy_for_all_servers_is_not_kept(clock: Any) -> None:
    """What is asked next might be relayed to the server of the last answer."""
    connections = Connections(clock, lambda ip: True, 5, 5)
    place = Place("a.org", 80, "a.org", False, "proxy:3128", absolute=True)
    connection: Any = FakeConnection()
    assert not connections.keep(place, connection)
    assert connection.state is State.CLOSED and not connections.kept(place)
