"""Dates of the archive: text of 20 digits, UTC, `YYYYMMDDhhmmssuuuuuu`.

They sort as text in the order of time, have a fixed size (which the lines of a structure file
need, *INA §2.2.2*), and a person can read them. Any prefix of four digits or more is a date a
person may type.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from math import modf

from twisted.internet.interfaces import IReactorTime

from anet.clock import wall

DIGITS = 20
_PREFIX = re.compile(
    r"\d{4,20}Z?|\d{4}-\d\d(?:-\d\d(?:[T\s]\s*\d\d(?::\d\d(?::\d\d(?:\.\d{1,6})?)?)?Z?)?)?",
    re.ASCII,
)
_FILL = "00000101000000000000"
_FINER = re.compile(r"\d{15}|\.\d")  # than a second


class InvalidDate(ValueError):
    """The text is not a date; the message says which forms are."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:60]!r} is not a date: write 2026-11-21, 2026-11-21T07:30:00Z, "
            "20261121073000 (any prefix from the year on), or an HTTP date"
        )


def now(clock: IReactorTime, moment: float | None = None) -> str:
    """Return the date: now, or at a moment that a clock has shown, by its own seconds."""
    return from_timestamp(wall(clock, moment))


def from_timestamp(seconds: float) -> str:
    """Return the date `seconds` after the Unix epoch."""
    fraction, whole = modf(seconds)
    carried, micros = divmod(round(fraction * 1_000_000), 1_000_000)
    return f"{_second(int(whole) + carried)}{micros:06d}"


@lru_cache(8)
def _second(seconds: int) -> str:
    """Return the date of a whole second without its fraction; many captures share one."""
    return from_datetime(datetime.fromtimestamp(seconds, UTC))[:14]


def from_datetime(moment: datetime) -> str:
    """Return the date of `moment`; one without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    # Quicker than strftime, and here for every capture.
    text = moment.isoformat(" ", "microseconds")
    return f"{text[:4]}{text[5:7]}{text[8:10]}{text[11:13]}{text[14:16]}{text[17:19]}{text[20:26]}"


def to_datetime(date: str) -> datetime:
    """Return the moment of a date of 20 digits.

    Raises:
        InvalidDate: the text is not one.
    """
    if len(date) != DIGITS or not (date.isascii() and date.isdigit()):
        raise InvalidDate(date)
    try:  # twenty times quicker than strptime, and here for every capture
        return datetime.fromisoformat(f"{date[:8]}T{date[8:14]}.{date[14:]}+00:00")
    except ValueError:
        raise InvalidDate(date) from None


def to_iso(date: str) -> str:
    """Return a date as ISO 8601 to the second, `2026-11-21T07:30:00Z`."""
    return f"{to_datetime(date).replace(microsecond=0, tzinfo=None).isoformat()}Z"


def to_words(date: str) -> str:
    """Return a date for people, to the second, `2026-11-21 07:30:00` (UTC)."""
    return to_datetime(date).replace(microsecond=0, tzinfo=None).isoformat(" ")


def parse(text: str) -> str:
    """Return the date that a person or a header wrote.

    Takes ISO 8601, any prefix of the 20 digits from the year on (the rest is the earliest
    possible), and HTTP dates.

    Raises:
        InvalidDate: the text is none of these.
    """
    text = text.strip()
    digits = re.sub(r"[-:.\sTZ]", "", text) if _PREFIX.fullmatch(text) else ""
    if 4 <= len(digits) <= DIGITS:
        date = digits + _FILL[len(digits) :]
        to_datetime(date)
        return date
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return from_datetime(read(text))
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    raise InvalidDate(text)


def sought(text: str) -> str:
    """Return the date to which the nearest capture is wanted.

    What names no more than a second means its middle: then a capture of that second is nearer
    than any other, also where another was made shortly before the second began.

    Raises:
        InvalidDate: the text is no date.
    """
    date = parse(text)
    return date if _FINER.search(text) else f"{date[:14]}500000"
