"""Live streams that crawls meet: kept as candidates, in limits (*INA §1.6*).

A stream belongs to the most relevant of the members that name it, until it is listened to: then
it stays. A site has `OF_SITE` streams at most. A new one takes the place of one that nobody listens
to, if that promises less or the last crawl did not meet it; else it is not kept. Of all sites there
are `IN_ALL` that nobody listens to; those that crawls met longest ago are forgotten first.
"""

from collections.abc import Sequence
from typing import Any

from agents.scheduler.database.decisions import STANDING, Decisions, held_of
from agents.scheduler.database.engine import KEY_LIMIT, Row, Value
from agents.scheduler.database.stream_queries import StreamRow
from agents.scheduler.life import Standing
from agents.scheduler.streams.choosing import Owner
from agents.scheduler.streams.life import LISTENED, Phase
from agents.stream_promise import promising

OF_SITE = 100
IN_ALL = 100_000
_NEW = (
    "INSERT INTO streams (stream, site, source, found, seen, promise, phase, changed)"
    " VALUES (?, ?, ?, ?, ?, ?, 'candidate', ?)"
)
_IDLE = "phase IN ('candidate', 'aside') AND hand = ''"  # as the index says it


class MetStreams(Decisions):
    """What crawls tell of streams, within their transactions."""

    def _meet(self, site: Row, urls: Sequence[str], crawl: str, since: str, date: str) -> None:
        """Keep what a crawl of a site took for streams, as far as it may be live.

        Any site may link to any stream, so who is no member keeps it from nobody.

        Args:
            site: its row.
            urls: as the crawl told them.
            crawl: its name.
            since: when that was ordered.
            date: now.
        """
        if Standing(site["standing"]) is Standing.BLACKLISTED:
            return
        is_room = True
        for stream, promise in promising(url for url in urls if len(url) <= KEY_LIMIT).items():
            known = self.stream(stream)
            if known is not None:
                self._meet_again(known, site, promise, since, date)
            elif is_room and (is_room := self._room_at(site["site"], promise, since)):
                self._make_room()
                self._new_stream(stream, site["site"], crawl, promise, date)

    def _meet_again(self, known: StreamRow, site: Row, promise: int, since: str, date: str) -> None:
        values: dict[str, Value] = {"seen": date}
        if self._is_rather_of(site, known) and self._room_at(site["site"], promise, since):
            values["site"] = site["site"]
        self._put(known.stream, **values)

    def _is_rather_of(self, site: Row, known: StreamRow) -> bool:
        """Tell whether a stream should be another site's than it is."""
        if known.site == site["site"] or known.hand:
            return False
        mine, theirs = owner_of(site), owner_of(self._site(known.site))
        if not theirs.member:
            return mine.member
        return mine.member and mine.counts > theirs.counts and known.phase not in LISTENED

    def _new_stream(self, stream: str, site: str, source: str, promise: int, date: str) -> None:
        self._engine.execute(_NEW, [stream, site, source, date, date, promise, date])
        self._tallies.add(f"stream {Phase.CANDIDATE}")

    def _room_at(self, site: str, promise: int, since: str) -> bool:
        """Tell whether a site may have one more stream; forget another for it if need be."""
        if self._number_of(site) < OF_SITE:
            return True
        worst = self._engine.execute(
            f"SELECT stream, phase FROM streams WHERE site = ? AND {_IDLE}"  # noqa: S608 - ours
            " AND (promise < ? OR seen < ?) ORDER BY promise, seen LIMIT 1",
            [site, promise, since],
        ).fetchone()
        if worst is not None:
            self._remove(worst)
        return worst is not None

    def _make_room(self) -> None:
        """Forget what crawls met longest ago, if there would be too many of all sites."""
        idle = self._tally(f"stream {Phase.CANDIDATE}") + self._tally(f"stream {Phase.ASIDE}")
        if idle >= IN_ALL:
            for oldest in self._engine.execute(
                f"SELECT stream, phase FROM streams WHERE {_IDLE} ORDER BY seen LIMIT ?",  # noqa: S608 - ours
                [idle - IN_ALL + 1],
            ).fetchall():
                self._remove(oldest)

    def _number_of(self, site: str) -> int:
        row = self._engine.execute(
            "SELECT count(*) AS number FROM streams WHERE site = ?", [site]
        ).fetchone()
        return int(row["number"])

    def _remove(self, row: Any) -> None:
        self._engine.execute("DELETE FROM streams WHERE stream = ?", [row["stream"]])
        self._tallies.add(f"stream {row['phase']}", -1)

    def _put(self, stream: str, **values: Value) -> None:
        assignments = ", ".join(f"{name} = ?" for name in values)
        self._engine.execute(
            f"UPDATE streams SET {assignments} WHERE stream = ?",  # noqa: S608 - names are ours
            [*values.values(), stream],
        )


def owner_of(site: Row) -> Owner:
    """Return a site, as far as the choice of its streams goes by it."""
    member = Standing(site["standing"]) is Standing.MEMBER
    return Owner(member, site["relevance"], STANDING in held_of(site))
