"""Lanes: sites that may not be collected at once wait one behind the other.

All of a lane follows from the crawls in it that wait or are collected, so it is worked out anew
whenever one of these changes; that is a matter of a few look-ups, however long the lane is.
"""

from typing import Any

_WAITING = (
    "SELECT crawl, priority, ordered FROM crawls"
    " WHERE lane = ? AND state = 'ordered' AND beside = 0"
    " ORDER BY priority DESC, ordered LIMIT 1"
)
_COLLECTING = (
    "SELECT crawl FROM crawls WHERE lane = ? AND state = 'collecting' AND beside = 0 LIMIT 1"
)
_KEEP = (
    "INSERT INTO lanes (lane, busy, first, priority, since) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (lane) DO UPDATE SET busy = excluded.busy, first = excluded.first,"
    " priority = excluded.priority, since = excluded.since"
)
_ALL = "SELECT DISTINCT lane FROM crawls WHERE state IN ('ordered', 'collecting') AND beside = 0"


def renew(engine: Any, lane: str) -> None:
    """Work out who is next in a lane, and whether it is busy."""
    busy = engine.execute(_COLLECTING, [lane]).fetchone()
    first = engine.execute(_WAITING, [lane]).fetchone()
    if busy is None and first is None:
        engine.execute("DELETE FROM lanes WHERE lane = ?", [lane])
        return
    collecting = None if busy is None else busy["crawl"]
    waiting = (None, 0, "") if first is None else tuple(first[name] for name in _NEXT)
    engine.execute(_KEEP, [lane, collecting, *waiting])


_NEXT = ("crawl", "priority", "ordered")


def renew_all(engine: Any) -> None:
    """Work out all lanes anew, as after an upgrade."""
    for row in engine.execute(_ALL).fetchall():
        renew(engine, row["lane"])
