"""What the database is told: each method is one transaction, durable when it returns."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.scheduler.database.queries import Queries
from agents.scheduler.database.rows import Crawl, NewSite, to_json
from agents.scheduler.life import (
    SITE_AT_WORK,
    CrawlState,
    Event,
    NoSuchTransition,
    SiteState,
    crawl_after,
    loss,
    site_after,
)
from agents.scheduler.naming import attempt_name, crawl_name


class Database(Queries):
    """The scheduler's database, asked and told."""

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

    def order(
        self,
        sites: Sequence[NewSite],
        private_networks: bool,
        date: str,
        delay: float | None = None,
    ) -> list[str]:
        """Register sites and make them due; return the crawl of each.

        A site that is already at work keeps the crawl it has: the new order joins it.
        """
        with self._transaction():
            return [self._order_one(site, private_networks, date, delay) for site in sites]

    def recover(self, date: str) -> list[Crawl]:
        """Take up what a former run left; return the crawls that crawlers were collecting.

        Deposits that were under way are to be repeated: they have no effect twice.
        """
        with self._transaction():
            for crawl in self.in_state(CrawlState.DEPOSITING):
                self._happen(crawl.crawl, Event.DEPOSIT_BROKE, date)
        return self.in_state(CrawlState.COLLECTING)

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
            event = loss(crawl.attempt, self._attempts_allowed)
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

    def deposit_began(self, crawl: str, date: str) -> Crawl:
        """Note that a crawl is being deposited.

        Raises:
            NoSuchTransition: it does not wait for that.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_BEGAN, date)
            return self._crawl(crawl)

    def deposit_broke(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that a deposit is to be tried again.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_BROKE, date)
            self._set(crawl, error=reason)
            return self._crawl(crawl)

    def deposit_impossible(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that what a crawl brought cannot be deposited, ever.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_IMPOSSIBLE, date, reason)
            return self._crawl(crawl)

    def deposit_done(self, crawl: str, figures: DepositFigures, date: str) -> Crawl:
        """Note that a crawl is durable in storage; its directory may go.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_DONE, date)
            self._set(crawl, deposit=to_json(figures), error="")
            self._discard(self._crawl(crawl).directory or "", date)
            return self._crawl(crawl)

    def discard(self, directory: str, date: str) -> None:
        """Remember that a directory is to be removed."""
        with self._transaction():
            self._discard(directory, date)

    def discarded(self, directory: str) -> None:
        """Forget a directory that has been removed."""
        with self._transaction():
            self._connection.execute("DELETE FROM discards WHERE directory = ?", [directory])

    def _order_one(
        self, site: NewSite, private_networks: bool, date: str, delay: float | None
    ) -> str:
        self._connection.execute(
            "INSERT INTO sites (site, start_url, accept, reject, maximum_depth, host, state,"
            " registered, changed) VALUES (?, ?, ?, ?, ?, ?, 'known', ?, ?)"
            " ON CONFLICT DO NOTHING",
            [site.site, site.start_url, site.accept, site.reject, site.maximum_depth, site.host]
            + [date, date],
        )
        row = self._site(site.site)
        if SiteState(row["state"]) in SITE_AT_WORK:
            return str(row["crawl"])
        crawl = self._new_crawl_name(date, site.site)
        self._connection.execute(
            "INSERT INTO crawls (crawl, site, host, state, private_networks, delay, ordered,"
            " changed) VALUES (?, ?, ?, 'ordered', ?, ?, ?, ?)",
            [crawl, site.site, site.host, private_networks, delay, date, date],
        )
        state = site_after(SiteState(row["state"]), Event.ORDERED)
        self._connection.execute(
            "UPDATE sites SET state = ?, start_url = ?, crawl = ?, crawls = crawls + 1,"
            " changed = ?, error = '' WHERE site = ?",
            [state, site.start_url, crawl, date, site.site],
        )
        return crawl

    def _new_crawl_name(self, date: str, site: str) -> str:
        repeated = 0
        while self.crawl(crawl_name(date, site, repeated)) is not None:
            repeated += 1
        return crawl_name(date, site, repeated)

    def _happen(self, crawl: str, event: Event, date: str, error: str = "") -> None:
        """Move a crawl and its site together."""
        before = self._crawl(crawl)
        site = self._site(before.site)
        after = crawl_after(before.state, event)
        self._set(crawl, state=after, changed=date)
        if error:
            self._set(crawl, error=error)
        self._connection.execute(
            "UPDATE sites SET state = ?, changed = ?, error = ? WHERE site = ?",
            [site_after(SiteState(site["state"]), event), date, error, before.site],
        )

    def _set(self, crawl: str, **columns: str | int | None) -> None:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        self._connection.execute(
            f"UPDATE crawls SET {assignments} WHERE crawl = ?",  # noqa: S608 - names are ours
            [*columns.values(), crawl],
        )

    def _end_attempt(self, name: str, reason: str, date: str) -> None:
        self._connection.execute(
            "UPDATE attempts SET ended = ?, reason = ? WHERE name = ?", [date, reason, name]
        )

    def _discard(self, directory: str, date: str) -> None:
        self._connection.execute(
            "INSERT INTO discards VALUES (?, ?) ON CONFLICT DO NOTHING", [directory, date]
        )

    def _crawl(self, crawl: str) -> Crawl:
        found = self.crawl(crawl)
        if found is None:
            raise NoSuchTransition(f"there is no crawl {crawl}")
        return found

    def _of_attempt(self, name: str) -> Crawl:
        found = self.crawl_of_attempt(name)
        if found is None:
            raise NoSuchTransition(f"{name} is not the present attempt of a crawl")
        return found

    def _site(self, site: str) -> sqlite3.Row:
        row: sqlite3.Row = self._connection.execute(
            "SELECT * FROM sites WHERE site = ?", [site]
        ).fetchone()
        return row

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk has ended it already
                self._connection.execute("ROLLBACK")
            raise
