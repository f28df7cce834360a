"""Gives what a disk took to its depot, and frees the disk of the contents that are there.

It follows the disk's own log of additions, as the master does, and so misses nothing, holds nothing
in memory, and goes on after a restart where it was. Of each part of the log:

GIVEN to the depot, each proven --durable--> KNOWN to be there --durable--> FREED, the next part

A crash in between has some of it given again, which changes nothing. While the depot is away, the
disk keeps what it takes, until it is full. Structure files are given whenever they have changed,
and stay on the disk too.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from twisted.logger import Logger

from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.commit import Chore, Write
from agents.storage.disk.depot import Depot
from agents.storage.disk.durable import SyncSet
from agents.storage.disk.layout import Kind, Layout
from agents.storage.errors import DigestMismatch, StorageError
from agents.storage.status import Followed
from anet.errors import AnetError
from anet.tasks import sleep
from anet.together import together
from anet.workers import Workers

AGAIN = 5.0  # seconds after which a depot is tried again that did not answer
_TICK = 0.5  # seconds between two looks at the log
_PART = 64 * 1024  # bytes of the log, some 800 lines, of which the disk is freed at once
_AT_ONCE = 8

_log = Logger()


class GivenDepot(Depot, Protocol):
    """A depot that takes.

    Attributes:
        workers: threads that wait for it.
        followed: how much of the disk's log it has.
    """

    workers: Workers
    followed: Followed

    def give_content(self, key: str, path: Path) -> int:
        """Store a content durably, and return its size. Blocks.

        Raises:
            FileNotFoundError: there is no such file any more.
            DigestMismatch: the file is not what the key says.
            OSError: the file cannot be read.
            StoreError: the depot did not take it.
        """

    def give_structure(self, layout: Layout, key: str) -> None:
        """Store a structure file as it is now. Blocks.

        Raises:
            FileNotFoundError: there is no such file any more.
            StoreError: the depot did not take it.
        """

    def note(self, sizes: dict[str, int]) -> None:
        """Keep durably which contents it has now. Blocks.

        Raises:
            OSError: the system could not write.
        """

    def follow(self, followed: Followed) -> None:
        """Keep durably how much of the log it has. Blocks.

        Raises:
            OSError: the system could not write.
        """


class Known(Chore):
    """Takes note of contents that a depot has, as a step between the disk's writes."""

    def __init__(self, layout: Layout, depot: GivenDepot, sizes: dict[str, int]) -> None:
        self._layout, self._depot, self._sizes = layout, depot, sizes

    def publish(self, sync: SyncSet) -> None:
        """Do it, for those that nobody has taken away meanwhile."""
        here = {
            key: size for key, size in self._sizes.items() if self._layout.content(key).exists()
        }
        self._depot.note(here)


class Freed(Chore):
    """Frees a disk of what its depot has.

    That is a step of its own, after `Known` has ended: whoever then finds no content in the depot
    finds it on the disk within the same turn of the reactor.
    """

    def __init__(
        self, layout: Layout, depot: GivenDepot, keys: Sequence[str], followed: Followed
    ) -> None:
        self._layout, self._depot = layout, depot
        self._keys, self._followed = keys, followed

    def publish(self, sync: SyncSet) -> None:
        """Take the files away."""
        for key in self._keys:
            if self._depot.size_of(key) is not None:
                self._layout.content(key).unlink(missing_ok=True)
                sync.add(self._layout.folder("contents", key))

    def result(self) -> bool:
        """Keep how much of the log is done."""
        self._depot.follow(self._followed)
        return True


class Shipping:
    """Brings one depot up to what its disk has, for as long as it runs.

    Args:
        layout: of the disk.
        additions: its log.
        depot: what takes.
        submit: commits writes to the disk, between others.
        quarantine: takes away what the disk has damaged.
        note_error: takes note of what went wrong.

    Attributes:
        problem: why nothing is taken now, or empty.
    """

    def __init__(
        self,
        layout: Layout,
        additions: AdditionsLog,
        depot: GivenDepot,
        *,
        submit: Callable[[Sequence[Write]], Awaitable[list[Any]]],
        quarantine: Callable[[Kind, str], Awaitable[bool]],
        note_error: Callable[[object], None],
    ) -> None:
        self.problem = ""
        self._layout, self._additions, self._depot = layout, additions, depot
        self._submit, self._quarantine, self._note_error = submit, quarantine, note_error

    @property
    def behind(self) -> int:
        """Bytes of the log that are not done."""
        followed = self._depot.followed
        known = followed.position if followed.log == self._additions.log else 0
        return self._additions.position - known

    async def run(self) -> None:
        """Give for ever."""
        clock = self._depot.workers.clock
        while True:
            try:
                while self.behind:
                    await self._give_part()
            except (StorageError, AnetError, OSError) as error:
                self._fail(error)
                await sleep(clock, AGAIN)
            else:
                self.problem = ""
                await sleep(clock, _TICK)

    def _fail(self, error: Exception) -> None:
        if not self.problem:
            _log.warn("contents stay on the disk for now: {error}", error=error)
        self.problem = str(error)
        self._note_error(error)

    async def _give_part(self) -> None:
        followed = self._depot.followed
        part = await self._depot.workers.run(
            self._additions.read, followed.log, followed.position, _PART
        )
        sizes: dict[str, int] = {}

        async def give_content(key: str) -> None:
            size = await self._content(key)
            if size is not None:
                sizes[key] = size

        failure = await _each(_keys(part.entries, "contents"), give_content)
        if sizes:
            await self._commit(Known(self._layout, self._depot, sizes))
        failure = failure or await _each(_keys(part.entries, "structures"), self._structure)
        done = followed if failure else Followed(part.log, part.position)
        await self._commit(Freed(self._layout, self._depot, list(sizes), done))
        if failure:
            raise failure

    async def _content(self, key: str) -> int | None:
        """Give a content; return its size, or None for one that is not on the disk any more."""
        workers, path = self._depot.workers, self._layout.content(key)
        try:
            return await workers.run(self._depot.give_content, key, path)
        except FileNotFoundError:
            return None
        except (DigestMismatch, OSError):
            await self._quarantine("contents", key)
            return None

    async def _structure(self, key: str) -> None:
        try:
            await self._depot.workers.run(self._depot.give_structure, self._layout, key)
        except FileNotFoundError:
            return

    async def _commit(self, chore: Chore) -> None:
        [outcome] = await self._submit([chore])
        if isinstance(outcome, Exception):
            raise outcome


def _keys(entries: Sequence[Entry], kind: Kind) -> list[str]:
    """Return what was added of a kind, each once, and not what is gone since."""
    last = {entry.key: entry for entry in entries if entry.kind == kind}
    return [key for key, entry in last.items() if not entry.gone]


async def _each(keys: Sequence[str], give: Callable[[str], Awaitable[None]]) -> Exception | None:
    """Give some at once; return the first failure, after which nothing more is begun."""
    left = deque(keys)

    async def work() -> None:
        while left:
            try:
                await give(left.popleft())
            except BaseException:
                left.clear()
                raise

    outcomes = await together(work() for _ in range(_AT_ONCE))
    return next((each for each in outcomes if isinstance(each, Exception)), None)
