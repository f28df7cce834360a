"""The file of the catalogue of streams: SQLite, which can always be made again from the archive.

Its methods block, and belong in one thread.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from agents.consultation.streams.logs import StreamLog

VERSION = 2
MATCHES_LIMIT = 2000  # of words that are looked through for one page
_WORD = re.compile(r"[^\W_]+")
_WORDS = 12  # of a question
_LIGATURES = str.maketrans({"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae"})  # accents go in FTS5


@frozen
class Stream:
    """A stream that the archive holds.

    Attributes:
        url: of it.
        name: of the station, as its server said it last; so are the next four.
        description: of the station.
        genre: of the station.
        media_type: of what was received.
        protocol: by which it was.
        first: date from which anything was received, 20 digits.
        last: date until which.
    """

    url: str
    name: str
    description: str
    genre: str
    media_type: str
    protocol: str
    first: str
    last: str


@frozen
class Piece:
    """A time in which a stream was received without a break.

    Attributes:
        first: date of its first byte.
        last: date of its last.
        session: date at which the reception began of which it is a part.
        why: why nothing was received before it, if that was so.
    """

    first: str
    last: str
    session: str
    why: str


@frozen
class Said:
    """What was said of a stream, or of what was on the air.

    Attributes:
        url: of the stream.
        date: when.
        kind: `title`, `name`, `description` or `genre`.
        text: it.
        number: later ones were learned of later.
    """

    url: str
    date: str
    kind: str
    text: str
    number: int = 0


class Tables:
    """The file.

    Args:
        path: of it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None

    def open(self) -> None:
        """Open the file, or make it; one that is damaged or of another version is begun anew.

        Raises:
            OSError, sqlite3.Error: it cannot be made.
        """
        try:
            self._open()
        except sqlite3.DatabaseError:
            self.close()
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._open()

    def close(self) -> None:
        """Let go of the file."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def streams(self, after: str = "", limit: int = 100) -> list[Stream]:
        """Return streams in the order of their URLs."""
        rows = self._db.execute(_STREAMS + "WHERE url > ? ORDER BY url LIMIT ?", (after, limit))
        return [Stream(*row) for row in rows]

    def stream(self, url: str) -> Stream | None:
        """Return one stream."""
        row = self._db.execute(_STREAMS + "WHERE url = ?", (url,)).fetchone()
        return None if row is None else Stream(*row)

    def known(self, url: str, first: str, last: str) -> set[tuple[str, str]]:
        """Return date and SHA-256 of the logs of a stream that were read, between two dates."""
        rows = self._db.execute(_KNOWN, (url, first, last))
        return {(date, log) for date, log in rows}

    def pieces(self, url: str, first: str, last: str, limit: int) -> list[Piece]:
        """Return what was heard and began between two dates, in order."""
        return [Piece(*row) for row in self._db.execute(_PIECES, (url, first, last, limit))]

    def days_around(self, url: str, day: str) -> tuple[str, str]:
        """Return the days before and after one on which a piece begins; empty where none does."""
        row = self._db.execute(_AROUND, (url, day, f"{day}~")).fetchone()
        return ((row[0] or "")[:8], (row[1] or "")[:8]) if row is not None else ("", "")

    def titles(self, url: str, first: str, last: str, limit: int) -> list[Said]:
        """Return the titles between two dates, in order."""
        return [Said(*row) for row in self._db.execute(_TITLES, (url, first, last, limit))]

    def title_before(self, url: str, date: str) -> Said | None:
        """Return the title that was said last before a date."""
        row = self._db.execute(_BEFORE, (url, date)).fetchone()
        return None if row is None else Said(*row)

    def search(self, text: str, url: str, before: int) -> tuple[list[Said], int]:
        """Return what was said with these words in it, what was learned of last first.

        Args:
            text: words, as a person types them; the last may be the beginning of one.
            url: of the stream, or empty for all.
            before: number from the page before, or 0.

        Returns:
            Some, and the number with which to go on; 0 at the end.
        """
        asked = question(text)
        if not asked:
            return [], 0
        rows = self._db.execute(_SEARCH, (asked, before or 1 << 62, MATCHES_LIMIT)).fetchall()
        found = [Said(*row) for row in rows]
        more = found[-1].number if len(found) == MATCHES_LIMIT else 0
        return [each for each in found if url in ("", each.url)], more

    def take(self, url: str, key: str, log: StreamLog) -> None:
        """Take in a log of a stream; one that was taken in before changes nothing."""
        begun = log.begun
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO streams (url) VALUES (?)", (url,))
            (number,) = db.execute("SELECT number FROM streams WHERE url = ?", (url,)).fetchone()
            why = begun.gap.why if begun.gap is not None else ""
            piece = (number, begun.date, key, log.end, begun.session, why)
            db.execute("INSERT OR IGNORE INTO pieces VALUES (?, ?, ?, ?, ?, ?)", piece)
            for date, kind, text in self._new(db, number, log):
                self._say(db, number, date, kind, text)
            said = (begun.name, begun.description, begun.genre, begun.media_type, begun.protocol)
            db.execute(_DESCRIBE, (*said, number, begun.date))
            db.execute(_SPAN, (begun.date, log.end, number))

    def _new(
        self, db: sqlite3.Connection, number: int, log: StreamLog
    ) -> Iterator[tuple[str, str, str]]:
        """Yield what a log says that was not said just so before."""
        begun = log.begun
        for kind in ("name", "description", "genre"):
            text, before = getattr(begun, kind), (number, kind, begun.date)
            row = db.execute(_LAST_OF_KIND, before).fetchone()
            if text and (row is None or row[0] != text):
                yield begun.date, kind, text
        for title in log.titles:
            if title.title.strip():
                yield title.at, "title", title.title

    def _say(self, db: sqlite3.Connection, stream: int, date: str, kind: str, text: str) -> None:
        row = (stream, date, kind, text)
        cursor = db.execute(
            "INSERT OR IGNORE INTO said (stream, date, kind, text) VALUES (?, ?, ?, ?)", row
        )
        if cursor.rowcount:
            words = cursor.lastrowid, folded(text)
            db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", words)

    @property
    def _db(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.OperationalError("the catalogue of streams is closed")
        return self._database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise

    def _open(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        self._database = db = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False
        )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # the last logs are read again after a crash
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version == VERSION:
            _check(db)
            return
        if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise sqlite3.DatabaseError("it was made by another version")
        schema = Path(__file__).with_name("tables.sql").read_text("utf-8")
        db.executescript(f"BEGIN; {schema} PRAGMA user_version = {VERSION}; COMMIT;")


def _check(db: sqlite3.Connection) -> None:
    """Check that the file is whole: a second for a million titles.

    Raises:
        sqlite3.DatabaseError: it is not.
    """
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)


def folded(text: str) -> str:
    """Return a text as its words are sought: with letters that people type in other ways."""
    return unicodedata.normalize("NFKC", text).translate(_LIGATURES)


def question(text: str) -> str:
    """Return words that a person typed as a question to FTS5; empty where there are none."""
    words: Sequence[str] = _WORD.findall(folded(text[:500]))[:_WORDS]
    if not words:
        return ""
    quoted = [f'"{word}"' for word in words]
    return " ".join(quoted) + ("*" if not text[-1:].isspace() else "")


_STREAMS = "SELECT url, name, description, genre, media_type, protocol, first, last FROM streams "
_KNOWN = """
SELECT pieces.first, log FROM pieces JOIN streams ON streams.number = stream
WHERE url = ? AND pieces.first BETWEEN ? AND ?
"""
_PIECES = """
SELECT pieces.first, pieces.last, session, why
FROM pieces JOIN streams ON streams.number = stream
WHERE url = ? AND pieces.first BETWEEN ? AND ? ORDER BY pieces.first LIMIT ?
"""
_AROUND = """
SELECT (SELECT max(pieces.first) FROM pieces WHERE stream = number AND pieces.first < ?2),
       (SELECT min(pieces.first) FROM pieces WHERE stream = number AND pieces.first > ?3)
FROM streams WHERE url = ?1
"""
_TITLES = """
SELECT url, date, kind, text, said.number FROM said JOIN streams ON streams.number = stream
WHERE url = ? AND kind = 'title' AND date BETWEEN ? AND ? ORDER BY date, said.number LIMIT ?
"""
_BEFORE = """
SELECT url, date, kind, text, said.number FROM said JOIN streams ON streams.number = stream
WHERE url = ? AND kind = 'title' AND date <= ? ORDER BY date DESC LIMIT 1
"""
_SEARCH = (
    "SELECT url, date, kind, said.text, said.number FROM words "
    "JOIN said ON said.number = words.rowid JOIN streams ON streams.number = stream "
    "WHERE words MATCH ? AND words.rowid < ? ORDER BY words.rowid DESC LIMIT ?"
)
_LAST_OF_KIND = (
    "SELECT text FROM said WHERE stream = ? AND kind = ? AND date <= ? ORDER BY date DESC LIMIT 1"
)
_DESCRIBE = (
    "UPDATE streams SET name = ?, description = ?, genre = ?, media_type = ?, protocol = ? "
    "WHERE number = ? AND last <= ?"
)
_SPAN = (
    "UPDATE streams SET first = CASE WHEN first = '' THEN ?1 ELSE min(first, ?1) END, "
    "last = max(last, ?2) WHERE number = ?3"
)
