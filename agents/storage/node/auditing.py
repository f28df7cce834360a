"""The audits of all disks of a node (see `agents.storage.disk.audit`)."""

from typing import Any

from attrs import evolve
from twisted.application.service import MultiService

from agents.storage.disk.audit import Audit
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFailed
from agents.storage.status import DiskStatus
from anet.tasks import Tasks
from anet.workers import Workers


class Auditing(MultiService):
    """Audits each disk in a thread of its own.

    Args:
        reactor: for the rate.
        rate: bytes a second, for each disk.
        interval: seconds from the beginning of one audit to that of the next.
    """

    def __init__(self, reactor: Any, rate: float, interval: float) -> None:
        super().__init__()
        self._reactor, self._rate, self._interval = reactor, rate, interval
        self._audits: dict[DiskStore, Audit] = {}
        self._workers: dict[DiskStore, Workers] = {}
        self._tasks = Tasks()

    @property
    def found(self) -> int:
        """Damaged or missing things found since the start of the node."""
        return sum(audit.found for audit in self._audits.values())

    def begin(self, store: NodeStore) -> None:
        """Begin to audit the disks of a node, which are open, and no more those that are gone."""
        for disk in [disk for disk in self._audits if disk not in store.disks]:
            del self._audits[disk]
            gone = DiskFailed(f"the disk {disk.name} is gone")
            self._tasks.start(_let_go(self._workers.pop(disk), gone), "ending an audit")
        for disk in [disk for disk in store.disks if disk not in self._audits]:
            workers = self._workers[disk] = Workers(self._reactor, 1, name=f"audit of {disk.name}")
            workers.setServiceParent(self)
            audit = Audit(self._reactor, disk, workers, self._rate, self._interval)
            audit.on_structure = store.on_doubled
            self._audits[disk] = audit
            self._tasks.start(audit.run(), f"audit of the disk {disk.name}")

    async def end(self) -> None:
        """Audit no more."""
        await self._tasks.stop()

    def hurry(self) -> None:
        """Have all disks audited anew, now, and as fast as they can be read."""
        for audit in self._audits.values():
            audit.hurry()

    def status(self, disk: DiskStore) -> DiskStatus:
        """Return what a disk says of itself, and its audit."""
        said, audit = disk.status(), self._audits.get(disk)
        if audit is None:
            return said
        return evolve(said, audited=audit.place.ended, auditing=audit.place.fraction)


async def _let_go(workers: Workers, gone: DiskFailed) -> None:
    """End the thread of a disk that is gone, once no call hangs in it any more."""
    workers.abandon(gone)
    await workers.idle()
    await workers.disownServiceParent()
