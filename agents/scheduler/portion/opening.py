"""When settings of a site let it be collected: pure."""

from agents import dates
from agents.scheduler.portion.crawl_plan import read
from agents.scheduler.temporal import Plan, SiteSettings
from agents.scheduler.temporal.planning import in_hours


def opens(settings: str, date: str) -> str | None:
    """Return from when on a site may be collected, at `date` or later; none for never.

    Args:
        settings: of the site, JSON.
        date: 20 digits.
    """
    settled = read(settings, SiteSettings)
    if settled.resting:
        return None
    now = seconds_of(date)
    opening = in_hours(Plan(now), settled).at
    if opening is None:
        return None
    return date if opening <= now else dates.from_timestamp(opening)


def seconds_of(date: str) -> float:
    """Return a date of 20 digits in seconds since the epoch."""
    return dates.to_datetime(date).timestamp()
