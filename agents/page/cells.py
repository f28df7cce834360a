"""Cells and tables as HTML; every text escaped."""

import re
from html import escape
from itertools import zip_longest
from urllib.parse import urlsplit

from agents.page.text import human_number
from agents.page.values import Badge, Cell, LinkTo, Progress, Table

SHORT = 24  # characters that are not broken over lines; more are given width to break in

_QUANTITY = re.compile(
    r"[-–]?\d[\d,]*(?:\.\d+)?(?:[ ]?(?:%|bytes|[kMGTPE]B|µs|ms|s|min|h|d))?(?:/s)?"
    r"(?:[ ]\d\d?[ ](?:s|min|h)|[ ]/[ ]\d[\d,]*)?"
)
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), 127) if code not in (9, 10)}


def text_html(text: str) -> str:
    """Return any text as HTML; control characters show as replacement characters."""
    return escape(text.translate(_CONTROLS))


def cell_html(cell: Cell) -> str:
    """Return a cell as HTML."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case int() | float():
            return human_number(cell)
        case LinkTo(text, url):
            return _link_html(text, url)
        case Badge(text, tone):
            return f'<span class="badge {text_html(tone)}">{text_html(text)}</span>'
        case Progress(fraction, text):
            share = min(1.0, max(0.0, fraction)) if fraction == fraction else 0.0
            label = text_html(text or f"{share:.0%}")
            return f'<progress value="{share:.3f}" aria-label="{label}"></progress> {label}'
        case _:
            return text_html(str(cell))


def table_html(table: Table, key: str) -> str:
    """Return a table in its scrolling box; `key` is unique in the page and safe in an id."""
    if not table.rows:
        return f'<p class="empty">{text_html(table.empty)}</p>'
    numeric = [
        all(is_figure(cell) or cell in (None, "") for cell in column)
        and any(is_figure(cell) for cell in column)
        for column in zip_longest(*table.rows)
    ]
    head = "".join(
        f'<th scope="col"{_class("number" if is_numeric else "")}>{text_html(name)}</th>'
        for name, is_numeric in zip_longest(table.columns, numeric, fillvalue="")
        if isinstance(name, str)
    )
    body = "".join(
        "<tr>" + "".join(f"<td{_class(_kind(cell))}>{cell_html(cell)}</td>" for cell in row)
        + "</tr>"
        for row in table.rows
    )  # fmt: skip
    more = f'<p class="more">{cell_html(table.more)}</p>' if table.more else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{key}" '
        f'data-key="{key}"><table aria-labelledby="{key}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{more}"
    )


def _link_html(text: str, url: str) -> str:
    return f'<a href="{escape(url)}">{text_html(text)}</a>' if leads(url) else text_html(text)


def leads(url: str) -> bool:
    """Tell whether a URL may be followed: it is relative, or of http or https."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return False
    return scheme in ("", "http", "https") and url.isprintable()


def is_figure(cell: Cell) -> bool:
    """Tell whether a cell is a number or a quantity, to be set to the right."""
    if isinstance(cell, str):
        return _QUANTITY.fullmatch(cell) is not None
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _kind(cell: Cell) -> str:
    """Return how a cell is set: figures and short texts in one line, long ones with room."""
    if is_figure(cell):
        return "number"
    text = cell.text if isinstance(cell, LinkTo) else cell
    if not isinstance(text, str) or not text:
        return ""
    return "short" if len(text) <= SHORT else "long"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
