"""Feeds of sites: what is known of each, and what pages they tell of (*INA §1.5.2*)."""

from agents.scheduler.database.decisions import SCHEDULER
from agents.scheduler.database.engine import KEY_LIMIT
from agents.scheduler.database.orders import Opens, Orders
from agents.scheduler.database.rows import FeedRow
from agents.scheduler.life import SITE_AT_WORK, NoSuchTransition, SiteState, Standing


class Feeds(Orders):
    """Each method is one transaction, durable when it returns."""

    def feed(self, feed: str) -> FeedRow | None:
        """Return a feed by its URL, or none."""
        row = self._engine.execute(
            "SELECT feeds.*, sites.private_networks FROM feeds JOIN sites USING (site)"
            " WHERE feed = ?",
            [feed],
        ).fetchone()
        return None if row is None else FeedRow(**dict(row))

    def add_feed(
        self, feed: str, site: str, date: str, who: str = SCHEDULER, why: str = ""
    ) -> None:
        """Keep a feed that belongs to a site, and write that down.

        Raises:
            NoSuchTransition: there is no such site, or the URL is too long.
        """
        if len(feed) > KEY_LIMIT:
            raise NoSuchTransition(f"its address is longer than {KEY_LIMIT} characters")
        with self._transaction():
            self._site(site)
            self._engine.execute(
                "INSERT INTO feeds (feed, site, found) VALUES (?, ?, ?)"
                " ON CONFLICT (feed) DO UPDATE SET site = excluded.site",
                [feed, site, date],
            )
            self._decided(site, "feed", date, who, "", feed, why)

    def forget_feed(self, feed: str, date: str, who: str = SCHEDULER, why: str = "") -> None:
        """Forget a feed, and write that down."""
        with self._transaction():
            if (kept := self.feed(feed)) is not None:
                self._decided(kept.site, "feed", date, who, feed, "", why)
            self._engine.execute("DELETE FROM feeds WHERE feed = ?", [feed])

    def feed_told(self, feed: str, state: str, date: str | None) -> None:
        """Keep what an aggregator told of a feed.

        Args:
            feed: its URL.
            state: JSON.
            date: of its change, or none if it has not changed.
        """
        with self._transaction():
            self._engine.execute(
                "UPDATE feeds SET state = ?, heard = coalesce(?, heard) WHERE feed = ?",
                [state, date, feed],
            )

    def feed_moved(self, feed: str, to: str) -> None:
        """Keep a feed under its new URL, unless that is too long."""
        if len(to) > KEY_LIMIT:
            return
        with self._transaction():
            self._engine.execute(
                "INSERT INTO feeds (feed, site, found, heard, state)"
                " SELECT ?, site, found, heard, state FROM feeds WHERE feed = ?"
                " ON CONFLICT DO NOTHING",
                [to, feed],
            )
            self._engine.execute("DELETE FROM feeds WHERE feed = ?", [feed])

    def look_soon(self, site: str, plan: str, date: str, opens: Opens | None = None) -> str | None:
        """Make a member due for a quick look beside its own rhythm; return the crawl.

        None when it is at work already, no member, or may not be collected now. When it falls due
        by itself stays as it was.
        """
        with self._transaction():
            row = self._site(site)
            at_work = SiteState(row["state"]) in SITE_AT_WORK
            if at_work or Standing(row["standing"]) is not Standing.MEMBER:
                return None
            if opens is not None and opens(row["settings"], date) != date:
                return None
            crawl = self._recollect({**dict(row), "plan": plan}, date)
            self._assign(row, {"next": row["next"]})
            return crawl
