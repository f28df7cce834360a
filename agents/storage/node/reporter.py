"""Tells the master what was added to each disk: everything, once, whatever breaks in between.

The master says how far it has followed the log of each disk; the node sends what comes
after, and waits for each part to be taken in before it sends the next. So a lost link, a killed
master or a killed node lose nothing (*INA §2.3*: each node logs the files added to it on the
HIP stream).
"""

from collections.abc import Callable

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.belonging import register
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.status import Added, Followed, NodeStatus
from anet.errors import Overloaded
from anet.tasks import Tasks, sleep
from hip import HipError, Peer, convert

IDLE = 2.0  # seconds after which the status is told, when nothing was added
GATHER = 0.05  # seconds that additions are gathered before they are sent
_PART = 256 * 1024  # bytes of the log sent at once
_TIMEOUT = 60.0

_log = Logger()


class Reporter:
    """Follows the logs of the disks for one master at a time.

    When anything goes wrong the link is ended: the next begins where the master then says.

    Args:
        clock: for how long it waits.
        store: the disks.
        status: what the node says of itself.
        secret: the archive's.

    Attributes:
        told: entries that the master has taken in.
    """

    def __init__(
        self,
        clock: IReactorTime,
        store: NodeStore,
        status: Callable[[], NodeStatus],
        secret: str,
    ) -> None:
        self._clock, self._store, self._status, self._secret = clock, store, status, secret
        self._tasks = Tasks()
        self._woken: Deferred[None] | None = None
        self.told = 0

    async def greet(self, master: Peer) -> None:
        """Register with a master, and tell it of additions for as long as the link lasts."""
        answer = await register(master, "register", self._secret, self._status())
        followed = convert(answer, dict[str, Followed])
        self._tasks.start(self._report(master, followed), "telling the master of additions")

    def wake(self) -> None:
        """Take note that something was added."""
        woken, self._woken = self._woken, None
        if woken is not None:
            woken.callback(None)

    async def stop(self) -> None:
        """Tell nothing more."""
        await self._tasks.stop()

    async def _report(self, master: Peer, followed: dict[str, Followed]) -> None:
        try:
            seen: dict[str, DiskStore] = {}
            for disk in list(self._store.disks):
                seen[disk.name] = disk
                await _renew_if_behind(disk, followed.get(disk.name, Followed()))
            while True:
                for disk in list(self._store.disks):
                    if seen.get(disk.name) is not disk:  # it is back, or was not there before
                        seen[disk.name] = disk
                        followed.pop(disk.name, None)  # the master says how far it is
                    before = followed.get(disk.name, Followed())
                    followed[disk.name] = await self._tell_all(master, disk, before)
                await self._wait()
                master.notify("alive", status=self._status())
        except CancelledError:
            raise
        except HipError as error:
            _log.info("the master is told nothing more over this link: {why}", why=error)
            master.close("what was added was not taken in")
        except Exception:
            _log.failure("the master could not be told what was added")
            master.close("what was added could not be told")

    async def _tell_all(self, master: Peer, disk: DiskStore, followed: Followed) -> Followed:
        """Send a disk's log to its end, while it can be read; return how far the master is then."""
        try:
            while followed != Followed(disk.additions.log, disk.additions.position):
                followed = await self._tell(master, disk, followed)
        except OSError as error:
            disk.health.note(error)
            self._store.suspect(disk)
        except Overloaded:
            pass  # the disk has too much to do; the next turn tells the rest
        return followed

    async def _tell(self, master: Peer, disk: DiskStore, followed: Followed) -> Followed:
        """Send the next part of a log; return how far the master is then."""
        log, position = followed.log, followed.position
        part = await disk.workers.run(disk.additions.read, log, position, _PART)
        added = Added(part.log, part.since, part.position, part.entries, disk.name)
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


async def _renew_if_behind(disk: DiskStore, followed: Followed) -> None:
    if not disk.additions.is_behind(followed.log, followed.position):
        return
    _log.warn(
        "the disk {name} was put back to an older state; its log is made again", name=disk.name
    )
    try:
        await disk.renew_log()
    except OSError as error:
        disk.health.note(error)
