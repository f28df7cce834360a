"""When each site is collected, how deep and how thoroughly (*INA §1.5.2*): pure decisions.

law · rhythm                      how text changes; what crawls of a site have taught
price                             one budget for all sites
calendars · settings              what archivists may settle
planning · ahead                  the next crawl of a site, and why; the ones after it
simulation                        what policies would make of a web that changes
"""

from agents.scheduler.temporal.ahead import ahead, load_by_day
from agents.scheduler.temporal.calendars import Calendar, Dates, Hours
from agents.scheduler.temporal.planning import Plan, plan
from agents.scheduler.temporal.price import FIRST_PRICE, adapted, demand
from agents.scheduler.temporal.rhythm import (
    LevelSeen,
    Observation,
    Rhythm,
    observation,
    observed,
)
from agents.scheduler.temporal.settings import Campaign, Quota, SiteSettings, TemporalConfig

__all__ = [
    "FIRST_PRICE",
    "Calendar",
    "Campaign",
    "Dates",
    "Hours",
    "LevelSeen",
    "Observation",
    "Plan",
    "Quota",
    "Rhythm",
    "SiteSettings",
    "TemporalConfig",
    "adapted",
    "ahead",
    "demand",
    "load_by_day",
    "observation",
    "observed",
    "plan",
]
