"""Unites structure files that are on several disks of a node, slowly, in the background.

They come to be where a disk failed, another took its place, and the first came back. Who reads
takes them together; but other nodes compare one copy only, and the node should have one.
"""

from collections import OrderedDict

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.errors import StorageError
from anet.errors import AnetError, Overloaded
from anet.tasks import Tasks, sleep

_WAITING_LIMIT = 10_000  # keys; those past it are found again by the audit
_PAUSE = 0.02  # seconds between two of them
_TICK = 1.0  # seconds
_PAGE = 1000  # keys listed at once

_log = Logger()


class Uniting:
    """Unites what it is told of, one at a time.

    Args:
        clock: for the pauses.
        store: the disks.

    Attributes:
        united: how many were, since the start of the node.
    """

    def __init__(self, clock: IReactorTime, store: NodeStore) -> None:
        self._clock, self._store = clock, store
        self._tasks = Tasks()
        self._waiting: OrderedDict[str, None] = OrderedDict()
        self.united = 0

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def start(self) -> None:
        """Begin."""
        self._tasks.start(self._run(), "uniting structure files")

    async def stop(self) -> None:
        """Unite nothing more; what is under way is whole on one disk."""
        await self._tasks.stop()

    def look_at(self, key: str) -> None:
        """Have a structure file united if it is on several disks; costs little if it is not."""
        if len(self._waiting) < _WAITING_LIMIT and self._store.is_doubled(key):
            self._waiting[key] = None

    def look_through(self, disk: DiskStore) -> None:
        """Look at all that a disk holds, because it has come back."""
        self._tasks.start(self._look_through(disk), f"looking for what {disk.name} has twice")

    async def _look_through(self, disk: DiskStore) -> None:
        after = ""
        while keys := await self._listing(disk, after):
            for key in keys:
                self.look_at(key)
            after = keys[-1]
            while len(self._waiting) > _WAITING_LIMIT // 2:
                await sleep(self._clock, _TICK)

    async def _listing(self, disk: DiskStore, after: str) -> list[str]:
        """Return the next keys, as soon as a busy disk lists them; none once it has gone again."""
        while disk in self._store.disks:
            try:
                return await disk.listing("structures", after, _PAGE)
            except Overloaded:
                await sleep(self._clock, _TICK)
        return []

    async def _run(self) -> None:
        while True:
            while self._waiting:
                key, _ = self._waiting.popitem(last=False)
                await self._unite(key)
                await sleep(self._clock, _PAUSE)
            await sleep(self._clock, _TICK)

    async def _unite(self, key: str) -> None:
        try:
            self.united += await self._store.unite(key)
        except (StorageError, AnetError, OSError) as error:
            _log.warn("{key} stays on several disks for now: {why}", key=key, why=error)
