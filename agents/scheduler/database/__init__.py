"""What the scheduler keeps: sites, crawls, attempts, and folders still to be removed.

`Database` is SQLite or PostgreSQL and blocks, `Queries` the part of it that only looks; `Store`
is both for coroutines, in threads. Whatever a method changed is on the disk when it returns.
"""

from agents.scheduler.database.database import Database
from agents.scheduler.database.engine import DatabaseRefused
from agents.scheduler.database.learning import Learned, Part
from agents.scheduler.database.machines import MachineInUse
from agents.scheduler.database.queries import Queries
from agents.scheduler.database.rows import (
    Assignment,
    Bounds,
    CampaignRow,
    Crawl,
    Decision,
    FeedRow,
    Following,
    KeptSite,
    NewSite,
    Sequel,
)
from agents.scheduler.database.store import Store
from agents.scheduler.database.stream_queries import StreamRow

__all__ = [
    "Assignment",
    "Bounds",
    "CampaignRow",
    "Crawl",
    "Database",
    "DatabaseRefused",
    "Decision",
    "FeedRow",
    "Following",
    "KeptSite",
    "Learned",
    "MachineInUse",
    "NewSite",
    "Part",
    "Queries",
    "Sequel",
    "Store",
    "StreamRow",
]
