"""What a node answers to multicast questions."""

import socket

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.capture import structure_key
from agents.storage.disk.node_store import NodeStore
from agents.storage.node.lookup import Lookup
from anet.multicast import Groups, MulticastLocator, probe
from anet.tasks import sleep

URL = "http://a.example/"


def _groups() -> Groups:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("", 0))
        return Groups(found.getsockname()[1])


@ensureDeferred
async def test_it_knows_what_the_disk_holds(node_store: NodeStore, make_capture) -> None:
    """Contents and structure files are known, the latter with the number of their captures."""
    lookup = Lookup(reactor, _groups(), node_store, "http://here", all_groups=False)
    key = bytes.fromhex(structure_key(URL))
    assert lookup._know("structures", key) is None
    await node_store.append([make_capture(URL), make_capture(URL, 2)])
    assert lookup._know("structures", key) == ("http://here", 2)
    assert lookup._know("contents", key) is None
    for kind, strange in (("nothing", key), ("contents", b"short"), ("structures", b"../" * 11)):
        assert lookup._know(kind, strange) is None


@ensureDeferred
async def test_it_joins_the_groups_of_what_it_holds(node_store: NodeStore, make_capture) -> None:
    """A question about what was just stored is answered, once the group is joined."""
    groups = _groups()
    if not await probe(reactor, groups):
        pytest.skip("loopback does not carry multicast here")
    lookup = Lookup(reactor, groups, node_store, "http://here", all_groups=False)
    locator = MulticastLocator(reactor, groups)
    locator.startService()
    lookup.start()
    try:
        await node_store.append([make_capture(URL)])
        key = bytes.fromhex(structure_key(URL))
        for _ in range(50):
            found = await locator.find("structures", key, 0.1)
            if found:
                break
            await sleep(reactor, 0.05)
        assert found == ["http://here"]
        assert lookup.listener.joined == {key[0]}
        assert lookup.state == "1 of 256 groups"
        assert int(lookup.groups, 16) == 1 << key[0]
    finally:
        await lookup.stop()
        await locator.stopService()
