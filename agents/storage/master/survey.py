"""Reads from the catalogue who holds what, key after key, and judges it in the same thread.

Most of what there is needs nothing, and never leaves the catalogue's thread.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from attrs import frozen

from agents.storage.catalogue import Catalogue
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.master.judging import Judge, Stored, Verdict
from agents.storage.policy import Holding

_PORTION = 500  # keys of one job
_COLUMNS = "SELECT holdings.key, node, size, mark, name, coalesce(count, 0) FROM holdings"
_JOINS = (
    " CROSS JOIN disks ON disk = number"
    " LEFT JOIN referred ON kind = 0 AND referred.key = holdings.key"
)
_PAGE = f"{_COLUMNS}{_JOINS} WHERE kind = ? AND holdings.key > ? ORDER BY holdings.key"
_ONE = f"{_COLUMNS}{_JOINS} WHERE kind = ? AND holdings.key = ?"


@frozen
class Page:
    """Some keys, one after the other.

    Attributes:
        last: the last that was looked at; empty when there is none any more.
        looked: how many there were.
        found: those that need something, and what.
    """

    last: str
    looked: int
    found: list[tuple[Stored, Verdict]]


async def page(catalogue: Catalogue, kind: Kind, after: str, judge: Judge) -> Page:
    """Return what needs something among the next keys after one."""

    def job(db: sqlite3.Connection) -> Page:
        rows = db.execute(_PAGE, (KINDS.index(kind), bytes.fromhex(after)))
        found: list[tuple[Stored, Verdict]] = []
        last, looked = "", 0
        for stored in islice(_stored(kind, rows), _PORTION):
            last, looked = stored.key, looked + 1
            verdict = judge.verdict(stored)
            if verdict != "fine":
                found.append((stored, verdict))
        return Page(last, looked, found)

    return await catalogue.run(job)


async def short(
    catalogue: Catalogue, wanted: Iterable[tuple[Kind, str]], judge: Judge
) -> list[Stored]:
    """Return which of some keys are below target."""
    places = list(wanted)

    def job(db: sqlite3.Connection) -> list[Stored]:
        return [stored for stored in _look(db, places) if judge.count(stored) == "short"]

    return await catalogue.run(job)


async def look(catalogue: Catalogue, wanted: Iterable[tuple[Kind, str]]) -> list[Stored]:
    """Return who holds some keys, as far as somebody does."""
    places = list(wanted)
    return await catalogue.run(lambda db: list(_look(db, places)))


def _look(db: sqlite3.Connection, places: Iterable[tuple[Kind, str]]) -> Iterator[Stored]:
    for kind, key in places:
        yield from _stored(kind, db.execute(_ONE, (KINDS.index(kind), bytes.fromhex(key))))


def _stored(kind: Kind, rows: Iterable[tuple[bytes, str, int, str, str, int]]) -> Iterator[Stored]:
    for key, group in groupby(rows, key=lambda row: row[0]):
        held = list(group)
        yield Stored(kind, key.hex(), [Holding(*row[1:5]) for row in held], held[0][5])
