"""The calendar of a URL: its captures by year, month and day.

The days are buttons of one form, so that the URL, which may be long, is on the page once.
"""

from calendar import Calendar
from collections.abc import Mapping, Sequence

from attrs import asdict

from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.captures import none_found
from agents.consultation.harbor.days import Day, by_day, by_year, year_to_show, years_around
from agents.consultation.harbor.means import Means, url_of
from agents.consultation.harbor.parts import (
    button,
    captures_path,
    form,
    hidden,
    link,
    paragraph,
    section,
    shown,
    url_form,
)
from agents.consultation.harbor.view import View
from agents.page import text_html
from anet.http import Request, Response

_WEEKS = Calendar()


async def calendar(means: Means, request: Request) -> Response:
    """Show the captures of `url` in one `year`, by day."""
    url = url_of(request)
    if url is None:
        return means.no_url(request)
    try:
        days = by_day(await means.captures(request, url))
    except (LookupFailed, NodesFailed) as error:
        return means.unreachable(request, error)
    if wants_json(request):
        told = {day: asdict(captured) for day, captured in days.items()}
        return frame.json({"url": url, "days": told}, 200 if days else 404)
    view = means.view(request)
    if not days:
        return none_found(view, url)
    main = _main(view, url, days, request.query.get("year", ""))
    return frame.page(view, view.words.say("calendar"), main)


def _main(view: View, url: str, days: Mapping[str, Day], asked: str) -> str:
    say = view.words.say
    years = by_year(days)
    year = year_to_show(list(years), asked, view.date)
    months = "".join(_month(view, year, month, days) for month in range(1, 13))
    inside = hidden("url", url) + f'<div class="months">{months}</div>'
    return (
        f'<p class="summary">{text_html(shown(url))}</p>'
        + paragraph(view.when())
        + section(say("calendar.years"), _years(view, url, years, year), "years")
        + f'<section aria-labelledby="year"><h2 id="year">{year} · '
        + f"{text_html(view.words.count('captures', years.get(year, 0)))}</h2>"
        + f"{paragraph(say('calendar.help'))}{form('/captures', inside, more='')}</section>"
        + f"<p>{link(captures_path(url), say('captures.all'))}</p>"
        + url_form(view, url)
    )


def _years(view: View, url: str, years: Mapping[int, int], year: int) -> str:
    buttons = "".join(
        button(
            str(each),
            "year",
            str(each),
            f' aria-label="{each}: {text_html(view.words.count("captures", years[each]))}"'
            + (' aria-current="true"' if each == year else ""),
        ).replace("</button>", f"<small>{view.words.number(years[each])}</small></button>")
        for each in years_around(years, year)
    )
    return form("/calendar", hidden("url", url) + buttons, more=' class="years"')


def _month(view: View, year: int, month: int, days: Mapping[str, Day]) -> str:
    """Return the table of a month: its weeks from Monday on."""
    words = view.words
    head = "".join(
        f'<th scope="col"><abbr title="{text_html(name)}">{text_html(name[:2])}</abbr></th>'
        for name in words.say("weekdays").split(" ")
    )
    weeks = "".join(
        "<tr>" + "".join(_day(view, f"{year:04}{month:02}{day:02}", day, days) for day in week)
        + "</tr>"
        for week in _weeks(year, month)
    )  # fmt: skip
    title = text_html(words.say("calendar.month", month=words.month(month), year=year))
    return (
        f'<table class="month"><caption>{title}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{weeks}</tbody></table>"
    )


def _weeks(year: int, month: int) -> Sequence[Sequence[int]]:
    return _WEEKS.monthdayscalendar(year, month)


def _day(view: View, date: str, day: int, days: Mapping[str, Day]) -> str:
    captured = days.get(date)
    if captured is None:
        return f"<td>{day or ''}</td>"
    captures = view.words.count("captures", captured.count)
    key = "calendar.day.changed" if captured.changed else "calendar.day"
    label = text_html(view.words.say(key, day=view.words.day(date), captures=captures))
    mark = "≠" if captured.changed else ""
    return (
        f'<td class="shade-{captured.shade}"><button name="day" value="{date}" '
        f'aria-label="{label}">{day}<small>{captured.count}{mark}</small></button></td>'
    )
