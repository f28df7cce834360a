"""Follows the logs of additions of all disks of all nodes that are up, into the index.

The index is nothing but what these logs say, so one that is empty, lost or behind comes back by
itself: it reads on where it stopped, or from the start (*INA §2.3*: data restoration). So do the
groups that fall to this index node when another is lost. Until a group has been read to the end
of every log, nothing that is said of it is sure.

What was stored since is in the notes: of what this process recorded from the first, and of what
the other index nodes record for as long as the links to them last. So a reading counts only with
the links there were when it began, and only until notes are forgotten that are older than it: a
node whose log cannot be read may have what nothing here tells of any more.
"""

from collections.abc import Callable, Iterable
from typing import NoReturn
from urllib.parse import urlencode

import msgspec
from attrs import frozen
from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.additions import Entry
from agents.storage.index.notes import Notes
from agents.storage.index.readings import Reading
from agents.storage.index.sharing import mask
from agents.storage.index.store import IndexStore
from agents.storage.index.view import ClusterView
from agents.storage.status import Added, NodeState
from anet.errors import AnetError, ConnectionBroken, TimedOut
from anet.http import HttpClient
from anet.tasks import Tasks, every, sleep
from hip import Peer

_PART_LIMIT = 16 * 1024 * 1024  # bytes of one part of a log, as JSON
_PARTS_AT_ONCE = 4  # parts of logs in memory
_TIMEOUT = 30.0  # seconds that a node may take for a part
_CLEAR_PAUSE = 0.05  # seconds between two slices that are cleared

Links = frozenset[Peer]

_log = Logger()


@frozen
class _Read:
    """That a log was read to its end.

    Attributes:
        groups: the mask of the groups that were taken in.
        links: to the other index nodes when that began; None when one was missing.
        began: when that was, in seconds by the clock.
    """

    groups: int
    links: Links | None
    began: float


class Following:
    """Asks every node that is up, again and again, what was added to its disks.

    Args:
        clock: for all waiting.
        store: takes the logs in.
        notes: of what was stored a moment ago.
        view: the nodes.
        client: makes the requests.
        links: gives the links to all other index nodes; None when one is missing.
        interval: seconds between two looks at a log.
        settle: seconds after the start in which nothing is sure: storage nodes may be away that
            have just stored something, and index nodes that nobody has told of.

    Attributes:
        taken: entries taken in.
        behind: names of the nodes whose logs have not been read to their ends.
    """

    def __init__(
        self,
        clock: IReactorTime,
        store: IndexStore,
        notes: Notes,
        view: ClusterView,
        client: HttpClient,
        links: Callable[[], Links | None],
        *,
        interval: float,
        settle: float,
    ) -> None:
        self._clock, self._store, self._notes = clock, store, notes
        self._view, self._client, self._links = view, client, links
        self._interval, self._settled_at = interval, clock.seconds() + settle
        self._tasks = Tasks()
        self._parts = DeferredSemaphore(_PARTS_AT_ONCE)
        self._busy: set[str] = set()
        self._seen: set[str] = set()
        self._ends: dict[tuple[str, str], _Read] = {}
        self.taken = 0
        self.behind: set[str] = set()

    def start(self) -> None:
        """Begin to follow."""
        self._tasks.start(every(self._clock, self._interval, self.look), "following the nodes")
        self._tasks.start(every(self._clock, self._interval, self._clear), "clearing the index")

    async def stop(self) -> None:
        """Follow no more."""
        await self._tasks.stop()

    @property
    def read(self) -> int:
        """The mask of the groups that have been read to the end of the log of every disk.

        Nodes that are away do not count; but before any log was read, nothing has been.
        """
        groups = mask(self._store.groups) if self._ends else 0
        for node in self._view.up:
            for disk in _disks(node):
                end = self._ends.get((node.name, disk))
                groups &= end.groups if end is not None else 0
        return groups

    @property
    def sure(self) -> int:
        """The mask of the groups of which all is known that was acknowledged before now."""
        links, since = self._links(), self._notes.since
        up = {node.name for node in self._view.up}
        ends = [end for (node, _), end in self._ends.items() if node in up]
        stale = any(end.links != links or end.began < since for end in ends)
        settled = self._clock.seconds() >= self._settled_at
        return self.read if settled and links is not None and not stale else 0

    async def look(self) -> None:
        """Take the groups that are this index node's, and begin to read logs to their ends."""
        share = self._view.share
        if share is not None and share != self._store.groups:
            await self._store.take(share)
        up = {node.name: node for node in self._view.up}
        back = up.keys() - self._seen  # their logs may have grown since they were last read
        self._ends = {place: end for place, end in self._ends.items() if place[0] not in back}
        self._seen = set(up)
        for node in up.values():
            if node.name not in self._busy:
                self._busy.add(node.name)
                self._tasks.start(self._read_node(node), f"reading the logs of {node.name}")

    async def _read_node(self, node: NodeState) -> None:
        try:
            links, began = self._links(), self._clock.seconds()
            await self._register(node)
            for disk in _disks(node):
                while await self._read_parts(node, disk):
                    self.behind.add(node.name)
                self._note_end(node.name, disk, links, began)
            self.behind.discard(node.name)
        except AnetError as error:
            self.behind.add(node.name)
            _log.info("a log of {node} was not read: {why}", node=node.name, why=error)
        except Exception:
            self._ends.clear()  # the database takes nothing, so that nothing is sure
            raise
        finally:
            self._busy.discard(node.name)

    async def _register(self, node: NodeState) -> None:
        """Take note of a node's disks and base URL, if they are new."""
        known = {
            disk.name: disk.url for disk in self._store.disks.values() if disk.node == node.name
        }
        if known != dict.fromkeys(_disks(node), node.status.url):
            for disk in known.keys() - set(_disks(node)):
                self._ends.pop((node.name, disk), None)
            if known.keys() - set(_disks(node)):
                self._notes.forget_node(node.name)  # its notes do not say on which disk
            await self._store.register(node.name, node.status.url, _disks(node))

    def _note_end(self, node: str, disk: str, links: Links | None, began: float) -> None:
        """Take note that the log of a disk was read to its end, by all of its readings."""
        known = self._store.disks.get((node, disk))
        if known is not None:
            groups = mask(b"".join(each.groups for each in known.readings))
            self._ends[node, disk] = _Read(groups, links, began)

    async def _read_parts(self, node: NodeState, disk: str) -> bool:
        """Take in the next part for each reading of a log; return whether one led further."""
        led = False
        known = self._store.disks.get((node.name, disk))
        for reading in known.readings if known is not None else ():
            led |= await self._parts.run(
                Deferred.fromCoroutine, self._read_part(node, disk, reading)
            )
        return led

    async def _read_part(self, node: NodeState, disk: str, reading: Reading) -> bool:
        part = await self._ask(node, disk, reading)
        if reading.followed.log not in ("", part.log):
            self._ends.pop((node.name, disk), None)  # it was made again, and is read from its start
        if len(_disks(node)) > 1:
            self._note_moved(node.name, disk, part.entries)
        if not await self._store.add(node.name, reading, part):
            return False
        for entry in part.entries:
            if entry.gone and entry.kind == "contents":
                self._notes.forget(entry.kind, entry.key, node.name)
        self.taken += len(part.entries)
        return True

    def _note_moved(self, node: str, disk: str, entries: Iterable[Entry]) -> None:
        """Take structure files that are gone from a disk for moved to another disk of the node.

        The log of that one may be read later, and they must not be denied meanwhile. Contents
        never are without the nodes' word, and one that is gone must be PUT again.
        """
        end = self._ends.get((node, disk))
        for entry in entries:
            known = end is not None and end.groups >> int(entry.key[:2], 16) & 1
            if known and entry.gone and entry.kind == "structures":
                self._notes.add(entry.kind, entry.key, [node])

    async def _ask(self, node: NodeState, disk: str, reading: Reading) -> Added:
        query = {"disk": disk} if disk else {}
        query |= {"log": reading.followed.log, "since": str(reading.followed.position)}
        target = f"{node.status.url.rstrip('/')}/additions?{urlencode(query)}"
        asking = Deferred.fromCoroutine(self._get(target))
        status, body = await asking.addTimeout(_TIMEOUT, self._clock, _timed_out)
        if status != 200:
            raise ConnectionBroken(f"{node.name} answers {status}")
        try:
            part = msgspec.json.decode(body, type=Added)
        except msgspec.MsgspecError as error:
            raise ConnectionBroken(f"{node.name} gives no log: {error}") from None
        if part.disk != disk:
            raise ConnectionBroken(f"{node.name} gives the log of the disk {part.disk[:40]!r}")
        return part

    async def _get(self, target: str) -> tuple[int, bytes]:
        response = await self._client.request("GET", target)
        return response.head.status, await response.read(_PART_LIMIT)

    async def _clear(self) -> None:
        """Clear away what means nothing any more, a little at a time."""
        if not self._store.cluttered:
            return
        self._store.cluttered = False
        after = await self._store.clear(b"")
        while after:
            await sleep(self._clock, _CLEAR_PAUSE)
            after = await self._store.clear(after)


def _disks(node: NodeState) -> list[str]:
    """Return the names of a node's disks; one that tells of none counts as one without a name."""
    return [disk.name for disk in node.status.disks] or [""]


def _timed_out(_: object, seconds: float) -> NoReturn:
    raise TimedOut(f"no part of its log in {seconds:g} seconds")
