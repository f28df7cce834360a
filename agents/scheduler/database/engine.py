"""What the scheduler asks of a relational database, whichever it is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from zope.interface import Attribute, Interface

VERSION = 5
UPGRADES = {  # from a version to the next
    0: "schema-1.sql",
    1: "schema-2.sql",
    2: "schema-3.sql",
    3: "schema-4.sql",
    4: "schema-5.sql",
}

KEY_LIMIT = 2000
"""Characters of a URL by which rows are found: PostgreSQL's indexes take some 2,700 bytes."""

Row = Mapping[str, Any]
Value = str | int | float | None


class DatabaseRefused(Exception):
    """The database is none of ours, is damaged or in use, or is newer than this program."""


class Answer(Protocol):
    """What a statement gives: rows, and how many it changed."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement changed."""

    def fetchone(self) -> Any:
        """Return the next row, or none."""

    def __iter__(self) -> Iterator[Any]: ...


class IEngine(Interface):
    """An open database at our version; for one thread at a time.

    SQL is what SQLite and PostgreSQL share, with `?` for each value. Schemas are written in the
    words of SQLite's strict tables.
    """

    place = Attribute("Where it is, for people: never with a password.")
    passing = Attribute("Types of errors that pass by themselves, such as a full disk.")

    def execute(sql: str, parameters: Sequence[Value] = ()) -> Answer:  # noqa: N805 - an interface has no self
        """Run a statement."""

    def begin() -> None:
        """Begin a transaction that may write."""

    def commit() -> None:
        """End it; what it changed is durable then."""

    def rollback() -> None:
        """Undo what it changed, if it has not ended by itself."""

    def mend() -> None:
        """Open the connection again if it was lost; raises one of `passing` if it cannot be."""

    def reader() -> Any:
        """Return another connection, only to look."""

    def close() -> None:
        """Let go of the database."""
