"""Sites that links lead to: noted, let in as there is room, and kept apart (*INA §1.5.1*)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from twisted.internet.defer import DeferredLock

from agents import urls
from agents.delimitation import InvalidExpression
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Database, NewSite, Part
from agents.scheduler.expansion.placing import Row
from agents.scheduler.life import Standing
from agents.scheduler.means import Means
from anet.tasks import sleep

_LONGEST_SLEEP = 60.0  # seconds between looks for candidates, when nothing rings
_AT_ONCE = 500  # candidates let in by one transaction
_PAUSE = 10.0  # seconds before the index is tried again that could not be made

_Result = TypeVar("_Result")


class NoPlace(ValueError):
    """A site cannot be where it is wanted, beside those that are there; the message says why."""


class Expanding:
    """The expansion at work; when it is switched off, it does nothing.

    Everything that changes where sites are goes through here, one after the other, so that index
    and table say the same.

    Args:
        means: the scheduler's.
        due: called when sites have fallen due.
    """

    def __init__(self, means: Means, due: Callable[[], None]) -> None:
        self._means, self._due = means, due
        self._config = means.config.expansion
        self._territory = means.territory
        self._alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self._turn = DeferredLock()

    @property
    def enabled(self) -> bool:
        """Whether links are followed to other sites."""
        return self._config.enabled

    async def run(self) -> None:
        """Let candidates in, for ever."""
        if not self.enabled:
            return
        async with self._in_turn():
            await self._open()
        while True:
            await self._alarm.wait()
            with self._means.journal.noting("candidates wait"):
                await self._admit()

    async def close(self) -> None:
        """Close the index."""
        if self.enabled:
            await self._means.files.run(self._territory.close)

    def ring(self) -> None:
        """Look for room for candidates now."""
        self._alarm.ring()

    async def learn(
        self,
        attempt: str,
        part: int,
        links: Sequence[tuple[str, int]],
        feeds: Sequence[str],
        streams: Sequence[str],
    ) -> int:
        """Learn a part of where a crawl led to; return the number of the part wanted next.

        Raises:
            NoSuchTransition: the attempt is not the present one of a crawl.
        """
        if not self.enabled:
            return part + 1
        means = self._means
        async with self._in_turn():
            found = await means.files.run(self._territory.look_up, links)
            told = [url for url in map(urls.canonical, feeds) if url is not None]
            told_part = Part(part, found.known, found.new, told, streams)
            learned = await means.store.run(Database.learn, attempt, told_part, means.now())
            if learned.new:
                await self._register(learned.new)
        if learned.new:
            self.ring()
        return learned.wanted

    async def owners(self, found: Sequence[str]) -> dict[str, str | None]:
        """Return the site that each canonical URL belongs to, or none."""
        means = self._means
        async with self._in_turn():
            numbers = await means.files.run(self._territory.owners, found)
        names = {
            number: name
            for number in {number for number in numbers if number is not None}
            for name in await means.store.run(Database.names, [number])
        }
        return {
            url: None if number is None else names.get(number)
            for url, number in zip(found, numbers, strict=True)
        }

    async def discover(self, found: Sequence[str]) -> None:
        """Note the sites of URLs to which no crawl has led, to be let in like others."""
        means = self._means
        async with self._in_turn():
            guessed = await means.files.run(self._territory.look_up, [(url, 1) for url in found])
            sites = [site for site, _ in guessed.new]
            names = await means.store.run(Database.discover, sites, means.now())
            await self._follow(names)
        if names:
            self.ring()

    async def judged(self, site: str) -> None:
        """Let the judgement of a site have its effect on those that it links to."""
        if self.enabled:
            await self._means.store.run(Database.judged, site)
            self.ring()
            self._due()

    async def place(
        self, sites: Sequence[NewSite], change: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        """Make a change to where sites are, if there is a place for each.

        Args:
            sites: as they will be then, where `bounds` say something.
            change: makes it.

        Raises:
            NoPlace: there is none.
        """
        if not self.enabled:
            return await change()
        async with self._in_turn():
            rows = [row for site in sites if (row := await self._wanted(site)) is not None]
            try:
                reasons = await self._means.files.run(self._territory.against, rows)
            except InvalidExpression as error:
                raise NoPlace(str(error)) from None
            if reasons:
                raise NoPlace("; ".join(reasons))
            result = await change()
            await self._follow([site.site for site in sites])
            return result

    # The index

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        await self._turn.acquire()
        try:
            yield
        finally:
            self._turn.release()

    async def _open(self) -> None:
        """Open the index, and bring it up to the table; insist."""
        means = self._means
        while True:
            reader = means.store.reader()
            try:
                refused = await means.files.run(self._territory.open, reader)
            except OSError as error:
                means.journal.add(f"the index of delimitations cannot be made: {error}")
                await sleep(means.clock, _PAUSE)
            else:
                return self._tell(refused)
            finally:
                reader.close()

    async def _wanted(self, site: NewSite) -> Row | None:
        """Return the bounds that a site will have; none if they stay as they are."""
        kept = await self._means.store.run(Database.bounds_of, site.site)
        bounds = site.bounds
        if kept is None:
            accept = site.accept if bounds.accept is None else bounds.accept
            reject = site.reject if bounds.reject is None else bounds.reject
            return 0, site.start_url, accept, reject
        accept = kept[2] if bounds.accept is None else bounds.accept
        reject = kept[3] if bounds.reject is None else bounds.reject
        wanted = kept[0], site.start_url, accept, reject
        return None if wanted == kept else wanted

    async def _follow(self, names: Sequence[str]) -> None:
        """Take bounds into the index as the table has them now."""
        store = self._means.store
        found = [await store.run(Database.bounds_of, name) for name in names]
        rows = [row for row in found if row is not None]
        await self._register(rows)

    async def _register(self, rows: Sequence[Row]) -> None:
        mark = await self._means.store.run(Database.bounds_mark)
        self._tell(await self._means.files.run(self._territory.register, rows, mark))

    def _tell(self, refused: dict[int, str]) -> None:
        for number, reason in refused.items():
            self._means.journal.add(f"URLs of site {number} are not found: {reason}")

    # Candidates

    async def _admit(self) -> None:
        """Let in as many candidates as the budget of the day and the queue have room for."""
        means, config, now = self._means, self._config, self._means.now()
        waiting = (await means.store.run(Database.standings)).get(Standing.TEMPORARY, 0)
        admitted = await means.store.run(Database.admitted_on, now[:8])
        room = min(
            config.candidates_per_day - admitted, config.candidates_waiting - waiting, _AT_ONCE
        )
        if room > 0:
            plan = means.sequels.first_look()
            if len(await means.store.run(Database.admit, room, now, plan)) == _AT_ONCE:
                self.ring()
            self._due()
