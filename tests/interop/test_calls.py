"""Agents in other languages answer calls and make them, in any order and within limits."""

import pytest
from foreign import until
from pytest_twisted import ensureDeferred
from twisted.internet.defer import CancelledError, gatherResults

from hip import CallTimedOut, RemoteError


@ensureDeferred
async def test_it_says_who_it_is_and_what_it_can_do(cast, language):
    """As every agent does; and it has asked the master the same, of its own accord."""
    master = cast.master("the-master")
    cast.foreign(master.address, name="a-slave")
    peer = await master.slave()
    information = await peer.call("hip.info")
    assert (information["kind"], information["name"]) == (language, "a-slave")
    signatures = [method["signature"] for method in await peer.call("hip.methods")]
    assert "add(a, b)" in signatures
    await peer.call("echo", value=1)  # the answer to its own call has come by now
    assert await peer.call("journal") == ["the master is the-master"]


@ensureDeferred
async def test_hundreds_of_calls_both_ways_at_once(linked):
    """Each side answers the other's while it waits for its own."""
    _, peer = linked
    sums = [peer.call("add", a=number, b=1) for number in range(300)]
    arguments = [{"value": number} for number in range(300)]
    echoes = peer.call("ask", method="echo", arguments=arguments, patience=10.0)
    assert await gatherResults(sums) == [number + 1 for number in range(300)]
    assert await echoes == [[number] for number in range(300)]


@ensureDeferred
async def test_answers_come_when_they_are_ready(linked):
    """Later calls are answered first where they take less time."""
    master, peer = linked
    order: list[float] = []
    delays = [0.3, 0.2, 0.1]
    await gatherResults(
        [peer.call("slow", seconds=delay).addCallback(order.append) for delay in delays]
    )
    assert order == sorted(delays)
    master.methods.received.clear()
    arguments = [{"seconds": delay} for delay in delays]
    answers = await peer.call("ask", method="later", arguments=arguments, patience=5.0)
    assert answers == [[delay] for delay in delays]
    assert master.methods.received == sorted(delays)


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("fail", {"code": "busy", "words": "tomorrow"}, "busy"),
        ("nothing", {}, "unknown-method"),
        ("add", {"a": 1}, "bad-arguments"),
        ("add", {"a": 1, "b": 2, "c": 3}, "bad-arguments"),
        ("break", {}, "failed"),
    ],
)
@ensureDeferred
async def test_errors_have_their_codes(linked, method, arguments, code):
    """A program can tell them apart."""
    _, peer = linked
    with pytest.raises(RemoteError) as raised:
        await peer.call(method, **arguments)
    assert raised.value.code == code


@ensureDeferred
async def test_errors_of_the_master_have_their_codes_there(linked):
    """The agent can tell them apart too."""
    _, peer = linked
    for method, code in (("nothing", "unknown-method"), ("echo", "bad-arguments")):
        ((said, _),) = await peer.call("ask", method=method, arguments=[{}], patience=5.0)
        assert said == code


@ensureDeferred
async def test_a_cancellation_reaches_the_method(cast):
    """It stops, and so do the calls that it made of the master."""
    master = cast.master()
    cast.foreign(master.address)
    peer = await master.slave()
    slow = peer.call("slow", seconds=30)
    asking = peer.call("ask", method="never", arguments=[{}] * 20, patience=30.0)
    await until(lambda: master.methods.working == 20)
    for call in (slow, asking):
        call.cancel()
        with pytest.raises(CancelledError):
            await call
    assert "slow was stopped: cancelled" in await peer.call("journal")
    await until(lambda: master.methods.working == 0)


@ensureDeferred
async def test_patience_ends_at_both_ends(cast):
    """The caller gives up and the callee stops, whichever way the call went."""
    master = cast.master()
    cast.foreign(master.address)
    peer = await master.slave()
    with pytest.raises((CallTimedOut, RemoteError)):  # whoever is first says so
        await peer.call("slow", seconds=30, timeout=0.1)
    journal = await peer.call("journal")
    assert [line for line in journal if line.startswith("slow was stopped")]
    ((code, _),) = await peer.call("ask", method="never", arguments=[{}], patience=0.1)
    assert code == "timed-out"
    await until(lambda: master.methods.working == 0)


@ensureDeferred
async def test_notifications_have_no_answer(cast):
    """Both ways, and nothing happens when there is no such method."""
    master = cast.master()
    cast.foreign(master.address)
    peer = await master.slave()
    peer.notify("note", words="heard")
    peer.notify("nothing")
    assert "heard" in await peer.call("journal")
    await peer.call("tell", method="echo", arguments={"value": "told"})
    await peer.call("tell", method="nothing", arguments={})
    await until(lambda: master.methods.received == ["told"])
    assert peer.is_open


@ensureDeferred
async def test_what_is_too_large_is_not_said(cast):
    """Each end keeps to the frame that the other accepts, and the link goes on."""
    master = cast.master(frame=4096)
    cast.foreign(master.address, frame=2048)
    peer = await master.slave()
    with pytest.raises(RemoteError) as raised:
        await peer.call("large", size=4096)
    assert raised.value.code == "too-large"
    arguments = [{"value": "x" * 1000}] * 20  # one frame has room for two
    asking = [peer.call("ask", method="echo", arguments=[it], patience=5.0) for it in arguments]
    assert await gatherResults(asking) == [[["x" * 1000]]] * 20
    assert len(await peer.call("large", size=3000)) == 3000
