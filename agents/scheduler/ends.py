"""How attempts end: well, with an error, or because their crawler is gone."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from agents.order import CrawlFigures, Fault
from agents.scheduler.absences import Absences
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Crawl, Database
from agents.scheduler.life import CrawlState, NoSuchTransition
from agents.scheduler.means import Means
from agents.scheduler.orders import CRAWLS
from agents.scheduler.places import Places
from agents.scheduler.pool import Pool


@frozen
class Told:
    """What a crawler says of the end of an attempt.

    Attributes:
        directory: where what it collected lies.
        figures: how far it came.
        error: why it is not whole, or none.
        fault: whose fault that is.
    """

    directory: str
    figures: CrawlFigures = CrawlFigures()
    error: str | None = None
    fault: Fault = Fault.SITE


class Ends:
    """The ends of attempts, noted in the database and wherever they are counted on.

    Attributes:
        absences: how long crawlers that went away are waited for.
        inherited: attempts that ran before the scheduler was started.
    """

    def __init__(
        self,
        means: Means,
        pool: Pool,
        places: Places,
        alarms: Sequence[Alarm],
        failed: Callable[[str], Coroutine[Any, Any, None]],
    ) -> None:
        """Ring `alarms` after each end; call `failed` with a site whose crawl came to nothing."""
        self.absences = Absences(means.clock, self.give_up)
        self.inherited: set[str] = set()
        self._means, self._pool, self._places = means, pool, places
        self._alarms, self._failed = alarms, failed

    def give_up(self, attempt: str, reason: str) -> None:
        """Lose an attempt, in the background."""
        self._means.tasks.start(self.lose(attempt, reason), f"giving up {attempt}")

    async def lose(self, attempt: str, reason: str) -> None:
        """Give up an attempt whose crawler is gone; another will be made, up to a limit.

        What is lost over the scheduler's own restart does not count: most often somebody stopped
        the whole archive.
        """
        means = self._means
        now, directory = means.now(), str(means.directory / CRAWLS / attempt)
        told = attempt, reason, directory, now
        try:
            if attempt in self.inherited:
                crawl = await means.store.run(Database.put_off, *told)
            else:
                sequel = means.sequels.failed(reason, now)
                crawl = await means.store.run(Database.lost, *told, sequel)
            self._tell_loss(crawl, attempt, reason)
        except NoSuchTransition:
            pass  # it came to another end before
        finally:
            self.forget(attempt)

    async def take(self, attempt: str, told: Told) -> bool:
        """Note what a crawler says; tell whether somebody wanted it. What nobody wants is removed.

        An error that is the site's own fails the crawl. One of the crawler or its machine lets
        another try, up to a limit; a full disk does so without a limit.
        """
        try:
            await self._note(attempt, told)
            return True
        except NoSuchTransition:
            return await self._told_before(attempt, told.directory)
        finally:
            self.forget(attempt)

    def forget(self, attempt: str) -> None:
        """Count on nobody for an attempt, and let others fetch from where it did."""
        self.inherited.discard(attempt)
        self.absences.end(attempt)
        self._pool.forget(attempt)
        self._places.release(attempt)
        for alarm in self._alarms:
            alarm.ring()

    async def _note(self, attempt: str, told: Told) -> None:
        means, now, directory = self._means, self._means.now(), told.directory
        if not told.error:
            await means.store.run(Database.finished, attempt, directory, told.figures, now)
            means.journal.tell(f"{attempt} is collected: {told.figures.captures} captures")
            return
        sequel = means.sequels.failed(told.error, now)
        if told.fault is Fault.CRAWLER:
            crawl = await means.store.run(
                Database.lost, attempt, told.error, directory, now, sequel
            )
            self._tell_loss(crawl, attempt, told.error)
        elif told.fault is Fault.DISK:
            means.journal.add(f"{attempt} is to be made again: {told.error}")
            await means.store.run(Database.put_off, attempt, told.error, directory, now)
        else:
            means.journal.add(f"{attempt} failed: {told.error}")
            crawl = await means.store.run(
                Database.erred, attempt, told.figures, told.error, directory, now, sequel
            )
            self._follow_up(crawl)
        means.live.end(attempt)

    def _tell_loss(self, crawl: Crawl, attempt: str, reason: str) -> None:
        journal = self._means.journal
        self._means.live.end(attempt)
        journal.add(f"{attempt} is lost: {reason}")
        if crawl.state is CrawlState.FAILED:
            journal.add(f"{crawl.crawl} is given up after {crawl.attempt} attempts")
            self._follow_up(crawl)

    def _follow_up(self, crawl: Crawl) -> None:
        """Let what has failed have its effects on other sites."""
        self._means.tasks.start(self._failed(crawl.site), f"following up {crawl.crawl}")

    async def _told_before(self, attempt: str, directory: str) -> bool:
        store = self._means.store
        crawl = await store.run(Database.crawl_of_attempt, attempt)
        if crawl is not None and crawl.directory == directory:
            return True
        machine = await store.run(Database.machine_of_attempt, attempt)
        await store.run(Database.discard, directory, self._means.now(), machine)
        return False


def lies_in(attempt: str, directory: str) -> bool:
    """Tell whether a folder has the name of an attempt, as a crawler's has."""
    return Path(directory).name == attempt
