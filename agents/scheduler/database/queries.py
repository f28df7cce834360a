"""What the database is asked."""

from collections.abc import Collection, Sequence
from pathlib import Path

from agents.schedule import SiteStatus, Totals
from agents.scheduler.database.connection import open_database, read_database
from agents.scheduler.database.rows import CRAWL_COLUMNS, Crawl, crawl_of, site_of
from agents.scheduler.life import CrawlState
from agents.scheduler.naming import attempt_name
from agents.scheduler.policy import Due

_TOTALS = """
SELECT coalesce(sum(figures ->> 'captures'), 0) AS captures,
       coalesce(sum(figures ->> 'pages'), 0) AS pages,
       coalesce(sum(figures ->> 'contents_new'), 0) AS contents_new,
       coalesce(sum(figures ->> 'contents_known'), 0) AS contents_known,
       coalesce(sum(figures ->> 'bytes_received'), 0) AS bytes_received,
       coalesce(sum(figures ->> 'failures'), 0) AS failures,
       coalesce(sum(deposit ->> 'captures_recorded'), 0) AS captures_deposited,
       coalesce(sum(deposit ->> 'contents_stored'), 0) AS contents_stored,
       coalesce(sum(deposit ->> 'bytes_stored'), 0) AS bytes_stored
FROM crawls WHERE state IN ('collected', 'depositing', 'deposited')
"""


class Queries:
    """An open database, and everything it can be asked; to be used from one thread at a time.

    Attributes:
        path: where it is.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the database at `path`; only to look at it when it is open already.

        Raises:
            DatabaseRefused: it is not ours to open.
        """
        self.path = path
        self._connection = read_database(path) if read_only else open_database(path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def due(self, limit: int, busy_hosts: Collection[str] = ()) -> list[Due]:
        """Return crawls that wait, the oldest of each host that is not busy, oldest first.

        A second crawl of a site does not mind that the first keeps its host busy.
        """
        busy = list(busy_hosts)
        marks = ", ".join("?" * len(busy))
        condition = f"state = 'ordered' AND (beside OR host NOT IN ({marks}))"
        rows = self._connection.execute(
            "SELECT crawl, site, host, attempt, beside, min(ordered) AS first FROM crawls"  # noqa: S608 - marks
            f" WHERE {condition} GROUP BY host ORDER BY first LIMIT ?",
            [*busy, limit],
        )
        return [
            Due(
                row["crawl"],
                row["site"],
                row["host"],
                attempt_name(row["crawl"], row["attempt"] + 1),
                bool(row["beside"]),
            )
            for row in rows
        ]

    def discards(self, limit: int) -> list[str]:
        """Return directories that are to be removed, the oldest first."""
        rows = self._connection.execute(
            "SELECT directory FROM discards ORDER BY since LIMIT ?", [limit]
        )
        return [row["directory"] for row in rows]

    def crawl(self, crawl: str) -> Crawl | None:
        """Return a crawl by its name, or none."""
        found = self._select("WHERE crawls.crawl = ?", [crawl])
        return found[0] if found else None

    def crawl_of_attempt(self, name: str) -> Crawl | None:
        """Return the crawl whose present or last attempt has this name, or none."""
        found = self._select(
            "WHERE crawls.name = ?1"
            " AND crawls.crawl = (SELECT crawl FROM attempts WHERE attempts.name = ?1)",
            [name],
        )
        return found[0] if found else None

    def in_state(self, state: CrawlState, limit: int = 10_000) -> list[Crawl]:
        """Return crawls in a state, the one that came to it first, first."""
        return self._select(
            "WHERE crawls.state = ? ORDER BY crawls.changed LIMIT ?", [state, limit]
        )

    def unfinished(self, limit: int) -> list[Crawl]:
        """Return crawls that have not come to an end, the oldest first."""
        return self._select(
            "WHERE crawls.state IN ('ordered', 'collecting', 'collected', 'depositing')"
            " ORDER BY crawls.ordered LIMIT ?",
            [limit],
        )

    def ended(self, limit: int) -> list[Crawl]:
        """Return crawls that have come to an end, the newest first."""
        return self._select(
            "WHERE crawls.state IN ('deposited', 'failed') ORDER BY crawls.changed DESC LIMIT ?",
            [limit],
        )

    def latest(self, limit: int) -> list[Crawl]:
        """Return crawls, the newest order first."""
        return self._select("ORDER BY crawls.ordered DESC LIMIT ?", [limit])

    def sites(self, limit: int) -> list[SiteStatus]:
        """Return sites, those that changed last first."""
        rows = self._connection.execute(
            "SELECT * FROM sites ORDER BY changed DESC LIMIT ?", [limit]
        )
        return [site_of(row) for row in rows]

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return how many sites, and how many crawls, there are in each state."""
        return self._count("sites"), self._count("crawls")

    def totals(self) -> Totals:
        """Return sums over all crawls whose collection is whole."""
        return Totals(**dict(self._connection.execute(_TOTALS).fetchone()))

    def _count(self, table: str) -> dict[str, int]:
        rows = self._connection.execute(
            f"SELECT state, count(*) FROM {table} GROUP BY state"  # noqa: S608 - a name of ours
        )
        return {row[0]: row[1] for row in rows}

    def _select(self, condition: str, parameters: Sequence[str | int]) -> list[Crawl]:
        rows = self._connection.execute(f"SELECT {CRAWL_COLUMNS} {condition}", parameters)
        return [crawl_of(row) for row in rows]
