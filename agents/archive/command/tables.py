"""Tables and values as text for a terminal."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from agents import dates

_WIDEST = 60  # characters of one column but the last
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # a name from the web moves no terminal's cursor


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return lines of a table whose columns stand one under the other."""
    texts = [list(columns), *([plain(str(cell)) for cell in row] for row in rows)]
    widths = [min(_WIDEST, max(len(row[place]) for row in texts)) for place in range(len(columns))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def plain(text: str) -> str:
    """Return a text in one line, without what would steer a terminal."""
    return _CONTROLS.sub(" ", text)


def moment(date: str | None) -> str:
    """Return a date for people, to the minute, UTC; a dash for none."""
    return dates.to_words(date)[:16] if date else "-"


def as_json(value: Any) -> str:
    """Return a value as JSON in one line."""
    return msgspec.json.encode(value).decode()
