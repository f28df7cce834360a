"""What differs between two captures, worked out in a worker process (`anet.processes`).

Documents come from the web: whoever calls this limits its time and memory, and loses a worker, not
the agent, to a document that is made to be slow.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from agents.consultation.harbor.heads import fields_of, type_of
from agents.consultation.mining.extraction import extract
from agents.decoding import Decoding
from agents.parsers import media_type
from agents.parsers.charset import Text
from anet.http import Headers

CONTENT_LIMIT = 4 * 1024 * 1024  # bytes of a content that is compared, as stored
BODY_LIMIT = 8 * 1024 * 1024  # bytes of a document, decoded
LINES_LIMIT = 20_000  # lines compared of each
ROWS_LIMIT = 2000  # lines that are told
FIELDS_LIMIT = 200  # different header fields
LINKS_LIMIT = 300  # links that are told, of those that came and of those that went
LINE_LIMIT = 2000  # characters of a line
WORDS_LIMIT = 400  # words of two lines that are compared word by word
CONTEXT = 2  # lines that are the same, told on each side of what differs
_ALIKE = 0.3  # of two lines' words, below which they are not compared word by word
_LONG = 400  # characters of a line of source that is broken between its tags
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

Document = Sequence[Any]
"""Its URL, its head and its content, both as stored."""

Runs = list[tuple[bool, str]]
"""The text of a line, in runs that are changed or not."""


class Row(msgspec.Struct, frozen=True):
    """A line of two texts one over the other.

    Attributes:
        kind: `same`, `removed`, `added`, or `skipped` for lines that are the same and not told.
        runs: its text; none of skipped lines.
        count: of skipped lines.
    """

    kind: str
    runs: Runs = []
    count: int = 0


class Comparison(msgspec.Struct, frozen=True):
    """What differs between two captures.

    Attributes:
        types: the media type of each.
        rows: the lines of their text or source; none where there is no text.
        has_text: whether there is any to compare.
        similarity: share of the text that is the same, 0 to 1.
        cut: whether something is not told, because it is too long.
        fields: header fields that differ: name, old value, new value, empty where it is lacking.
        links_added: URLs that the new one alone leads to.
        links_gone: URLs that the old one alone leads to.
    """

    types: tuple[str, str]
    rows: list[Row] = []
    has_text: bool = False
    similarity: float = 1.0
    cut: bool = False
    fields: list[tuple[str, str, str]] = []
    links_added: list[str] = []
    links_gone: list[str] = []


def compare(old: Document, new: Document, mode: str) -> dict[str, Any]:
    """Return the fields of a `Comparison` of two documents.

    Args:
        old: the earlier one.
        new: the later one.
        mode: `text` for what people read, `source` for the lines of the documents, `links` for
            links and header fields.
    """
    heads = fields_of(old[1]), fields_of(new[1])
    types = type_of(old[1]), type_of(new[1])
    if mode == "links":
        added, gone = _links(old, new)
        told = Comparison(types, fields=_changed(*heads), links_added=added, links_gone=gone)
    else:
        lines = [_lines(document, mode) for document in (old, new)]
        told = _compared(types, lines[0], lines[1])
    value: dict[str, Any] = msgspec.to_builtins(told)
    return value


def _compared(types: tuple[str, str], old: list[str], new: list[str]) -> Comparison:
    if not old and not new:
        return Comparison(types)
    cut = max(len(old), len(new)) > LINES_LIMIT
    rows, same = compare_lines(old[:LINES_LIMIT], new[:LINES_LIMIT])
    size = sum(map(len, old[:LINES_LIMIT])) + sum(map(len, new[:LINES_LIMIT]))
    similarity = 2 * same / size if size else 1.0
    cut = cut or len(rows) > ROWS_LIMIT
    return Comparison(types, rows[:ROWS_LIMIT], True, similarity, cut)


def compare_lines(old: list[str], new: list[str]) -> tuple[list[Row], int]:
    """Return the lines of two texts one over the other, and how many characters are the same."""
    rows: list[Row] = []
    same = 0
    for kind, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            same += sum(map(len, old[a:b]))
            rows += _unchanged(old[a:b], a == 0, b == len(old))
        else:
            changed, alike = _replaced(old[a:b], new[c:d])
            rows += changed
            same += alike
    return rows, same


def _unchanged(lines: list[str], first: bool, last: bool) -> Iterator[Row]:
    """Yield lines that are the same: those next to what differs, the others only counted."""
    before, after = (0 if first else CONTEXT), (0 if last else CONTEXT)
    skipped = len(lines) - before - after
    if skipped <= 1:
        yield from (_same(line) for line in lines)
        return
    yield from (_same(line) for line in lines[:before])
    yield Row("skipped", count=skipped)
    yield from (_same(line) for line in lines[len(lines) - after :])


def _same(line: str) -> Row:
    return Row("same", [(False, line[:LINE_LIMIT])])


def _replaced(old: list[str], new: list[str]) -> tuple[list[Row], int]:
    """Return lines that were replaced, each above the one in its place, word by word if alike."""
    rows: list[Row] = []
    same = 0
    for before, after in zip(old, new, strict=False):
        if before == after:  # of a line that a long text has often nobody looks for the place
            rows.append(_same(before))
            same += len(before)
            continue
        removed, added, alike = compare_words(before, after)
        rows += [Row("removed", removed), Row("added", added)]
        same += alike
    rows += [Row("removed", [(True, line[:LINE_LIMIT])]) for line in old[len(new) :]]
    rows += [Row("added", [(True, line[:LINE_LIMIT])]) for line in new[len(old) :]]
    return rows, same


def compare_words(old: str, new: str) -> tuple[Runs, Runs, int]:
    """Return two lines in runs that are the same or not, and how many characters are the same."""
    old, new = old[:LINE_LIMIT], new[:LINE_LIMIT]
    words = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, *words, autojunk=False)
    if max(map(len, words)) > WORDS_LIMIT or matcher.ratio() < _ALIKE:
        return [(True, old)], [(True, new)], 0
    removed: Runs = []
    added: Runs = []
    same = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        before, after = "".join(words[0][a:b]), "".join(words[1][c:d])
        same += len(before) if kind == "equal" else 0
        removed += [(kind != "equal", before)] if before else []
        added += [(kind != "equal", after)] if after else []
    return removed, added, same


def _lines(document: Document, mode: str) -> list[str]:
    """Return what there is to compare of a document, line by line."""
    url, head, body = document
    if mode == "source":
        return list(_source(url, fields_of(head), body))
    text: str = extract(body, head, url)["text"]
    return [line for line in text.split("\n") if line.strip()]


def _source(url: str, head: Headers, body: bytes) -> Iterator[str]:
    plain = _plain(head.text(b"content-encoding"), body)
    if b"\0" in plain[:4096]:
        return
    reader = Text(media_type(head.text(b"content-type"))[1], None, url)
    for line in (reader.feed(plain) + reader.close()).splitlines():
        yield from re.split(r"(?<=>)(?=<)", line) if len(line) > _LONG else [line]


def _plain(coding: str, body: bytes) -> bytes:
    """Return the beginning of what a content stands for."""
    decoding = Decoding.of(coding)
    if decoding is None:
        return body[:BODY_LIMIT]
    plain = bytearray()
    for piece in decoding.pieces(body):
        plain += piece
        if len(plain) >= BODY_LIMIT:
            break
    return bytes(plain[:BODY_LIMIT])


def _links(old: Document, new: Document) -> tuple[list[str], list[str]]:
    """Return the URLs that the new document alone leads to, and those that the old one does."""
    before, after = (
        {link["url"]: None for link in extract(body, head, url)["links"]}
        for url, head, body in (old, new)
    )
    added = [url for url in after if url not in before]
    gone = [url for url in before if url not in after]
    return added[:LINKS_LIMIT], gone[:LINKS_LIMIT]


def _changed(old: Headers, new: Headers) -> list[tuple[str, str, str]]:
    """Return the header fields that differ, in the order of their names."""
    names = sorted({*old.by_name, *new.by_name})[:FIELDS_LIMIT]
    values = ((_text(name), _text(old.get(name)), _text(new.get(name))) for name in names)
    return [(name, before, after) for name, before, after in values if before != after]


def _text(value: bytes | None) -> str:
    return (value or b"").decode("latin-1")[:LINE_LIMIT]
