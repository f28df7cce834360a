"""Machines that crawlers run on: which there are, and what of theirs is still to be fetched."""

from attrs import frozen

from agents.scheduler.database.attempts import Attempts
from agents.scheduler.life import (
    CrawlState,
    Event,
    MachineEvent,
    MachineState,
    machine_after,
)

_LIES = frozenset({CrawlState.COLLECTED, CrawlState.DEPOSITING})


@frozen
class MachineInUse(Exception):
    """A machine cannot be forgotten: there are crawls on it that are nowhere else."""

    machine: str
    crawls: int

    def __str__(self) -> str:
        return (
            f"{self.crawls} crawls on {self.machine} are not deposited; wait for that, or say"
            " that they are lost"
        )


class Machines(Attempts):
    """Each method is one transaction, durable when it returns."""

    def happen(self, machine: str, event: MachineEvent, date: str) -> MachineState:
        """Move a machine by an event; return its state then.

        Raises:
            NoSuchTransition: it cannot happen to that machine.
        """
        with self._transaction():
            before = self.machines().get(machine, MachineState.UNKNOWN)
            after = machine_after(before, event)
            if after is not before:
                self._engine.execute(
                    "INSERT INTO machines (machine, state, changed) VALUES (?, ?, ?)"
                    " ON CONFLICT (machine) DO UPDATE SET state = excluded.state,"
                    " changed = excluded.changed",
                    [machine, after.value, date],
                )
            return after

    def forget(self, machine: str, date: str, lost: bool = False) -> list[str]:
        """Forget a machine that was drained; return the crawls that are made again.

        Args:
            machine: its name.
            date: now.
            lost: whether what lies there, not yet deposited, is to be collected again.

        Raises:
            MachineInUse: crawls lie there that are not `lost`.
            NoSuchTransition: it is not drained.
        """
        with self._transaction():
            machine_after(
                self.machines().get(machine, MachineState.UNKNOWN), MachineEvent.FORGOTTEN
            )
            lying = [crawl for state in _LIES for crawl in self.on_machine(machine, state)]
            if lying and not lost:
                raise MachineInUse(machine, len(lying))
            for crawl in lying:
                self._lose_collected(crawl.crawl, f"{machine} is gone, and the crawl with it", date)
            self._engine.execute("DELETE FROM discards WHERE machine = ?", [machine])
            self._engine.execute("DELETE FROM machines WHERE machine = ?", [machine])
            return [crawl.crawl for crawl in lying]

    def _lose_collected(self, name: str, reason: str, date: str) -> None:
        """Let a crawl be made again that was whole and is gone with its machine."""
        crawl = self._crawl(name)
        if crawl.state is CrawlState.DEPOSITING:
            self._move(crawl, Event.DEPOSIT_BROKE, date, reason)
            crawl = self._crawl(name)
        self._tallies.collected(crawl.figures, -1)
        self._end_attempt(crawl.name or "", reason, date, counted=False)
        self._move(crawl, Event.LOST, date, reason, learned=0)  # it leads elsewhere the next time
