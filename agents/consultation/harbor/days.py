"""Captures counted by day and year: what a calendar shows. Pure."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from attrs import frozen

from agents import dates
from agents.consultation.lookup.structures import CaptureLine

YEARS_SHOWN = 60
_SHADES = (1, 2, 5, 20)  # captures of a day from which it is a shade darker


@frozen
class Day:
    """The captures of one day.

    Attributes:
        count: how many there are.
        changed: of how many the content is another than that of the capture before.
    """

    count: int
    changed: int

    @property
    def shade(self) -> int:
        """From 1 to 4, by the number of captures."""
        return sum(self.count >= bound for bound in _SHADES)


def changes(captures: Sequence[CaptureLine]) -> list[str]:
    """Return how each capture differs from the one before it: `first`, `same` or `changed`."""
    if not captures:
        return []
    pairs = pairwise(capture.content for capture in captures)
    return ["first", *("same" if before == after else "changed" for before, after in pairs)]


def by_day(captures: Sequence[CaptureLine]) -> dict[str, Day]:
    """Return the days with captures, by their 8 digits; the captures come in order of date."""
    counts: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for capture, change in zip(captures, changes(captures), strict=True):
        counts[capture.date[:8]] += 1
        changed[capture.date[:8]] += change == "changed"
    return {day: Day(count, changed[day]) for day, count in counts.items()}


def by_year(days: Mapping[str, Day]) -> dict[int, int]:
    """Return how many captures each year has, in order."""
    counts: Counter[int] = Counter()
    for day, captured in days.items():
        counts[int(day[:4])] += captured.count
    return dict(sorted(counts.items()))


def years_around(years: Iterable[int], year: int) -> list[int]:
    """Return at most `YEARS_SHOWN` years, those nearest to one, in order."""
    return sorted(sorted(years, key=lambda other: abs(other - year))[:YEARS_SHOWN])


def year_to_show(years: Sequence[int], asked: str, date: str) -> int:
    """Return the year to show of those with captures.

    Args:
        years: with captures, in order.
        asked: a year that the reader typed, or empty.
        date: at which they read, or empty.
    """
    if asked.isascii() and asked.isdigit() and 1 <= int(asked[:5]) <= 9999:
        return int(asked)
    wanted = int(date[:4]) if date else years[-1]
    return min(years, key=lambda year: abs(year - wanted))


def nearest(captures: Sequence[CaptureLine], date: str) -> CaptureLine:
    """Return the capture that a reader at `date` sees; of two equally far, the earlier.

    The captures come in the order of their dates.
    """
    if not date:
        return captures[-1]
    place = bisect_left(captures, date, key=lambda capture: capture.date)
    moment = dates.to_datetime(date)
    around = captures[max(0, place - 1) : place + 1]
    return min(around, key=lambda capture: abs(dates.to_datetime(capture.date) - moment))
