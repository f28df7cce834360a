"""The whole database: orders, attempts, deposits, and everything it can be asked."""

import sqlite3
from collections.abc import Sequence

from agents.scheduler.database.attempts import Attempts
from agents.scheduler.database.deposits import Deposits
from agents.scheduler.database.rows import Crawl, NewSite
from agents.scheduler.life import SITE_AT_WORK, CrawlState, Event, SiteState, site_after
from agents.scheduler.naming import crawl_name


class Database(Attempts, Deposits):
    """The scheduler's database; each method is one transaction, durable when it returns."""

    def order(
        self,
        sites: Sequence[NewSite],
        private_networks: bool,
        date: str,
        delay: float | None = None,
        beside: bool = False,
    ) -> list[str]:
        """Register sites and make them due; return the crawl of each.

        A site that is already at work keeps the crawl it has: the new order joins it. With
        `beside`, one that is being collected gets a second crawl (*INA §1.4.1*).
        """
        with self._transaction():
            return [self._order_one(site, private_networks, date, delay, beside) for site in sites]

    def recover(self, date: str) -> list[Crawl]:
        """Take up what a former run left; return the crawls that crawlers were collecting.

        Deposits that were under way are to be repeated: they have no effect twice.
        """
        with self._transaction():
            for crawl in self.in_state(CrawlState.DEPOSITING):
                self._happen(crawl.crawl, Event.DEPOSIT_BROKE, date)
        return self.in_state(CrawlState.COLLECTING)

    def _order_one(
        self, site: NewSite, private_networks: bool, date: str, delay: float | None, beside: bool
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
            present = self._second(site.site, row) if beside else str(row["crawl"])
            if present is not None:
                return self._join(present, site, private_networks, delay)
        else:
            beside = False
        crawl = self._new_crawl_name(date, site.site)
        self._connection.execute(
            "INSERT INTO crawls (crawl, site, host, state, private_networks, delay, ordered,"
            " changed, beside) VALUES (?, ?, ?, 'ordered', ?, ?, ?, ?, ?)",
            [crawl, site.site, site.host, private_networks, delay, date, date, beside],
        )
        if beside:
            return crawl
        self._set_bounds(site)
        state = site_after(SiteState(row["state"]), Event.ORDERED)
        self._connection.execute(
            "UPDATE sites SET state = ?, start_url = ?, crawl = ?, crawls = crawls + 1,"
            " changed = ?, error = '' WHERE site = ?",
            [state, site.start_url, crawl, date, site.site],
        )
        return crawl

    def _second(self, site: str, row: sqlite3.Row) -> str | None:
        """Return the crawl that an order for a second one joins; none when there may be one."""
        if SiteState(row["state"]) is not SiteState.COLLECTING:
            return str(row["crawl"])
        found = self._connection.execute(
            "SELECT crawl FROM crawls WHERE site = ? AND beside"
            " AND state IN ('ordered', 'collecting')",
            [site],
        ).fetchone()
        return None if found is None else str(found["crawl"])

    def _join(self, name: str, site: NewSite, private_networks: bool, delay: float | None) -> str:
        """Let an order join a crawl; what it says counts while no crawler has been told yet."""
        crawl = self._crawl(name)
        if crawl.state is CrawlState.ORDERED:
            if not crawl.beside:  # a second crawl is made as the first
                self._set_bounds(site)
            self._set(
                name,
                private_networks=crawl.private_networks or private_networks,
                delay=crawl.delay if delay is None else delay,
            )
        return name

    def _set_bounds(self, site: NewSite) -> None:
        """Keep what an order says of where a site ends, for this crawl and later ones."""
        bounds = site.bounds
        self._connection.execute(
            "UPDATE sites SET accept = coalesce(?, accept), reject = coalesce(?, reject),"
            " maximum_depth = coalesce(?, maximum_depth) WHERE site = ?",
            [bounds.accept, bounds.reject, bounds.maximum_depth, site.site],
        )

    def _new_crawl_name(self, date: str, site: str) -> str:
        repeated = 0
        while self.crawl(crawl_name(date, site, repeated)) is not None:
            repeated += 1
        return crawl_name(date, site, repeated)
