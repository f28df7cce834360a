"""Sums that pages show, kept with each change: counting a million rows would take seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from attrs import fields

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import Totals

BOUNDS_CHANGED = "bounds changed"  # of sites that were known; so an index knows that it is behind
LINKS_LEARNED = "links learned"
COUNTED = "counted"  # the name of a tally that is there once the others are
_TOTALS = tuple(one.name for one in fields(Totals))
_OF_FIGURES = tuple(one.name for one in fields(CrawlFigures) if one.name in _TOTALS)
# Names of totals for what a deposit says, which calls its captures otherwise.
_OF_DEPOSIT = {
    "captures_recorded": "captures_deposited",
    "contents_stored": "contents_stored",
    "bytes_stored": "bytes_stored",
}
_ADD = (
    "INSERT INTO tallies (name, value) VALUES (?, ?)"
    " ON CONFLICT (name) DO UPDATE SET value = tallies.value + excluded.value"
)


class Tallies:
    """What the present transaction changes; written once, at its end."""

    def __init__(self) -> None:
        self._changes: dict[str, int] = {}

    def add(self, name: str, amount: int = 1) -> None:
        """Change a sum."""
        self._changes[name] = self._changes.get(name, 0) + amount

    def move(self, what: str, before: str, after: str) -> None:
        """Count a thing in another state."""
        self.add(f"{what} {before}", -1)
        self.add(f"{what} {after}")

    def collected(self, figures: CrawlFigures, sign: int = 1) -> None:
        """Count what a crawl brought, or count it no more."""
        for name in _OF_FIGURES:
            self.add(f"total {name}", sign * getattr(figures, name))

    def deposited(self, figures: DepositFigures) -> None:
        """Count what a deposit brought."""
        for name, total in _OF_DEPOSIT.items():
            self.add(f"total {total}", getattr(figures, name))

    @contextmanager
    def undone_on_error(self) -> Iterator[None]:
        """Forget what is counted within, when that ends in an error."""
        kept = self._changes.copy()
        try:
            yield
        except BaseException:
            self._changes = kept
            raise

    def write(self, engine: Any) -> None:
        """Write all changes and forget them."""
        for name, amount in self._changes.items():
            if amount:
                engine.execute(_ADD, [name, amount])
        self._changes.clear()


def totals_of(tallies: dict[str, int]) -> Totals:
    """Return the sums over all crawls whose collection is whole."""
    return Totals(**{name: tallies.get(name, 0) for name in _TOTALS})


def count_all(engine: Any) -> Tallies:
    """Count everything anew, as after an upgrade."""
    tallies = Tallies()
    tallies.add(COUNTED)
    for what, column in (("site", "state"), ("standing", "standing")):
        for row in engine.execute(
            f"SELECT {column} AS value, count(*) AS number FROM sites GROUP BY {column}"  # noqa: S608 - names of ours
        ):
            tallies.add(f"{what} {row['value']}", row["number"])
    for row in engine.execute("SELECT state, figures, deposit FROM crawls"):
        tallies.add(f"crawl {row['state']}")
        if row["state"] in ("collected", "depositing", "deposited"):
            tallies.collected(msgspec.json.decode(row["figures"], type=CrawlFigures))
        if row["deposit"]:
            tallies.deposited(msgspec.json.decode(row["deposit"], type=DepositFigures))
    return tallies
