"""Copies all that a node's disks hold to another store, again and again: an object store, a folder.

What is copied is verified, and what the other store has is not copied again (see
`agents.storage.stores.copying`). Several nodes may have one mirror: what both hold is one object.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.application.service import MultiService
from twisted.logger import Logger

from agents.configuration import load
from agents.storage.errors import StorageError
from agents.storage.stores.copied import Copied, state_file
from agents.storage.stores.copying import Copying, Figures
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.places import store_at
from anet.errors import AnetError
from anet.tasks import Tasks, sleep
from anet.workers import Workers

_THREADS = 4
_AGAIN = 300.0  # seconds after a copy that failed

_log = Logger()


class Mirroring(MultiService):
    """Brings a store up to what disks hold, for as long as it runs.

    Args:
        reactor: waits.
        disks: gives the folders of the disks that are there.
        address: the other store's (see `store_at`).
        folder: where it is kept what was copied.
        every: seconds between the end of a copy and the next.

    Attributes:
        address: the other store's.
        figures: of the copy that runs, or ran last.
        runs: copies that came to their end.
        ended: when the last of them did, in seconds since the epoch; 0 for not since the start.
        problem: why the last one did not, or empty.
    """

    def __init__(
        self,
        reactor: Any,
        disks: Callable[[], Sequence[Path]],
        address: str,
        folder: Path,
        every: float,
    ) -> None:
        super().__init__()
        self.figures = Figures()
        self.runs = 0
        self.ended = 0.0
        self.problem = ""
        self._reactor, self._disks = reactor, disks
        self.address, self._folder, self._every = address, folder, every
        self._workers = Workers(reactor, _THREADS, name="mirror")
        self._thread = Workers(reactor, 1, name="mirror's state")
        for workers in (self._workers, self._thread):
            workers.setServiceParent(self)
        self._tasks = Tasks()

    def startService(self) -> None:
        """Begin."""
        super().startService()
        self._tasks.start(self._run(), "the mirror")

    async def stopService(self) -> None:
        """Stop in the middle; the next copy goes on there."""
        await self._tasks.stop()
        stopped = super().stopService()
        if stopped is not None:
            await stopped

    async def _run(self) -> None:
        while True:
            try:
                await self._copy()
            except (StorageError, AnetError, OSError) as error:
                self.problem = str(error)
                _log.warn("the mirror is behind: {problem}", problem=self.problem)
            else:
                self.problem = "; ".join(self.figures.problems[:1])
                self.runs += 1
                self.ended = time.time()
            await sleep(self._reactor, min(self._every, _AGAIN) if self.problem else self._every)

    async def _copy(self) -> None:
        source = FolderStore(self._disks(), self._workers)
        target = store_at(self._reactor, self.address, self._workers, load)
        copied = Copied(state_file(self._folder, source.name, target.name), self._thread)
        await copied.open()
        try:
            await source.open()
            await target.open(writing=True)
            with TemporaryDirectory(prefix="dlweb-mirror-") as spool:
                copying = Copying(source, target, copied, Path(spool))
                self.figures = copying.figures
                await copying.run()
        finally:
            await target.close()
            await source.close()
            await copied.close()
