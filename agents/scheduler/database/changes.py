"""How the database is changed: whole transactions, and a crawl and its site move together."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from agents.scheduler.database.queries import Queries
from agents.scheduler.database.rows import Crawl
from agents.scheduler.life import Event, NoSuchTransition, SiteState, crawl_after, site_after


class Changes(Queries):
    """What all changes are made of."""

    def _happen(self, crawl: str, event: Event, date: str, error: str = "") -> None:
        """Move a crawl and its site together; a second crawl moves alone."""
        before = self._crawl(crawl)
        site = self._site(before.site)
        after = crawl_after(before.state, event)
        self._set(crawl, state=after, changed=date)
        if error:
            self._set(crawl, error=error)
        if before.beside:
            return
        self._connection.execute(
            "UPDATE sites SET state = ?, changed = ?, error = ? WHERE site = ?",
            [site_after(SiteState(site["state"]), event), date, error, before.site],
        )

    def _set(self, crawl: str, **columns: str | float | None) -> None:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        self._connection.execute(
            f"UPDATE crawls SET {assignments} WHERE crawl = ?",  # noqa: S608 - names are ours
            [*columns.values(), crawl],
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
