"""What the scheduler keeps: sites, crawls, attempts, and folders still to be removed.

`Database` is SQLite or PostgreSQL and blocks, `Queries` the part of it that only looks; `Store`
is both for coroutines, in threads. Whatever a method changed is on the disk when it returns.
"""

from agents.scheduler.database.database import Database
from agents.scheduler.database.engine import DatabaseRefused
from agents.scheduler.database.queries import Queries
from agents.scheduler.database.rows import Bounds, Crawl, Decision, NewSite, Sequel
from agents.scheduler.database.store import Store

__all__ = [
    "Bounds",
    "Crawl",
    "Database",
    "DatabaseRefused",
    "Decision",
    "NewSite",
    "Queries",
    "Sequel",
    "Store",
]
