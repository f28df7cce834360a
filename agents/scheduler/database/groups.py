"""Many changes in one transaction: a durable commit costs as much for a hundred as for one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from twisted.python.failure import Failure

from agents.scheduler.database.changes import Changes
from agents.scheduler.database.engine import DatabaseRefused

_CLAIM = (
    "INSERT INTO commits (one, owner, number) VALUES (1, ?, 0)"
    " ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, number = 0"
)


class Groups(Changes):
    """Jobs that are committed together, though one that fails leaves no trace in the others.

    Each group has a number, and its transaction writes it down. When a connection is lost before
    a commit is answered, that number tells whether the group is durable.
    """

    def __init__(self, where: Path | str) -> None:
        """Open the database: a file, or what `postgresql://…` names.

        Raises:
            DatabaseRefused: it is not ours to open.
        """
        super().__init__(where)
        self._owner = token_hex(8)
        self._number = 0
        self._doubtful: list[Any] | None = None  # outcomes of a group that may be durable or not
        with self._transaction():
            self._engine.execute(_CLAIM, [self._owner])

    def group(self, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run jobs one after another; return the result, or the `Failure`, of each.

        After one of the errors of `passing`, call this again with the same jobs: each is applied
        once, however often that happens.

        Raises:
            DatabaseRefused: another scheduler has taken the database over.
        """
        self._engine.mend()
        if self._doubtful is not None and self._durable() == self._number:
            outcomes = self._doubtful
        else:
            outcomes = self._run(jobs)
        self._doubtful = None
        return outcomes

    def _run(self, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run jobs; if one fails, run all again, each so that it can be undone.

        They seldom fail, and the first way is quicker.
        """
        try:
            with self._signed() as outcomes:
                outcomes += [job() for job in jobs]
        except self.passing:
            raise
        except Exception:
            with self._signed() as outcomes:
                outcomes += [self._alone(job) for job in jobs]
        return outcomes

    def _alone(self, job: Callable[[], Any]) -> Any:
        """Run a job; undo what it did if it fails."""
        self._engine.execute("SAVEPOINT job")
        try:
            with self._tallies.undone_on_error():
                result = job()
        except self.passing:
            raise
        except Exception:
            failure = Failure()
            self._engine.execute("ROLLBACK TO SAVEPOINT job")
            self._engine.execute("RELEASE SAVEPOINT job")
            return failure
        self._engine.execute("RELEASE SAVEPOINT job")
        return result

    @contextmanager
    def _signed(self) -> Iterator[list[Any]]:
        """Make a transaction whose outcomes are known, even if the answer to its commit is lost."""
        self._number += 1
        outcomes: list[Any] = []
        with self._transaction():
            yield outcomes
            self._sign()
            self._doubtful = outcomes

    def _sign(self) -> None:
        signed = self._engine.execute(
            "UPDATE commits SET number = ? WHERE owner = ?", [self._number, self._owner]
        )
        if not signed.rowcount:
            raise DatabaseRefused(
                f"another scheduler has taken over {self.place}; stop one of the two"
            )

    def _durable(self) -> int:
        """Return the number of the last group of ours that is durable."""
        row = self._engine.execute(
            "SELECT number FROM commits WHERE owner = ?", [self._owner]
        ).fetchone()
        return -1 if row is None else int(row["number"])
