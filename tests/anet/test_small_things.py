"""Back-off, addresses and workers."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import gatherResults

from anet.address import Address
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
