"""One disk of a storage node: what is said to be done is durable."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from attrs import frozen
from twisted.internet.defer import Deferred

from agents.capture import Capture
from agents.storage.batcher import Batcher
from agents.storage.disk import filter_file, scan
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.ahead import WriteAhead
from agents.storage.disk.append import Marks, StructureWrite
from agents.storage.disk.commit import DiskWriter, Write
from agents.storage.disk.contents import SMALL, ContentWrite, IncomingContent, read_small
from agents.storage.disk.durable import Folders
from agents.storage.disk.health import Health, look
from agents.storage.disk.holdings import FilterTooSmall, Holdings, survey
from agents.storage.disk.journal import Content, known_outcomes
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.lock import DiskLock
from agents.storage.disk.removal import Quarantine, Removal
from agents.storage.disk.space import Space
from agents.storage.disk.upgrade import upgrade
from agents.storage.errors import DiskFailed
from agents.storage.status import DiskStatus, Followed
from anet.errors import Overloaded
from anet.tasks import Tasks
from anet.workers import Workers

Lane: TypeAlias = Callable[[Sequence[Content]], Deferred[list[Any]]]

_BATCH_LIMIT = 1000  # groups of writes


@frozen
class Recorded:
    """What became of captures: how many came, and how many of them were new."""

    recorded: int
    new: int


class DiskStore:
    """Contents and structure files of one disk; all but small reads is done in workers.

    Attributes:
        layout: where everything lies.
        space: how much more fits.
        additions: the log of what was added.
        holdings: what memory knows of it.
        health: what went wrong with it.
        damaged: how much there is in quarantine.
        workers: threads for what blocks.
        on_added: called after each write that was made durable.
    """

    def __init__(self, root: Path, workers: Workers, *, reserve: int, waiting_limit: int) -> None:
        self.layout = Layout(root)
        self.space = Space(root, reserve)
        self.additions = AdditionsLog(self.layout.additions)
        self.holdings = Holdings()
        self.health = Health()
        self.on_added: Callable[[], None] = lambda: None
        self.workers = workers
        self._covered = Followed()  # how much of the log `holdings` knows
        self._saved = Followed()  # how much of it the filter on the disk does
        self.damaged = 0
        self._lock = DiskLock(self.layout.root)
        self._tasks = Tasks()
        self._writer = DiskWriter(self.layout, self.additions)
        self._folders = Folders()
        self._marks = Marks(self.layout)
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
            on_durable=lambda key: self.holdings.add("contents", key),
            waiting_limit=waiting_limit,
        )

    @property
    def name(self) -> str:
        """The disk's own name, once it is open."""
        return self.layout.name

    @property
    def failed(self) -> str:
        """Why nothing is written any more, or an empty text."""
        return self._writer.failed or self.health.failed

    @property
    def room(self) -> int:
        """About how many bytes it can still take; none once it has failed."""
        try:
            return 0 if self.failed else self.space.room
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
        await self.workers.run(self._prepare)
        self._survey_if_needed()

    async def close(self) -> None:
        """Take no more writes, wait for those begun, and keep the filter for the next start."""
        await self.ahead.stop()
        await self._batches.stop()
        await self._tasks.stop()
        await self.save_filter()
        self._lock.release()

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
            return self.layout.path(kind, key).stat().st_size
        except FileNotFoundError:
            return None
        except OSError as error:
            self.health.note(error)
            return None

    def read_small(self, key: str) -> bytes | None:
        """Return a content of at most 64 KiB; None for any other, and when it cannot be read."""
        body = self.ahead.journal.read(key)
        return read_small(self.layout, key) if body is None else body

    def status(self) -> DiskStatus:
        """Return what the disk says of itself."""
        return DiskStatus(
            name=self.name,
            folder=str(self.layout.root),
            size=self.space.size,
            free=self.room,
            contents=self.holdings.counts["contents"],
            structures=self.holdings.counts["structures"],
            failed=self.failed,
            errors=self.health.errors,
            last_error=self.health.last_error,
            damaged=self.damaged,
        )

    async def look(self) -> None:
        """See whether the disk is still there and can be written; `health` says what was found.

        Raises:
            Overloaded: too much waits to look now.
        """
        found = await self.workers.run(look, self.layout)
        if found.why:
            self.health.note(found.why)
            self.health.fail(found.why, gone=found.gone)

    async def put(self, key: str, body: bytes | IncomingContent) -> bool:
        """Store a content; return whether it is new here.

        Raises:
            DigestMismatch: `body` does not hash to `key`.
            DiskFull: there is no room for it.
            DiskFailed: the system could not write.
            Overloaded: too much is waiting.
        """
        if isinstance(body, bytes):
            [outcome] = await self.put_all([(key, body)])
            return bool(_result(outcome))
        try:
            self.space.require(0)  # the file has taken its room already
            written = self._batches.submit([ContentWrite(self.layout, self._folders, key, body)])
        except Exception:
            await self.workers.run(body.discard)
            raise
        [outcome] = await written
        return bool(_result(outcome))

    async def put_all(self, contents: Sequence[Content]) -> list[bool | Exception]:
        """Store small contents; return for each whether it is new here, or why it is not stored.

        Raises:
            DiskFull: there is no room for them.
            Overloaded: too much is waiting.
        """
        self.space.require(sum(len(body) for _, body in contents) + self.ahead.journal.size)
        shares: dict[Lane, list[int]] = {}
        for index, (key, body) in enumerate(contents):
            shares.setdefault(self._lane(key, len(body)), []).append(index)
        outcomes: dict[int, bool | Exception] = {}
        for lane, share in shares.items():
            found = await lane([contents[index] for index in share])
            outcomes.update(zip(share, found, strict=True))
        return [outcomes[index] for index in range(len(contents))]

    def _lane(self, key: str, size: int) -> Lane:
        """Return what stores a content; a file that is there has to be read first."""
        if self.ahead.journal.size_of(key) is not None:
            return self._check
        if size <= SMALL and not self.holds("contents", key):
            return self.ahead.put
        return self._put_files

    def _check(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        return self.workers.run(known_outcomes, contents)

    def _put_files(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        writes = [ContentWrite(self.layout, self._folders, key, body) for key, body in contents]
        return self._batches.submit(writes)

    async def append(self, captures: Sequence[Capture]) -> Recorded:
        """Record captures, of any URLs; all that can be are recorded before an error is raised.

        Raises:
            InvalidCapture: one has no place in a structure line.
            DamagedStructure: a file that belongs to another URL is in the way.
            DiskFull, DiskFailed, Overloaded: as `put`.
        """
        writes = list(self._structure_writes(captures))
        self.space.require(sum(write.weight for write in writes))
        outcomes = await self._batches.submit(writes) if writes else []
        new = sum(_result(outcome) for outcome in outcomes)
        return Recorded(len(captures), new)

    async def remove(self, kind: Kind, key: str, mark: str = "") -> bool:
        """Take a replica away for good, durably; return whether there was one.

        Args:
            kind: contents or structures.
            key: which.
            mark: what a structure file must be (see `lines.mark`).

        Raises:
            Changed: the structure file is another one now.
            DiskFailed, Overloaded: as `put`.
        """
        return await self._take_away(Removal(self.layout, self._marks, kind, key, mark))

    async def quarantine(self, kind: Kind, key: str) -> bool:
        """Put what is damaged aside, durably; return whether it was, or was not there at all.

        Raises:
            DiskFailed, Overloaded: as `put`.
        """
        damaged = await self._take_away(Quarantine(self.layout, self._marks, kind, key))
        self.damaged += damaged
        return damaged

    async def _take_away(self, removal: Removal) -> bool:
        await self.ahead.settle()  # lest the journal make the file again
        [outcome] = await self._batches.submit([removal])
        return bool(_result(outcome))

    async def receive(self) -> IncomingContent:
        """Begin a content that arrives in pieces; give it to `put`, or `discard` it.

        Raises:
            OSError: the system could not.
        """
        return await self.workers.run(IncomingContent, self.layout)

    async def write(self, incoming: IncomingContent, data: bytes) -> None:
        """Take the next piece of a content that arrives.

        Raises:
            DiskFull: there is no room for it.
            OSError: the system could not.
        """
        self.space.require(len(data))
        await self.workers.run(incoming.write, data)

    async def listing(self, kind: Kind, after: str, limit: int) -> list[str]:
        """Return the next keys held, in order."""
        await self.ahead.settle()
        return await self.workers.run(scan.listing, self.layout, kind, after, limit)

    async def renew_log(self) -> None:
        """Make the log of additions again of what lies on the disk; writes wait meanwhile."""
        await self.ahead.settle()
        await self.workers.run(self._renew_log)
        self._covered = Followed(self.additions.log)

    async def save_filter(self) -> None:
        """Keep the filter on the disk, with how much of the log of additions is in it."""
        covered = self._covered
        if self.failed or not self.holdings.surveyed or covered in (self._saved, Followed()):
            return
        try:
            await self.workers.run(
                filter_file.save, self.layout, self.holdings, covered.log, covered.position
            )
            self._saved = covered
        except OSError as error:
            self.health.note(error)

    def _renew_log(self) -> None:
        self.additions.renew(scan.entries(self.layout))

    def _structure_writes(self, captures: Sequence[Capture]) -> Iterable[StructureWrite]:
        by_url: dict[str, list[Capture]] = {}
        for capture in captures:
            by_url.setdefault(capture.url, []).append(capture)
        for group in by_url.values():
            yield StructureWrite(self.layout, self._folders, self._marks, group)

    async def _commit(self, groups: list[Sequence[Write]]) -> list[list[Any]]:
        """Write a batch; whatever became of those who asked, what is durable is known of."""
        writes = [write for group in groups for write in group]
        outcomes = await self.workers.run(self._write, writes)
        for write, outcome in zip(writes, outcomes, strict=True):
            if isinstance(outcome, DiskFailed):
                self.health.note(outcome)
            if isinstance(write, Removal):
                if write.gone and not isinstance(outcome, Exception):
                    self.holdings.remove(write.kind, write.key)
            elif not isinstance(outcome, Exception) and not self._is_known(write):
                self.holdings.add(write.kind, write.key, new=write.created)
        self._covered = Followed(self.additions.log, self.additions.position)
        self._survey_if_needed()
        self.on_added()
        each = iter(outcomes)
        return [list(islice(each, len(group))) for group in groups]

    def _is_known(self, write: Write) -> bool:
        """Tell whether `holdings` heard of a content when it came into the journal."""
        return write.kind == "contents" and self.ahead.journal.size_of(write.key) is not None

    def _write(self, writes: Sequence[Write]) -> list[Any]:
        """Write a batch, and take away after that, so that nothing goes that was just written."""
        removals = [write for write in writes if isinstance(write, Removal)]
        others = [write for write in writes if not isinstance(write, Removal)]
        outcomes = iter(self._writer.commit(others) if others else [])
        removed = iter(self._writer.commit(removals) if removals else [])
        return [next(removed if isinstance(each, Removal) else outcomes) for each in writes]

    def _prepare(self) -> None:
        self.layout.prepare()
        self._lock.take()
        upgrade(self.layout)
        self.damaged = sum(".heads." not in each.name for each in self.layout.quarantine.iterdir())
        self.additions.open(scan.entries(self.layout))
        found = filter_file.load(self.layout, self.additions)
        if found is not None:
            self.holdings = found
            self._saved = self._covered = Followed(self.additions.log, self.additions.position)
        self.ahead.journal.open()
        for key in self.ahead.journal.held():
            is_new = not self.holdings.may_hold("contents", key)
            self.holdings.add("contents", key, new=is_new)

    def _survey_if_needed(self) -> None:
        if self.holdings.wants_survey:
            self._tasks.start(self._survey(self.holdings.begin_survey()), "survey of the disk")

    async def _survey(self, capacity: int) -> None:
        found = None
        try:
            await self.ahead.settle()  # what is in the journal has no name yet that a scan finds
            while found is None:
                try:
                    found = await self.workers.run(survey, scan.all_keys(self.layout), capacity)
                except FilterTooSmall as error:
                    capacity = 2 * error.needed
            # Between two batches nothing is on the disk that `holdings` has not been told of,
            # and so nothing is counted twice; and the log says nothing that it does not know.
            await self._batches.submit([])
            self._saved = Followed()
        except Overloaded:
            found = None  # the next batch has it done again
        finally:
            self.holdings.end_survey(found)
        await self.save_filter()


def _result(outcome: Any) -> Any:
    """Return the outcome of a write, or raise it."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
