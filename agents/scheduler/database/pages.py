"""What people ask of the database: every answer is bounded, and led to by an index.

An archive may know a million sites; no question here looks at more than some thousands of rows.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from agents.scheduler.database.engine import Row, Value
from agents.scheduler.life import Standing

LAST = "\U0010ffff"  # comes after all that a name may go on with
COUNTED_AT_MOST = 10_000  # sites of one day
LINKS_AT_MOST = 1000  # looked at, of one site

_ORDERS = {  # by the value and then by the name; an index goes with each
    "changed": "changed DESC, site DESC",
    "priority": "priority DESC, site DESC",
    "authority": "authority DESC, site DESC",
}
_NEIGHBOURS = """
SELECT site, standing, relevance, hub, authority, count AS documents, first, last
FROM (SELECT * FROM links WHERE {here} = ? LIMIT ?) AS found JOIN sites ON number = {there}
"""
_DAY = """
SELECT count(*) AS sites, coalesce(sum(requests), 0) AS requests
FROM (SELECT requests FROM sites WHERE next >= ? AND next < ? ORDER BY next LIMIT ?) AS found
"""


@frozen
class Place:
    """A place in a list of sites, after which it goes on.

    Attributes:
        value: of what the list is sorted by.
        site: the name of the site.
    """

    value: Any
    site: str


class PageQueries:
    """What is asked for pages; `Queries` has all of it."""

    _engine: Any

    def sites_named(self, beginning: str, after: str, limit: int) -> list[Row]:
        """Return sites whose names begin so, by name.

        Args:
            beginning: of the name; empty for all.
            after: the name after which to go on.
            limit: how many.
        """
        return list(
            self._engine.execute(
                "SELECT * FROM sites WHERE site >= ? AND site > ? AND site < ?"
                " ORDER BY site LIMIT ?",
                [beginning, after, beginning + LAST, limit],
            )
        )

    def sites_by(
        self, order: str, standings: Sequence[str], after: Place | None, limit: int
    ) -> list[Row]:
        """Return sites by what changed last, priority or authority, the largest first.

        Args:
            order: `changed`, `priority` or `authority`.
            standings: of the sites.
            after: where to go on.
            limit: how many.
        """
        found: list[Row] = []
        for standing in standings:  # an index leads to the first of each
            condition, values = "", [standing]
            if after is not None:
                condition = f" AND ({order}, site) < (?, ?)"
                values += [after.value, after.site]
            found += self._engine.execute(
                f"SELECT * FROM sites WHERE standing = ?{condition}"  # noqa: S608 - names of ours
                f" ORDER BY {_ORDERS[order]} LIMIT ?",
                [*values, limit],
            )
        found.sort(key=lambda row: (row[order], row["site"]), reverse=True)
        return found[:limit]

    def sites_by_next(self, first: str, after: Place | None, limit: int) -> list[Row]:
        """Return sites that fall due by themselves, the soonest first.

        Args:
            first: date from which.
            after: where to go on.
            limit: how many.
        """
        condition, values = "next >= ?", [first if after is None else after.value]
        if after is not None:  # the condition before it is for the index
            condition += " AND (next, site) > (?, ?)"
            values += [after.value, after.site]
        return list(
            self._engine.execute(
                f"SELECT * FROM sites WHERE {condition} ORDER BY next, site LIMIT ?",  # noqa: S608 - conditions of ours
                [*values, limit],
            )
        )

    def sites_at_work(self, state: str, after: Place | None, limit: int) -> list[Row]:
        """Return sites whose present crawl is in a state, the newest order first.

        Args:
            state: of the crawl.
            after: where to go on; its value is the date of the order.
            limit: how many.
        """
        condition, values = "", [state]
        if after is not None:
            condition = " AND (crawls.changed, sites.site) < (?, ?)"
            values += [after.value, after.site]
        return list(
            self._engine.execute(
                "SELECT sites.*, crawls.changed AS moved FROM crawls"  # noqa: S608 - conditions of ours
                " JOIN sites ON sites.crawl = crawls.crawl"
                f" WHERE crawls.state = ?{condition}"
                " ORDER BY crawls.changed DESC, sites.site DESC LIMIT ?",
                [*values, limit],
            )
        )

    def links_of(self, number: int, *, to_it: bool) -> list[Row]:
        """Return the sites at the other end of links, at most `LINKS_AT_MOST`, in no order."""
        ends = {"here": "target", "there": "source"} if to_it else {"here": "source"}
        sql = _NEIGHBOURS.format(**{"there": "target"} | ends)
        return list(self._engine.execute(sql, [number, LINKS_AT_MOST]))

    def crawls_of(self, site: str, limit: int) -> list[Row]:
        """Return crawls of a site, the newest order first."""
        return list(
            self._engine.execute(
                "SELECT crawl, state, ordered, changed, figures, error FROM crawls WHERE site = ?"
                " ORDER BY ordered DESC LIMIT ?",
                [site, limit],
            )
        )

    def missed_of(self, site: str | None, limit: int) -> list[Row]:
        """Return links that readers missed of a site, or of none, the last missed first."""
        belongs, values = ("site IS NULL", []) if site is None else ("site = ?", [site])
        return list(
            self._engine.execute(
                "SELECT url, page, times, first, last, ordered FROM missed"  # noqa: S608 - ours
                f" WHERE {belongs} ORDER BY last DESC LIMIT ?",
                [*values, limit],
            )
        )

    def numbered(self, numbers: Sequence[int]) -> list[Row]:
        """Return sites by their numbers."""
        if not numbers:
            return []
        return list(
            self._engine.execute(
                f"SELECT * FROM sites WHERE number IN ({_marks(numbers)})",  # noqa: S608 - marks only
                list(numbers),
            )
        )

    def links_between(self, numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Yield the links between sites, with the documents that have them.

        Args:
            numbers: of the sites; some hundreds.
        """
        for source in numbers if numbers else ():
            rows = self._engine.execute(
                "SELECT target, count FROM links WHERE source = ?"  # noqa: S608 - marks only
                f" AND target IN ({_marks(numbers)})",
                [source, *numbers],
            )
            for row in rows:
                yield source, row["target"], row["count"]

    def neighbours_of(self, number: int, limit: int) -> list[int]:
        """Return the numbers of sites that link to a site, or that it links to."""
        rows = self._engine.execute(
            "SELECT other FROM (SELECT source AS other FROM links WHERE target = ? LIMIT ?) AS come"
            " UNION SELECT other FROM (SELECT target AS other FROM links WHERE source = ? LIMIT ?)"
            " AS go",
            [number, limit, number, limit],
        )
        return [row["other"] for row in rows][:limit]

    def due_between(self, first: str, last: str) -> tuple[int, int, bool]:
        """Return how many sites fall due, the requests that takes, and whether there are more.

        Args:
            first: date from which.
            last: date before which.
        """
        row = self._engine.execute(_DAY, [first, last, COUNTED_AT_MOST]).fetchone()
        return int(row["sites"]), int(row["requests"]), row["sites"] >= COUNTED_AT_MOST

    def decided_since(self, day: str) -> dict[str, dict[str, int]]:
        """Return how often each event of standings was decided, by day from this one on."""
        days: dict[str, dict[str, int]] = {}
        rows = self._engine.execute(
            "SELECT name, value FROM tallies WHERE name >= ? AND name < ?",
            [f"decided {day}", f"decided {LAST}"],
        )
        for row in rows:
            _, date, event = row["name"].split(" ", 2)
            days.setdefault(date, {})[event] = row["value"]
        return days

    def number_in_campaign(self, campaign: str) -> int:
        """Return how many sites take part in a campaign, counted up to a limit."""
        row = self._engine.execute(
            "SELECT count(*) AS number FROM"
            " (SELECT site FROM campaign_sites WHERE campaign = ? LIMIT ?) AS found",
            [campaign, COUNTED_AT_MOST],
        ).fetchone()
        return int(row["number"])

    def campaigns_with(self, site: str, limit: int) -> list[str]:
        """Return the names of campaigns that a site takes part in, over or not."""
        rows = self._engine.execute(
            "SELECT campaign FROM campaign_sites WHERE site = ? ORDER BY campaign LIMIT ?",
            [site, limit],
        )
        return [row["campaign"] for row in rows]


def all_standings() -> list[str]:
    """Return the standings that a kept site may have."""
    return [standing.value for standing in Standing if standing is not Standing.UNKNOWN]


def _marks(values: Sequence[Value]) -> str:
    return ", ".join("?" * len(values))
