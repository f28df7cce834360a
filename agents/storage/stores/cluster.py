"""The storage nodes of an archive that runs, as a store: asked and fed as every other client does.

An index node says where things are and where they go; the nodes are spoken to over HTTP
(docs/reference/storage-http.md).
"""

import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from functools import partial
from heapq import merge
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from zope.interface import implementer

from agents.capture import Capture, structure_key
from agents.configuration import Configuration, Port, http_client, secret
from agents.delivery import Sender
from agents.storage.disk.layout import Kind
from agents.storage.errors import DamagedStructure
from agents.storage.node.config import StorageNodeConfig
from agents.storage.status import Cluster
from agents.storage.stores.delivering import Delivery
from agents.storage.stores.errors import NotHeld, StoreRefused, StoreUnreachable
from agents.storage.stores.fetching import fetch
from agents.storage.stores.index_link import FIRST_PATIENCE, PATIENCE, IndexLink
from agents.storage.stores.interface import Given, Held, IStore
from agents.storage.stores.node_client import NodeClient
from agents.storage.stores.together import in_rounds, outcomes_of_each, together
from anet.workers import Workers
from hip import Agent

KIND = "connectivity"  # who may deposit
_REMEMBERED = 100_000  # contents whose nodes the index may not know of yet
_BATCH = 200  # captures recorded by one call
_BATCH_BYTES = 2 << 20
_BATCHES = 4  # calls at once
_CAPTURES = 50  # read at once, with their heads


@implementer(IStore)
class ClusterStore:
    """A running archive's storage nodes.

    Args:
        reactor: connects and waits.
        configuration: the archive's.
        workers: hash and write large contents.
    """

    def __init__(self, reactor: Any, configuration: Configuration, workers: Workers) -> None:
        config = configuration.section("storage-node", StorageNodeConfig)
        master = configuration.address(Port.STORAGE_MASTER, config.storage_master)
        self.name = f"the archive at {master}"
        self.absent: list[str] = []
        self._configuration, self._workers = configuration, workers
        security = configuration.security(KIND)
        self._agent = Agent(reactor, KIND, f"{KIND}-{os.getpid()}", security=security)
        self._index = IndexLink(reactor, self._agent.connect(master))
        self._client = http_client(reactor, security, waiting_limit=10_000)
        self._nodes = NodeClient(self._client)
        self._sender: Sender | None = None
        self._took: OrderedDict[str, list[str]] = OrderedDict()

    async def open(self, *, writing: bool = False) -> None:
        """Link to an index node."""
        if writing:
            self._sender = Sender(self._client, secret(self._configuration.directory))
        self._agent.startService()
        self._nodes.startService()
        try:
            await self._up(FIRST_PATIENCE)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Say goodbye."""
        await self._agent.stopService()
        await self._nodes.stopService()

    async def put(self, key: str, body: bytes | Path) -> bool:
        """Store a content on the nodes that the index names; one of them is enough for a yes.

        Raises:
            DigestMismatch: the bytes are not what the key says.
            StoreUnreachable: no node took it.
        """
        [outcome] = await self.put_all([(key, body)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def put_all(
        self, contents: Sequence[Given], *, hashed: bool = False
    ) -> list[bool | Exception]:
        """Store contents, durably; return for each whether it is new, or why it is not stored."""
        return await in_rounds(contents, self._put_different)

    async def _put_different(self, contents: Sequence[Given]) -> list[bool | Exception]:
        """Store contents of which no key comes twice."""
        if self._sender is None:
            raise StoreRefused(f"{self.name} was opened to be read")
        lacking = [each for each in contents if each[0] not in self._took]
        delivery = Delivery(self._index, self._sender, self._workers, lacking)
        await delivery.run()
        for key, nodes in delivery.became.items():
            if nodes and not isinstance(nodes, Exception):
                self._remember(key, nodes)
        became = [delivery.became.get(key, []) for key, _ in contents]
        return [each if isinstance(each, Exception) else bool(each) for each in became]

    async def size(self, key: str) -> int | None:
        """Return the bytes of a content, or None."""
        nodes = await self._holders("contents", key)
        for node in nodes:
            size = await self._nodes.size(node, key)
            if size is not None:
                return size
        return None

    async def content(
        self, key: str, start: int = 0, size: int | None = None
    ) -> AsyncIterator[bytes]:
        """Yield a content in pieces; a node that fails is left for the next."""
        nodes = await self._holders("contents", key)
        while True:
            if not nodes:
                raise NotHeld(f"{self.name}: the content {key} is not there")
            try:
                async for piece in self._nodes.content(nodes[0], key, start, size):
                    yield piece
                    start += len(piece)
                    size = None if size is None else size - len(piece)
                return
            except (NotHeld, StoreUnreachable):
                if len(nodes) == 1:
                    raise
                nodes = nodes[1:]

    async def fetch(self, key: str, spool: Path) -> bytes | Path:
        """Return a whole content, proven, from whichever node holds it undamaged."""
        nodes = await self._holders("contents", key)
        copies = [partial(self._nodes.content, node, key) for node in nodes]
        return await fetch(key, copies, self._workers, spool)

    async def listing(self, kind: Kind, after: str = "", limit: int = 1000) -> list[Held]:
        """Return the next things that the nodes which are up hold."""
        nodes = await self._up()
        pages = await together(self._nodes.listing(node, kind, after, limit) for node in nodes)
        held = groupby(merge(*pages, key=lambda each: each.key), key=lambda each: each.key)
        return [_joined(key, list(copies)) for key, copies in islice(held, limit)]

    async def append(self, captures: Sequence[Capture]) -> None:
        """Record captures, durably."""
        for outcome in await outcomes_of_each(_batches(captures), self._record, _BATCHES):
            if isinstance(outcome, Exception):
                raise outcome

    async def _record(self, captures: list[Capture]) -> None:
        keys = {capture.content for capture in captures}
        stored = {key: self._took[key] for key in keys if key in self._took}
        await self._index.call(int, "record", captures=captures, stored=stored)

    async def captures(self, key: str) -> AsyncIterator[list[Capture]]:
        """Yield the captures of a URL, of all nodes that hold some."""
        nodes = await self._index.call(list[str], "find", kind="structures", key=key)
        after = ""
        while nodes and (found := await self._next_captures(nodes, key, after)):
            yield found
            after = f"{found[-1].date}-{found[-1].content}"

    async def _next_captures(self, nodes: list[str], key: str, after: str) -> list[Capture]:
        found: dict[tuple[str, str], Capture] = {}
        problems: list[StoreUnreachable] = []

        async def read(node: str) -> None:
            try:
                page = await self._nodes.captures(node, key, after, _CAPTURES)
            except StoreUnreachable as error:
                problems.append(error)
            else:
                if any(structure_key(each.url) != key for each in page):
                    raise DamagedStructure(f"{node} gives captures of another URL for {key}")
                found.update({(each.date, each.content): each for each in page})

        await together(read(node) for node in nodes)
        if len(problems) == len(nodes):
            raise problems[0]
        return [found[place] for place in sorted(found)][:_CAPTURES]

    async def _up(self, patience: float = PATIENCE) -> list[str]:
        """Return the base URLs of the nodes that are up, and take note of the others."""
        cluster = await self._index.call(Cluster, "nodes", patience)
        self.absent = sorted(node.name for node in cluster.nodes if not node.up)
        return sorted(node.status.url for node in cluster.nodes if node.up)

    async def _holders(self, kind: Kind, key: str) -> list[str]:
        if key in self._took:
            return self._took[key]
        return await self._index.call(list[str], "find", kind=kind, key=key)

    def _remember(self, key: str, nodes: list[str]) -> None:
        self._took[key] = nodes
        if len(self._took) > _REMEMBERED:
            self._took.popitem(last=False)


def _joined(key: str, copies: list[Held]) -> Held:
    """Return one thing that several nodes hold."""
    return Held(key, "+".join(copy.version for copy in copies if copy.version))


def _batches(captures: Sequence[Capture]) -> list[list[Capture]]:
    """Return captures in portions that fit one call."""
    batches: list[list[Capture]] = [[]]
    size = 0
    for capture in captures:
        weight = 500 + len(capture.url) + len(capture.head) + 4 * len(capture.origin)
        if batches[-1] and (size + weight > _BATCH_BYTES or len(batches[-1]) == _BATCH):
            batches.append([])
            size = 0
        batches[-1].append(capture)
        size += weight
    return [batch for batch in batches if batch]
