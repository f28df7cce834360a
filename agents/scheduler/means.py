"""What the parts of a scheduler work with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import Factory, field, frozen
from twisted.internet.interfaces import IReactorTime

from agents.scheduler.addresses import LookUp
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Store
from agents.scheduler.journal import Journal
from agents.scheduler.live import Live
from agents.scheduler.portion.sequels import Sequels
from agents.scheduler.portion.territory import FILE, Territory
from anet.tasks import Tasks
from anet.workers import Workers


def _none(_memory: int) -> Any:
    raise NotImplementedError("there are no worker processes here")


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
        processes: makes a worker process that may take so many bytes, for long computations.
        sequels: tells what follows for sites from what becomes of them.
        territory: tells what belongs to which site; in the thread for files.
        look_up: gives the addresses of a host; none when nobody knows names.
    """

    clock: IReactorTime
    config: SchedulerConfig
    directory: Path
    store: Store
    files: Workers
    tasks: Tasks
    journal: Journal
    live: Live
    processes: Callable[[int], Any] = _none
    sequels: Sequels = field(
        default=Factory(
            lambda self: Sequels(self.config.expansion, self.config.temporal), takes_self=True
        )
    )
    territory: Territory = field(
        default=Factory(
            lambda self: Territory(self.directory / "scheduler" / FILE, self.config.expansion),
            takes_self=True,
        )
    )
    look_up: LookUp | None = None

    def now(self) -> str:
        """Return the date, 20 digits."""
        return self.journal.now()
