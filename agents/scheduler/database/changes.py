"""How the database is changed: whole transactions, and a crawl and its site move together."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agents.scheduler.database import lanes
from agents.scheduler.database.opening import open_engine
from agents.scheduler.database.queries import Queries
from agents.scheduler.database.rows import Crawl, column
from agents.scheduler.database.tallies import COUNTED, Tallies, count_all
from agents.scheduler.life import CrawlState, Event, NoSuchTransition, crawl_after, work_of

_IN_LANES = frozenset({CrawlState.ORDERED, CrawlState.COLLECTING})


class Changes(Queries):
    """What all changes are made of."""

    def __init__(self, where: Path | str) -> None:
        """Open the database: a file, or what `postgresql://…` names.

        Raises:
            DatabaseRefused: it is not ours to open.
        """
        engine = open_engine(where)
        super().__init__(engine)
        self._tallies = Tallies()
        self._within = False  # a transaction
        try:
            self._count_once()
        except BaseException:
            engine.close()
            raise

    def reader(self) -> Queries:
        """Return the database for somebody who only looks, in another thread."""
        return Queries(self._engine.reader())

    def _count_once(self) -> None:
        """Work out what follows from the rest, in a database that has just come to this version."""
        if not self._tally(COUNTED):
            with self._transaction():
                lanes.renew_all(self._engine)
                self._tallies = count_all(self._engine)

    def _move(
        self, crawl: Crawl, event: Event, date: str, why: str = "", **values: Any
    ) -> CrawlState:
        """Move a crawl and its site together; a second crawl moves alone.

        Args:
            crawl: as it is now.
            event: what happened to it.
            date: now.
            why: what went wrong, if something did; else the crawl keeps what went wrong last.
            values: what else changes of the crawl.

        Returns:
            The state of the crawl after that.
        """
        if why:
            values["error"] = why
        before, after = crawl.state, crawl_after(crawl.state, event)
        if not self._set(crawl, state=after.value, changed=date, **values):
            raise NoSuchTransition(f"{crawl.crawl} is not {before} any more")
        self._tallies.move("crawl", before, after)
        if not crawl.beside:
            self._engine.execute(
                "UPDATE sites SET state = ?, changed = ?, error = ? WHERE site = ?",
                [work_of(after).value, date, why, crawl.site],
            )
            self._tallies.move("site", work_of(before), work_of(after))
            if before in _IN_LANES or after in _IN_LANES:
                self._renew(crawl.lane)
        return after

    def _set(self, crawl: Crawl, **values: Any) -> bool:
        """Change a crawl; tell whether it still was in the state that we know of."""
        assignments = ", ".join(f"{name} = ?" for name in values)
        changed = self._engine.execute(
            f"UPDATE crawls SET {assignments} WHERE crawl = ? AND state = ?",  # noqa: S608 - names are ours
            [*map(column, values.values()), crawl.crawl, crawl.state.value],
        ).rowcount
        return bool(changed)

    def _renew(self, lane: str) -> None:
        lanes.renew(self._engine, lane)

    def _discard(self, directory: str, date: str, machine: str) -> None:
        self._engine.execute(
            "INSERT INTO discards (directory, since, machine) VALUES (?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            [directory, date, machine],
        )

    def _crawl(self, crawl: str) -> Crawl:
        found = self.crawl(crawl)
        if found is None:
            raise NoSuchTransition(f"there is no crawl {crawl}")
        return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Make what is done within one transaction, or a part of the one that is under way."""
        if self._within:
            yield
            return
        self._engine.begin()
        self._within = True
        try:
            with self._tallies.undone_on_error():
                yield
                self._tallies.write(self._engine)
                self._engine.commit()
        except BaseException:
            self._engine.rollback()
            raise
        finally:
            self._within = False
