"""Empties disks that are being drained onto the other disks of their node.

WAITING --the master names disks, or it is time--> MOVING each thing they hold --> WAITING

What no other disk of the node can take stays, and goes to other nodes, as the master sees to.
"""

from collections.abc import Iterable, Iterator, Sequence

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.layout import KINDS, Kind
from agents.storage.disk.moving import move_content, unite
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.errors import StorageError
from anet.errors import AnetError
from anet.tasks import Tasks, sleep
from anet.together import together

AGAIN = 30.0  # seconds after which what stayed is tried again
_PAGE = 1000  # keys listed at once
_AT_ONCE = 16  # things moved side by side, which share the disk's syncs

_log = Logger()


class Emptying:
    """Moves what resting disks hold, for as long as they rest.

    Args:
        clock: for the pauses.
        store: the disks.

    Attributes:
        moved: contents and structure files moved since the start of the node.
        failed: how many could not be, when they were tried; they are tried again.
    """

    def __init__(self, clock: IReactorTime, store: NodeStore) -> None:
        self._clock, self._store = clock, store
        self._tasks = Tasks()
        self._names: frozenset[str] = frozenset()
        self.moved = self.failed = 0

    async def rest(self, names: Iterable[str]) -> None:
        """Empty these disks from now on, by name, and no others."""
        before, self._names = self._names, frozenset(names)
        self._store.rest(self._names)
        if self._names != before:
            tasks, self._tasks = self._tasks, Tasks()
            if self._names:
                self._tasks.start(self._run(), "emptying disks")
            await tasks.stop()

    async def stop(self) -> None:
        """Move nothing more; what is under way is on the disk that it comes from."""
        await self._tasks.stop()

    async def _run(self) -> None:
        while True:
            for disk in [disk for disk in self._store.disks if disk.name in self._names]:
                for kind in KINDS:
                    try:
                        await self._empty(disk, kind)
                    except (StorageError, AnetError, OSError) as error:
                        _log.warn("{disk} cannot be emptied: {why}", disk=disk.name, why=error)
            await sleep(self._clock, AGAIN)

    async def _empty(self, disk: DiskStore, kind: Kind) -> None:
        """Move all of a kind that others can take."""
        after = ""
        while keys := await disk.listing(kind, after, _PAGE):
            for some in _portions(keys):
                await together(self._move(disk, kind, key) for key in some)
            after = keys[-1]

    async def _move(self, disk: DiskStore, kind: Kind, key: str) -> None:
        try:
            target = self._store.elsewhere(disk, kind, key)
            if target is None:
                return
            if kind == "contents" and disk.failed and target.holds(kind, key):
                return  # it could not be removed when it was moved
            if kind == "contents":
                await move_content(key, disk, target)
            else:
                await unite(key, disk, target)
            self.moved += 1
        except (StorageError, AnetError, OSError) as error:
            self.failed += 1
            _log.warn("{key} stays on {disk}: {why}", key=key, disk=disk.name, why=error)


def _portions(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]
