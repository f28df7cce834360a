"""What an export is to give and has given, in a file of SQLite beside its files.

An export goes through these stages, kept in the file with all that a repeated command needs:

    choosing    captures come from the store, some at a time, with the place to go on from
    writing     they lie in their order; each file that is whole is noted with the last of them
    packing     they are gone; what was given is known
    done        so is which files are there

Losing the file costs doing the export again. Everything blocks, and belongs in one thread.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from agents.archive.errors import ArchiveError
from agents.archive.exporting.items import (
    ANEW,
    ARRANGE,
    FORGET,
    LOSE,
    READ,
    TABLES,
    TRY_AGAIN,
    Amount,
    Item,
    WholeFile,
    item_of,
    row_of,
)
from agents.archive.exporting.kept import identity_of
from agents.archive.exporting.order import Order
from agents.archive.kept_records import KeptRecord
from agents.capture import Capture

NAME = "export.sqlite"
NAMED = 1000  # problems that are named; the others are counted


class OtherExport(ArchiveError):
    """The folder has another export."""


class Selection:
    """The file; opened by `open`.

    Args:
        folder: of the export.
        order: what is wanted.

    Attributes:
        is_repeat: whether an earlier run made the file.
    """

    def __init__(self, folder: Path, order: Order) -> None:
        self._path, self._order = folder / NAME, order
        self._database: sqlite3.Connection
        self.is_repeat = False

    def open(self, begun: str) -> None:
        """Open the file, or make it.

        Args:
            begun: when the export begins, 14 digits, if it is new.

        Raises:
            OtherExport: it is of another order, or something else.
            sqlite3.Error: it cannot be written; so of all other methods.
        """
        self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            self._database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                raise
            raise OtherExport(
                f"{self._path} is not the state of an export; name another folder with --output"
            ) from None
        self._database.execute("PRAGMA synchronous = NORMAL")
        order = msgspec.json.encode(self._order).decode()
        with self._whole():
            self.is_repeat = bool(self._database.execute("PRAGMA user_version").fetchone()[0])
            if not self.is_repeat:
                for statement in filter(str.strip, TABLES.split(";")):
                    self._database.execute(statement)
                self._state("order", order)
                self._state("begun", begun)
                self._state("stage", "choosing")
                self._database.execute("PRAGMA user_version = 1")
        if self._known("order") != order:
            raise OtherExport(
                f"{self._path.parent} has another export ({self._known('order')}); "
                "name another folder with --output"
            )
        if self.stage == "choosing":
            self._take_back()

    def sort_in(self, folder: str) -> None:
        """Have SQLite sort in a folder, or, if empty, where it likes; so all of this process.

        Its own choice is a disk of the system, which may be too small. It reads SQLITE_TMPDIR as
        Python loads it, before a program can say anything; so this has to be said by a pragma.
        """
        quoted = folder.replace("'", "''")
        with suppress(UnicodeEncodeError):  # a name that is no text: then where it likes
            self._database.execute(f"PRAGMA temp_store_directory = '{quoted}'")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def begun(self) -> str:
        """When the export was begun, 14 digits."""
        return self._known("begun")

    @property
    def stage(self) -> str:
        """What is to be done: `choosing`, `writing`, `packing`, or nothing: `done`."""
        return self._known("stage")

    @property
    def cursor(self) -> str:
        """The structure file after which choosing goes on."""
        return self._known("cursor")

    def choose(self, captures: Sequence[Capture], problems: Sequence[str]) -> None:
        """Add captures, and what could not be read; for good once they are passed by."""
        if not (captures or problems):
            return
        with self._whole():
            statement = "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._database.executemany(statement, map(row_of, captures))
            self._problems((0, words) for words in problems)

    @property
    def absent(self) -> list[str]:
        """Which parts of the store were not asked while choosing."""
        return self._known("absent").split()

    def pass_by(self, cursor: str, absent: Iterable[str] = ()) -> None:
        """Keep that everything was chosen up to a structure file, but of parts that are absent."""
        with self._whole():
            self._state("cursor", cursor)
            self._state("absent", " ".join(sorted({*self.absent, *absent})))
            for table in ("found", "problems"):
                self._state(table, str(self._last_row(table)))

    def _last_row(self, table: str) -> int:
        query = f"SELECT COALESCE(MAX(rowid), 0) FROM {table}"  # noqa: S608 - a name of ours
        found: int = self._database.execute(query).fetchone()[0]
        return found

    def _take_back(self) -> None:
        """Forget what a killed export chose of structure files that it did not pass by."""
        with self._whole():
            for table in ("found", "problems"):
                statement = f"DELETE FROM {table} WHERE rowid > ?"  # noqa: S608 - a name of ours
                self._database.execute(statement, (int(self._known(table) or 0),))

    def arrange(self) -> None:
        """Bring what was chosen into the order of the export; the next stage is writing."""
        with self._whole():
            for statement in filter(str.strip, ARRANGE.split(";")):
                whole = {"whole": self._order.is_whole} if ":whole" in statement else {}
                self._database.execute(statement, whole)
            self._state("stage", "writing")

    def amount(self, after: int = 0) -> Amount:
        """Return how much there is after a place."""
        query = "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM items WHERE place > ?"
        return Amount(*self._database.execute(query, (after,)).fetchone())

    def read(self, after: int, limit: int) -> list[Item]:
        """Return the next items after a place."""
        return [item_of(row) for row in self._database.execute(READ, (after, limit))]

    def files(self) -> list[WholeFile]:
        """Return the files that are whole, in order."""
        query = "SELECT name, last, size, told FROM files ORDER BY rowid"
        return [WholeFile(*row) for row in self._database.execute(query)]

    def note(self, file: WholeFile) -> None:
        """Keep that a file is whole."""
        with self._whole():
            row = (file.name, file.last, file.size, file.told)
            self._database.execute("INSERT INTO files VALUES (?, ?, ?, ?)", row)

    def keep(
        self, pages: Sequence[tuple[int, str, str, str]], problems: Sequence[tuple[int, str]]
    ) -> None:
        """Keep what is to be said of items.

        Args:
            pages: that people go to: place, URL, date, title.
            problems: what could not be given: place, and what in words.
        """
        if pages or problems:
            with self._whole():
                self._database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", pages)
                self._problems(problems)
                self._database.executemany(LOSE, ((place,) for place, _ in problems))

    def forget(self, after: int) -> None:
        """Forget what was said of items after a place, which are to be given again."""
        with self._whole():
            for statement in filter(str.strip, FORGET.split(";")):
                self._database.execute(statement, {"after": after})
            self._database.execute(TRY_AGAIN, (after,))

    def claim(self, item: Item, records: Sequence[KeptRecord]) -> list[KeptRecord]:
        """Return those of the records of a slice that no other slice of the file gives."""
        file = item.capture.url.encode()
        claimed = []
        with self._whole():
            for each in records:
                query = "SELECT 1 FROM given WHERE file = ? AND offset = ? AND place <> ?"
                if self._database.execute(query, (file, each.offset, item.place)).fetchone():
                    continue
                claimed.append(each)
                row = (item.place, file, each.offset, identity_of(each))
                self._database.execute("INSERT INTO given VALUES (?, ?, ?, ?)", row)
        return claimed

    def anew(self) -> tuple[int, Amount]:
        """Take up imported captures whose records are lost; return after which place, how much."""
        query = "SELECT COALESCE(MAX(place), 0) FROM items"
        before: int = self._database.execute(query).fetchone()[0]
        with self._whole():
            for statement in filter(str.strip, ANEW.split(";")):
                named = {"before": before} if ":before" in statement else {}
                self._database.execute(statement, named)
        return before, self.amount(before)

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """Yield URL, date and title of pages, in order."""
        yield from self._database.execute("SELECT url, date, title FROM pages ORDER BY place")

    def written(self, told: str) -> None:
        """Keep that all items are given, and let go of them; the next stage is packing."""
        with self._whole():
            for table in ("found", "items", "given"):
                self._database.execute(f"DROP TABLE {table}")
            self._state("told", told)
            self._state("stage", "packing")
        self._database.execute("VACUUM")

    def finish(self, packed: WholeFile | None = None) -> None:
        """Keep that all is done; `packed` is the file that took in all others."""
        self._database.execute("PRAGMA synchronous = FULL")  # for these are removed after it
        with self._whole():
            if packed is not None:
                self._database.execute("DELETE FROM files")
                row = (packed.name, packed.last, packed.size, packed.told)
                self._database.execute("INSERT INTO files VALUES (?, ?, ?, ?)", row)
            self._state("stage", "done")

    @property
    def told(self) -> str:
        """What was told when all items were given."""
        return self._known("told")

    def problems(self) -> tuple[int, list[str]]:
        """Return how many things could not be given, and some of them in words."""
        count = self._database.execute("SELECT COUNT(*) FROM problems").fetchone()[0]
        query = "SELECT words FROM problems ORDER BY place, rowid LIMIT ?"
        return count, [words for (words,) in self._database.execute(query, (NAMED,))]

    def _problems(self, problems: Iterable[tuple[int, str]]) -> None:
        self._database.executemany("INSERT INTO problems VALUES (?, ?)", problems)

    def _known(self, name: str) -> str:
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def _state(self, name: str, told: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, told))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Make all changes or, whatever happens, none."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._database.in_transaction:  # SQLite ends it itself when the disk is full
                self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
