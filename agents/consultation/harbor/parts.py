"""The parts that the harbor's pages are made of: sections, tables and forms, as HTML."""

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote, urlencode

from attrs import frozen

from agents import dates
from agents.consultation.faults.missing import Hole
from agents.consultation.harbor.view import View
from agents.page import text_html
from agents.urls import readable

SHOWN = 300  # characters of a URL that are shown; its link is whole


@frozen
class Column:
    """A column of a table.

    Attributes:
        title: its heading; plain text.
        kind: `number` for what stands to the right, `long` for URLs, `short` for what stays in
            one line, or empty.
    """

    title: str
    kind: str = ""


def captures_path(url: str) -> str:
    """Return the path of the page of a URL's captures."""
    return "/captures?url=" + quote(url, safe="", errors="replace")


def path_to(page: str, /, **parameters: object) -> str:
    """Return the path of a page with these parameters, empty ones left out."""
    given = {name: value for name, value in parameters.items() if value not in ("", None)}
    return f"{page}?{urlencode(given, errors='replace')}" if given else page


def link(path: str, text: str, more: str = "") -> str:
    """Return a link; `more` is HTML of its attributes."""
    return f'<a href="{escape(path)}"{more}>{text_html(text)}</a>'


def url_link(url: str) -> str:
    """Return a link to the captures of a URL, which shows it as people read it."""
    return link(captures_path(url), shown(url))


def shown(url: str) -> str:
    """Return a URL as it is shown."""
    text = readable(url)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    return f"<p{_class(kind)}>{text_html(text)}</p>"


def section(title: str, inside: str, key: str = "section") -> str:
    """Return a titled part of a page."""
    return (
        f'<section aria-labelledby="{key}"><h2 id="{key}">{text_html(title)}</h2>'
        f'<div class="box">{inside}</div></section>'
    )


def form(path: str, inside: str, view: View | None = None, more: str = ' class="box"') -> str:
    """Return a form that changes something, sent for a view; or one that asks, without any."""
    method, token = ("post", hidden("token", view.token)) if view is not None else ("get", "")
    return f'<form{more} method="{method}" action="{path}">{token}{inside}</form>'


def hidden(name: str, value: str) -> str:
    """Return a field of a form that is not shown."""
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'


def button(text: str, name: str = "", value: str = "", more: str = "") -> str:
    """Return a button; `more` is HTML of its attributes."""
    named = f' name="{name}" value="{escape(value)}"' if name else ""
    return f"<button{named}{more}>{text_html(text)}</button>"


def select(name: str, label: str, chosen: str, choices: Iterable[tuple[str, str]]) -> str:
    """Return a list to choose from, of values and their words, under a label."""
    options = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>'
        f"{text_html(words)}</option>"
        for value, words in choices
    )
    field = f'<select id="{name}" name="{name}">{options}</select>'
    return f'<p><label for="{name}">{text_html(label)}</label>{field}</p>'


def table(key: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in its scrolling box, named by the heading with the id `key`.

    Args:
        key: of the heading.
        columns: its columns.
        rows: the cells of each row, as HTML.
    """
    head = "".join(
        f'<th scope="col"{_class(column.kind)}>{text_html(column.title)}</th>' for column in columns
    )
    kinds = [_class(column.kind) for column in columns]
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{key}">'
        f'<table aria-labelledby="{key}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return named facts, as plain text."""
    inside = "".join(
        f'<div><dt>{text_html(name)}</dt><dd class="words">{text_html(fact)}</dd></div>'
        for name, fact in pairs
    )
    return f'<dl class="figures">{inside}</dl>'


def date_form(view: View, proposed: str = "") -> str:
    """Return the form that sets the reader's date; `proposed` is one that a link suggests."""
    say = view.words.say
    value = proposed or (dates.to_words(view.date) if view.date else "")
    note = paragraph(say("date-form.proposed")) if proposed else ""
    inside = (
        f'<label for="date">{text_html(say("date-form.label"))}</label>'
        f'<input id="date" class="short" name="date" required value="{escape(value)}" '
        'placeholder="2026-11-21 07:30" autocomplete="off" spellcheck="false" '
        f'aria-describedby="date-help">{note}<div>{button(say("date-form.button"))} '
        f"{button(say('date-form.newest'), 'newest', '1', ' formnovalidate')}</div>"
        f'<p id="date-help">{text_html(say("date-form.help"))}</p>'
    )
    return (
        f'<section aria-labelledby="date-title"><h2 id="date-title">'
        f"{text_html(say('date-form'))}</h2>{form('/date', inside, view)}</section>"
    )


def url_form(view: View, url: str = "") -> str:
    """Return the form that asks for the captures of a URL, as a list or a calendar."""
    say = view.words.say
    calendar = button(say("captures-of.calendar"), more=' formaction="/calendar"')
    inside = (
        f'<label for="url">{text_html(say("url"))}</label>'
        f'<input id="url" name="url" inputmode="url" required value="{escape(url)}" '
        'placeholder="www.example.org/" autocapitalize="off" spellcheck="false">'
        f"<div>{button(say('captures-of.button'))} {calendar}</div>"
    )
    return (
        f'<section aria-labelledby="url-title"><h2 id="url-title">'
        f"{text_html(say('captures-of'))}</h2>{form('/captures', inside)}</section>"
    )


def holes_table(view: View, holes: Sequence[Hole], key: str) -> str:
    """Return what was asked for in vain."""
    say = view.words.say
    if not holes:
        return paragraph(say("missing.none"), "empty")
    columns = [
        Column(say("url"), "long"),
        Column(say("missing.fault"), "short"),
        Column(say("missing.times"), "number"),
        Column(say("missing.last"), "short"),
        Column(say("missing.state"), "short"),
    ]
    return table(key, columns, (_hole_row(view, hole) for hole in holes))


def _hole_row(view: View, hole: Hole) -> list[str]:
    say = view.words.say
    state = "found" if hole.found else "reported" if hole.reported else "not-reported"
    page = text_html(say("missing.page", url=shown(hole.page)))
    return [
        url_link(hole.url) + (f"<small>{page}</small>" if hole.page else ""),
        text_html(f"{hole.status} · {kind_words(view, hole.code)}"),
        view.words.number(hole.times),
        text_html(view.words.moment(hole.date)),
        text_html(say(f"missing.{state}")),
    ]


def kind_words(view: View, code: str) -> str:
    """Return what the short name of a fault means; the name itself where no text tells."""
    known = ("unknown-url", "missing-captures", "missing-content", "archive-unreachable")
    return view.words.say(f"missing.{code}") if code in known else code


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
