"""Where sites lead, and which of those that are met are let in (*INA §1.5.1*)."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from attrs import evolve, frozen

from agents.scheduler.database.decisions import SCHEDULER
from agents.scheduler.database.engine import KEY_LIMIT, Row
from agents.scheduler.database.met_streams import MetStreams
from agents.scheduler.database.orders import Orders
from agents.scheduler.database.rows import Crawl, NewSite
from agents.scheduler.database.tallies import LINKS_LEARNED
from agents.scheduler.expansion.priority import priority
from agents.scheduler.life import NoSuchTransition, Standing, StandingEvent

_FEEDS = 50  # of one site
_SPOKEN_FOR = 1000  # candidates whose priority is renewed at once when a site has been judged
_LINK = """
INSERT INTO links (source, target, first, last, count) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (source, target) DO UPDATE SET last = excluded.last,
    count = excluded.count + CASE WHEN links.last = excluded.last THEN links.count ELSE 0 END
"""
# Any site may link to any feed, so who is no member keeps it from nobody.
_FEED = """
INSERT INTO feeds (feed, site, found) VALUES (?, ?, ?)
ON CONFLICT (feed) DO UPDATE SET site = excluded.site
WHERE (SELECT standing FROM sites WHERE site = feeds.site) <> 'member'
"""
_CANDIDATES = """
SELECT sites.* FROM links JOIN sites ON number = target
WHERE source = ? AND standing IN ('discovered', 'temporary') ORDER BY target LIMIT ?
"""
_WAITING = frozenset({Standing.DISCOVERED, Standing.TEMPORARY})


@frozen
class Part:
    """A part of where a crawl led to, looked up.

    Attributes:
        number: of the part, from 0.
        known: documents that link to a site, by its number.
        new: sites that nobody knew, with the documents that link to each.
        feeds: of the crawl's own site; canonical URLs.
        streams: that it led to, as the crawl told them.
    """

    number: int
    known: Mapping[int, int]
    new: Sequence[tuple[NewSite, int]] = ()
    feeds: Sequence[str] = ()
    streams: Sequence[str] = ()


@frozen
class Learned:
    """What was made of a part.

    Attributes:
        wanted: number of the next part.
        new: number, start URL, accept and reject of sites that are new.
    """

    wanted: int
    new: tuple[tuple[int, str, str, str], ...] = ()


class Learning(Orders, MetStreams):
    """Each method is one transaction, durable when it returns."""

    def learn(self, attempt: str, part: Part, date: str) -> Learned:
        """Keep where a crawl led to; each part counts once, however often it is told.

        Links of a blacklisted site are not kept, nor those to one.

        Raises:
            NoSuchTransition: the attempt is not the present one of a crawl.
        """
        with self._transaction():
            crawl = self.crawl_of_attempt(attempt)
            if crawl is None:
                raise NoSuchTransition(f"{attempt} is not the present attempt of a crawl")
            wanted = self._wanted(crawl)
            if part.number != wanted:
                return Learned(wanted)
            self._engine.execute(
                "UPDATE crawls SET learned = ? WHERE crawl = ?", [wanted + 1, crawl.crawl]
            )
            source = self._site(crawl.site)
            if Standing(source["standing"]) is Standing.BLACKLISTED:
                return Learned(wanted + 1)
            return Learned(wanted + 1, self._take(source, crawl, part, date))

    def admit(self, room: int, date: str, plan: str) -> list[str]:
        """Let so many candidates in, the first by priority; return their names.

        Args:
            room: how many.
            date: now; they are due at once.
            plan: of the crawl by which they are judged, JSON.
        """
        with self._transaction():
            rows = self._engine.execute(
                "SELECT * FROM sites WHERE standing = 'discovered'"
                " ORDER BY priority DESC, registered LIMIT ?",
                [room],
            ).fetchall()
            for row in rows:
                self._admit(row, date, plan)
            return [row["site"] for row in rows]

    def ranked(self, ranks: Sequence[tuple[int, float, float]]) -> None:
        """Keep ranks that have changed: number, hub and authority."""
        with self._transaction():
            for number, hub, authority in ranks:
                self._engine.execute(
                    "UPDATE sites SET hub = ?, authority = ? WHERE number = ?",
                    [hub, authority, number],
                )

    def renew_priorities(self, numbers: Sequence[int]) -> None:
        """Work out anew which of these candidates come first; what a person fixed stays."""
        with self._transaction():
            for number in numbers:
                row = self._engine.execute(
                    "SELECT * FROM sites WHERE number = ?", [number]
                ).fetchone()
                if row is not None and Standing(row["standing"]) in _WAITING:
                    self._renew_priority(row)

    def judged(self, site: str) -> None:
        """Let a judgement have its effect on candidates, for which more is said then, or less.

        Most often it is as before; then it is for the first of them, and they are left alone.
        """
        with self._transaction():
            rows = self._engine.execute(
                _CANDIDATES, [self._site(site)["number"], _SPOKEN_FOR]
            ).fetchall()
            for row in rows:
                if not self._renew_priority(row) and row is rows[0]:
                    return

    def admitted_on(self, day: str) -> int:
        """Return how many candidates were let in on a day, `YYYYMMDD`."""
        return self._tally(f"decided {day} {StandingEvent.ADMITTED}")

    def _wanted(self, crawl: Crawl) -> int:
        row = self._engine.execute(
            "SELECT learned FROM crawls WHERE crawl = ?", [crawl.crawl]
        ).fetchone()
        return int(row["learned"])

    def _take(
        self, source: Row, crawl: Crawl, part: Part, date: str
    ) -> tuple[tuple[int, str, str, str], ...]:
        """Keep links, feeds, streams and new sites of a crawl."""
        counts, crawled, new = dict(part.known), crawl.ordered, []
        for site, documents in part.new:
            found_by = evolve(site, referrer=source["site"])
            is_new = self._register(found_by, Standing.DISCOVERED, date)
            found = self.bounds_of(site.site)
            if found is not None:
                counts[found[0]] = counts.get(found[0], 0) + documents
                if is_new:
                    new.append(found)
        counts.pop(source["number"], None)
        targets = self._not_blacklisted(counts)
        for target in targets:
            values = [source["number"], target["number"], crawled, crawled]
            self._engine.execute(_LINK, [*values, counts[target["number"]]])
        self._tallies.add(LINKS_LEARNED, len(targets))
        self.renew_priorities([target["number"] for target in targets])
        self._keep_feeds(source, part.feeds, date)
        self._meet(source, part.streams, crawl.crawl, crawled, date)
        return tuple(new)

    def _not_blacklisted(self, counts: Mapping[int, int]) -> list[Any]:
        if not counts:
            return []
        marks = ", ".join("?" * len(counts))
        among = f"SELECT number, standing FROM sites WHERE number IN ({marks})"  # noqa: S608 - marks
        found = self._engine.execute(f"{among} ORDER BY number", list(counts))
        return [row for row in found if Standing(row["standing"]) is not Standing.BLACKLISTED]

    def _keep_feeds(self, site: Row, feeds: Sequence[str], date: str) -> None:
        if not feeds:
            return
        known = {row.feed for row in self.feeds_of(site["site"])}
        told = [feed for feed in dict.fromkeys(feeds) if len(feed) <= KEY_LIMIT]
        new = [feed for feed in told if feed not in known]
        for feed in new[: max(0, _FEEDS - len(known))]:
            self._engine.execute(_FEED, [feed, site["site"], date])

    def _renew_priority(self, row: Row) -> bool:
        """Work a candidate's priority out; tell whether it differs, or is fixed by a person."""
        if "priority" in msgspec.json.decode(row["held"]):
            return True
        found = priority(self.referrers(row["number"]), row["authority"]).value
        if found == row["priority"]:
            return False
        self._assign(row, {"priority": found})
        self._carry_over(row, self._site(row["site"]))
        return True

    def _admit(self, row: Row, date: str, plan: str) -> None:
        why = f"it is the first of those that wait: priority {row['priority']:.2f}"
        if self._decide(row, StandingEvent.ADMITTED, date, SCHEDULER, why) is Standing.TEMPORARY:
            self._assign(row, {"next": date, "plan": plan})
