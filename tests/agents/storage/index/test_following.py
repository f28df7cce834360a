"""What an index node is sure of while it follows the logs of the nodes' disks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.errors import HoldersDown
from agents.storage.index.following import Following
from agents.storage.index.holders import Holders
from agents.storage.index.methods import IndexNodeMethods
from agents.storage.index.notes import KEPT, Notes
from agents.storage.index.placing import Placing
from agents.storage.index.siblings import Known
from agents.storage.index.store import IndexStore
from agents.storage.index.view import ClusterView
from agents.storage.replicas import Rules
from agents.storage.status import Added, Cluster, DiskStatus, IndexStatus, NodeState, NodeStatus
from anet.errors import ConnectionBroken
from anet.tasks import sleep
from anet.workers import Workers

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(3)]


class Node:
    """A node of two disks; gives their logs, one line at a time, while it answers."""

    def __init__(self, folder: Path) -> None:
        self.logs = {name: AdditionsLog(folder / name / "additions") for name in "ab"}
        for name, log in self.logs.items():
            (folder / name / "incoming").mkdir(parents=True)
            log.open(())
        self.answers = True
        self.before = lambda disk: None

    async def request(self, method: str, target: str) -> Any:
        """Answer as a node's HTTP interface does."""
        query = {name: found for name, [found] in parse_qs(urlsplit(target).query).items()}
        if not self.answers:
            raise ConnectionBroken("the node does not answer")
        self.before(query["disk"])
        part = self.logs[query["disk"]].read(query.get("log", ""), int(query["since"]), 256)
        added = Added(part.log, part.since, part.position, part.entries, query["disk"])

        async def read(limit: int) -> bytes:
            return msgspec.json.encode(added)

        return SimpleNamespace(head=SimpleNamespace(status=200), read=read)

    def add(self, disk: str, key: str, *, gone: bool = False) -> None:
        """Have the log of a disk say that a structure file came or went."""
        self.logs[disk].append([Entry("structures", key, 1, "0" * 16, gone=gone)])


class Index:
    """The parts of an index node that know who holds what."""

    def __init__(self, node: Node, store: IndexStore) -> None:
        self.clock, self.store = Clock(), store
        self.view = view = ClusterView(self.clock, "index", 60.0)
        disks = [DiskStatus(name, folder="") for name in "ab"]
        status = NodeStatus("node", "http://127.0.0.1:1/", free=1, disks=disks)
        us = IndexStatus("index", "127.0.0.1:2")
        view.update(Cluster(Rules(), [NodeState(status, up=True)], [us]))
        self.notes = Notes(self.clock)
        self.following = Following(
            self.clock, store, self.notes, view, node, frozenset, interval=1.0, settle=0.0
        )
        self.holders = Holders(store, self.notes, view, self.following, None)  # type: ignore[arg-type]

    async def look(self) -> None:
        """Read all logs to their ends, if the node answers."""
        await self.following.look()
        while self.following._busy:
            await sleep(reactor, 0.001)

    async def known(self, key: str) -> Known:
        """Return what is known of a structure file."""
        [known] = await self.holders.own([("structures", key)])
        return known


@asynccontextmanager
async def following(folder: Path) -> AsyncIterator[tuple[Node, Index]]:
    """Give a node, and an index node that has read its logs."""
    threads = [Workers(reactor, 1), Workers(reactor, 2)]
    for each in threads:
        each.startService()
    store, node = IndexStore(folder / "index", *threads), Node(folder)
    await store.open()
    index = Index(node, store)
    try:
        yield node, index
        await index.following.stop()
        await store.close()
    finally:
        for each in threads:
            await each.stopService()


@ensureDeferred
async def test_nothing_is_denied_once_notes_are_forgotten_that_no_log_told(tmp_path: Path) -> None:
    """A node takes captures, and its log cannot be read: after a while nothing is sure."""
    async with following(tmp_path) as (node, index):
        await index.look()
        assert await index.known(KEYS[0]) == Known([], sure=True)
        node.answers = False
        node.add("a", KEYS[0])
        index.notes.add("structures", KEYS[0], ["node"])
        for _ in range(3):
            assert (await index.known(KEYS[0])) != Known([], sure=True)
            index.clock.advance(KEPT)
            index.notes.add("structures", KEYS[1], ["node"])
            await index.look()
        assert await index.known(KEYS[0]) == Known([], sure=False)
        node.answers = True
        await index.look()
        known = await index.known(KEYS[0])
        assert known.sure and [each.node for each in known.holdings] == ["node"]


@ensureDeferred
async def test_what_moves_to_another_disk_is_never_denied(tmp_path: Path) -> None:
    """That it is gone from the one is read before that it came to the other."""
    async with following(tmp_path) as (node, index):
        node.add("a", KEYS[0])
        await index.look()
        node.add("b", KEYS[0])
        node.add("a", KEYS[0], gone=True)
        seen: list[Deferred[Known]] = []
        node.before = lambda _: seen.append(Deferred.fromCoroutine(index.known(KEYS[0])))
        await index.look()
        assert len(seen) > 2
        for each in seen:
            assert [holding.node for holding in (await each).holdings] == ["node"]


@ensureDeferred
async def test_nothing_is_denied_while_a_log_is_read_again(tmp_path: Path) -> None:
    """A log that was made again is read from its start; until its end nothing is sure."""
    async with following(tmp_path) as (node, index):
        for key in KEYS:
            node.add("b", key)
        await index.look()
        assert (await index.known(KEYS[2])).sure
        node.logs["b"].renew([Entry("structures", key, 1, "0" * 16) for key in KEYS])
        seen: list[Deferred[Known]] = []
        node.before = lambda _: seen.append(Deferred.fromCoroutine(index.known(KEYS[2])))
        await index.look()
        assert len(seen) > 2
        for each in seen:
            assert await each != Known([], sure=True)
        assert (await index.known(KEYS[2])).sure


@ensureDeferred
async def test_a_node_that_only_a_sibling_knows_is_noted(tmp_path: Path) -> None:
    """The master has told the sibling of it already, which has recorded something there."""
    async with following(tmp_path) as (_, index):
        await index.look()
        nothing: Any = None
        methods = IndexNodeMethods(nothing, nothing, index.holders, index.view, 10)
        methods.noted([("structures", KEYS[0], ["new"])])
        placing = Placing(index.holders, nothing, index.view)
        with pytest.raises(HoldersDown, match="new"):
            await placing.find("structures", KEYS[0])
