"""Changes while a crawl is collected: attempts begin and end."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import evolve
from msgspec import json

from agents.order import CrawlFigures
from agents.scheduler.database.decisions import Decisions
from agents.scheduler.database.rows import Assignment, Crawl, Following, Sequel
from agents.scheduler.life import CrawlState, Event, NoSuchTransition, loss
from agents.scheduler.naming import attempt_name


class Attempts(Decisions):
    """Each method is one transaction, durable when it returns."""

    def __init__(self, where: Path | str, attempts_allowed: int = 3) -> None:
        """Open the database.

        Args:
            where: a file, or what `postgresql://…` names.
            attempts_allowed: how often a crawl is tried before it is given up.

        Raises:
            DatabaseRefused: it is not ours to open.
        """
        super().__init__(where)
        self._attempts_allowed = attempts_allowed

    def start(self, crawl: str, crawler: str, date: str) -> Crawl:
        """Begin an attempt at a crawl and return the crawl with it.

        Raises:
            NoSuchTransition: it does not wait for a crawler.
        """
        with self._transaction():
            return self._start(Assignment(crawl, crawler), date)

    def start_all(self, assignments: Sequence[Assignment], date: str) -> list[Crawl]:
        """Begin attempts at crawls, each with its crawler; leave out those that do not wait."""
        begun = []
        with self._transaction():
            for assignment in assignments:
                with suppress(NoSuchTransition):
                    begun.append(self._start(assignment, date))
        return begun

    def wait_behind(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Let crawls wait in other lanes, where what they may not be collected with is.

        Args:
            pairs: crawl and lane.

        Returns:
            How many have changed their lane.
        """
        moved = 0
        with self._transaction():
            for name, lane in pairs:
                crawl = self.crawl(name)
                if crawl is not None and crawl.state is CrawlState.ORDERED and crawl.lane != lane:
                    self._set(crawl, lane=lane)
                    self._renew(crawl.lane)
                    self._renew(lane)
                    moved += 1
        return moved

    def _start(self, given: Assignment, date: str) -> Crawl:
        waiting = self._crawl(given.crawl)
        number = waiting.attempt + 1
        told: dict[str, Any] = {
            "attempt": number,
            "name": attempt_name(given.crawl, number),
            "crawler": given.crawler,
            "machine": given.machine,
            "lane": given.lane or waiting.lane,
            "keys": json.encode(sorted(given.keys)).decode(),
            "figures": CrawlFigures(),
        }
        state = self._move(waiting, Event.STARTED, date, **told)
        if told["lane"] != waiting.lane:
            self._renew(told["lane"])
            if "lane" not in json.decode(waiting.held):
                self._engine.execute(
                    "UPDATE sites SET lane = ? WHERE site = ?", [told["lane"], waiting.site]
                )
        self._engine.execute(
            "INSERT INTO attempts (name, crawl, number, crawler, machine, began)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [told["name"], given.crawl, number, given.crawler, given.machine, date],
        )
        return evolve(waiting, state=state, changed=date, **told)

    def refused(self, name: str, reason: str, date: str) -> Crawl:
        """Take an attempt back that its crawler never began; it does not count.

        Raises:
            NoSuchTransition: the attempt is not the present one.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            previous = crawl.attempt - 1
            former = attempt_name(crawl.crawl, previous) if previous else None
            self._engine.execute("DELETE FROM attempts WHERE name = ?", [name])
            self._move(crawl, Event.REFUSED, date, attempt=previous, name=former, error=reason)
            return self._crawl(crawl.crawl)

    def put_off(self, name: str, reason: str, directory: str, date: str) -> Crawl:
        """End an attempt by no fault of its site; it does not count, and its name is not reused.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._end_attempt(name, reason, date, counted=False)
            self._discard(directory, date, crawl.machine)
            self._move(crawl, Event.REFUSED, date, reason)
            return self._crawl(crawl.crawl)

    def lost(
        self,
        name: str,
        reason: str,
        directory: str,
        date: str,
        sequel: Sequel | Following | None = None,
    ) -> Crawl:
        """Give up an attempt; its crawl waits for another, or has failed after the last.

        Args:
            name: of the attempt.
            reason: why, for people.
            directory: what the attempt may have left behind, to be removed.
            date: now.
            sequel: what follows for the site if this was the last.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            event = loss(self._attempts_made(crawl.crawl), self._attempts_allowed)
            self._end_attempt(name, reason, date)
            self._discard(directory, date, crawl.machine)
            self._move(crawl, event, date, reason)
            if event is Event.GIVEN_UP:
                self._follow_up(crawl, sequel, date)
            return self._crawl(crawl.crawl)

    def erred(
        self,
        name: str,
        figures: CrawlFigures,
        reason: str,
        directory: str,
        date: str,
        sequel: Sequel | Following | None = None,
    ) -> Crawl:
        """Note that a crawler could not collect the site; its crawl has failed.

        What `sequel` says follows for the site.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._end_attempt(name, reason, date)
            self._discard(directory, date, crawl.machine)
            self._move(crawl, Event.ERRED, date, reason, figures=figures)
            self._follow_up(crawl, sequel, date)
            return self._crawl(crawl.crawl)

    def finished(self, name: str, directory: str, figures: CrawlFigures, date: str) -> None:
        """Note that a site is wholly collected, and where that lies.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._end_attempt(name, "", date)
            self._tallies.collected(figures)
            told: dict[str, Any] = {"directory": directory, "figures": figures, "error": ""}
            self._move(crawl, Event.FINISHED, date, **told)

    def _attempts_made(self, crawl: str) -> int:
        counted = "SELECT count(*) AS made FROM attempts WHERE crawl = ? AND counted = 1"
        return int(self._engine.execute(counted, [crawl]).fetchone()["made"])

    def _end_attempt(self, name: str, reason: str, date: str, counted: bool = True) -> None:
        self._engine.execute(
            "UPDATE attempts SET ended = ?, reason = ?, counted = ? WHERE name = ?",
            [date, reason, int(counted), name],
        )

    def _of_attempt(self, name: str) -> Crawl:
        found = self.crawl_of_attempt(name)
        if found is None:
            raise NoSuchTransition(f"{name} is not the present attempt of a crawl")
        return found
