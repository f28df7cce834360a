"""What memory knows of a disk: kept on it between two starts, made anew when that does not do."""

from collections.abc import Awaitable, Callable, Iterable
from threading import Lock

from agents.storage.disk import filter_file, scan
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.depot import Depot
from agents.storage.disk.health import Health
from agents.storage.disk.holdings import FilterTooSmall, Holdings, survey
from agents.storage.disk.layout import Layout
from agents.storage.status import Followed
from anet.errors import Overloaded
from anet.tasks import Tasks
from anet.workers import Workers

_MANY = 200  # additions that are taken in without a thread


class FilterKeeper:
    """Owns the holdings of one disk; has them surveyed when needed, and saved.

    Args:
        layout: of the disk.
        additions: its log.
        health: takes note of errors.
        workers: threads for what blocks.
        depot: where the disk's contents go.
        settle: waits until all that is in the journal has a name that a scan finds.
        pause: waits for the end of the batch of writes that runs.
        journal: gives the keys that are in the journal.

    Attributes:
        holdings: what memory knows.
    """

    def __init__(
        self,
        layout: Layout,
        additions: AdditionsLog,
        health: Health,
        workers: Workers,
        depot: Depot,
        *,
        settle: Callable[[], Awaitable[None]],
        pause: Callable[[], Awaitable[object]],
        journal: Callable[[], Iterable[str]],
    ) -> None:
        self.holdings = Holdings()
        self._layout, self._additions, self._health = layout, additions, health
        self._workers, self._depot, self._settle = workers, depot, settle
        self._pause, self._journal = pause, journal
        self._covered = Followed()  # how much of the log `holdings` knows
        self._saved = Followed()  # how much of it the filter on the disk does
        self._writing = Lock()  # one thread at a time writes the filter down
        self._tasks = Tasks()

    def load(self) -> None:
        """Take over what was saved, if it is sound, and what is in the journal. Blocks.

        Raises:
            OSError: the system could not.
        """
        found = filter_file.load(self._layout, self._additions)
        if found is not None:
            self.holdings = found
            self.follow()
            self._saved = self._covered
        for key in self._journal():
            self.holdings.add("contents", key, new=not self.holdings.may_hold("contents", key))

    def follow(self) -> None:
        """Take note that the holdings know all that the log says by now."""
        self._covered = Followed(self._additions.log, self._additions.position)

    def follow_anew(self) -> None:
        """Take note that the log was made again: it has to be read from its start."""
        self._covered = Followed(self._additions.log)

    def survey_if_needed(self) -> None:
        """Have the disk looked at when the filter is missing, full, or holds much that is gone."""
        if self.holdings.wants_survey:
            self._tasks.start(self._survey(self.holdings.begin_survey()), "survey of the disk")

    async def stop(self, *, sound: bool) -> None:
        """End what runs, and save the filter of a disk that is sound."""
        await self._tasks.stop()
        if sound:
            await self.save()

    async def save(self) -> None:
        """Keep the filter on the disk, with how much of the log of additions is in it."""
        covered = self._covered
        if not self.holdings.surveyed or covered in (self._saved, Followed()):
            return
        try:
            await self._workers.run(self._write, covered)
            self._saved = covered
        except OSError as error:
            self._health.note(error)

    def _write(self, covered: Followed) -> None:
        with self._writing:
            filter_file.save(self._layout, self.holdings, covered.log, covered.position)

    async def _survey(self, capacity: int) -> None:
        found = None
        try:
            await self._settle()
            while found is None:
                try:
                    keys = scan.all_keys(self._layout, self._depot)
                    found = await self._workers.run(survey, keys, capacity)
                except FilterTooSmall as error:
                    capacity = 2 * error.needed
            while len(since := self.holdings.since_survey()) > _MANY:
                await self._workers.run(found.follow, since)
            found.follow(since)
            # What could not be made into files had no name that the scan found.
            found.follow(("contents", key, False) for key in self._journal())
            # Between two batches nothing is on the disk that `holdings` has not been told of,
            # and so nothing is counted twice; and the log says nothing that it does not know.
            await self._pause()
            self._saved = Followed()
        except Overloaded:
            found = None  # the next batch has it done again
        finally:
            self.holdings.end_survey(found)
        await self.save()
