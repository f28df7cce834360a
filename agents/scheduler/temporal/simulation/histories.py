"""Histories of change: when each page of each site changed; recorded ones, as JSON lines.

A line is a page:

    {"site": "www.example.org", "level": 2, "changes": ["2026-01-03T10:00:00Z", "2026-02-11"]}

`level` is page links from the site's start; `changes` are the dates (as `agents.dates` reads
them) at which its text was new. The history goes from the earliest of all dates to the latest,
or as `--days` says. A site that is gone has a line `{"site": …, "died": "2026-05-01"}`.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from attrs import field, frozen

from agents import dates
from agents.scheduler.temporal.rhythm import DAY

LINE_LIMIT = 1_000_000  # characters
PAGES_LIMIT = 2_000_000
LEVELS_LIMIT = 100

Changes = Sequence[float]  # days since the beginning, in order; of one page


class InvalidHistory(ValueError):
    """A recorded history cannot be read; the message says where and why."""


@frozen
class Burst:
    """An event: for some days everything changes more often.

    Attributes:
        begins: day.
        ends: day.
        factor: how much more often; 0 for a site that is gone.
    """

    begins: float
    ends: float
    factor: float


@frozen
class SiteHistory:
    """When the pages of one site changed.

    Attributes:
        name: the site's.
        levels: for each level its pages, for each page its changes.
        rates: the same with the true mean changes a day, for policies that know them.
        bursts: when the true rates were others.
        died: day from which it does not answer, or None.
    """

    name: str
    levels: tuple[tuple[Changes, ...], ...]
    rates: tuple[tuple[float, ...], ...]
    bursts: tuple[Burst, ...] = ()
    died: float | None = None

    @property
    def pages(self) -> int:
        """How many there are."""
        return sum(len(level) for level in self.levels)


@frozen
class Line:
    """A line of a recorded history."""

    site: str
    level: int = 0
    changes: list[str] = field(factory=list)
    died: str | None = None


def read(path: Path) -> tuple[list[SiteHistory], float]:
    """Return recorded histories, and how many days they go on.

    Raises:
        InvalidHistory: a line is not as this module's docstring says, or there is none.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8", errors="strict") as file:
        lines = list(_lines(iter(lambda: file.readline(LINE_LIMIT), "")))
    moments = [moment for _, changes, died in lines for moment in (*changes, *died)]
    if not moments or max(moments) == min(moments):
        raise InvalidHistory("no two different dates in it: there is nothing to simulate")
    begins, ends = min(moments), max(moments)
    return _sites(lines, begins, ends), (ends - begins) / DAY


_Dated = tuple[Line, list[float], list[float]]


def _lines(texts: Iterable[str]) -> Iterable[_Dated]:
    decoder = msgspec.json.Decoder(Line, strict=True)
    for number, text in enumerate(texts, 1):
        if number > PAGES_LIMIT:
            raise InvalidHistory(f"more than {PAGES_LIMIT} lines")
        if not text.strip():
            continue
        try:
            line = decoder.decode(text)
            changes = sorted(_moment(date) for date in line.changes)
            died = [_moment(line.died)] if line.died is not None else []
        except (msgspec.DecodeError, dates.InvalidDate) as error:
            raise InvalidHistory(f"line {number}: {error}") from None
        if not 0 <= line.level < LEVELS_LIMIT or len(text) >= LINE_LIMIT:
            raise InvalidHistory(f"line {number}: its level or length is beyond the limits")
        yield line, changes, died


def _sites(lines: Iterable[_Dated], begins: float, ends: float) -> list[SiteHistory]:
    levels: dict[str, dict[int, list[array[float]]]] = defaultdict(lambda: defaultdict(list))
    gone: dict[str, float] = {}
    for line, changes, died in lines:
        pages = levels[line.site]
        if died:
            gone[line.site] = (died[0] - begins) / DAY
        else:
            pages[line.level].append(array("d", ((one - begins) / DAY for one in changes)))
    return [
        _site(name, pages, gone.get(name), (ends - begins) / DAY)
        for name, pages in levels.items()
        if pages
    ]


def _site(
    name: str, pages: dict[int, list["array[float]"]], died: float | None, days: float
) -> SiteHistory:
    """Return a site; the true rate of a page is that of its changes while the site lived."""
    levels = tuple(tuple(pages.get(level, ())) for level in range(max(pages) + 1))
    lived = max(1.0, days if died is None else died)
    rates = tuple(tuple(len(changes) / lived for changes in level) for level in levels)
    bursts = () if died is None else (Burst(died, max(days, died), 0.0),)
    return SiteHistory(name, levels, rates, bursts, died)


def _moment(text: str) -> float:
    return dates.to_datetime(dates.parse(text)).timestamp()
