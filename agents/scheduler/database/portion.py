"""What the database is asked about the portion of the web as a whole: graph, candidates, plans."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from agents.scheduler.database.rows import CampaignRow, FeedRow, KeptSite, kept_site_of
from agents.scheduler.database.tallies import BOUNDS_CHANGED, LINKS_LEARNED
from agents.scheduler.expansion.priority import Referrer

_REFERRERS = 20  # that speak for a candidate; the foremost are enough
_COLLECTED = "standing IN ('temporary', 'member', 'dormant')"
_DEMAND = f"SELECT coalesce(sum(demand), 0) AS demand FROM sites WHERE {_COLLECTED}"  # noqa: S608 - ours
_UNPLANNED = f"""
SELECT number, site FROM sites WHERE number > ? AND next IS NULL AND {_COLLECTED}
AND state IN ('known', 'idle', 'failed') ORDER BY number LIMIT ?
"""  # noqa: S608 - ours
_OVERDUE = """
SELECT (SELECT coalesce(sum(requests), 0) FROM sites WHERE next <= ?)
     + (SELECT coalesce(sum(sites.requests), 0) FROM crawls JOIN sites USING (site)
        WHERE crawls.state = 'ordered') AS requests
"""
_BEST_REFERRERS = """
SELECT sites.site, relevance, hub FROM links JOIN sites ON sites.number = links.source
WHERE links.target = ? AND relevance > 0 ORDER BY relevance * (1 + hub) DESC LIMIT ?
"""


@frozen
class Extent:
    """How far an index of all sites has to go.

    Attributes:
        sites: how many there are.
        last: the highest number among them.
        mark: a number that changes whenever bounds of known sites do.
    """

    sites: int
    last: int
    mark: int


class Portion:
    """A part of `Queries`."""

    _engine: Any

    def site(self, site: str) -> KeptSite | None:
        """Return a site by its name, or none."""
        row = self._one("SELECT * FROM sites WHERE site = ?", site)
        return None if row is None else kept_site_of(row, self.campaigns_of(site))

    def names(self, numbers: Sequence[int]) -> list[str]:
        """Return the names of sites with these numbers, as far as there are such."""
        if not numbers:
            return []
        marks = ", ".join("?" * len(numbers))
        rows = self._engine.execute(
            f"SELECT site FROM sites WHERE number IN ({marks}) ORDER BY number",  # noqa: S608 - marks
            list(numbers),
        )
        return [row["site"] for row in rows]

    # Bounds

    def extent(self) -> Extent:
        """Return how far an index of all sites has to go."""
        row = self._one("SELECT count(*) AS sites, coalesce(max(number), 0) AS last FROM sites")
        return Extent(row["sites"], row["last"], self.bounds_mark())

    def bounds_mark(self) -> int:
        """Return a number that changes whenever bounds of known sites do."""
        return self._sum(BOUNDS_CHANGED)

    def bounds_after(self, number: int, limit: int) -> list[tuple[int, str, str, str]]:
        """Return number, start URL, accept and reject of sites with higher numbers, in order."""
        return self._tuples(
            "SELECT number, start_url, accept, reject FROM sites WHERE number > ?"
            " ORDER BY number LIMIT ?",
            number,
            limit,
        )

    def bounds_of(self, site: str) -> tuple[int, str, str, str] | None:
        """Return the same of one site, or none."""
        query = "SELECT number, start_url, accept, reject FROM sites WHERE site = ?"
        return next(iter(self._tuples(query, site)), None)

    def bounds_at(self, hosts: Sequence[str], limit: int) -> list[tuple[str, str, str, str]]:
        """Return name, start URL, accept and reject of sites that begin at one of some hosts."""
        marks = ", ".join("?" * len(hosts))
        return self._tuples(
            f"SELECT site, start_url, accept, reject FROM sites WHERE host IN ({marks})"  # noqa: S608 - marks
            " ORDER BY site LIMIT ?",
            *hosts,
            limit,
        )

    # The graph

    def ranked_after(self, number: int, limit: int) -> list[tuple[int, float, float, float]]:
        """Return number, relevance, hub and authority rank of sites with higher numbers."""
        return self._tuples(
            "SELECT number, relevance, hub, authority FROM sites WHERE number > ?"
            " ORDER BY number LIMIT ?",
            number,
            limit,
        )

    def links_after(self, source: int, target: int, limit: int) -> list[tuple[int, int, int]]:
        """Return source, target and count of links that follow one in the order of their keys."""
        return self._tuples(
            "SELECT source, target, count FROM links WHERE (source, target) > (?, ?)"
            " ORDER BY source, target LIMIT ?",
            source,
            target,
            limit,
        )

    def links(self) -> int:
        """Return how many links there are."""
        return int(self._one("SELECT count(*) AS links FROM links")["links"])

    def links_learned(self) -> int:
        """Return how often a link was learned, ever."""
        return self._sum(LINKS_LEARNED)

    def referrers(self, number: int, limit: int = _REFERRERS) -> list[Referrer]:
        """Return the sites of the portion that link to one, the foremost first."""
        rows = self._engine.execute(_BEST_REFERRERS, [number, limit])
        return [Referrer(row["site"], row["relevance"], row["hub"]) for row in rows]

    def candidates_after(self, number: int, limit: int) -> list[int]:
        """Return the numbers of discovered sites with higher numbers, in order."""
        rows = self._tuples(
            "SELECT number FROM sites WHERE standing = 'discovered' AND number > ?"
            " ORDER BY number LIMIT ?",
            number,
            limit,
        )
        return [row[0] for row in rows]

    # Plans

    def demand(self) -> float:
        """Return the sum of what all sites ask of crawlers."""
        return float(self._one(_DEMAND)["demand"])

    def overdue(self, date: str) -> int:
        """Return how many requests, about, those sites take that are due and wait."""
        return int(self._one(_OVERDUE, date)["requests"])

    def remembered(self, name: str) -> float | None:
        """Return what the scheduler has worked out for all sites together, or none."""
        row = self._one("SELECT value FROM memory WHERE name = ?", name)
        return None if row is None else float(row["value"])

    def unplanned_after(self, number: int, limit: int) -> list[tuple[int, str]]:
        """Return number and name of sites that are at rest, and do not fall due by themselves."""
        return self._tuples(_UNPLANNED, number, limit)

    def campaigns(self, limit: int = 1000) -> list[CampaignRow]:
        """Return all campaigns, the one that begins last, first."""
        rows = self._engine.execute("SELECT * FROM campaigns ORDER BY begins DESC LIMIT ?", [limit])
        return [CampaignRow(**dict(row)) for row in rows]

    def campaigns_of(self, site: str) -> list[str]:
        """Return the settings of the campaigns that a site takes part in and that go on."""
        rows = self._engine.execute(
            "SELECT settings FROM campaigns JOIN campaign_sites USING (campaign)"
            " WHERE site = ? AND state = 'running' ORDER BY campaign",
            [site],
        )
        return [row["settings"] for row in rows]

    def sites_of_campaign(self, campaign: str, after: str = "", limit: int = 1000) -> list[str]:
        """Return names of sites of a campaign that come after one, in their order."""
        rows = self._tuples(
            "SELECT site FROM campaign_sites WHERE campaign = ? AND site > ? ORDER BY site LIMIT ?",
            campaign,
            after,
            limit,
        )
        return [row[0] for row in rows]

    # Feeds

    def feeds_after(self, feed: str, limit: int) -> list[FeedRow]:
        """Return feeds of members with greater URLs, in order."""
        rows = self._engine.execute(
            "SELECT feeds.*, sites.private_networks FROM feeds JOIN sites USING (site)"
            " WHERE feed > ? AND standing = 'member' ORDER BY feed LIMIT ?",
            [feed, limit],
        )
        return [FeedRow(**dict(row)) for row in rows]

    def feeds_of(self, site: str) -> list[FeedRow]:
        """Return the feeds of a site."""
        rows = self._engine.execute(
            "SELECT feeds.*, sites.private_networks FROM feeds JOIN sites USING (site)"
            " WHERE site = ? ORDER BY feed",
            [site],
        )
        return [FeedRow(**dict(row)) for row in rows]

    # Rows

    def _sum(self, name: str) -> int:
        row = self._one("SELECT value FROM tallies WHERE name = ?", name)
        return 0 if row is None else int(row["value"])

    def _one(self, sql: str, *parameters: str | int) -> Any:
        return self._engine.execute(sql, parameters).fetchone()

    def _tuples(self, sql: str, *parameters: str | int) -> list[Any]:
        return [tuple(dict(row).values()) for row in self._engine.execute(sql, parameters)]
