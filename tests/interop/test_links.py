"""Links to agents in other languages begin, move, are watched and end as the specification says."""

import pytest
from foreign import Master, until
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from anet.tasks import sleep
from hip.codecs import YAML
from hip.wire import frame

REQUEST = [1, "echo", {"value": 1}, 5.0]


@ensureDeferred
async def test_a_killed_agent_is_missed_at_once(cast):
    """Its connection ends with it."""
    master = cast.master()
    agent = cast.foreign(master.address)
    peer = await master.slave()
    waiting = peer.call("slow", seconds=30)
    waiting.addErrback(lambda failure: failure.type.__name__)
    begun = reactor.seconds()
    agent.signal("KILL")
    await until(lambda: master.left)
    assert reactor.seconds() - begun < 1
    assert await waiting == "ConnectionLost"


@ensureDeferred
async def test_an_agent_that_is_told_to_end_says_goodbye(cast):
    """And ends well."""
    master = cast.master()
    agent = cast.foreign(master.address)
    peer = await master.slave()
    agent.signal("TERM")
    await until(lambda: agent.exit is not None)
    assert agent.exit == 0
    await until(lambda: master.left)
    assert master.left == [f"{peer.name} said goodbye: stopping"]


@ensureDeferred
async def test_an_agent_comes_back_to_a_master_that_was_away(cast):
    """It tries again after a wait, however often it is refused."""
    master = cast.master()
    agent = cast.foreign(master.address)
    await master.slave()
    await master.end()
    await until(lambda: "no link to" in agent.log)
    again = Master(port=master.port)
    assert (await again.slave()).is_open
    await again.end()


@ensureDeferred
async def test_a_redirection_is_followed_and_forgotten(cast):
    """The agent goes to the new master, and back to its own when that one is gone."""
    home, other = cast.master("home"), cast.master("other")
    cast.foreign(home.address)
    peer = await home.slave()
    peer.redirect(other.address)
    there = await other.slave()
    await there.call("echo", value=1)  # the answer to its first words has come by now
    assert (await there.call("journal"))[-1] == "the master is other"
    await other.end()
    await home.slave()


@ensureDeferred
async def test_a_redirection_in_a_circle_is_refused(cast):
    """The link ends with a goodbye, and begins again with the configured master."""
    stage = cast.stage()
    address = await stage.open()
    cast.foreign(address)
    script = await stage.next()
    script.greet()
    script.say("redirection", address)
    await until(lambda: script.is_closed)
    assert script.heard[-1][0] == "goodbye"
    assert "circle" in script.heard[-1][1]
    assert (await stage.next()).heard


@ensureDeferred
async def test_heartbeats_keep_a_silent_link(cast):
    """Nothing is said for several times the silence that either end allows."""
    master = cast.master(heartbeat=0.2, silence=0.6)
    cast.foreign(master.address, heartbeat=0.2, silence=0.6)
    peer = await master.slave()
    await sleep(reactor, 2)
    assert peer.is_open


@ensureDeferred
async def test_a_silent_master_is_left(cast):
    """One that says nothing is taken for dead."""
    stage = cast.stage()
    cast.foreign(await stage.open(), heartbeat=0.1, silence=0.3)
    script = await stage.next()
    script.greet()
    await until(lambda: script.is_closed)
    assert script.heard[-1] == ["goodbye", "silence"]
    assert ["heartbeat"] in script.heard


@ensureDeferred
async def test_frames_may_come_in_pieces(cast):
    """Byte by byte, or many in one."""
    stage = cast.stage()
    cast.foreign(await stage.open())
    script = await stage.next()
    script.greet()
    script.transport.setTcpNoDelay(True)
    for byte in frame(YAML.encode(["request", [REQUEST]])):
        script.transport.write(bytes([byte]))
        await sleep(reactor, 0)
    await until(lambda: script.messages("response"))
    script.transport.write(
        frame(YAML.encode(["request", [[2, *REQUEST[1:]]]])) + frame(b"[heartbeat]")
        + frame(b"- request\n- - [3, echo, {value: yes}, 5]\n")
    )  # fmt: skip
    await until(lambda: len(script.messages("response")) == 3)
    assert script.messages("response") == [[1, 1], [2, 1], [3, "yes"]]


@ensureDeferred
async def test_no_more_is_asked_than_the_master_answers_at_once(cast):
    """Calls stand in line until others are answered."""
    stage = cast.stage()
    cast.foreign(await stage.open())
    script = await stage.next()
    script.greet(in_flight=2)
    await until(lambda: script.messages("request"))
    script.say("response", [[1, {"name": "script"}]])  # to its first words
    asking = {"method": "m", "arguments": [{}] * 5, "patience": 5.0}
    script.say("request", [[1, "ask", asking, 5.0]])
    for answered in range(2, 7):
        expected = min(answered + 1, 6)
        await until(lambda n=expected: len(script.messages("request")) == n)
        script.say("response", [[answered, None]])
    await until(lambda: script.messages("response"))
    assert script.messages("response") == [[1, [[None]] * 5]]


@ensureDeferred
async def test_no_more_is_answered_than_it_said(cast):
    """Requests beyond are refused; cancellations make room; the callee keeps the time itself."""
    stage = cast.stage()
    cast.foreign(await stage.open(), in_flight=2)
    script = await stage.next()
    assert script.heard[0]["in_flight"] == 2
    script.greet()
    slow = {"seconds": 30}
    script.say("request", [[1, "slow", slow, 9.0], [2, "slow", slow, 0.2], [3, "slow", slow, 9.0]])
    await until(lambda: len(script.messages("error")) == 2)
    script.say("cancellation", [[1], [1], [77]])
    await until(lambda: len(script.messages("error")) == 3)
    said = {number: code for number, code, _ in script.messages("error")}
    assert said == {3: "overloaded", 2: "timed-out", 1: "cancelled"}


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
        frame(b'["gossip", []]'),
        frame(b'["response", [[99, 1]]]'),
        frame(b'["request", [[1, "echo", {"value": 1}, 5.0], [1, "echo", {"value": 1}, 5.0]]]'),
        frame(b"[&anchor a, *anchor]"),
        frame(b"[" * 101 + b"]" * 101),
        frame(b"!!python/object:os.system {}"),
        frame(b"\xff"),
        frame(b"{}"),
    ],
    ids=["zero", "long", "kind", "answer", "number", "alias", "deep", "tag", "utf-8", "no list"],
)
@ensureDeferred
async def test_nonsense_ends_the_link(cast, nonsense):
    """With a goodbye that says why; and the agent comes back for better."""
    stage = cast.stage()
    cast.foreign(await stage.open())
    script = await stage.next()
    script.greet()
    script.transport.write(nonsense)
    await until(lambda: script.is_closed)
    assert script.heard[-1][0] == "goodbye"
    assert (await stage.next()).heard


@pytest.mark.parametrize("changes", [{"hip": 1}, {"hip": "two"}, {"serializers": ["msgpack"]}])
@ensureDeferred
async def test_masters_of_another_kind_are_left(cast, changes):
    """Another version, or no common serializer."""
    stage = cast.stage()
    cast.foreign(await stage.open())
    script = await stage.next()
    script.greet(**changes)
    await until(lambda: script.is_closed)
