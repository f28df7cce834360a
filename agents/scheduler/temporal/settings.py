"""What an archivist may settle: for all sites, for one, and for a campaign."""

import math
from typing import Any

from attrs import field, frozen, validators

from agents import dates
from agents.scheduler.temporal.calendars import Calendar
from agents.scheduler.temporal.rhythm import DAY

SHORTEST, LONGEST = 60.0, 3650 * DAY  # seconds between which every interval lies

DEEPEST = 2**31 - 1  # page links from the start of a site


def _is_interval(_instance: object, _attribute: Any, value: float | None) -> None:
    if value is not None and not SHORTEST <= value <= LONGEST:
        raise ValueError(f"seconds, from {SHORTEST:g} to {LONGEST:g}")


def _is_weight(_instance: object, _attribute: Any, value: float) -> None:
    if not (math.isfinite(value) and 0.001 <= value <= 1000.0):
        raise ValueError("a factor from 0.001 to 1000")


def _is_depth(_instance: object, _attribute: Any, value: int | None) -> None:
    if value is not None and not 0 <= value <= DEEPEST:
        raise ValueError(f"page links, from 0 to {DEEPEST}")


def _is_date(_instance: object, _attribute: Any, value: str) -> None:
    try:
        dates.parse(value)
    except dates.InvalidDate as error:
        raise ValueError(f"a date; {error}") from None


@frozen
class Quota:
    """How much may be taken from one site in a period; the period begins with a crawl.

    Attributes:
        captures: requests; 0 means any number.
        bytes: received; 0 means any number.
        period: seconds.
    """

    captures: int = field(default=0, validator=validators.ge(0))
    bytes: int = field(default=0, validator=validators.ge(0))
    period: float = field(default=DAY, validator=_is_interval)


@frozen
class TemporalConfig:
    """How often sites are collected anew when nothing else is settled for one.

    Attributes:
        enabled: whether members are collected anew by themselves; if not, only those with an
            interval or a campaign are, and whatever a person orders.
        requests_per_day: what the crawlers should do together.
        minimum_interval: seconds between two crawls of a site at least.
        maximum_interval: seconds between two crawls of a site at most, however little it changes
            or however vainly one runs after it.
        whole_every: seconds after which all is fetched again, and not only what servers say has
            changed; 0 means each time.
    """

    enabled: bool = False
    requests_per_day: float = field(default=500_000.0, validator=validators.gt(0.0))
    minimum_interval: float = field(default=DAY / 4, validator=_is_interval)
    maximum_interval: float = field(default=120 * DAY, validator=_is_interval)
    whole_every: float = field(default=180 * DAY, validator=validators.ge(0.0))


@frozen
class SiteSettings:
    """What an archivist has settled for one site; null leaves it to the configuration.

    Attributes:
        interval: seconds between two crawls, by hand: neither rates nor campaigns count then.
        minimum_interval: seconds between two crawls at least.
        maximum_interval: seconds between two crawls at most.
        maximum_depth: page links followed at most.
        priority: how many times as much its text counts as that of others.
        forbidden: when it is never collected.
        only: when alone it is collected; empty means any time.
        quota: how much may be taken from it.
        quick: whether quick updates are made, which ask only for what has changed.
        resting: whether it is not collected at all.
    """

    interval: float | None = field(default=None, validator=_is_interval)
    minimum_interval: float | None = field(default=None, validator=_is_interval)
    maximum_interval: float | None = field(default=None, validator=_is_interval)
    maximum_depth: int | None = field(default=None, validator=_is_depth)
    priority: float = field(default=1.0, validator=_is_weight)
    forbidden: Calendar = field(factory=Calendar)
    only: Calendar = field(factory=Calendar)
    quota: Quota = field(factory=Quota)
    quick: bool = True
    resting: bool = False


@frozen
class Campaign:
    """An event for which some sites are collected more often: an election, a storm, a fair.

    Attributes:
        name: for people.
        begins: date from which.
        ends: date until which.
        interval: seconds between two crawls at most.
        maximum_depth: page links followed; null means all.
        priority: what is due for it goes before what has less.
    """

    name: str = field(validator=[validators.min_len(1), validators.max_len(200)])
    begins: str = field(validator=_is_date)
    ends: str = field(validator=_is_date)
    interval: float = field(default=DAY, validator=_is_interval)
    maximum_depth: int | None = field(default=None, validator=_is_depth)
    priority: float = field(default=10.0, validator=_is_weight)

    def __attrs_post_init__(self) -> None:
        """Check the order.

        Raises:
            ValueError: it ends before it begins.
        """
        if dates.parse(self.ends) <= dates.parse(self.begins):
            raise ValueError("an end after the beginning")

    @property
    def first(self) -> float:
        """When it begins, in seconds since the epoch."""
        return dates.to_datetime(dates.parse(self.begins)).timestamp()

    @property
    def last(self) -> float:
        """When it ends, in seconds since the epoch."""
        return dates.to_datetime(dates.parse(self.ends)).timestamp()
