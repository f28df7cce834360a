"""One disk of a storage node, open: what it holds, how it is, and the batches it is written in."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from agents.storage.batcher import Batcher
from agents.storage.disk import scan
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.ahead import WriteAhead
from agents.storage.disk.commit import Chore, DiskWriter, Write
from agents.storage.disk.contents import SMALL, read_small
from agents.storage.disk.depot import NO_DEPOT, Depot, Piecewise, is_sound_in_place
from agents.storage.disk.durable import Folders
from agents.storage.disk.health import TAKEN_BACK, Health, look
from agents.storage.disk.holdings import Holdings
from agents.storage.disk.keeping import FilterKeeper
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.lock import DiskLock
from agents.storage.disk.removal import Removal
from agents.storage.disk.space import Space
from agents.storage.disk.upgrade import upgrade
from agents.storage.errors import DiskFailed
from agents.storage.status import DiskStatus
from anet.http import FileBody
from anet.workers import Workers

_BATCH_LIMIT = 1000  # groups of writes
_LISTINGS = 1000  # that may wait for the journal, and are then served together


class Disk:
    """A disk that is open; all but small reads is done in workers. `DiskStore` writes to it.

    Attributes:
        layout: where everything lies.
        space: how much more fits.
        additions: the log of what was added.
        health: what went wrong with it.
        ahead: its journal.
        damaged: how much there is in quarantine.
        workers: threads for what blocks.
        depot: where its contents go.
        on_added: called after each write that was made durable.
    """

    def __init__(
        self,
        root: Path,
        workers: Workers,
        *,
        reserve: int,
        waiting_limit: int,
        depot: Depot = NO_DEPOT,
    ) -> None:
        self.layout = Layout(root)
        self.depot = depot
        self.space = Space(root, reserve)
        self.additions = AdditionsLog(self.layout.additions)
        self.health = Health()
        self.on_added: Callable[[], None] = lambda: None
        self.workers = workers
        self.damaged = 0
        self._looking = Workers(workers.clock, 1, name=f"looks at {root}")
        self._lock = DiskLock(self.layout.root)
        self._writer = DiskWriter(self.layout, self.additions)
        self._folders = Folders()
        self._batches: Batcher[Sequence[Write]] = Batcher(
            self._commit,
            batch_limit=_BATCH_LIMIT,
            waiting_limit=waiting_limit,
            weigh=lambda writes: sum(write.weight for write in writes),
            name=f"writes to {root}",
        )
        self.ahead = WriteAhead(
            self.layout,
            self._folders,
            self._writer,
            workers,
            commit=self._batches.submit,
            holds=lambda key: self.holds("contents", key),
            on_durable=lambda key: self.holdings.add("contents", key),
            waiting_limit=waiting_limit,
        )
        self._listings: Batcher[None] = Batcher(  # who asks needs no credential
            self._settle, batch_limit=_LISTINGS, waiting_limit=_LISTINGS, name=f"listings of {root}"
        )
        self._keeper = FilterKeeper(
            self.layout,
            self.additions,
            self.health,
            workers,
            depot,
            settle=self.ahead.settle,
            pause=lambda: self._batches.submit([]),
            journal=self.ahead.journal.held,
        )

    @property
    def name(self) -> str:
        """The disk's own name, once it is open."""
        return self.layout.name

    @property
    def holdings(self) -> Holdings:
        """What memory knows of the disk."""
        return self._keeper.holdings

    @property
    def failed(self) -> str:
        """Why nothing is written any more, or an empty text."""
        return self._writer.failed or self.health.failed

    @property
    def room(self) -> int:
        """About how many bytes it can still take; none once it has failed."""
        try:
            return 0 if self.failed or self.health.silent else self.space.room
        except OSError as error:
            self.health.note(error)
            return 0

    @property
    def waiting(self) -> int:
        """Writes that wait."""
        return self._batches.waiting + self.ahead.waiting

    async def open(self) -> None:
        """Make the folder ready and begin to survey what it holds.

        Raises:
            LayoutRefused: it holds something else.
            OSError: it cannot be written.
        """
        try:
            await self.workers.run(self._prepare)
        except BaseException:
            self.ahead.journal.close()
            self._lock.release()
            raise
        self._looking.startService()
        self.ahead.begin()
        self._keeper.survey_if_needed()

    async def close(self) -> None:
        """Take no more writes, wait for those begun, and keep the filter for the next start."""
        await self._listings.stop()
        await self.ahead.stop()
        await self._batches.stop()
        await self._keeper.stop(sound=not self.failed)
        await self.workers.run(self.depot.close)
        if self._looking.running:
            await self._looking.stopService()
        self._lock.release()

    def write_no_more(self, why: str) -> None:
        """Refuse every write from now on, also those that wait."""
        self._writer.failed = self._writer.failed or why

    def abandon(self, why: str) -> None:
        """Have all that waits for the disk fail now, and all that comes; it writes no more.

        A call of the system that never returns cannot be ended: its thread stays as it is.
        """
        self.write_no_more(why)
        error = DiskFailed(f"{self.layout.root}: {why}")
        for workers in self._all_workers():
            workers.abandon(error)

    async def until_free(self) -> None:
        """Wait until nothing that was abandoned runs any more, which may take for ever."""
        for workers in self._all_workers():
            await workers.idle()
            workers.resume()

    def _all_workers(self) -> list[Workers]:
        return [self.workers, self._looking]

    def holds(self, kind: Kind, key: str) -> bool:
        """Tell whether the disk has it: a definite no from memory, a yes from the disk."""
        return self.size_of(kind, key) is not None

    def size_of(self, kind: Kind, key: str) -> int | None:
        """Return the bytes of a content or of the lines of a structure file; None for neither."""
        if kind == "contents" and (size := self.ahead.journal.size_of(key)) is not None:
            return size
        if not self.holdings.may_hold(kind, key):
            return None
        try:
            found = os.lstat(self.layout.place(kind, key))  # no link or pipe, which would block us
            return found.st_size if stat.S_ISREG(found.st_mode) else None
        except FileNotFoundError:
            return self.depot.size_of(key) if kind == "contents" else None
        except OSError as error:
            self.health.note(error)
            return None

    def read_small(self, key: str, most: int = SMALL) -> bytes | None:
        """Return a content of at most `most` bytes; None for others, and when it cannot be read."""
        body = self.ahead.journal.read(key)
        return read_small(self.layout, key, most) if body is None else body

    def body_of(self, key: str, size: int) -> bytes | FileBody | Piecewise:
        """Return a content that it has, of the size that was just told, to be sent at once."""
        body = self.ahead.journal.read(key)
        if body is not None:
            return body
        if self.depot.size_of(key) is not None:
            return self.depot.stream(key, 0, size)
        return FileBody(self.layout.content(key), 0, size)

    async def is_sound(self, key: str) -> bool:
        """Tell whether it has a content that is what its key says; reads all of it.

        Raises:
            OSError: the system could not read it.
            StoreUnreachable: its depot does not answer.
        """
        return await self.workers.run(is_sound_in_place, self.layout, self.depot, key)

    def status(self) -> DiskStatus:
        """Return what the disk says of itself."""
        return DiskStatus(
            name=self.name,
            folder=str(self.layout.root),
            size=self.space.size,
            free=self.room,
            contents=self.holdings.counts["contents"],
            structures=self.holdings.counts["structures"],
            failed=self.failed and f"{self.failed}; {TAKEN_BACK}",
            errors=self.health.errors,
            last_error=self.ahead.problem or self.health.last_error,
            damaged=self.damaged,
            log=self.additions.log,
            position=self.additions.position,
        )

    async def look(self) -> None:
        """See whether the disk is still there and can be written; `health` says what was found.

        Raises:
            Overloaded: too much waits to look now.
        """
        found = await self._looking.run(look, self.layout, self.health)
        if found.why:
            self.health.note(found.why)
            self.health.fail(found.why, gone=found.gone)
        else:  # somebody may have emptied it
            self.damaged = await self.workers.run(self.layout.in_quarantine)

    async def listing(self, kind: Kind, after: str, limit: int) -> list[str]:
        """Return the next keys held, in order.

        Raises:
            OSError: the system could not.
            Overloaded: too much is waiting.
        """
        await self._listings.submit(None)
        return await self.workers.run(scan.listing, self.layout, kind, after, limit, self.depot)

    async def _settle(self, listings: list[None]) -> list[None]:
        """Have files made of the journal once for all listings that were asked for meanwhile."""
        await self.ahead.settle()
        return listings

    async def renew_log(self) -> None:
        """Make the log of additions again of what lies on the disk; writes wait meanwhile."""
        await self.ahead.settle()
        await self.workers.run(
            self._writer.alone,
            lambda: self.additions.renew(scan.entries(self.layout, self.depot)),
        )
        self._keeper.follow_anew()

    async def save_filter(self) -> None:
        """Keep the filter on the disk, with how much of the log of additions is in it."""
        if not self.failed:
            await self._keeper.save()

    async def _commit(self, groups: list[Sequence[Write]]) -> list[list[Any]]:
        """Write a batch; whatever became of those who asked, what is durable is known of."""
        writes = [write for group in groups for write in group]
        outcomes = await self.workers.run(self._write, writes)
        for write, outcome in _in_turn(zip(writes, outcomes, strict=True)):
            if isinstance(outcome, DiskFailed):
                self.health.note(outcome)
            if isinstance(write, Removal):
                if write.gone and not isinstance(outcome, Exception):
                    self._let_go(write)
            elif not isinstance(outcome, Exception) and not self._is_known(write):
                self.holdings.add(write.kind, write.key, new=write.created)
        self._keeper.follow()
        self._keeper.survey_if_needed()
        self.on_added()
        each = iter(outcomes)
        return [list(islice(each, len(group))) for group in groups]

    def _let_go(self, removal: Removal) -> None:
        """Take note that something is gone, unless it has come into the journal again since."""
        self.holdings.remove(removal.kind, removal.key)
        if self._is_known(removal):
            self.holdings.add(removal.kind, removal.key, new=False)

    def _is_known(self, write: Write) -> bool:
        """Tell whether `holdings` has heard already of what was written, or need not.

        Of a content it has when that came into the journal.
        """
        if isinstance(write, Chore):
            return True
        return write.kind == "contents" and self.ahead.journal.size_of(write.key) is not None

    def _write(self, writes: Sequence[Write]) -> list[Any]:
        """Take away, and then write, so that nothing goes that is said to be here after that."""
        removals = [write for write in writes if isinstance(write, Removal)]
        others = [write for write in writes if not isinstance(write, Removal)]
        removed = iter(self._writer.commit(removals) if removals else [])
        outcomes = iter(self._writer.commit(others) if others else [])
        return [next(removed if isinstance(each, Removal) else outcomes) for each in writes]

    def _prepare(self) -> None:
        self.layout.prepare()
        self._lock.take()
        self.layout.tidy()
        upgrade(self.layout)
        self.damaged = self.layout.in_quarantine()
        self.depot.open(self.layout)
        self.additions.open(scan.entries(self.layout, self.depot))
        self._writer.recover()
        self.ahead.journal.open()
        self._keeper.load()


def _in_turn(done: Iterable[tuple[Write, Any]]) -> list[tuple[Write, Any]]:
    """Return writes with their outcomes in the order in which `_write` does them."""
    return sorted(done, key=lambda each: not isinstance(each[0], Removal))
