"""When to look at a feed next. Pure: time is passed in.

A feed is looked at about twice for each entry that it can be expected to have. How often entries
come is learned from those that came, a week ago counting half; a new feed shows it by the dates of
its entries. The publisher's wishes are kept: `ttl`, `sy:updatePeriod`, `skipHours`, `skipDays`,
`Cache-Control`, `Retry-After`.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from attrs import field, frozen, validators

from anet.http import Headers

HALF_LIFE = 7 * 86400.0  # seconds after which what came counts half
_LOOKED_BACK = 14 * 86400.0  # seconds of the dates of entries that tell of a new feed
# What is expected of a feed nothing is known of: an entry a day, of little weight.
_PRIOR_ENTRIES = 0.05
_PRIOR_SECONDS = 0.05 * 86400.0
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.I)


@frozen
class Bounds:
    """Between which intervals stay.

    Attributes:
        shortest: seconds between two looks, whatever comes.
        longest: seconds after which a feed is looked at in any case.
        looks: for each entry that is expected.
    """

    shortest: float = field(default=300.0, validator=validators.gt(0))
    longest: float = field(default=86400.0, validator=validators.gt(0))
    looks: float = field(default=2.0, validator=validators.gt(0))

    def hold(self, seconds: float) -> float:
        """Return the interval nearest to one that is within bounds."""
        return min(max(seconds, self.shortest), max(self.shortest, self.longest))


@frozen
class Rhythm:
    """How often a feed has new entries.

    Attributes:
        entries: entries met lately, each counting less with time.
        seconds: the time in which they came, fading likewise.
    """

    entries: float = 0.0
    seconds: float = 0.0

    @classmethod
    def of(cls, published: Iterable[float | None], now: float) -> "Rhythm":
        """Return the rhythm that the dates of a new feed's entries tell."""
        recent = [date for date in published if date and now - _LOOKED_BACK < date <= now]
        return cls(float(len(recent)), now - min(recent)) if recent else cls()

    def after(self, entries: int, elapsed: float, overlap: bool) -> "Rhythm":
        """Return the rhythm after a look.

        Args:
            entries: new ones.
            elapsed: seconds since the look before.
            overlap: whether an entry met before was still there; if not, others came and went
                unseen, and what was known of the feed is of no use.
        """
        elapsed = max(0.0, elapsed)
        if entries and not overlap:
            return Rhythm(float(entries), elapsed / 2)
        fade = 0.5 ** (elapsed / HALF_LIFE)
        return Rhythm(self.entries * fade + entries, self.seconds * fade + elapsed)

    @property
    def gap(self) -> float:
        """Seconds between two entries, as far as is known."""
        return (self.seconds + _PRIOR_SECONDS) / (self.entries + _PRIOR_ENTRIES)

    def interval(self, bounds: Bounds, hint: float = 0.0) -> float:
        """Return the seconds until the next look.

        Args:
            bounds: that it stays in.
            hint: seconds for which the publisher asks to be left alone.
        """
        return bounds.hold(max(self.gap / bounds.looks, hint))


def after_failure(failures: int, bounds: Bounds, rest: float = 0.0) -> float:
    """Return the seconds until the next look, after so many in a row that brought nothing.

    Args:
        failures: 1 after the first.
        bounds: that it stays in, except for the rest.
        rest: seconds for which the server asks to be left alone.
    """
    return max(rest, bounds.hold(bounds.shortest * 2.0 ** min(failures - 1, 30)))


def permitted(moment: float, skip_hours: int, skip_days: int) -> float:
    """Return the first moment, from one on, outside of the hours and days that are to be skipped.

    A feed that is to be skipped at all times is not skipped.
    """
    date = datetime.fromtimestamp(moment, UTC)
    for _ in range(7 * 24 + 1):
        if not (skip_hours >> date.hour & 1 or skip_days >> date.weekday() & 1):
            return max(moment, date.timestamp())
        date = date.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return moment


def fresh_for(headers: Headers) -> float:
    """Return the seconds for which an answer says that it stays as it is (RFC 9111), or 0."""
    control = headers.text(b"cache-control").lower()
    age = _MAX_AGE.search(control)
    if "no-cache" in control or "no-store" in control or age is None:
        return 0.0
    return float(age[1])


def rest_asked(headers: Headers, now: float, longest: float) -> float:
    """Return the seconds for which a server asks to be left alone (`Retry-After`), or 0.

    Args:
        headers: of its answer.
        now: seconds since the epoch.
        longest: seconds that are never exceeded.
    """
    text, seconds = headers.text(b"retry-after").strip(), 0.0
    if text.isascii() and text.isdigit():
        seconds = float(text[:9])
    elif text:
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            seconds = parsedate_to_datetime(text).timestamp() - now
    return min(max(seconds, 0.0), longest)
