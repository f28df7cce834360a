"""Captures that are given, and their rows in the file of a selection."""

from typing import Any
from urllib.parse import quote

from attrs import frozen

from agents.archive.kept_records import SCHEME
from agents.capture import Capture
from agents.origin import value

# Kinds: what is written as new records; records that were kept; captures that were made of these.
_OWN, _KEPT, _IMPORTED = 0, 1, 2
_CAPTURE = "kind, date, url, content, size, status, metadata, origin, head, is_whole, file, record"
TABLES = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE found ({_CAPTURE});
CREATE TABLE items (place INTEGER PRIMARY KEY, {_CAPTURE});
CREATE TABLE files (name TEXT PRIMARY KEY, last INTEGER, size INTEGER, told TEXT);
CREATE TABLE pages (place INTEGER, url TEXT, date TEXT, title TEXT);
CREATE TABLE problems (place INTEGER, words TEXT);
CREATE TABLE given (place INTEGER, file BLOB, offset INTEGER, record TEXT);
CREATE INDEX given_places ON given (file, offset);
CREATE INDEX given_records ON given (record);
"""
# Imported captures come from the records of their file; those of which none were kept are written
# as all others are. Records of files of which nothing is chosen are of no concern.
ARRANGE = """
UPDATE found SET kind = 0 WHERE kind = 2
  AND file NOT IN (SELECT file FROM found WHERE kind = 1);
DELETE FROM found WHERE kind = 1 AND NOT :whole
  AND file NOT IN (SELECT file FROM found WHERE kind = 2);
INSERT INTO items SELECT NULL, * FROM found WHERE kind < 2
  ORDER BY kind, CASE kind WHEN 0 THEN date END, url, metadata, date, content;
CREATE INDEX whole ON items (content, place) WHERE is_whole;
DELETE FROM found WHERE kind < 2;
"""
# Imported captures of which no record was given: those that kept it are lost.
ANEW = """
INSERT INTO items SELECT NULL, * FROM found
  WHERE record NOT IN (SELECT record FROM given) ORDER BY date, url, content;
INSERT INTO given SELECT place, '', 0, record FROM items WHERE kind = 2 AND place > :before;
"""
FORGET = """
DELETE FROM pages WHERE place > :after;
DELETE FROM problems WHERE place > :after;
DELETE FROM given WHERE place > :after;
DELETE FROM items WHERE place > :after AND kind = 2;
"""
READ = """
SELECT i.place, i.kind, i.date, i.url, i.content, i.size, i.status, i.metadata, i.origin, i.head,
  f.place, f.date, f.url FROM items i LEFT JOIN items f ON f.place =
  (SELECT MIN(place) FROM items w WHERE w.content = i.content AND w.is_whole)
WHERE i.place > ? ORDER BY i.place LIMIT ?
"""
# What could not be given is not referred to; it may be when it is tried again.
LOSE = "UPDATE items SET is_whole = NULL WHERE place = ? AND is_whole"
TRY_AGAIN = "UPDATE items SET is_whole = 1 WHERE place > ? AND is_whole IS NULL"


@frozen
class Item:
    """A capture that is given.

    Attributes:
        place: its number in the order of the export, from 1.
        capture: with its head and origin.
        is_kept: whether its content are kept records, which are given one by one.
        former: date and URL of the capture before it that is written whole with the same content;
            none for the first.
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


def row_of(capture: Capture) -> tuple[Any, ...]:
    """Return the row of a capture that was chosen."""
    kind, file, record = _OWN, None, None
    if capture.url.startswith(SCHEME):
        kind, file = _KEPT, capture.url.removeprefix(SCHEME).partition("?")[0]
    elif "import: " in capture.origin and (imported := value(capture.origin, "import")):
        kind, file = _IMPORTED, quote(imported, safe="")
        record = value(capture.origin, "record-id") or f"{capture.date} {capture.url}"
    is_whole = kind != _KEPT and capture.size > 0
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
        record,
    )


def item_of(row: tuple[Any, ...]) -> Item:
    """Return the item of a row that `READ` gave."""
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
