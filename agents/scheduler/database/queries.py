"""What the database is asked."""

from collections.abc import Sequence
from typing import Any

from agents.schedule import SiteStatus, Totals
from agents.scheduler.database.engine import Row
from agents.scheduler.database.pages import PageQueries
from agents.scheduler.database.portion import Portion
from agents.scheduler.database.rows import CRAWL_COLUMNS, Crawl, Decision, crawl_of, site_of
from agents.scheduler.database.stream_queries import StreamQueries
from agents.scheduler.database.tallies import totals_of
from agents.scheduler.life import CRAWL_ENDS, CrawlState, MachineState, Standing
from agents.scheduler.naming import attempt_name
from agents.scheduler.policy import Due

_DUE = """
SELECT crawls.crawl, crawls.site, crawls.host, attempt, beside, crawls.priority, ordered,
       crawls.changed, sites.lane, sites.start_url, sites.accept"""
_FIRST_OF_LANES = f"""{_DUE}
FROM lanes JOIN crawls ON crawls.crawl = lanes.first JOIN sites ON sites.site = crawls.site
WHERE lanes.busy IS NULL AND lanes.first IS NOT NULL
ORDER BY lanes.priority DESC, lanes.since LIMIT ?
"""
_BESIDE = f"""{_DUE}
FROM crawls JOIN sites ON sites.site = crawls.site
WHERE crawls.state = 'ordered' AND beside = 1 ORDER BY ordered LIMIT ?
"""


class Queries(Portion, PageQueries, StreamQueries):
    """An open database, and everything it can be asked; to be used from one thread at a time."""

    def __init__(self, engine: Any) -> None:
        """Ask through an `IEngine`, or its reader."""
        self._engine = engine

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return str(self._engine.place)

    @property
    def passing(self) -> tuple[type[Exception], ...]:
        """Types of errors that pass by themselves, such as a full disk."""
        found: tuple[type[Exception], ...] = self._engine.passing
        return found

    def mend(self) -> None:
        """Open the connection again if it was lost."""
        self._engine.mend()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.close()

    def due(self, limit: int) -> list[Due]:
        """Return crawls that wait, the first of each lane that is not busy.

        The highest priority comes first, and of equals who has waited longest. A second crawl of
        a site does not mind that the first keeps its lane busy.
        """
        found = [*self._engine.execute(_FIRST_OF_LANES, [limit])]
        found += self._engine.execute(_BESIDE, [limit])
        found.sort(key=lambda row: (-row["priority"], row["ordered"]))
        return [self._due(row) for row in found[:limit]]

    def machine_of_attempt(self, name: str) -> str:
        """Return the machine that an attempt was made on; empty when nobody knows."""
        row = self._engine.execute("SELECT machine FROM attempts WHERE name = ?", [name]).fetchone()
        return "" if row is None else str(row["machine"])

    def tried(self, crawl: str) -> list[tuple[str, str, str]]:
        """Return crawler, machine and reason of a crawl's attempts that came to nothing."""
        rows = self._engine.execute(
            "SELECT crawler, machine, reason FROM attempts"
            " WHERE crawl = ? AND reason <> '' ORDER BY number",
            [crawl],
        )
        return [(row["crawler"], row["machine"], row["reason"]) for row in rows]

    def discards(self, limit: int, machine: str = "") -> list[str]:
        """Return directories of a machine that are to be removed, the oldest first.

        Without one, those of which nobody knows the machine.
        """
        rows = self._engine.execute(
            "SELECT directory FROM discards WHERE machine = ? ORDER BY since LIMIT ?",
            [machine, limit],
        )
        return [row["directory"] for row in rows]

    def collected(self, limit: int, machines: Sequence[str]) -> list[Crawl]:
        """Return crawls that wait for their deposit on machines, or nobody knows on which."""
        named = sorted({*machines, ""})
        marks = ", ".join("?" * len(named))
        return self._select(
            f"WHERE crawls.state = 'collected' AND machine IN ({marks})"
            " ORDER BY crawls.changed LIMIT ?",
            [*named, limit],
        )

    def on_machine(self, machine: str, state: CrawlState) -> list[Crawl]:
        """Return the crawls in a state whose last attempt was made on a machine."""
        return self._select("WHERE crawls.state = ? AND machine = ?", [state.value, machine])

    def machines(self) -> dict[str, MachineState]:
        """Return the machines that are known, with their states."""
        rows = self._engine.execute("SELECT machine, state FROM machines ORDER BY machine")
        return {row["machine"]: MachineState(row["state"]) for row in rows}

    def lying(self) -> dict[str, tuple[int, int]]:
        """Return how many crawls, and folders to be removed, lie on each machine."""
        crawls = self._engine.execute(
            "SELECT machine, count(*) AS number FROM crawls"
            " WHERE state IN ('collected', 'depositing') GROUP BY machine"
        )
        found = {row["machine"]: row["number"] for row in crawls}
        folders = self._engine.execute(
            "SELECT machine, count(*) AS number FROM discards GROUP BY machine"
        )
        doomed = {row["machine"]: row["number"] for row in folders}
        return {
            machine: (found.get(machine, 0), doomed.get(machine, 0))
            for machine in found.keys() | doomed.keys()
        }

    def crawl(self, crawl: str) -> Crawl | None:
        """Return a crawl by its name, or none."""
        found = self._select("WHERE crawls.crawl = ?", [crawl])
        return found[0] if found else None

    def crawl_of_attempt(self, name: str) -> Crawl | None:
        """Return the crawl whose present or last attempt has this name, or none."""
        found = self._select(
            "WHERE crawls.name = ?"
            " AND crawls.crawl = (SELECT crawl FROM attempts WHERE attempts.name = ?)",
            [name, name],
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
        found: list[Crawl] = []
        for state in sorted(CRAWL_ENDS):  # an index leads to the newest of each
            found += self._select(
                "WHERE crawls.state = ? ORDER BY crawls.changed DESC LIMIT ?", [state, limit]
            )
        return sorted(found, key=lambda crawl: crawl.changed, reverse=True)[:limit]

    def latest(self, limit: int) -> list[Crawl]:
        """Return crawls, the newest order first."""
        return self._select("ORDER BY crawls.ordered DESC LIMIT ?", [limit])

    def sites(self, limit: int) -> list[SiteStatus]:
        """Return sites, those that changed last first."""
        found: list[Row] = []
        for standing in Standing:  # an index leads to the newest of each
            found += self._engine.execute(
                "SELECT * FROM sites WHERE standing = ? ORDER BY changed DESC LIMIT ?",
                [standing.value, limit],
            )
        found.sort(key=lambda row: row["changed"], reverse=True)
        return [site_of(row) for row in found[:limit]]

    def story(self, site: str, limit: int) -> list[Decision]:
        """Return what was decided of a site, the latest first."""
        rows = self._engine.execute(
            "SELECT site, date, who, what, before, after, why FROM decisions WHERE site = ?"
            " ORDER BY id DESC LIMIT ?",
            [site, limit],
        )
        return [Decision(**dict(row)) for row in rows]

    def decided(self, day: str) -> dict[str, int]:
        """Return how often each event of standings was decided on a day, `YYYYMMDD`."""
        return self._tallied(f"decided {day} ")

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return how many sites, and how many crawls, there are in each state."""
        return self._tallied("site "), self._tallied("crawl ")

    def standings(self) -> dict[str, int]:
        """Return how many sites there are of each standing."""
        return self._tallied("standing ")

    def stream_counts(self) -> dict[str, int]:
        """Return how many streams there are in each phase."""
        return self._tallied("stream ")

    def totals(self) -> Totals:
        """Return sums over all crawls whose collection is whole."""
        return totals_of(self._tallied("total "))

    def _tallied(self, beginning: str) -> dict[str, int]:
        rows = self._engine.execute(
            "SELECT name, value FROM tallies WHERE name LIKE ? AND value <> 0", [f"{beginning}%"]
        )
        return {row["name"].removeprefix(beginning): row["value"] for row in rows}

    def _tally(self, name: str) -> int:
        row = self._engine.execute("SELECT value FROM tallies WHERE name = ?", [name]).fetchone()
        return 0 if row is None else int(row["value"])

    def _select(self, condition: str, parameters: Sequence[str | int]) -> list[Crawl]:
        rows = self._engine.execute(f"SELECT {CRAWL_COLUMNS} {condition}", parameters)
        return [crawl_of(row) for row in rows]

    def _due(self, row: Row) -> Due:
        tried = self.tried(row["crawl"]) if row["attempt"] else []
        return Due(
            row["crawl"],
            row["site"],
            row["host"],
            attempt_name(row["crawl"], row["attempt"] + 1),
            bool(row["beside"]),
            lane=row["lane"],
            start_url=row["start_url"],
            accept=row["accept"],
            since=row["changed"],
            crawlers=frozenset(crawler for crawler, _, _ in tried),
            machines=frozenset(machine for _, machine, _ in tried if machine),
        )
