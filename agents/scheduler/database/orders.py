"""Sites become due: because a person orders them, or because their time has come."""

from collections.abc import Callable, Sequence

from agents.scheduler.database.decisions import STANDING, Decisions
from agents.scheduler.database.engine import Row
from agents.scheduler.database.rows import Bounds, NewSite
from agents.scheduler.database.tallies import BOUNDS_CHANGED
from agents.scheduler.life import (
    COLLECTED_STANDINGS,
    SITE_AT_WORK,
    CrawlState,
    Event,
    SiteState,
    Standing,
    StandingEvent,
    site_after,
)
from agents.scheduler.naming import crawl_name
from agents.scheduler.policy import URGENT, Due

OPERATOR = "operator"
# Tells from a site's settings, and a date, from when on it may be collected; none for never.
Opens = Callable[[str, str], str | None]
_HELD = f'["{STANDING}"]'  # of what a person orders
_BELATED = "SELECT * FROM sites WHERE next <= ? ORDER BY next, priority DESC LIMIT ?"
_REGISTER = (
    "INSERT INTO sites (site, start_url, accept, reject, maximum_depth, host, lane, state,"
    " standing, registered, changed, guess, priority, referrer, private_networks, number)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, 'known', ?, ?, ?, ?, ?, ?, ?,"
    " (SELECT coalesce(max(number), 0) + 1 FROM sites)) ON CONFLICT DO NOTHING"
)
_NEW_CRAWL = (
    "INSERT INTO crawls (crawl, site, host, state, private_networks, delay, ordered, changed,"
    " beside, lane, priority, plan) VALUES (?, ?, ?, 'ordered', ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)


class Orders(Decisions):
    """Each method is one transaction, durable when it returns."""

    def order(
        self,
        sites: Sequence[NewSite],
        private_networks: bool,
        date: str,
        delay: float | None = None,
        beside: bool = False,
        who: str = OPERATOR,
    ) -> list[str]:
        """Register sites as members and make them due; return the crawl of each.

        A site that is already at work keeps the crawl it has: the new order joins it. With
        `beside`, one that is being collected gets a second crawl (*INA §1.4.1*). What a person
        orders is a member from then on, whatever filters say.
        """
        with self._transaction():
            return [
                self._order_one(site, private_networks, date, delay, beside, who) for site in sites
            ]

    def discover(self, sites: Sequence[NewSite], date: str) -> list[str]:
        """Register sites that links led to, as far as they are new; return the names of these."""
        with self._transaction():
            return [site.site for site in sites if self._register(site, Standing.DISCOVERED, date)]

    def next_due(self, room: int, date: str, opens: Opens | None = None) -> list[Due]:
        """Return crawls for so many crawlers; see `due`.

        Only when fewer wait do sites fall due whose time has come: the others wait as sites,
        however many there are.
        """
        with self._transaction():
            waiting = self.due(room)
            if len(waiting) < room and self.fall_due(date, room, opens):
                waiting = self.due(room)
            return waiting

    def fall_due(self, date: str, limit: int, opens: Opens | None = None) -> list[str]:
        """Make sites due whose time has come; return their crawls.

        The most belated come first, and of equals the highest priority. A site that is at work all
        the same gets its next date when that ends; one that may not be collected now waits on.
        """
        with self._transaction():
            belated = self._engine.execute(_BELATED, [date, limit]).fetchall()
            return [
                self._recollect(row, date) for row in belated if not self._put_off(row, date, opens)
            ]

    def _put_off(self, row: Row, date: str, opens: Opens | None) -> bool:
        """Leave a site for later if it is at work, or its settings forbid to collect it now."""
        if not _may_be_collected(row):
            self._assign(row, {"next": None})
            return True
        if opens is None or row["settings"] == "{}":
            return False
        opening = opens(row["settings"], date)
        if opening == date:
            return False
        self._assign(row, {"next": opening})
        return True

    def _recollect(self, row: Row, date: str) -> str:
        private_networks, priority = bool(row["private_networks"]), row["priority"]
        crawl = self._new_crawl(row, date, private_networks, priority, plan=row["plan"])
        self._make_due(row, crawl, date, private_networks)
        return crawl

    def _order_one(
        self,
        site: NewSite,
        private_networks: bool,
        date: str,
        delay: float | None,
        beside: bool,
        who: str,
    ) -> str:
        if not self._register(site, Standing.MEMBER, date, who):
            self._decide(self._site(site.site), StandingEvent.ORDERED, date, who, "ordered")
        row = self._site(site.site)
        if SiteState(row["state"]) in SITE_AT_WORK:
            present = self._second(row) if beside else str(row["crawl"])
            if present is not None:
                return self._join(present, site, private_networks, delay)
            return self._new_crawl(row, date, private_networks, URGENT, delay, beside=True)
        self._set_bounds(site)
        crawl = self._new_crawl(row, date, private_networks, row["priority"] + URGENT, delay)
        self._make_due(row, crawl, date, private_networks, site.start_url)
        return crawl

    def _register(self, site: NewSite, standing: Standing, date: str, who: str = "") -> bool:
        """Keep a new site; tell whether it is one."""
        inserted = self._engine.execute(
            _REGISTER,
            [site.site, site.start_url, site.accept, site.reject, site.maximum_depth, site.host]
            + [site.lane or site.host, standing.value, date, date, site.guess, site.priority]
            + [site.referrer, int(site.private_networks)],
        ).rowcount
        if inserted:
            event = StandingEvent.ORDERED if who else StandingEvent.DISCOVERED
            self._tallies.add(f"site {SiteState.KNOWN}")
            self._tallies.add(f"standing {standing}")
            self._decided(site.site, event, date, who, Standing.UNKNOWN, standing, site.why)
            if who:
                self._assign({"site": site.site}, {"held": _HELD})
        return bool(inserted)

    def _new_crawl(
        self,
        site: Row,
        date: str,
        private_networks: bool,
        priority: float,
        delay: float | None = None,
        beside: bool = False,
        plan: str = "{}",
    ) -> str:
        repeated = 0
        while True:
            crawl = crawl_name(date, site["site"], repeated)
            inserted = self._engine.execute(
                _NEW_CRAWL,
                [crawl, site["site"], site["host"], int(private_networks), delay, date, date]
                + [int(beside), site["lane"], priority, plan],
            ).rowcount
            if inserted:
                self._tallies.add(f"crawl {CrawlState.ORDERED}")
                return crawl
            repeated += 1

    def _make_due(
        self, site: Row, crawl: str, date: str, private_networks: bool, start_url: str | None = None
    ) -> None:
        state = site_after(SiteState(site["state"]), Event.ORDERED)
        if start_url not in (None, site["start_url"]):
            self._tallies.add(BOUNDS_CHANGED)
        self._engine.execute(
            "UPDATE sites SET state = ?, start_url = coalesce(?, start_url), crawl = ?,"
            " crawls = crawls + 1, private_networks = ?, next = NULL, changed = ?, error = ''"
            " WHERE site = ?",
            [state.value, start_url, crawl, int(private_networks), date, site["site"]],
        )
        self._tallies.move("site", site["state"], state)
        self._renew(site["lane"])

    def _second(self, site: Row) -> str | None:
        """Return the crawl that an order for a second one joins; none when there may be one."""
        if SiteState(site["state"]) is not SiteState.COLLECTING:
            return str(site["crawl"])
        found = self._engine.execute(
            "SELECT crawl FROM crawls WHERE site = ? AND beside = 1"
            " AND state IN ('ordered', 'collecting')",
            [site["site"]],
        ).fetchone()
        return None if found is None else str(found["crawl"])

    def _join(self, name: str, site: NewSite, private_networks: bool, delay: float | None) -> str:
        """Let an order join a crawl; what it says counts while no crawler has been told yet."""
        crawl = self._crawl(name)
        if crawl.state is CrawlState.ORDERED:
            if not crawl.beside:  # a second crawl is made as the first
                self._set_bounds(site)
            self._set(
                crawl,
                private_networks=crawl.private_networks or private_networks,
                delay=crawl.delay if delay is None else delay,
                priority=max(crawl.priority, URGENT),
            )
            self._renew(crawl.lane)
        return name

    def _set_bounds(self, site: NewSite) -> None:
        """Keep what an order says of where a site ends, for this crawl and later ones."""
        bounds = site.bounds
        if bounds != Bounds():
            self._tallies.add(BOUNDS_CHANGED)
        self._engine.execute(
            "UPDATE sites SET accept = coalesce(?, accept), reject = coalesce(?, reject),"
            " maximum_depth = coalesce(?, maximum_depth) WHERE site = ?",
            [bounds.accept, bounds.reject, bounds.maximum_depth, site.site],
        )


def _may_be_collected(site: Row) -> bool:
    at_work = SiteState(site["state"]) in SITE_AT_WORK
    return not at_work and Standing(site["standing"]) in COLLECTED_STANDINGS
