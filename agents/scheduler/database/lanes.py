"""Lanes: sites that may not be collected at once wait one behind the other.

All of a lane follows from the crawls in it that wait or are collected, so it is worked out anew
whenever one of these changes; that is a matter of a few look-ups, however long the lane is.
"""

from typing import Any

_RENEW = """
INSERT INTO lanes (lane, busy, first, priority, since)
SELECT ?, collecting.crawl, waiting.crawl, coalesce(waiting.priority, 0),
       coalesce(waiting.ordered, '')
FROM (SELECT 1 AS one) AS always
LEFT JOIN (SELECT crawl FROM crawls WHERE lane = ? AND state = 'collecting' AND beside = 0
           LIMIT 1) AS collecting ON 1 = 1
LEFT JOIN (SELECT crawl, priority, ordered FROM crawls
           WHERE lane = ? AND state = 'ordered' AND beside = 0
           ORDER BY priority DESC, ordered LIMIT 1) AS waiting ON 1 = 1
WHERE 1 = 1
ON CONFLICT (lane) DO UPDATE SET busy = excluded.busy, first = excluded.first,
    priority = excluded.priority, since = excluded.since
RETURNING busy, first
"""
_ALL = "SELECT DISTINCT lane FROM crawls WHERE state IN ('ordered', 'collecting') AND beside = 0"


def renew(engine: Any, lane: str) -> None:
    """Work out who is next in a lane, and whether it is busy."""
    kept = engine.execute(_RENEW, [lane, lane, lane]).fetchone()
    if kept["busy"] is None and kept["first"] is None:
        engine.execute("DELETE FROM lanes WHERE lane = ?", [lane])


def renew_all(engine: Any) -> None:
    """Work out all lanes anew, as after an upgrade."""
    for row in engine.execute(_ALL).fetchall():
        renew(engine, row["lane"])
