"""Follows the logs of additions of all disks of all nodes that are up, into the index.

The index is nothing but what these logs say, so one that is empty, lost or behind comes back by
itself: it reads on where it stopped, or from the start (*INA §2.3*: data restoration).
"""

from urllib.parse import urlencode

import msgspec
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.catalogue import Catalogue
from agents.storage.index.notes import Notes
from agents.storage.index.view import ClusterView
from agents.storage.status import Added, Followed, NodeState
from anet.errors import AnetError, ConnectionBroken
from anet.http import HttpClient
from anet.tasks import Tasks, every
from anet.together import together

_PART_LIMIT = 16 * 1024 * 1024  # bytes of one part of a log, as JSON

_log = Logger()


class Following:
    """Asks every node that is up, again and again, what was added to its disks.

    Attributes:
        taken: entries taken in.
        behind: names of the nodes whose logs have not been read to their ends.
    """

    def __init__(
        self,
        clock: IReactorTime,
        catalogue: Catalogue,
        notes: Notes,
        view: ClusterView,
        client: HttpClient,
        interval: float,
    ) -> None:
        self._clock, self._catalogue, self._notes = clock, catalogue, notes
        self._view, self._client, self._interval = view, client, interval
        self._tasks = Tasks()
        self._busy: set[str] = set()
        self._followed: dict[str, dict[str, Followed]] = {}
        self.taken = 0
        self.behind: set[str] = set()

    def start(self) -> None:
        """Begin to follow."""
        self._tasks.start(every(self._clock, self._interval, self.look), "following the nodes")

    async def stop(self) -> None:
        """Follow no more."""
        await self._tasks.stop()

    async def look(self) -> None:
        """Read the logs of all nodes that are up to their ends."""
        nodes = [node for node in self._view.up if node.name not in self._busy]
        outcomes = await together(self._read(node) for node in nodes)
        for node, outcome in zip(nodes, outcomes, strict=True):
            if isinstance(outcome, Exception) and not isinstance(outcome, AnetError):
                _log.error("the log of {node} was not read: {why!r}", node=node.name, why=outcome)

    async def _read(self, node: NodeState) -> None:
        self._busy.add(node.name)
        try:
            for disk in await self._disks(node):
                while await self._read_part(node, disk):
                    self.behind.add(node.name)
            self.behind.discard(node.name)
        finally:
            self._busy.discard(node.name)

    async def _disks(self, node: NodeState) -> list[str]:
        """Return the names of a node's disks, of which the index has taken note."""
        disks = [disk.name for disk in node.status.disks] or [""]
        if set(disks) != set(self._followed.get(node.name, ())):
            registered = await self._catalogue.register(node.name, node.status.url, disks)
            self._followed[node.name] = registered
        return disks

    async def _read_part(self, node: NodeState, disk: str) -> bool:
        """Take in the next part of a log; return whether that led any further."""
        followed = self._followed[node.name]
        part = await self._ask(node, disk, followed[disk])
        if Followed(part.log, part.position) == followed[disk]:
            return False
        before = followed[disk]
        followed[disk] = await self._catalogue.add(node.name, part)
        for entry in part.entries:
            if entry.gone:
                self._notes.forget(entry.kind, entry.key, node.name)
        if followed[disk] == before:
            return False  # the node's log is shorter than it was; the node will renew it
        self.taken += len(part.entries)
        return True

    async def _ask(self, node: NodeState, disk: str, followed: Followed) -> Added:
        query = {"disk": disk} if disk else {}
        query |= {"log": followed.log, "since": str(followed.position)}
        target = f"{node.status.url.rstrip('/')}/additions?{urlencode(query)}"
        response = await self._client.request("GET", target)
        body = await response.read(_PART_LIMIT)
        if response.head.status != 200:
            raise ConnectionBroken(f"{node.name} answers {response.head.status}")
        try:
            part = msgspec.json.decode(body, type=Added)
        except msgspec.MsgspecError as error:
            raise ConnectionBroken(f"{node.name} gives no log: {error}") from None
        if part.disk != disk:
            raise ConnectionBroken(f"{node.name} gives the log of the disk {part.disk[:40]!r}")
        return part
