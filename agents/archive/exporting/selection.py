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
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from attrs import frozen

from agents.archive.errors import ArchiveError
from agents.archive.exporting.order import Order
from agents.archive.kept_records import SCHEME
from agents.capture import Capture
from agents.origin import value

NAME = "export.sqlite"
NAMED = 1000  # problems that are named; the others are counted


# Kinds: what is written as new records; records that were kept; captures that were made of these.
_OWN, _KEPT, _IMPORTED = 0, 1, 2
_CAPTURE = "kind, date, url, content, size, status, metadata, origin, head, is_whole, file"
_TABLES = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE found ({_CAPTURE});
CREATE TABLE items (place INTEGER PRIMARY KEY, {_CAPTURE});
CREATE TABLE files (name TEXT PRIMARY KEY, last INTEGER, size INTEGER, told TEXT);
CREATE TABLE pages (place INTEGER, url TEXT, date TEXT, title TEXT);
CREATE TABLE problems (place INTEGER, words TEXT);
"""
# Imported captures come from the records of their file; those of which none were kept are written
# as all others are. Records of files of which nothing is chosen are of no concern.
_ARRANGE = """
CREATE INDEX by_file ON found (file, kind) WHERE kind > 0;
UPDATE found SET kind = 0 WHERE kind = 2 AND NOT EXISTS
  (SELECT 1 FROM found kept WHERE kept.file = found.file AND kept.kind = 1);
DELETE FROM found WHERE kind = 1 AND NOT :whole AND NOT EXISTS
  (SELECT 1 FROM found made WHERE made.file = found.file AND made.kind = 2);
DELETE FROM found WHERE kind = 2;
INSERT INTO items SELECT NULL, * FROM found
  ORDER BY kind, CASE kind WHEN 0 THEN date END, url, metadata, date, content;
CREATE INDEX whole ON items (content, place) WHERE is_whole;
DROP TABLE found;
"""
_READ = """
SELECT i.place, i.kind, i.date, i.url, i.content, i.size, i.status, i.metadata, i.origin, i.head,
  f.place, f.date, f.url FROM items i LEFT JOIN items f ON f.place =
  (SELECT MIN(place) FROM items w WHERE w.content = i.content AND w.is_whole)
WHERE i.place > ? ORDER BY i.place LIMIT ?
"""


class OtherExport(ArchiveError):
    """The folder has another export."""


@frozen
class Item:
    """A capture that is given.

    Attributes:
        place: its number in the order of the export, from 1.
        capture: with its head and origin.
        is_kept: whether its content are kept records, which are given one by one.
        former: date and URL of the capture before it that has the same content, which is written
            whole; none for the first.
    """

    place: int
    capture: Capture
    is_kept: bool
    former: tuple[str, str] | None = None


@frozen
class Amount:
    """How much there is.

    Attributes:
        captures: items.
        bytes: of their contents.
    """

    captures: int = 0
    bytes: int = 0


@frozen
class WholeFile:
    """A file of the export that is whole.

    Attributes:
        name: without its folder.
        last: the place of the last item in it.
        size: its bytes.
        told: what was given up to its end, in the words of whoever wrote it.
    """

    name: str
    last: int
    size: int
    told: str


class Selection:
    """The file; opened by `open`.

    Args:
        folder: of the export.
        order: what is wanted.
    """

    def __init__(self, folder: Path, order: Order) -> None:
        self._path, self._order = folder / NAME, order
        self._database: sqlite3.Connection

    def open(self, begun: str) -> None:
        """Open the file, or make it.

        Args:
            begun: when the export begins, 14 digits, if it is new.

        Raises:
            OtherExport: it is of another order.
            OSError: it cannot be written.
        """
        self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        order = msgspec.json.encode(self._order).decode()
        with self._whole():
            if not self._database.execute("PRAGMA user_version").fetchone()[0]:
                for statement in filter(str.strip, _TABLES.split(";")):
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
            statement = "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._database.executemany(statement, map(_row, captures))
            self._problems((0, words) for words in problems)

    def pass_by(self, cursor: str) -> None:
        """Keep that everything was chosen up to a structure file."""
        with self._whole():
            self._state("cursor", cursor)
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
            for statement in filter(str.strip, _ARRANGE.split(";")):
                whole = {"whole": self._order.is_whole} if ":whole" in statement else {}
                self._database.execute(statement, whole)
            self._state("stage", "writing")

    def amount(self, after: int = 0) -> Amount:
        """Return how much there is after a place."""
        query = "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM items WHERE place > ?"
        return Amount(*self._database.execute(query, (after,)).fetchone())

    def read(self, after: int, limit: int) -> list[Item]:
        """Return the next items after a place."""
        return [_item(row) for row in self._database.execute(_READ, (after, limit))]

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

    def forget(self, after: int) -> None:
        """Forget what was said of items after a place, which are to be given again."""
        with self._whole():
            self._database.execute("DELETE FROM pages WHERE place > ?", (after,))
            self._database.execute("DELETE FROM problems WHERE place > ?", (after,))

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """Yield URL, date and title of pages, in order."""
        yield from self._database.execute("SELECT url, date, title FROM pages ORDER BY place")

    def written(self, told: str) -> None:
        """Keep that all items are given, and let go of them; the next stage is packing."""
        with self._whole():
            self._database.execute("DROP TABLE items")
            self._state("told", told)
            self._state("stage", "packing")
        self._database.execute("VACUUM")

    def finish(self, packed: WholeFile | None = None) -> None:
        """Keep that all is done; `packed` is the file that took in all others."""
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
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def _row(capture: Capture) -> tuple[Any, ...]:
    kind, file = _OWN, None
    if capture.url.startswith(SCHEME):
        kind, file = _KEPT, capture.url.removeprefix(SCHEME).partition("?")[0]
    elif "import: " in capture.origin and (imported := value(capture.origin, "import")):
        kind, file = _IMPORTED, quote(imported, safe="")
    is_whole = kind != _KEPT and capture.size > 0 and "revisit: not-modified" not in capture.origin
    return (
        kind,
        capture.date,
        capture.url.encode("utf-8", "surrogatepass"),
        capture.content,
        capture.size,
        capture.status,
        capture.metadata,
        capture.origin.encode("utf-8", "surrogatepass"),
        capture.head,
        is_whole,
        file,
    )


def _item(row: tuple[Any, ...]) -> Item:
    place, kind, date, url, content, size, status, metadata, origin, head, *former = row
    capture = Capture(
        url=url.decode("utf-8", "surrogatepass"),
        date=date,
        content=content,
        size=size,
        status=status,
        head=head,
        origin=origin.decode("utf-8", "surrogatepass"),
        metadata=metadata,
    )
    first, first_date, first_url = former
    is_first = first is None or first >= place
    repeats = None if is_first else (first_date, first_url.decode("utf-8", "surrogatepass"))
    return Item(place, capture, kind == _KEPT, repeats)
