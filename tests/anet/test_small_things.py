"""Back-off, addresses and workers."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import gatherResults

from anet.address import Address, is_loopback, is_public
from anet.backoff import Backoff
from anet.errors import InvalidAddress, Overloaded
from anet.workers import Workers


def test_waits_grow_to_a_limit_and_begin_again():
    """Each wait is between half and the whole of a step that doubles."""
    backoff = Backoff(first=1, longest=5, chance=lambda: 1.0)
    assert [backoff.next() for _ in range(5)] == [1, 2, 4, 5, 5]
    backoff.reset()
    assert backoff.next() == 1
    assert Backoff(first=1, chance=lambda: 0.0).next() == 0.5


@given(st.sampled_from(["127.0.0.1", "localhost", "::1", "a.example"]), st.integers(0, 65535))
def test_addresses_survive(host, port):
    """An address is read as it is written."""
    assert Address.parse(str(Address(host, port))) == Address(host, port)


@given(st.text())
def test_any_text_is_an_address_or_an_error(text):
    """No text raises anything but the documented error."""
    try:
        Address.parse(text)
    except InvalidAddress as error:
        assert "host:port" in str(error)


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("224.0.0.1", False),
        ("0.0.0.0", False),
        ("nonsense", False),
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
    ],
)
def test_which_addresses_are_public(ip, public):
    """One's own networks are told from the internet."""
    assert is_public(ip) is public


def test_what_loopback_is():
    """Names and addresses of this machine."""
    assert all(map(is_loopback, ("localhost", "127.3.2.1", "::1", "a.localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "example.org", "10.0.0.1")))


@ensureDeferred
async def test_workers_run_in_order_and_refuse_at_their_limit():
    """One thread runs one job after another; past the limit a job is refused; stop waits."""
    workers = Workers(reactor, 1, queue_limit=3)
    workers.startService()
    held = threading.Event()
    done: list[int] = []
    first = workers.run(held.wait)
    rest = [workers.run(done.append, number) for number in (1, 2)]
    with pytest.raises(Overloaded):
        await workers.run(done.append, 3)
    held.set()
    await gatherResults([first, *rest])
    assert done == [1, 2]
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 / 0)
    last = workers.run(done.append, 4)
    await workers.stopService()
    await last
    assert done == [1, 2, 4]
