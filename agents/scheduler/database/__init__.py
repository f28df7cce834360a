"""What the scheduler keeps: sites, crawls, attempts, and folders still to be removed.

`Database` is SQLite and blocks; `Store` is the same for coroutines, through one worker thread.
Whatever a method changed is on the disk when it returns.
"""

from agents.scheduler.database.connection import DatabaseRefused
from agents.scheduler.database.database import Database
from agents.scheduler.database.rows import Crawl, NewSite
from agents.scheduler.database.store import Store

__all__ = ["Crawl", "Database", "DatabaseRefused", "NewSite", "Store"]
