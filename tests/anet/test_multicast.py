"""Questions to many at once: the datagrams, and real groups on loopback."""

import os
import socket
import subprocess
import sys
from contextlib import suppress

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from anet.multicast import (
    MEMBERSHIPS,
    Answer,
    GroupListener,
    Groups,
    MalformedDatagram,
    MulticastLocator,
    Question,
    probe,
)
from anet.multicast.seal import Seal

numbers = st.binary(min_size=8, max_size=8)
ascii_texts = st.text(st.characters(max_codepoint=127), min_size=1, max_size=32)


@given(numbers, ascii_texts, st.binary(min_size=1, max_size=64))
def test_a_question_comes_back_as_it_was(number: bytes, kind: str, key: bytes) -> None:
    """Encoding and decoding a question changes nothing."""
    question = Question(number, kind, key)
    assert Question.decode(question.encode()) == question


@given(numbers, ascii_texts, st.integers(0, 2**64 - 1))
def test_an_answer_comes_back_as_it_was(number: bytes, place: str, rank: int) -> None:
    """Encoding and decoding an answer changes nothing."""
    answer = Answer(number, place, rank)
    assert Answer.decode(answer.encode()) == answer


@given(st.one_of(st.binary(max_size=400), st.binary(max_size=90).map(lambda end: b"MQ1?" + end)))
def test_any_datagram_is_understood_or_refused(data: bytes) -> None:
    """Hostile bytes give a typed error, never another."""
    for kind in (Question, Answer):
        with suppress(MalformedDatagram):
            assert kind.decode(data).encode() == data


@pytest.mark.parametrize("base", ["239.192.77.1", "10.0.0.0", "everywhere", "224.0.0.256"])
def test_a_base_that_is_no_range_is_refused(base: str) -> None:
    """Groups are 256 multicast addresses, or an error says so."""
    with pytest.raises(ValueError, match=r"239\.192\.77\.0"):
        Groups(7100, base)


def test_groups_go_by_the_first_byte() -> None:
    """Each first byte has an address of its own."""
    groups = Groups(7100)
    assert groups.address(0) == "239.192.77.0"
    assert groups.address(255) == "239.192.77.255"


def _free_groups() -> Groups:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("", 0))
        return Groups(found.getsockname()[1])


async def _need_multicast() -> Groups:
    groups = _free_groups()
    if not await probe(reactor, groups):
        pytest.skip("loopback does not carry multicast here")
    return groups


@ensureDeferred
async def test_those_who_know_answer_and_the_best_is_first() -> None:
    """Of three listeners two know the key; a key nobody has gives nothing after the time-out."""
    groups = await _need_multicast()
    held = {b"\x07key": {"http://a": 1, "http://b": 5, "http://c": None}}
    listeners = []
    for place in ("http://a", "http://b", "http://c"):

        def know(kind: str, key: bytes, place: str = place) -> tuple[str, int] | None:
            rank = held.get(key, {}).get(place)
            return (place, rank) if kind == "contents" and rank is not None else None

        listener = GroupListener(reactor, groups, know)
        await listener.join([7, 9])
        listeners.append(listener)
    locator = MulticastLocator(reactor, groups, gather=0.05)
    locator.startService()
    try:
        assert await locator.find("contents", b"\x07key", 1.0) == ["http://b", "http://a"]
        assert await locator.find("structures", b"\x07key", 0.05) == []
        assert await locator.find("contents", b"\x08key", 0.05) == []
        assert [listener.questions for listener in listeners] == [4, 4, 4]
    finally:
        await locator.stopService()
        for listener in listeners:
            await listener.stopService()


@ensureDeferred
async def test_all_groups_with_several_sockets() -> None:
    """All 256 groups are joined, twenty a socket, and each question comes once."""
    groups = await _need_multicast()
    listener = GroupListener(reactor, groups, lambda kind, key: ("http://a", 0))
    await listener.join(range(256))
    locator = MulticastLocator(reactor, groups)
    locator.startService()
    try:
        assert len(listener._sockets) == -(-256 // MEMBERSHIPS)
        for first in (0, 19, 20, 77, 255):
            assert await locator.find("contents", bytes([first]), 1.0) == ["http://a"]
        assert listener.questions == 5
    finally:
        await locator.stopService()
        await listener.stopService()


@ensureDeferred
async def test_garbage_is_dropped() -> None:
    """Datagrams that are not ours change nothing."""
    groups = await _need_multicast()
    listener = GroupListener(reactor, groups, lambda kind, key: ("http://a", 0))
    await listener.join([1])
    locator = MulticastLocator(reactor, groups)
    locator.startService()
    try:
        for garbage in (b"", b"MQ1?", b"MQ1?" + bytes(200), os.urandom(500)):
            locator._socket.write(garbage, (groups.address(1), groups.port))
        assert await locator.find("contents", b"\x01", 1.0) == ["http://a"]
        assert listener.questions == 1
    finally:
        await locator.stopService()
        await listener.stopService()


@ensureDeferred
async def test_who_lacks_the_secret_is_not_heard() -> None:
    """A stranger on the network gets no answer, and cannot send anybody to a place of theirs."""
    open_groups = await _need_multicast()
    groups = evolve(open_groups, secret="ours")
    honest = GroupListener(reactor, groups, lambda kind, key: ("http://a", 0))
    strangers = [
        GroupListener(reactor, evolve(open_groups, secret=said), lambda *_: ("http://evil", 9))
        for said in ("", "guessed")
    ]
    for listener in (honest, *strangers):
        await listener.join([1])
    asking, spying = MulticastLocator(reactor, groups), MulticastLocator(reactor, open_groups)
    for locator in (asking, spying):
        locator.startService()
    try:
        assert await asking.find("contents", b"\x01", 1.0) == ["http://a"]
        assert await spying.find("contents", b"\x01", 0.05) == ["http://evil"]
        assert honest.questions == 1
    finally:
        for service in (asking, spying, honest, *strangers):
            await service.stopService()


@given(st.binary(max_size=90), st.text(max_size=80), st.integers(0, 105), st.integers(0, 7))
def test_a_seal_opens_nothing_that_was_changed(data: bytes, secret: str, at: int, bit: int) -> None:
    """What comes out is what went in; any flipped bit and any other secret is refused."""
    sealed = Seal(secret).close(data)
    assert Seal(secret).open(sealed) == data
    changed = bytearray(sealed)
    changed[at % len(sealed)] ^= 1 << bit
    for seal, datagram in ((Seal(secret), bytes(changed)), (Seal(secret + "x"), sealed)):
        with pytest.raises(MalformedDatagram):
            seal.open(datagram)


_IN_NAMESPACE = """
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from anet.multicast import Groups, probe
async def main():
    print("works" if await probe(reactor, Groups(7100, interface="{interface}")) else "silent")
    reactor.stop()
reactor.callWhenRunning(lambda: Deferred.fromCoroutine(main()))
reactor.run()
"""


def _in_namespace(commands: str, interface: str) -> str:
    script = _IN_NAMESPACE.format(interface=interface)
    run = subprocess.run(
        ["unshare", "--net", "sh", "-c", f'{commands} exec "$0" -c "$1"', sys.executable, script],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "unshare" in run.stderr or "Operation not permitted" in run.stderr:
        pytest.skip("this machine does not allow network namespaces")
    return run.stdout.strip() or run.stderr


def test_a_network_of_its_own_carries_multicast() -> None:
    """In a network namespace with a card of its own, questions are heard and answered."""
    commands = (
        "ip link set lo up; ip link add d0 type veth peer name d1; ip link set d1 up; "
        "ip addr add 10.9.9.1/24 dev d0; ip link set d0 up;"
    )
    assert _in_namespace(commands, "10.9.9.1") == "works"


def test_the_probe_says_when_there_is_no_network() -> None:
    """In a namespace without any card up, the probe says no and does not fail."""
    assert _in_namespace("", "10.9.9.1") == "silent"
