"""The disks of a storage node as one store, which goes on without those that fail."""

from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import islice

from twisted.internet.defer import Deferred

from agents.capture import Capture, structure_key
from agents.storage.disk.choosing import by_preference
from agents.storage.disk.contents import SMALL, IncomingContent
from agents.storage.disk.disks import Disks
from agents.storage.disk.layout import Kind
from agents.storage.disk.moving import unite
from agents.storage.disk.store import DiskStore, Recorded
from agents.storage.errors import DiskFailed, DiskFull, StorageError
from anet.errors import Overloaded
from anet.together import together


class NodeStore(Disks):
    """Contents and structure files of several disks; writes go to one, reads ask all.

    What a disk has is written to that disk again; what is new goes where `by_preference` says
    among those with room. A disk that fails while it is written to is tried no more, and the next
    takes it. So a key may be on two disks, and a structure file too, whose copies are then sets
    of captures as those of two nodes are.
    """

    # Reading

    def find(self, kind: Kind, key: str) -> tuple[DiskStore, int] | None:
        """Return a disk that has a key, and the size of the file there.

        Raises:
            Overloaded: only a disk may have it that does not answer for the moment.
        """
        for disk in self._answering:
            size = disk.size_of(kind, key)
            if size is not None:
                return disk, size
        self._see_that_all_answer(kind, key)
        return None

    def read_small(self, key: str, most: int = SMALL) -> bytes | None:
        """Return a content of at most `most` bytes; None where no disk that answers has such a one.

        It is read in the reactor's thread. From a disk that begins to hang this may never return,
        and then the node stands still: only what a disk has not answered for `health.SILENCE`, of
        looks that come every few seconds, keeps the reactor away from it.
        """
        for disk in self._answering:
            body = disk.read_small(key, most)
            if body is not None:
                return body
        return None

    def copies(self, kind: Kind, key: str) -> list[DiskStore]:
        """Return the disks that have a key, and answer, the fullest copy first."""
        sizes = [(disk.size_of(kind, key), disk) for disk in self._answering]
        held = [(size, disk) for size, disk in sizes if size is not None]
        return [disk for _, disk in sorted(held, key=lambda each: each[0], reverse=True)]

    def holds(self, kind: Kind, key: str) -> bool:
        """Tell whether a disk has it that answers."""
        return bool(self.copies(kind, key))

    def to_read(self, key: str) -> list[DiskStore]:
        """Return the disks that have a structure file, as `copies`.

        Raises:
            Overloaded: only a disk may have it that does not answer for the moment.
        """
        copies = self.copies("structures", key)
        if not copies:
            self._see_that_all_answer("structures", key)
        return copies

    @property
    def _answering(self) -> list[DiskStore]:
        """The disks without those that hang: the reactor's thread must not touch them."""
        return [disk for disk in self.disks if not disk.health.silent]

    def _see_that_all_answer(self, kind: Kind, key: str) -> None:
        for disk in self.disks:
            if disk.health.silent and disk.holdings.may_hold(kind, key):
                raise Overloaded(f"the disk {disk.name} does not answer; try again in a moment")

    async def listing(self, kind: Kind, after: str, limit: int) -> list[str]:
        """Return the next keys held, in order, each once.

        Raises:
            DiskFailed: a disk cannot be listed, and what it holds must not be left out.
            Overloaded: too much is waiting.
        """
        disks = list(self.disks)
        found: list[list[str]] = []
        for disk, each in zip(
            disks,
            await together(disk.listing(kind, after, limit) for disk in disks),
            strict=True,
        ):
            if isinstance(each, OSError):
                self.suspect(disk)
                raise DiskFailed(f"the disk {disk.name} cannot be listed: {each}")
            if isinstance(each, Exception):
                raise each
            found.append(each)
        return list(islice(dict.fromkeys(merge(*found)), limit))

    # Writing

    def require(self, size: int) -> None:
        """Make sure that some disk has room for `size` bytes.

        Raises:
            DiskFull, DiskFailed: none has.
        """
        self._fitting(size, ())

    async def put(self, key: str, body: bytes | IncomingContent) -> bool:
        """Store a content; return whether it is new here.

        Raises:
            DigestMismatch: `body` does not hash to `key`.
            DiskFull: no disk has room for it.
            DiskFailed: no disk could write.
            Overloaded: too much is waiting.
        """
        if isinstance(body, IncomingContent):
            return await self._disk_of(body).put(key, body)
        tried: list[DiskStore] = []
        while True:
            disk = self._for_writing("contents", key, len(body), tried)
            try:
                return await disk.put(key, body)
            except (DiskFull, DiskFailed) as error:
                self._passed_over(disk, tried, error)

    def put_small(self, key: str, body: bytes) -> Deferred[bool] | None:
        """Store a small content on the quick way; None, or a failure, leaves it to `put`."""
        try:
            return self._for_writing("contents", key, len(body), ()).put_small(key, body)
        except StorageError:
            return None

    async def put_all(self, contents: Sequence[tuple[str, memoryview]]) -> list[bool | Exception]:
        """Store small contents; return for each whether it is new here, or why it is not stored.

        Raises:
            DiskFull, DiskFailed: no disk can take them.
            Overloaded: too much is waiting.
        """
        outcomes: dict[int, bool | Exception] = {}
        left = list(range(len(contents)))
        tried: list[DiskStore] = []
        while left:
            shares: dict[DiskStore, list[int]] = {}
            for index in left:
                key, body = contents[index]
                disk = self._for_writing("contents", key, len(body), tried)
                shares.setdefault(disk, []).append(index)
            left = []
            stored = await together(
                disk.put_all([contents[index] for index in share]) for disk, share in shares.items()
            )
            for (disk, share), each in zip(shares.items(), stored, strict=True):
                answers = [each] * len(share) if isinstance(each, Exception) else each
                outcomes.update(zip(share, answers, strict=True))
                again = [i for i in share if isinstance(outcomes[i], DiskFull | DiskFailed)]
                if again:
                    self._passed_over(disk, tried, outcomes[again[0]])
                    left += again
        return [outcomes[index] for index in range(len(contents))]

    async def append(self, captures: Sequence[Capture]) -> Recorded:
        """Record captures, of any URLs; all that can be are recorded before an error is raised.

        Raises:
            InvalidCapture, DamagedStructure: as `DiskStore.append`.
            DiskFull, DiskFailed, Overloaded: as `put`.
        """
        new = 0
        left = list(captures)
        tried: list[DiskStore] = []
        while left:
            shares = self._shares(left, tried)
            left = []
            outcomes = await together(disk.append(share) for disk, share in shares.items())
            for (disk, share), outcome in zip(shares.items(), outcomes, strict=True):
                if isinstance(outcome, DiskFull | DiskFailed):
                    self._passed_over(disk, tried, outcome)
                    left += share
                elif isinstance(outcome, Recorded):
                    new += outcome.new
            for outcome in outcomes:
                if isinstance(outcome, Exception) and not isinstance(
                    outcome, DiskFull | DiskFailed
                ):
                    raise outcome
        return Recorded(len(captures), new)

    async def remove(self, kind: Kind, key: str, mark: str = "") -> bool:
        """Take a replica away for good, from all disks that have it; return whether one had.

        Raises:
            Changed, DiskFailed, Overloaded: as `DiskStore.remove`.
        """
        gone = [await disk.remove(kind, key, mark) for disk in self.copies(kind, key)]
        return any(gone)

    async def receive(self, key: str, size: int = 0) -> IncomingContent:
        """Begin a content that arrives in pieces; give it to `put`, or `discard` it.

        Raises:
            DiskFull, DiskFailed: no disk can take it.
            Overloaded: too much is waiting.
        """
        tried: list[DiskStore] = []
        while True:
            disk = self._for_writing("contents", key, size, tried)
            try:
                return await disk.receive()
            except (DiskFull, DiskFailed) as error:
                self._passed_over(disk, tried, error)

    async def write(self, incoming: IncomingContent, data: bytes) -> None:
        """Take the next piece of a content that arrives.

        Raises:
            DiskFull: there is no room for it.
            DiskFailed: the disk could not.
            Overloaded: too much is waiting.
        """
        await self._disk_of(incoming).write(incoming, data)

    async def discard(self, incoming: IncomingContent) -> None:
        """Take away a content that did not arrive whole."""
        await self._disk_of(incoming).workers.run(incoming.discard)

    # Moving

    def is_doubled(self, key: str) -> bool:
        """Tell whether a structure file is on several disks; few have to be asked."""
        may = [disk for disk in self.disks if disk.holdings.may_hold("structures", key)]
        return len(may) > 1 and len(self.copies("structures", key)) > 1

    async def unite(self, key: str) -> bool:
        """Bring all copies of a structure file into the fullest; return whether there were several.

        A copy on a disk that cannot be written stays, and one on a disk that rests goes first.

        Raises:
            Changed, DamagedStructure, DiskFull, DiskFailed, Overloaded, OSError: see `unite`.
        """
        copies = [disk for disk in self.copies("structures", key) if not disk.failed]
        copies.sort(key=lambda disk: disk.name in self._resting)
        for disk in copies[1:]:
            await unite(key, disk, copies[0])
        return len(copies) > 1

    def elsewhere(self, source: DiskStore, kind: Kind, key: str) -> DiskStore | None:
        """Return the disk that shall take what a resting one has; None when no other can."""
        size = source.size_of(kind, key) or 0
        try:
            target = self._for_writing(kind, key, size, [source])
        except (DiskFull, DiskFailed):
            return None
        return None if target.name in self._resting else target

    # Choosing

    _resting: frozenset[str] = frozenset()

    def rest(self, names: Iterable[str]) -> None:
        """Write to these disks only what no other disk can take: they are being emptied."""
        self._resting = frozenset(names)

    def _shares(
        self, captures: Sequence[Capture], without: Sequence[DiskStore]
    ) -> dict[DiskStore, list[Capture]]:
        """Return which disk takes which captures; all of one URL go to one."""
        chosen: dict[str, DiskStore] = {}
        shares: dict[DiskStore, list[Capture]] = {}
        for capture in captures:
            if capture.url not in chosen:
                size = len(capture.head) + len(capture.origin)
                key = structure_key(capture.url)
                chosen[capture.url] = self._for_writing("structures", key, size, without)
            shares.setdefault(chosen[capture.url], []).append(capture)
        return shares

    def _for_writing(
        self, kind: Kind, key: str, size: int, without: Sequence[DiskStore]
    ) -> DiskStore:
        """Return the disk that shall take a key: the fullest that has it, else the preferred one.

        Raises:
            DiskFull, DiskFailed: none can.
        """
        fitting = self._fitting(size, without)
        if len(fitting) == 1:
            return fitting[0]
        copies = self.copies(kind, key)
        if len(copies) > 1 and kind == "structures":
            self.on_doubled(key)
        holder = next((disk for disk in copies if disk in fitting), None)
        return holder or by_preference(key, fitting)[0]

    def _fitting(self, size: int, without: Sequence[DiskStore]) -> list[DiskStore]:
        if len(self.disks) == 1 and not self.disks[0].failed and not without:
            return self.disks  # which says itself whether there is room
        sound = [disk for disk in self.disks if not disk.failed]
        if not sound:
            raise DiskFailed(f"no disk of this node can be written: {self.failed}")
        fitting = [disk for disk in sound if disk.room > size and disk not in without]
        fitting = [disk for disk in fitting if not self._is_last_choice(disk)] or fitting
        if not fitting:
            raise DiskFull(
                f"no disk of this node has room for {size} bytes above its reserve: free some "
                "space, or add a disk or a storage node"
            )
        return fitting

    def _is_last_choice(self, disk: DiskStore) -> bool:
        return disk.name in self._resting or disk.health.stalls

    def _passed_over(self, disk: DiskStore, tried: list[DiskStore], error: object) -> None:
        """Take note that a disk did not take something, and see what is the matter with it.

        Raises:
            StorageError: the same, when it was the only one.
        """
        tried.append(disk)
        if isinstance(error, DiskFailed):
            self.suspect(disk)
        others = [each for each in self.disks if each not in tried and not each.failed]
        if not others and isinstance(error, StorageError):
            raise error

    def _disk_of(self, incoming: IncomingContent) -> DiskStore:
        for disk in self.disks:
            if disk.layout is incoming.layout:
                return disk
        raise DiskFailed("the disk that this was being written to is not there any more")
