"""The captures of a URL, newest first: each leads to its page, and any two are compared."""

from collections.abc import Sequence
from html import escape
from math import ceil

from attrs import frozen

from agents.capture import structure_key
from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.days import changes, nearest
from agents.consultation.harbor.heads import type_of
from agents.consultation.harbor.means import Means, number_of, url_of
from agents.consultation.harbor.parts import (
    Column,
    button,
    form,
    hidden,
    link,
    paragraph,
    path_to,
    section,
    shown,
    table,
    url_form,
)
from agents.consultation.harbor.view import View
from agents.consultation.lookup.structures import CaptureLine
from agents.page import text_html
from anet.http import Request, Response

PAGE_SIZE = 50
TYPED = 500  # captures of a URL up to which their heads are fetched, for their types
_LINE = ("date", "status", "size", "content", "metadata")


@frozen
class Shown:
    """The captures on one page of the list.

    Attributes:
        captures: newest first, each with how it differs from the one before it in time.
        seen: the one that the reader's date leads to, if it is one of the URL's.
        page: from 1 on.
        pages: how many there are.
        count: captures in the whole list.
    """

    captures: Sequence[tuple[CaptureLine, str]]
    seen: CaptureLine
    page: int
    pages: int
    count: int


async def captures(means: Means, request: Request) -> Response:
    """List the captures of `url`, all or those of a `day`; `page` from 1 on."""
    url = url_of(request)
    if url is None:
        return means.no_url(request)
    try:
        lines = await means.captures(request, url)
        if len(lines) <= TYPED and not wants_json(request):
            lines = await means.captures(request, url, heads=True)
    except (LookupFailed, NodesFailed) as error:
        return means.unreachable(request, error)
    day = request.query.get("day", "")[:8]
    if wants_json(request):
        return _json(url, [line for line in lines if line.date.startswith(day)])
    view = means.view(request)
    chosen = _shown(lines, day, view.date, number_of(request, "page", 1, 10**6))
    if chosen is None:
        return none_found(view, url)
    return frame.page(view, view.words.say("captures"), _main(view, url, day, chosen))


def none_found(view: View, url: str) -> Response:
    """Answer that the archive holds no capture of a URL."""
    say = view.words.say
    main = (
        paragraph(shown(url), "summary")
        + paragraph(say("captures.none"), "box note warning")
        + paragraph(say("captures.none.help"))
        + url_form(view, url)
    )
    return frame.page(view, say("captures"), main, status=404)


def _json(url: str, lines: Sequence[CaptureLine]) -> Response:
    told = [{name: getattr(line, name) for name in _LINE} for line in lines]
    value = {"url": url, "key": structure_key(url), "captures": told}
    return frame.json(value, 200 if lines else 404)


def _shown(lines: Sequence[CaptureLine], day: str, date: str, page: int) -> Shown | None:
    all_of_them = zip(lines, changes(lines), strict=True)
    wanted = [pair for pair in all_of_them if pair[0].date.startswith(day)][::-1]
    if not wanted:
        return None
    pages = ceil(len(wanted) / PAGE_SIZE)
    page = min(page, pages)
    part = wanted[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return Shown(part, nearest(lines, date), page, pages, len(wanted))


def _main(view: View, url: str, day: str, chosen: Shown) -> str:
    say = view.words.say
    name = link(url, shown(url)) if view.through_proxy else text_html(shown(url))
    is_day = len(day) == 8 and day.isdigit()
    title = view.words.count("captures", chosen.count)
    if is_day:
        title = f"{say('captures.day', day=view.words.day(day))} · {title}"
    others = link(path_to("/calendar", url=url, year=day[:4]), say("captures.calendar"))
    if day:
        others += " · " + link(path_to("/captures", url=url), say("captures.all"))
    how = "captures.choose" if view.through_proxy else "captures.choose.beside"
    return (
        f'<p class="summary">{name}</p>'
        + paragraph(f"{view.when()} {say(how, proxy=view.proxy)}")
        + f"<p>{others}</p>"
        + section(title, _table(view, url, chosen), "captures")
        + _pages(view, url, day, chosen)
        + url_form(view, url)
    )


def _table(view: View, url: str, chosen: Shown) -> str:
    """Return the captures in a table, within the two forms that its buttons belong to."""
    say = view.words.say
    columns = [
        Column(say("date")),
        *([Column(say("captures.from")), Column(say("captures.to"))] if _two(chosen) else []),
        Column(say("status"), "number"),
        Column(say("size.column"), "number"),
        *([Column(say("type"), "short")] if _typed(chosen) else []),
        Column(say("captures.content")),
        Column(say("captures.change")),
    ]
    rows = (_row(view, chosen, place) for place in range(len(chosen.captures)))
    compare = form("/difference", hidden("url", url) + button(say("captures.compare")), more=_FORM)
    inside = hidden("url", url) + table("captures", columns, rows)
    return form("/date", inside, view, more="") + (compare if _two(chosen) else "")


_FORM = ' id="compare" class="more"'


def _two(chosen: Shown) -> bool:
    return len(chosen.captures) > 1


def _typed(chosen: Shown) -> bool:
    return any(capture.head for capture, _ in chosen.captures)


def _row(view: View, chosen: Shown, place: int) -> list[str]:
    capture, change = chosen.captures[place]
    words = view.words
    when = words.moment(capture.date)
    seen = capture is chosen.seen
    mark = f'<span class="badge good">{text_html(words.say("captures.you-read"))}</span>'
    radios = [
        _radio("from", capture.date, words.say("captures.from.label", date=when), place == 1),
        _radio("to", capture.date, words.say("captures.to.label", date=when), place == 0),
    ]
    key = escape(capture.content)
    return [
        button(when, "date", capture.date, ' class="plain"') + (mark if seen else ""),
        *(radios if _two(chosen) else []),
        str(capture.status),
        text_html(words.size(capture.size)),
        *([text_html(type_of(capture.head) or words.say("unknown"))] if _typed(chosen) else []),
        f'<span class="key" title="{key}">{key[:12]}…</span>',
        text_html(words.say(f"change.{change}")),
    ]


def _radio(name: str, date: str, label: str, checked: bool) -> str:
    return (
        f'<input type="radio" form="compare" name="{name}" value="{escape(date)}" '
        f'aria-label="{text_html(label)}"{" checked" if checked else ""}>'
    )


def _pages(view: View, url: str, day: str, chosen: Shown) -> str:
    """Return the way to the other pages of the list."""
    if chosen.pages == 1:
        return ""
    say = view.words.say
    ways = [text_html(say("captures.pages", page=chosen.page, pages=chosen.pages))]
    if chosen.page > 1:
        path = path_to("/captures", url=url, day=day, page=chosen.page - 1)
        ways.insert(0, link(path, say("newer"), ' rel="prev"'))
    if chosen.page < chosen.pages:
        path = path_to("/captures", url=url, day=day, page=chosen.page + 1)
        ways.append(link(path, say("older"), ' rel="next"'))
    return f"<p>{' · '.join(ways)}</p>"
