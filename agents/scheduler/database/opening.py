"""Which engine keeps the database: a file is SQLite's, an address PostgreSQL's."""

from pathlib import Path
from typing import Any

from agents.scheduler.database.engine import DatabaseRefused
from agents.scheduler.database.sqlite import SqliteEngine


def open_engine(where: Path | str) -> Any:
    """Open a file, or the database that `postgresql://…` names.

    Raises:
        DatabaseRefused: it is not ours to open, or psycopg is missing.
    """
    if isinstance(where, Path):
        return SqliteEngine(where)
    try:
        from agents.scheduler.database.postgresql import PostgresqlEngine
    except ImportError as error:
        raise DatabaseRefused(
            f"PostgreSQL needs the package psycopg ({error}): pip install 'dlweb[postgresql]'"
        ) from error
    return PostgresqlEngine(where)
