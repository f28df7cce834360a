"""The disks of a storage node: those that go are left out, those that come back are taken back."""

from collections.abc import Callable, Sequence
from functools import partial

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.health import PATIENCE, RETURNS, look
from agents.storage.disk.known import KnownDisks
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.store import DiskStore
from agents.storage.errors import LayoutRefused, StorageError
from anet.errors import AnetError, Overloaded
from anet.tasks import Tasks, every
from anet.together import together

LOOK_EVERY = 5.0  # seconds
_LONGEST = 600.0  # seconds between two tries to take back a disk that goes again and again
_SAVE_EVERY = 600.0  # seconds between two times that the filters are kept

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
        on_return: given a disk that was taken back.
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
        self.on_return: Callable[[DiskStore], None] = lambda disk: None
        self.on_doubled: Callable[[str], None] = lambda key: None
        self._closing: set[DiskStore] = set()  # left out, and perhaps stuck
        self._waits = [LOOK_EVERY] * len(disks)  # seconds from a try to the next, of each disk
        self._not_before = [0.0] * len(disks)
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
                await self._see_that_it_answers(disk)
                await self._open(disk)
            except (LayoutRefused, OSError) as error:
                failure = error
                self._miss(disk, str(error))
        if not self.disks:
            raise failure or LayoutRefused("a storage node needs a disk")
        if self._known is not None:
            here = {disk.name: disk.layout.root for disk in self.disks}
            await self.disks[0].workers.run(self._known.keep, here)
        for number in range(len(self._configured)):
            turns = every(self._clock, LOOK_EVERY, partial(self._turn, number))
            self._tasks.start(turns, "looking at a disk")
        self._tasks.start(every(self._clock, _SAVE_EVERY, self.save), "keeping the filters")

    async def _see_that_it_answers(self, disk: DiskStore) -> None:
        """Read from a disk and write to it, if there is one; opening it may rightly take long.

        Raises:
            LayoutRefused: it does not answer, and the others need not wait.
        """
        try:
            await disk.workers.run(look, disk.layout, disk.health).addTimeout(PATIENCE, self._clock)
        except TimeoutError:
            self._give_up(disk, _silent())
            raise LayoutRefused(f"{disk.layout.root}: {_silent()}") from None

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
        """Take no more writes, and wait for those begun, but not for a disk that hangs."""
        await self._tasks.stop()
        for disk in self._configured:
            if disk not in self.disks and disk.workers.waiting:
                disk.abandon("the node stops")
        await together(self._close(disk) for disk in self.disks)

    async def _close(self, disk: DiskStore) -> None:
        """Close a disk that is there; nobody looks at it any more, and it may begin to hang now."""
        giving_up = self._clock.callLater(PATIENCE, disk.abandon, "the node stops")
        try:
            await disk.close()
        finally:
            if giving_up.active():
                giving_up.cancel()

    async def look(self) -> None:
        """See which disks are still there, and leave out those that are not."""
        await together(self._look(disk) for disk in list(self.disks))

    async def _turn(self, number: int) -> None:
        """Look at a disk; when it was left out, see whether it is back, ever more rarely."""
        disk = self._configured[number]
        if disk in self.disks:
            await self._look(disk)
        elif disk not in self._closing and self._clock.seconds() >= self._not_before[number]:
            await self._take_back(number, disk)

    async def _look(self, disk: DiskStore) -> None:
        try:
            await Deferred.fromCoroutine(disk.look()).addTimeout(PATIENCE, self._clock)
        except TimeoutError:
            disk.health.fail(_silent(), gone=True)
        except (StorageError, Overloaded):
            return
        if disk.health.gone and disk in self.disks:
            self._leave_out(disk)

    def _leave_out(self, disk: DiskStore) -> None:
        self.disks.remove(disk)
        self._miss(disk, disk.health.failed)
        self._give_up(disk, disk.health.failed)
        self.on_change()

    def _give_up(self, disk: DiskStore, why: str) -> None:
        """Wait for nothing of a disk any more, and write nothing to what may be in its place.

        Where the disk is gone at once, a call may hang all the same, and what waits for it.
        """
        disk.abandon(why)
        self._closing.add(disk)
        # One that does not answer may never close, and the others want to be looked at.
        self._tasks.start(self._let_go(disk), "closing a disk that is gone")

    async def _let_go(self, disk: DiskStore) -> None:
        """Close a disk, once no call hangs on it any more: that could still write to it."""
        await disk.until_free()
        await disk.close()
        self._closing.discard(disk)

    def _miss(self, disk: DiskStore, why: str) -> None:
        """Say why a disk is not there, once."""
        said, folder = f"{why}; {RETURNS}", str(disk.layout.root)
        if self.missing.get(folder) != said:
            self.missing[folder] = said
            _log.error("the disk in {folder} is left out: {why}", folder=folder, why=why)

    async def _take_back(self, number: int, disk: DiskStore) -> None:
        """Open a disk again that is there again, as another object; it reads what is there."""
        name = disk.name or (self._known.name_at(disk.layout.root) if self._known else "")
        if not await disk.workers.run(_is_back, disk.layout, name):
            return
        self._not_before[number] = self._clock.seconds() + self._waits[number]
        self._waits[number] = min(2 * self._waits[number], _LONGEST)
        again = disk.anew()
        try:
            await self._open(again)
        except (StorageError, AnetError, OSError) as error:
            self._miss(disk, str(error))
            return
        self._configured[number] = again
        del self.missing[str(disk.layout.root)]
        _log.info("the disk {name} is back", name=again.name)
        self.on_return(again)
        self.on_change()

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


def _is_back(layout: Layout, name: str) -> bool:
    """Tell whether a disk of a name, or of any for an empty one, is in its place. Blocks."""
    try:
        layout.check()
        return layout.read_name(fresh=True) == name or not name
    except (OSError, LayoutRefused):
        return False


def _silent() -> str:
    return f"it did not answer for {PATIENCE:.0f} seconds"
