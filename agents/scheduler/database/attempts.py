"""Changes while a crawl is collected: attempts begin and end."""

from pathlib import Path

from agents.order import CrawlFigures
from agents.scheduler.database.changes import Changes
from agents.scheduler.database.rows import Crawl, to_json
from agents.scheduler.life import Event, NoSuchTransition, loss
from agents.scheduler.naming import attempt_name


class Attempts(Changes):
    """Each method is one transaction, durable when it returns."""

    def __init__(self, path: Path, attempts_allowed: int = 3) -> None:
        """Open the file.

        Args:
            path: of the database.
            attempts_allowed: how often a crawl is tried before it is given up.

        Raises:
            DatabaseRefused: it is not ours to open.
        """
        super().__init__(path)
        self._attempts_allowed = attempts_allowed

    def start(self, crawl: str, crawler: str, date: str) -> Crawl:
        """Begin an attempt at a crawl and return the crawl with it.

        Raises:
            NoSuchTransition: it does not wait for a crawler.
        """
        with self._transaction():
            number = self._crawl(crawl).attempt + 1
            name = attempt_name(crawl, number)
            self._happen(crawl, Event.STARTED, date)
            self._set(crawl, attempt=number, name=name, crawler=crawler, figures="{}")
            self._connection.execute(
                "INSERT INTO attempts (name, crawl, number, crawler, began) VALUES (?, ?, ?, ?, ?)",
                [name, crawl, number, crawler, date],
            )
            return self._crawl(crawl)

    def refused(self, name: str, reason: str, date: str) -> Crawl:
        """Take an attempt back that its crawler never began; it does not count.

        Raises:
            NoSuchTransition: the attempt is not the present one.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._happen(crawl.crawl, Event.REFUSED, date)
            self._connection.execute("DELETE FROM attempts WHERE name = ?", [name])
            previous = crawl.attempt - 1
            former = attempt_name(crawl.crawl, previous) if previous else None
            self._set(crawl.crawl, attempt=previous, name=former, error=reason)
            return self._crawl(crawl.crawl)

    def put_off(self, name: str, reason: str, directory: str, date: str) -> Crawl:
        """End an attempt by no fault of its site; it does not count, and its name is not reused.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._happen(crawl.crawl, Event.REFUSED, date, reason)
            self._connection.execute("DELETE FROM attempts WHERE name = ?", [name])
            self._discard(directory, date)
            return self._crawl(crawl.crawl)

    def lost(self, name: str, reason: str, directory: str, date: str) -> Crawl:
        """Give up an attempt; its crawl waits for another, or has failed after the last.

        Args:
            name: of the attempt.
            reason: why, for people.
            directory: what the attempt may have left behind, to be removed.
            date: now.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            event = loss(self._attempts_made(crawl.crawl), self._attempts_allowed)
            self._happen(crawl.crawl, event, date, reason)
            self._end_attempt(name, reason, date)
            self._discard(directory, date)
            return self._crawl(crawl.crawl)

    def erred(
        self, name: str, figures: CrawlFigures, reason: str, directory: str, date: str
    ) -> Crawl:
        """Note that a crawler could not collect the site; its crawl has failed.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._happen(crawl.crawl, Event.ERRED, date, reason)
            self._set(crawl.crawl, figures=to_json(figures))
            self._end_attempt(name, reason, date)
            self._discard(directory, date)
            return self._crawl(crawl.crawl)

    def finished(self, name: str, directory: str, figures: CrawlFigures, date: str) -> Crawl:
        """Note that a site is wholly collected, and where that lies.

        Raises:
            NoSuchTransition: the attempt is not the present one, or has ended.
        """
        with self._transaction():
            crawl = self._of_attempt(name)
            self._happen(crawl.crawl, Event.FINISHED, date)
            self._set(crawl.crawl, directory=directory, figures=to_json(figures), error="")
            self._end_attempt(name, "", date)
            return self._crawl(crawl.crawl)

    def _attempts_made(self, crawl: str) -> int:
        counted = "SELECT count(*) FROM attempts WHERE crawl = ?"
        return int(self._connection.execute(counted, [crawl]).fetchone()[0])

    def _end_attempt(self, name: str, reason: str, date: str) -> None:
        self._connection.execute(
            "UPDATE attempts SET ended = ?, reason = ? WHERE name = ?", [date, reason, name]
        )

    def _of_attempt(self, name: str) -> Crawl:
        found = self.crawl_of_attempt(name)
        if found is None:
            raise NoSuchTransition(f"{name} is not the present attempt of a crawl")
        return found
