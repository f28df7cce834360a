"""Links that led readers nowhere: kept, bounded, until a crawl is asked for that may bring them."""

from collections.abc import Callable, Sequence

from agents.missed import MissedLink
from agents.scheduler.database.feeds import Feeds
from agents.scheduler.database.orders import Opens

KEPT = 100_000  # the oldest are forgotten first
_NOTE = """
INSERT INTO missed (url, site, page, times, first, last) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET
    site = excluded.site,
    page = CASE WHEN excluded.page = '' THEN missed.page ELSE excluded.page END,
    times = CASE WHEN missed.times > excluded.times THEN missed.times ELSE excluded.times END,
    last = CASE WHEN missed.last > excluded.last THEN missed.last ELSE excluded.last END,
    ordered = CASE WHEN missed.ordered < ? THEN NULL ELSE missed.ordered END
"""
_WAITING = "SELECT url FROM missed WHERE site = ? AND ordered IS NULL ORDER BY last DESC LIMIT ?"


class Missed(Feeds):
    """Each method is one transaction, durable when it returns."""

    def note_missed(self, links: Sequence[tuple[MissedLink, str | None]], again: str) -> None:
        """Keep links, each with the site that it belongs to; told again, it has no effect.

        Args:
            links: what was told.
            again: what was ordered before this date, and is missed still, may be ordered anew.
        """
        with self._transaction():
            for link, site in links:
                values = [link.url, site, link.page, link.times, link.date, link.date, again]
                self._engine.execute(_NOTE, values)
            count = self._one("SELECT count(*) AS links FROM missed")["links"]
            if count > KEPT:
                self._engine.execute(
                    "DELETE FROM missed WHERE url IN"
                    " (SELECT url FROM missed ORDER BY last LIMIT ?)",
                    [count - KEPT],
                )

    def collect_missed(
        self,
        site: str,
        limit: int,
        plan: Callable[[Sequence[str]], str],
        date: str,
        opens: Opens | None = None,
    ) -> str | None:
        """Make a member due for the links that it is missed for; return the crawl.

        None when there are none, or when the site is at work, no member, or not to be collected
        now.

        Args:
            site: its name.
            limit: links at most.
            plan: gives that of the crawl for the links, JSON.
            date: now.
            opens: see `look_soon`.
        """
        with self._transaction():
            found = [row["url"] for row in self._engine.execute(_WAITING, [site, limit])]
            if not found:
                return None
            crawl = self.look_soon(site, plan(found), date, opens)
            if crawl is not None:
                marks = ", ".join("?" * len(found))
                self._engine.execute(
                    f"UPDATE missed SET ordered = ? WHERE url IN ({marks})",  # noqa: S608 - marks
                    [date, *found],
                )
            return crawl
