"""Tells the master what was added to the disk: everything, once, whatever breaks in between.

The master says how far it has followed the node's log of additions; the node sends what comes
after, and waits for each part to be taken in before it sends the next. So a lost link, a killed
master or a killed node lose nothing (*INA §2.3*: each node logs the files added to it on the
HIP stream).
"""

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.store import DiskStore
from agents.storage.status import Added, Followed, NodeStatus
from anet.tasks import Tasks, sleep
from hip import HipError, Peer, convert

IDLE = 2.0  # seconds after which the status is told, when nothing was added
GATHER = 0.05  # seconds that additions are gathered before they are sent
_PART = 256 * 1024  # bytes of the log sent at once
_TIMEOUT = 60.0

_log = Logger()


class Reporter:
    """Follows the log of a disk for one master at a time."""

    def __init__(
        self, clock: IReactorTime, store: DiskStore, status: Callable[[], NodeStatus]
    ) -> None:
        self._clock, self._store, self._status = clock, store, status
        self._tasks = Tasks()
        self._woken: Deferred[None] | None = None
        self.told = 0

    async def greet(self, master: Peer) -> None:
        """Register with a master, and tell it of additions for as long as the link lasts."""
        followed = convert(await master.call("register", status=self._status()), Followed)
        self._tasks.start(self._report(master, followed), "telling the master of additions")

    def wake(self) -> None:
        """Take note that something was added."""
        woken, self._woken = self._woken, None
        if woken is not None:
            woken.callback(None)

    async def stop(self) -> None:
        """Tell nothing more."""
        await self._tasks.stop()

    async def _report(self, master: Peer, followed: Followed) -> None:
        try:
            if self._store.additions.is_behind(followed.log, followed.position):
                _log.warn("the disk was put back to an older state; its log is made again")
                await self._store.renew_log()
            while True:
                followed = await self._tell(master, followed)
                if followed == Followed(self._store.additions.log, self._store.additions.position):
                    await self._wait()
                    master.notify("alive", status=self._status())
        except HipError:
            return  # the link is gone; the next one begins where the master then says

    async def _tell(self, master: Peer, followed: Followed) -> Followed:
        """Send the next part of the log; return how far the master is then."""
        additions = self._store.additions
        part = await self._store.workers.run(additions.read, followed.log, followed.position, _PART)
        added = Added(part.log, part.since, part.position, part.entries)
        if followed == Followed(part.log, part.position):
            return followed
        answer = await master.call("added", timeout=_TIMEOUT, added=added)
        self.told += len(part.entries)
        return convert(answer, Followed)

    async def _wait(self) -> None:
        """Wait until something is added, and a little longer for more; or until idle."""
        woken: Deferred[None] = Deferred()
        self._woken = woken
        woken.addTimeout(IDLE, self._clock, lambda *_: None)
        await woken
        self._woken = None
        await sleep(self._clock, GATHER)
