"""One disk of a storage node: what is said to be done is durable."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from attrs import frozen
from twisted.internet.defer import Deferred

from agents.capture import Capture
from agents.storage.disk.append import Marks, StructureWrite
from agents.storage.disk.contents import SMALL, ContentWrite, IncomingContent
from agents.storage.disk.depot import NO_DEPOT
from agents.storage.disk.disk import Disk
from agents.storage.disk.journal import Content, known_outcomes
from agents.storage.disk.layout import Kind
from agents.storage.disk.removal import Quarantine, Removal
from agents.storage.disk.shipping import GivenDepot, Shipping
from agents.storage.errors import DiskFull, StorageError
from anet.tasks import Tasks
from anet.workers import Workers

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Lane: TypeAlias = Callable[[Sequence[Content]], Deferred[list[Any]]]


@frozen
class Recorded:
    """What became of captures: how many came, and how many of them were new."""

    recorded: int
    new: int


class DiskStore(Disk):
    """Contents and structure files of one disk: what writes to it, and takes away from it.

    Attributes:
        shipping: gives its depot what it takes; none without a depot.
    """

    def __init__(
        self,
        root: Path,
        workers: Workers,
        *,
        reserve: int,
        waiting_limit: int,
        depot: GivenDepot | None = None,
    ) -> None:
        super().__init__(
            root, workers, reserve=reserve, waiting_limit=waiting_limit, depot=depot or NO_DEPOT
        )
        self._given = depot
        self._anew = partial(
            DiskStore, root, workers, reserve=reserve, waiting_limit=waiting_limit, depot=depot
        )
        self._marks = Marks(self.layout)
        self._tasks = Tasks()
        self.shipping: Shipping | None = None
        if depot is not None:
            self.shipping = Shipping(
                self.layout,
                self.additions,
                depot,
                submit=self._batches.submit,
                quarantine=self.quarantine,
                note_error=self.health.note,
            )

    async def open(self) -> None:
        """Open the disk, and begin to give its depot what that lacks."""
        await super().open()
        if self.shipping is not None:
            self._tasks.start(self.shipping.run(), f"giving contents of {self.name} to its depot")

    async def close(self) -> None:
        """Close the disk; what its depot lacks is given after the next start."""
        await self._tasks.stop()
        await super().close()

    def anew(self) -> "DiskStore":
        """Return the same disk, not opened yet, for when this one is closed."""
        return self._anew()

    def _all_workers(self) -> list[Workers]:
        depot = [self._given.workers] if self._given is not None else []
        return super()._all_workers() + depot

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
            written = self._batches.submit([self._content_write(key, body)])
        except Exception:
            await self.workers.run(body.discard)
            raise
        [outcome] = await written
        return bool(_result(outcome))

    def put_small(self, key: str, body: bytes) -> Deferred[bool] | None:
        """Store a small content by way of the journal; None, or a failure, leaves it to `put`."""
        size = len(body)
        try:
            self.space.require(size, beside=size + self.ahead.journal.size)
        except StorageError:
            return None
        if self._lane(key, size) != self.ahead.put:
            return None
        return self.ahead.put_one(key, body)

    async def put_all(self, contents: Sequence[Content]) -> list[bool | Exception]:
        """Store small contents; return for each whether it is new here, or why it is not stored.

        Raises:
            DiskFull: there is no room for them.
            Overloaded: too much is waiting.
        """
        await self._require(sum(len(body) for _, body in contents))
        return await _by_lanes(contents, [self._lane(key, len(body)) for key, body in contents])

    async def put_files(
        self, contents: Sequence[Content], *, hashed: bool = False
    ) -> list[bool | Exception]:
        """Store contents straight as files, in one batch; otherwise as `put_all`.

        For many that come together, whatever their size: each is written once, not into the
        journal first, and the syncs cost each of them little.

        Args:
            contents: keys and bytes.
            hashed: whether this program has hashed them itself, and they need not be again.

        Raises:
            DiskFull: there is no room for them.
            Overloaded: too much is waiting.
        """
        self.space.require(sum(len(body) for _, body in contents))
        files = self._put_hashed if hashed else self._put_files
        return await _by_lanes(contents, [self._lane_of_files(key, files) for key, _ in contents])

    async def _require(self, size: int) -> None:
        """Make sure of room for contents twice, in the journal and in files of their own.

        Before it says no, what is in the journal is made into files, and its room given back.
        """
        try:
            self.space.require(size, beside=size + self.ahead.journal.size)
        except DiskFull:
            await self.ahead.settle()
            self.space.require(size, beside=size + self.ahead.journal.size)

    def _lane(self, key: str, size: int) -> Lane:
        """Return what stores a content; a file that is there has to be read first."""
        if size <= SMALL and not self.holds("contents", key):
            return self.ahead.put
        return self._lane_of_files(key, self._put_files)

    def _lane_of_files(self, key: str, files: Lane) -> Lane:
        """Return `files`, which stores contents so, unless the journal or the depot has it."""
        if self.ahead.journal.size_of(key) is not None or self.depot.size_of(key) is not None:
            return self._check
        return files

    def _check(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        return self.workers.run(known_outcomes, contents)

    def _put_files(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        return self._batches.submit([self._content_write(key, body) for key, body in contents])

    def _put_hashed(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        return self._batches.submit(
            [self._content_write(key, body, hashed=True) for key, body in contents]
        )

    def _content_write(
        self, key: str, body: bytes | memoryview | IncomingContent, *, hashed: bool = False
    ) -> ContentWrite:
        known = self.depot.size_of(key) is not None
        return ContentWrite(self.layout, self._folders, key, body, known=known, hashed=hashed)

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
        return await self._take_away(Removal(self.layout, self.depot, self._marks, kind, key, mark))

    async def quarantine(self, kind: Kind, key: str) -> bool:
        """Put what is damaged aside, durably; return whether it was, or was not there at all.

        Raises:
            DiskFailed, Overloaded: as `put`.
        """
        damaged = await self._take_away(Quarantine(self.layout, self.depot, self._marks, kind, key))
        self.damaged += damaged
        return damaged

    async def _take_away(self, removal: Removal) -> bool:
        await self.ahead.settle()  # lest the journal make the file again
        [outcome] = await self._batches.submit([removal])
        return bool(_result(outcome))

    async def receive(self) -> IncomingContent:
        """Begin a content that arrives in pieces; give it to `put`, or `discard` it.

        Raises:
            DiskFull, DiskFailed, Overloaded: as `put`.
        """
        return await self._run(IncomingContent, self.layout)

    async def write(self, incoming: IncomingContent, data: bytes) -> None:
        """Take the next piece of a content that arrives.

        Raises:
            DiskFull: there is no room for it.
            DiskFailed, Overloaded: as `put`.
        """
        self.space.require(len(data))
        await self._run(incoming.write, data)

    async def _run(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kw: Arguments.kwargs
    ) -> Result:
        """Call what writes aside in a thread.

        Raises:
            DiskFull, DiskFailed: the system could not.
        """
        try:
            return await self.workers.run(function, *args, **kw)
        except OSError as error:
            self.health.note(error)
            raise self._writer.error_of(error) from None

    def _structure_writes(self, captures: Sequence[Capture]) -> Iterable[StructureWrite]:
        by_url: dict[str, list[Capture]] = {}
        for capture in captures:
            by_url.setdefault(capture.url, []).append(capture)
        for group in by_url.values():
            yield StructureWrite(self.layout, self._folders, self._marks, group)


async def _by_lanes(contents: Sequence[Content], lanes: Sequence[Lane]) -> list[bool | Exception]:
    """Store each content by its lane; return the outcomes in order."""
    shares: dict[Lane, list[int]] = {}
    for index, lane in enumerate(lanes):
        shares.setdefault(lane, []).append(index)
    outcomes: dict[int, bool | Exception] = {}
    for lane, share in shares.items():
        found = await lane([contents[index] for index in share])
        outcomes.update(zip(share, found, strict=True))
    return [outcomes[index] for index in range(len(contents))]


def _result(outcome: Any) -> Any:
    """Return the outcome of a write, or raise it."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
