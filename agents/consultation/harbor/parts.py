"""The parts that the harbor's pages are made of: forms and tables, as HTML."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from attrs import frozen

from agents import dates
from agents.consultation.faults.missing import Hole
from agents.consultation.lookup.structures import CaptureLine
from agents.page import Cell, LinkTo, Table, human_bytes, table_html, text_html
from agents.urls import readable


@frozen
class View:
    """Who looks at the harbor, and from where.

    Attributes:
        home: path of the first page: `/` through the proxy, `/harbor` on the pages port.
        through_proxy: whether the reader's browser uses the proxy, so that links to archived
            URLs lead into the archive.
        proxy: `host:port` of the proxy.
        token: proves that a form came from a page shown to this reader.
        date: the reader's date of 20 digits, or empty for the newest.
        lookup: how captures are looked up now.
    """

    home: str
    through_proxy: bool
    proxy: str
    token: str
    date: str
    lookup: str


def date_words(date: str) -> str:
    """Return a reader's date in words."""
    return f"{dates.to_words(date)} UTC" if date else "the newest captures"


def captures_path(url: str) -> str:
    """Return the path of the page of a URL's captures."""
    return "/captures?url=" + quote(url, safe="", errors="replace")


def section(title: str, inside: str, key: str = "section") -> str:
    """Return a titled part of a page."""
    return (
        f'<section aria-labelledby="{key}"><h2 id="{key}">{text_html(title)}</h2>'
        f'<div class="box">{inside}</div></section>'
    )


def date_form(view: View) -> str:
    """Return the form that sets the reader's date."""
    value = dates.to_words(view.date) if view.date else ""
    return (
        '<section aria-labelledby="date-title"><h2 id="date-title">Your date</h2>'
        f'<form class="box" method="post" action="/date">{hidden("token", view.token)}'
        '<label for="date">Date and time (UTC)</label>'
        f'<input id="date" class="short" name="date" required value="{escape(value)}" '
        'placeholder="2026-11-21 07:30" autocomplete="off" spellcheck="false" '
        'aria-describedby="date-help">'
        "<div><button>Read at this date</button> "
        '<button name="newest" value="1" formnovalidate>Read the newest</button></div>'
        '<p id="date-help">As much as you know, from the year on: 2026, 2026-11, 2026-11-21. '
        "Each page shows its capture nearest to your date.</p></form></section>"
    )


def url_form(url: str = "") -> str:
    """Return the form that asks for the captures of a URL."""
    return (
        '<section aria-labelledby="url-title"><h2 id="url-title">Captures of a URL</h2>'
        '<form class="box" method="get" action="/captures"><label for="url">URL</label>'
        f'<input id="url" name="url" inputmode="url" required value="{escape(url)}" '
        'placeholder="http://www.example.org/" autocapitalize="off" spellcheck="false">'
        "<div><button>Show its captures</button></div></form></section>"
    )


def search_form(prefix: str) -> str:
    """Return the form that lists archived URLs by their beginning."""
    return (
        '<section aria-labelledby="prefix-title"><h2 id="prefix-title">What the archive holds</h2>'
        '<form class="box" method="get" action="/urls"><label for="prefix">URLs that begin with'
        '</label><input id="prefix" name="prefix" inputmode="url" autocapitalize="off" '
        f'spellcheck="false" placeholder="www.example.org/" value="{escape(prefix)}">'
        "<div><button>List them</button></div></form></section>"
    )


def how_to_browse(view: View) -> str:
    """Return what a reader without the proxy should know."""
    proxy = escape(view.proxy)
    return (
        '<p class="box note quiet">To walk the archive, set your browser’s HTTP proxy to '
        f"<b>{proxy}</b> and open http://dlweb/ there. Without it, links to archived pages would "
        "lead to the live web, so this page has none.</p>"
    )


def chosen(view: View) -> str:
    """Return what to do with a list of captures."""
    where = "" if view.through_proxy else f" Ask for the URL through the proxy {view.proxy}."
    return (
        f"<p>You read the archive at <b>{escape(date_words(view.date))}</b>. Choose a capture to "
        f"read there.{escape(where)}</p>"
    )


def captures_table(captures: Sequence[CaptureLine], date: str) -> str:
    """Return the captures of a URL, newest first, each a button that sets its date.

    The capture that a reader at `date` sees is marked.
    """
    if not captures:
        return '<p class="empty">The archive holds no capture of this URL.</p>'
    seen = nearest(captures, date)
    rows = "".join(
        _capture_row(capture, note, capture is seen)
        for capture, note in zip(reversed(captures), changes(captures), strict=True)
    )
    return (
        '<div class="scroll" role="region" tabindex="0" aria-labelledby="captures">'
        '<table aria-labelledby="captures"><thead><tr><th scope="col">date (UTC)</th>'
        '<th scope="col" class="number">status</th><th scope="col" class="number">size</th>'
        '<th scope="col">content</th><th scope="col">change</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _capture_row(capture: CaptureLine, note: str, seen: bool) -> str:
    mark = '<span class="badge good">you read this</span>' if seen else ""
    return (
        f'<tr><td><button class="plain" name="date" value="{escape(capture.date)}">'
        f"{escape(dates.to_words(capture.date))}</button>{mark}</td>"
        f'<td class="number">{capture.status}</td>'
        f'<td class="number">{escape(human_bytes(capture.size))}</td>'
        f'<td class="key" title="{escape(capture.content)}">{escape(capture.content[:16])}…</td>'
        f"<td>{escape(note)}</td></tr>"
    )


def nearest(captures: Sequence[CaptureLine], date: str) -> CaptureLine:
    """Return the capture that a reader at `date` sees; of two equally far, the earlier."""
    if not date:
        return captures[-1]
    moment = dates.to_datetime(date)
    return min(captures, key=lambda capture: abs(dates.to_datetime(capture.date) - moment))


def changes(captures: Sequence[CaptureLine]) -> list[str]:
    """Return, newest first, how each capture differs from the one before it."""
    former = [None, *(capture.content for capture in captures[:-1])]
    return [
        "first" if before is None else "same" if before == capture.content else "changed"
        for before, capture in zip(reversed(former), reversed(captures), strict=True)
    ]


def holes_table(holes: Sequence[Hole]) -> str:
    """Return what was asked for in vain."""
    rows: list[list[Cell]] = [
        [
            LinkTo(readable(hole.url), captures_path(hole.url)),
            hole.status,
            hole.times,
            dates.to_words(hole.date),
            readable(hole.page),
        ]
        for hole in holes
    ]
    columns = ["URL", "fault", "times", "last asked (UTC)", "linked from"]
    return table_html(
        Table("", columns, rows, empty="Nothing was asked for in vain yet."), "section"
    )


def hidden(name: str, value: str) -> str:
    """Return a field of a form that is not shown."""
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'
