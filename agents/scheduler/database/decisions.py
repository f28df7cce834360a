"""What is decided of sites, by the scheduler or by a person, and the story that this makes."""

from typing import Any

import msgspec

from agents.scheduler.database.changes import Changes
from agents.scheduler.database.engine import Row, Value
from agents.scheduler.database.rows import (
    Correction,
    Crawl,
    Following,
    KeptSite,
    Sequel,
    kept_site_of,
)
from agents.scheduler.database.tallies import BOUNDS_CHANGED
from agents.scheduler.life import (
    COLLECTED_STANDINGS,
    CrawlState,
    Event,
    NoSuchTransition,
    Standing,
    StandingEvent,
    standing_after,
)

SCHEDULER = "scheduler"  # who decides when no person does
STANDING = "standing"  # among what is held: only a person changes it
# What a person may correct by hand; it sticks.
CORRECTABLE = frozenset(
    {"start_url", "accept", "reject", "maximum_depth", "lane", "priority", "settings"}
)
_BOUNDS = frozenset({"start_url", "accept", "reject"})
_LEFT_OPEN = frozenset({StandingEvent.PARDONED, StandingEvent.ADMITTED})  # a crawl decides
_REST = frozenset({Standing.BLACKLISTED, Standing.DORMANT})


class Decisions(Changes):
    """Each method is one transaction, durable when it returns."""

    def decide(self, site: str, event: StandingEvent, date: str, who: str, why: str) -> Standing:
        """Move a site's standing and write that down; return the standing that it has then.

        What a person fixed, the scheduler does not change. What a person decides is fixed, until
        a pardon or `release` leaves it to the scheduler again.

        Raises:
            NoSuchTransition: the event has no place in that standing, or there is no such site.
        """
        with self._transaction():
            return self._decide(self._site(site), event, date, who, why)

    def correct(self, site: str, corrections: Correction, date: str, who: str, why: str) -> None:
        """Change what was guessed or chosen for a site, and write that down.

        Args:
            site: its name.
            corrections: columns of `CORRECTABLE`, with their values.
            date: now.
            who: a person, whose corrections stick; or the scheduler, which spares these.
            why: for people.

        Raises:
            NoSuchTransition: there is no such site.
            ValueError: something else than these would be changed.
        """
        if unknown := corrections.keys() - CORRECTABLE:
            raise ValueError(f"{', '.join(sorted(unknown))} cannot be corrected")
        with self._transaction():
            row = self._site(site)
            held = held_of(row)
            for name, value in corrections.items():
                if who == SCHEDULER and name in held:
                    continue
                self._assign(row, {name: value})
                self._decided(site, name, date, who, row[name], value, why)
            if who != SCHEDULER:
                self._hold(row, held | corrections.keys())
            if corrections.keys() & _BOUNDS:
                self._tallies.add(BOUNDS_CHANGED)
            self._carry_over(row, self._site(site))

    def release(self, site: str, names: frozenset[str], date: str, who: str, why: str) -> None:
        """Leave what a person had fixed to the scheduler again.

        Raises:
            NoSuchTransition: there is no such site.
        """
        with self._transaction():
            row = self._site(site)
            held = held_of(row)
            self._hold(row, held - names)
            for name in sorted(held & names):
                self._decided(site, f"{name} released", date, who, "held", "", why)

    def follow(self, site: str, sequel: Sequel | Following, date: str) -> None:
        """Keep what follows for a site from what became of it, such as when it is due again.

        Raises:
            NoSuchTransition: there is no such site, or the event has no place in its standing.
        """
        with self._transaction():
            self._follow(site, sequel, date)

    def _follow_up(self, crawl: Crawl, sequel: Sequel | Following | None, date: str) -> None:
        """Keep what follows from the end of a crawl."""
        if sequel is not None:
            self._follow(crawl.site, sequel, date)

    def _follow(self, site: str, sequel: Sequel | Following, date: str) -> None:
        row = self._site(site)
        if not isinstance(sequel, Sequel):
            sequel = sequel(self._kept(row))
        if sequel.event is not None:
            self._decide(row, sequel.event, date, SCHEDULER, sequel.why)
            row = self._site(site)
        said: dict[str, Value] = {
            "judgement": sequel.judgement,
            "relevance": sequel.relevance,
            "rhythm": sequel.rhythm,
        }
        columns: dict[str, Value] = {
            name: value for name, value in said.items() if value is not None
        }
        if Standing(row["standing"]) in COLLECTED_STANDINGS:
            columns["next"], columns["plan"] = sequel.next, sequel.plan
            columns["demand"], columns["requests"] = sequel.demand, sequel.requests
            if sequel.priority is not None and "priority" not in held_of(row):
                columns["priority"] = sequel.priority
        # What stays as it is costs nothing: most columns of a site are in several indexes.
        changed = {name: value for name, value in columns.items() if value != row[name]}
        if changed:
            self._assign(row, changed)

    def _decide(self, row: Row, event: StandingEvent, date: str, who: str, why: str) -> Standing:
        before = Standing(row["standing"])
        after = standing_after(before, event)
        held = held_of(row)
        if who == SCHEDULER:
            if after is before or STANDING in held:
                return before
        else:
            keep = held - {STANDING} if event in _LEFT_OPEN else held | {STANDING}
            if after is before and keep == held:
                return before
            self._hold(row, keep)
        self._assign(row, {"standing": after.value, "changed": date})
        self._tallies.move("standing", before, after)
        self._decided(row["site"], event, date, who, before, after, why)
        if after is Standing.BLACKLISTED:
            self._engine.execute("DELETE FROM links WHERE source = ?", [row["number"]])
        if after in _REST:
            self._assign(row, {"next": None})
            self._withdraw(row["site"], date, f"{event}: {why}")
        return after

    def _decided(
        self, site: str, what: str, date: str, who: str, before: Value, after: Value, why: str
    ) -> None:
        """Write a line of a site's story."""
        self._engine.execute(
            "INSERT INTO decisions (site, date, who, what, before, after, why)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [site, date, who or SCHEDULER, str(what), str(before), str(after), why],
        )
        if isinstance(what, StandingEvent):
            self._tallies.add(f"decided {date[:8]} {what}")

    def _move(
        self, crawl: Crawl, event: Event, date: str, why: str = "", **values: Any
    ) -> CrawlState:
        """Move a crawl; one that was to be made again is not, if a person took its site out."""
        after = super()._move(crawl, event, date, why, **values)
        if after is CrawlState.ORDERED:
            site = self._site(crawl.site)
            if _is_out(site):
                self._withdraw(crawl.site, date, f"the site is {site['standing']}")
        return after

    def _withdraw(self, site: str, date: str, why: str) -> None:
        """Take the crawls of a site back that no crawler has begun."""
        for crawl in self._waiting(site):
            self._move(crawl, Event.WITHDRAWN, date, f"withdrawn, because {why}")

    def _carry_over(self, before: Row, after: Row) -> None:
        """Let a crawl that still waits go by what holds for its site now."""
        raised = after["priority"] - before["priority"]
        if not raised and after["lane"] == before["lane"]:
            return
        for crawl in self._waiting(after["site"]):
            self._set(crawl, lane=after["lane"], priority=crawl.priority + raised)
            self._renew(before["lane"])
            self._renew(after["lane"])

    def _waiting(self, site: str) -> list[Crawl]:
        """Return the crawls of a site that no crawler has begun."""
        return self._select("WHERE crawls.site = ? AND crawls.state = 'ordered'", [site])

    def _hold(self, row: Row, names: frozenset[str]) -> None:
        self._assign(row, {"held": msgspec.json.encode(sorted(names)).decode()})

    def _assign(self, row: Row, columns: dict[str, Value]) -> None:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        self._engine.execute(
            f"UPDATE sites SET {assignments} WHERE site = ?",  # noqa: S608 - names are ours
            [*columns.values(), row["site"]],
        )

    def _kept(self, row: Row) -> KeptSite:
        """Return a site as those see it who decide what follows for it."""
        return kept_site_of(row, self.campaigns_of(row["site"]))

    def _site(self, site: str) -> Row:
        row: Row | None = self._engine.execute(
            "SELECT * FROM sites WHERE site = ?", [site]
        ).fetchone()
        if row is None:
            raise NoSuchTransition(f"there is no site {site}")
        return row


def _is_out(site: Row) -> bool:
    """Tell whether a site is collected no more; what rests by itself is looked at now and then."""
    standing = Standing(site["standing"])
    return standing is Standing.BLACKLISTED or (
        standing is Standing.DORMANT and STANDING in held_of(site)
    )


def held_of(row: Row) -> frozenset[str]:
    """Return what a person fixed of a site."""
    return frozenset(msgspec.json.decode(row["held"], type=list[str]))
