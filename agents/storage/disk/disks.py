"""The disks of a storage node, of which those that fail are left out."""

from collections.abc import Callable, Sequence

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.health import TAKEN_BACK
from agents.storage.disk.known import KnownDisks
from agents.storage.disk.layout import Kind
from agents.storage.disk.store import DiskStore
from agents.storage.errors import LayoutRefused
from anet.errors import Overloaded
from anet.tasks import Tasks, every
from anet.together import together

LOOK_EVERY = 5.0  # seconds
_SAVE_EVERY = 600.0  # seconds between two times that the filters are kept
_PATIENCE = 60.0  # seconds that a disk may take to answer a look

_log = Logger()


class Disks:
    """Opens the disks of a node, and looks now and then whether they are still there.

    Args:
        clock: when to look.
        disks: not opened yet.
        known: the disks that the node had before.

    Attributes:
        disks: those that are there.
        missing: why each of the others is not, by folder.
        on_added: called after each write that was made durable.
        on_change: called when a disk was left out.
        on_doubled: given the key of a structure file that was found on several disks.
    """

    def __init__(
        self, clock: IReactorTime, disks: Sequence[DiskStore], known: KnownDisks | None = None
    ) -> None:
        self._clock, self._configured, self._known = clock, list(disks), known
        self.disks: list[DiskStore] = []
        self.missing: dict[str, str] = {}
        self.on_added: Callable[[], None] = lambda: None
        self.on_change: Callable[[], None] = lambda: None
        self.on_doubled: Callable[[str], None] = lambda key: None
        self._tasks = Tasks()

    async def open(self) -> None:
        """Open all disks; those that cannot be opened are left out.

        Raises:
            LayoutRefused: none can, and one holds something else.
            OSError: none can.
        """
        failure: Exception | None = None
        for disk in self._configured:
            try:
                await self._open(disk)
            except (LayoutRefused, OSError) as error:
                failure = error
                self.missing[str(disk.layout.root)] = str(error)
                _log.error("a disk is left out: {error}", error=error)
        if not self.disks:
            raise failure or LayoutRefused("a storage node needs a disk")
        if self._known is not None:
            here = {disk.name: disk.layout.root for disk in self.disks}
            await self.disks[0].workers.run(self._known.keep, here)
        self._tasks.start(every(self._clock, LOOK_EVERY, self.look), "looking at the disks")
        self._tasks.start(every(self._clock, _SAVE_EVERY, self.save), "keeping the filters")

    async def _open(self, disk: DiskStore) -> None:
        if self._known is not None and (why := self._known.missing(disk.layout.root)):
            raise LayoutRefused(why)
        await disk.open()
        twin = next((each for each in self.disks if each.name == disk.name), None)
        if twin is not None:
            await disk.close()
            raise LayoutRefused(
                f"{disk.layout.root} is the disk {disk.name}, as {twin.layout.root} is: one is a "
                "copy of the other; name only one of them, or empty the other"
            )
        disk.on_added = self._added
        self.disks.append(disk)

    async def close(self) -> None:
        """Take no more writes, and wait for those begun."""
        await self._tasks.stop()
        await together(disk.close() for disk in self.disks)

    async def look(self) -> None:
        """See which disks are still there, and leave out those that are not."""
        await together(self._look(disk) for disk in list(self.disks))

    async def _look(self, disk: DiskStore) -> None:
        looking = Deferred.fromCoroutine(disk.look()).addTimeout(_PATIENCE, self._clock)
        try:
            await looking
        except TimeoutError:
            disk.health.fail(f"it did not answer for {_PATIENCE:.0f} seconds", gone=True)
        except Overloaded:
            return
        if disk.health.gone and disk in self.disks:
            self.disks.remove(disk)
            self.missing[str(disk.layout.root)] = f"{disk.health.failed}; {TAKEN_BACK}"
            _log.error("a disk is left out: {why}", why=disk.health.failed)
            self.on_change()
            # One that does not answer may never close, and the others want to be looked at.
            self._tasks.start(disk.close(), "closing a disk that is gone")

    def disk(self, name: str) -> DiskStore | None:
        """Return a disk that is there by its name; the first for an empty one."""
        return next((disk for disk in self.disks if name in ("", disk.name)), None)

    def _added(self) -> None:
        self.on_added()

    async def save(self) -> None:
        """Keep on each disk the filter of what it holds."""
        await together(disk.save_filter() for disk in self.disks)

    def suspect(self, disk: DiskStore) -> None:
        """Have a disk looked at now, because something went wrong with it."""
        self._tasks.start(self._look(disk), "looking at a disk that failed")

    @property
    def failed(self) -> str:
        """Why nothing is written any more, or an empty text."""
        if any(not disk.failed for disk in self.disks):
            return ""
        return "; ".join(disk.failed for disk in self.disks) or "no disk is there any more"

    @property
    def free(self) -> int:
        """Bytes that may still be written, on all disks."""
        return sum(disk.room for disk in self.disks)

    @property
    def errors(self) -> int:
        """Reads and writes that the system could not do."""
        return sum(disk.health.errors for disk in self._configured)

    @property
    def damaged(self) -> int:
        """How much there is in quarantine."""
        return sum(disk.damaged for disk in self.disks)

    @property
    def waiting(self) -> int:
        """Writes that wait."""
        return sum(disk.waiting for disk in self.disks)

    @property
    def surveyed(self) -> bool:
        """Tell whether memory knows of all disks what they hold."""
        return all(disk.holdings.surveyed for disk in self.disks)

    @property
    def groups(self) -> set[int]:
        """First bytes of all keys held."""
        return set().union(*(disk.holdings.groups for disk in self.disks))

    def count(self, kind: Kind) -> int:
        """Return how much of a kind the disks hold."""
        return sum(disk.holdings.counts[kind] for disk in self.disks)
