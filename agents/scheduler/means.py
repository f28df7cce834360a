"""What the parts of a scheduler work with."""

from pathlib import Path

from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Store
from agents.scheduler.journal import Journal
from agents.scheduler.live import Live
from anet.tasks import Tasks
from anet.workers import Workers


@frozen
class Means:
    """The means of one scheduler.

    Attributes:
        clock: tells the time and calls later.
        config: its section of the configuration.
        directory: the archive's folder.
        store: the database.
        files: threads that look at folders.
        tasks: owns what runs in the background.
        journal: what went wrong.
        live: progress of what runs now.
    """

    clock: IReactorTime
    config: SchedulerConfig
    directory: Path
    store: Store
    files: Workers
    tasks: Tasks
    journal: Journal
    live: Live

    def now(self) -> str:
        """Return the date, 20 digits."""
        return self.journal.now()
