"""Small contents acknowledged from the journal, and made into files behind it.

A disk writes in two lanes. Contents that it lacks go to the journal, one sync for all that came
while the sync before it ran. Behind, what one half of the journal has is committed as any other
batch of writes, in the other lane, and that half then takes the next. That begins when nothing
came for a moment, when some has waited for seconds, or when the half is full: a sync of the file
system holds up that of the journal, and costs the less the more files it is for. Only then does
the log of additions tell of them: it says what the disk holds by name, and needs no sync of its own
before a yes is said.
"""

import errno
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from agents.storage.batcher import Batcher
from agents.storage.disk.commit import DiskWriter, Write
from agents.storage.disk.contents import ContentWrite
from agents.storage.disk.durable import Folders
from agents.storage.disk.journal import Content, Journal
from agents.storage.disk.layout import Layout
from agents.storage.errors import DigestMismatch
from anet.deadline import Deadline
from anet.workers import Workers

QUIET = 0.25  # seconds without anything new, after which files are made
AGE = 5.0  # seconds that a content waits for its file, and after which one is tried again
_BATCH_LIMIT = 256  # groups of contents that one sync makes durable
_log = Logger()


class WriteAhead:
    """The journal of one disk, and what makes files of it.

    Args:
        layout: of the disk.
        folders: makes the folders on the way.
        writer: what failed once writes no more.
        workers: threads for what blocks.
        commit: makes files, as a batch of writes that waits for its turn.
        holds: tells whether the disk has a content.
        on_durable: called with the key of each content that was made durable and is new.
        waiting_limit: bytes that may wait for the journal.

    Attributes:
        journal: the two files.
        problem: why no files could be made of it, or empty.
    """

    def __init__(
        self,
        layout: Layout,
        folders: Folders,
        writer: DiskWriter,
        workers: Workers,
        *,
        commit: Callable[[Sequence[Write]], Awaitable[list[Any]]],
        holds: Callable[[str], bool],
        on_durable: Callable[[str], None],
        waiting_limit: int,
    ) -> None:
        self.journal = Journal(layout.root / "journal")
        self._layout, self._folders = layout, folders
        self._writer, self._workers = writer, workers
        self._commit, self._holds, self._on_durable = commit, holds, on_durable
        self.problem = ""
        self._rounds = 0  # how often files were made of all that one half had
        self._appending = False
        self._oldest: float | None = None  # when the first came that no file is made of yet
        self._pause = Deadline(workers.clock, self._make)
        self._making: Deferred[None] | None = None
        self._batches: Batcher[tuple[int, Sequence[Content]]] = Batcher(
            self._append,
            batch_limit=_BATCH_LIMIT,
            waiting_limit=waiting_limit,
            weigh=lambda group: sum(1000 + len(body) for _, body in group[1]),
            name=f"journal of {layout.root}",
            clock=workers.clock,
        )

    @property
    def waiting(self) -> int:
        """Groups of contents that wait."""
        return self._batches.waiting

    def put(self, contents: Sequence[Content]) -> Deferred[list[Any]]:
        """Make contents durable; for each whether it is new here, or why it is not stored.

        Raises:
            Overloaded: too much is waiting.
        """
        return self._batches.submit((self._rounds, contents))

    def put_one(self, key: str, body: bytes) -> Deferred[bool]:
        """Make a content durable; return whether it is new here.

        Raises:
            Overloaded, DigestMismatch, DiskFull, DiskFailed: it is not stored.
        """
        return self._batches.submit((self._rounds, ((key, body),))).addCallback(_only)

    def begin(self) -> None:
        """Begin to make files of what a process that was killed has left in the journal."""
        self._make()

    async def settle(self) -> None:
        """Wait until all that the journal has now is made into files, or cannot be.

        Raises:
            Overloaded: too much is waiting.
        """
        for _ in range(2):  # what is being made already, and what came since that began
            await self._batches.submit((0, ()))
            self._make()
            await self._made()

    async def stop(self) -> None:
        """Take nothing more, and make files of what was taken; what cannot be stays for later."""
        await self._batches.stop()
        for _ in range(2):
            self._make()
            await self._made()
        self._pause.stop()
        self.journal.close()

    # Appending

    async def _append(self, groups: list[tuple[int, Sequence[Content]]]) -> list[list[Any]]:
        contents = [each for _, group in groups for each in group]
        if self.journal.is_full:
            self._make()
            await self._made()
        outcomes = iter(await self._appended(contents) if contents else [])
        results = [
            [self._note(key, began, next(outcomes)) for key, _ in group] for began, group in groups
        ]
        self._make_soon()
        return results

    async def _appended(self, contents: Sequence[Content]) -> list[Any]:
        self._appending = True
        try:
            return await self._workers.run(self._append_durably, contents)
        finally:
            self._appending = False

    def _append_durably(self, contents: Sequence[Content]) -> list[Any]:
        try:
            self._writer.check()
            if self.journal.is_full:
                raise OSError(errno.ENOSPC, "no files could be made of the journal")
            return self.journal.append(contents)
        except OSError as error:
            raise self._writer.failure(error) from None

    def _note(self, key: str, began: int, outcome: tuple[int, int] | DigestMismatch | None) -> Any:
        """Let a content be seen; it is not new if it got a file while it waited for its turn."""
        if not isinstance(outcome, tuple):
            return outcome or False
        new = began == self._rounds or not self._holds(key)
        self.journal.note(key, outcome)
        if new:
            self._on_durable(key)
        return new

    # Making files

    def _make_soon(self) -> None:
        """Begin to make files once nothing more comes for a moment, or the time is up."""
        if self.journal.is_full:
            self._make()
        elif self.journal.filling.places:
            now = self._workers.clock.seconds()
            self._oldest = now if self._oldest is None else self._oldest
            wait = min(QUIET, self._oldest + AGE - now)
            if wait > 0:
                self._pause.set(wait)
            else:
                self._make()  # now, since the next batch begins before a timer rings

    def _make(self) -> None:
        """Begin to make files, unless that goes on already; the next batch does it otherwise."""
        journal = self.journal
        if self._making is not None or self._appending:
            return
        if not journal.emptying.places:
            if not journal.filling.places:
                return
            journal.swap()
            self._oldest = None
        self._making = Deferred()
        Deferred.fromCoroutine(self._make_files()).addBoth(self._end_making)

    async def _make_files(self) -> None:
        chunks = self.journal.chunks()
        while chunk := await self._workers.run(next, chunks, None):
            writes = [
                ContentWrite(self._layout, self._folders, key, body, journaled=True)
                for key, body in chunk
            ]
            outcomes = await self._commit(writes)
            for (key, _), outcome in zip(chunk, outcomes, strict=True):
                if isinstance(outcome, DigestMismatch):  # and it must not stop all that follow
                    _log.error("{key} was damaged in the journal, and is gone", key=key)
                elif isinstance(outcome, Exception):
                    raise outcome
        self.journal.forget()
        self._rounds += 1
        await self._workers.run(self.journal.empty)

    def _end_making(self, result: object) -> None:
        making, self._making = self._making, None
        if isinstance(result, Failure):
            self.problem = f"contents stay in the journal for now: {result.value}"
            _log.error("{problem}", problem=self.problem)
            if not self._writer.failed:
                self._pause.set(AGE)
        else:
            self.problem = ""
            self._make_soon()
        if making is not None:
            making.callback(None)

    async def _made(self) -> None:
        """Wait for what is being made."""
        if self._making is not None:
            ended: Deferred[None] = Deferred()
            self._making.chainDeferred(ended)
            await ended


def _only(outcomes: list[Any]) -> bool:
    """Return the outcome of the only content of a group, or raise it."""
    [outcome] = outcomes
    if isinstance(outcome, Exception):
        raise outcome
    return bool(outcome)
