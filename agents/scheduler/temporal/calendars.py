"""Hours and dates on the clock of a place: when a site may be collected, and when it may not."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from attrs import field, frozen, validators

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
RANGES = 100  # that one calendar may have
HORIZON = 400  # days within which a calendar must open again
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d|24:00", re.ASCII)

Span = tuple[float, float]


def _is_clock(_instance: object, _attribute: Any, value: str) -> None:
    if not _CLOCK.fullmatch(value):
        raise ValueError('a time of day in quotes, "08:30", at most "24:00"')


def _is_day(_instance: object, _attribute: Any, value: str) -> None:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError('a date in quotes, "2026-11-21"') from None


def is_zone(_instance: object, _attribute: Any, value: str) -> None:
    """Check the name of a time zone.

    Raises:
        ValueError: this machine knows none of that name.
    """
    try:
        ZoneInfo(value)
    except (ValueError, OSError, LookupError):  # also names that lead out of the database
        raise ValueError("a time zone this machine knows, Europe/Paris") from None


@frozen
class Hours:
    """Hours of some days of each week.

    Attributes:
        days: mon, tue, wed, thu, fri, sat, sun.
        begins: time of day at which they begin, "08:30".
        ends: at which they end; not after `begins` means on the next day.
    """

    days: tuple[Day, ...] = field(default=DAYS, validator=validators.min_len(1))
    begins: str = field(default="00:00", validator=_is_clock)
    ends: str = field(default="24:00", validator=_is_clock)


@frozen
class Dates:
    """Whole days, the last one included.

    Attributes:
        first: "2026-12-24".
        last: "2026-12-26".
    """

    first: str = field(validator=_is_day)
    last: str = field(validator=_is_day)

    def __attrs_post_init__(self) -> None:
        """Check the order.

        Raises:
            ValueError: the last day is before the first.
        """
        if date.fromisoformat(self.last) < date.fromisoformat(self.first):
            raise ValueError("a last day that is not before the first")


@frozen
class Calendar:
    """A set of times: hours of each week and whole days.

    Attributes:
        zone: time zone whose clock is meant.
        hours: of each week.
        dates: whole days besides.
    """

    zone: str = field(default="UTC", validator=is_zone)
    hours: tuple[Hours, ...] = field(default=(), validator=validators.max_len(RANGES))
    dates: tuple[Dates, ...] = field(default=(), validator=validators.max_len(RANGES))

    @property
    def empty(self) -> bool:
        """Whether no time is in it."""
        return not (self.hours or self.dates)


def covers(calendar: Calendar, moment: float) -> bool:
    """Tell whether a moment, in seconds since the epoch, is in a calendar."""
    return _end_of(calendar, moment) is not None


def after(calendar: Calendar, moment: float) -> float | None:
    """Return the first moment from this one on that is not in a calendar.

    Returns:
        None when there is none within the horizon.
    """
    last = moment + HORIZON * 86_400
    while moment <= last:
        end = _end_of(calendar, moment)
        if end is None:
            return moment
        moment = end
    return None


def within(calendar: Calendar, moment: float) -> float | None:
    """Return the first moment from this one on that is in a calendar.

    Returns:
        None when there is none within the horizon.
    """
    if covers(calendar, moment):
        return moment
    first = _day_of(calendar, moment)
    for number in range(HORIZON):
        starts = [start for start, _ in _spans(calendar, first + timedelta(number))]
        later = [start for start in starts if start >= moment]
        if later:
            return min(later)
    return None


def _end_of(calendar: Calendar, moment: float) -> float | None:
    """Return when the span that covers a moment ends, or None when none does."""
    if calendar.empty:
        return None
    today = _day_of(calendar, moment)
    spans = [*_spans(calendar, today - timedelta(1)), *_spans(calendar, today)]
    return max((end for start, end in spans if start <= moment < end), default=None)


def _day_of(calendar: Calendar, moment: float) -> date:
    return datetime.fromtimestamp(moment, ZoneInfo(calendar.zone)).date()


def _spans(calendar: Calendar, day: date) -> Iterator[Span]:
    """Return when what begins on a day begins and ends, in seconds since the epoch.

    Clocks that are put forward or back are the zone's affair: only the ends are looked up.
    """
    for hours in calendar.hours:
        if DAYS[day.weekday()] in hours.days:
            ends = day if _minutes(hours.ends) > _minutes(hours.begins) else day + timedelta(1)
            span = _at(calendar, day, hours.begins), _at(calendar, ends, hours.ends)
            if span[0] < span[1]:
                yield span
    for dates in calendar.dates:
        if dates.first <= day.isoformat() <= dates.last:
            yield _at(calendar, day, "00:00"), _at(calendar, day, "24:00")


def _at(calendar: Calendar, day: date, clock: str) -> float:
    days, minutes = divmod(_minutes(clock), 24 * 60)
    hour, minute = divmod(minutes, 60)
    zone = ZoneInfo(calendar.zone)
    return datetime.combine(day + timedelta(days), time(hour, minute), zone).timestamp()


def _minutes(clock: str) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)
