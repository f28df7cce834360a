"""What is on the reader's screen: of which dates the parts of a page are, and what is missing.

An archivist sees here how complete in time a page is (*issue 7*; *INA §2.4.2*).
"""

from collections.abc import Sequence

from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.parts import (
    Column,
    link,
    paragraph,
    section,
    shown,
    table,
    url_link,
)
from agents.consultation.harbor.timeline import timeline
from agents.consultation.harbor.view import View
from agents.consultation.readers.screen import Screen, told
from agents.page import text_html
from anet.http import Request, Response

PAGES_SHOWN = 5
PARTS_SHOWN = 300


async def on_screen(means: Means, request: Request) -> Response:
    """Show the reader's newest pages, and what belongs to them."""
    screens = means.screens.of(means.reader(request).key)
    if wants_json(request):
        return frame.json({"screens": [told(screen) for screen in screens[:PAGES_SHOWN]]})
    view = means.view(request)
    say = view.words.say
    if not screens:
        main = paragraph(say("screen.none"), "box note quiet")
    else:
        main = _whole(view, screens[0]) + _former(view, screens[1:PAGES_SHOWN])
    return frame.page(view, say("screen"), main, "/page")


def in_short(view: View, screen: Screen) -> str:
    """Return what there is to say of a page in a few words."""
    more = link("/page", view.words.say("home.screen.spread"))
    return (
        f'<p class="empty">{url_link(screen.url)}<br>'
        f"{text_html(' '.join(_sentences(view, screen)))} {more}</p>"
    )


def _sentences(view: View, screen: Screen) -> list[str]:
    """Return how complete a page is, in sentences."""
    words = view.words
    missing = len(screen.missing)
    said = [words.say("screen.date", date=words.moment(screen.date))]
    if screen.parts:
        within = screen.spread.seconds
        key = "screen.within" if within >= 1 else "screen.at-once"
        said.append(words.say(key, span=words.span(within)))
    elif not missing:
        return [*said, words.say("screen.alone")]
    complete = words.say("screen.complete")
    return [*said, words.count("screen.missing", missing) if missing else complete]


def _whole(view: View, screen: Screen) -> str:
    say = view.words.say
    parts = [(part.url, part.date) for part in screen.parts]
    drawn = timeline(view, screen.date, parts) if parts else ""
    summary = f'<p class="summary">{url_link(screen.url)}</p>'
    sentences = paragraph(" ".join(_sentences(view, screen)))
    title = view.words.count("screen.parts", len(parts))
    listed = section(title, drawn + _parts(view, screen), "parts") if parts else ""
    missing = section(say("screen.missing.title"), _missing(view, screen), "gone")
    return summary + sentences + listed + (missing if screen.missing else "")


def _parts(view: View, screen: Screen) -> str:
    say = view.words.say
    columns = [
        Column(say("screen.part"), "long"),
        Column(say("screen.distance"), "short"),
        Column(say("date"), "short"),
        Column(say("screen.as"), "short"),
        Column(say("status"), "number"),
    ]
    rows = [
        [
            url_link(part.url),
            text_html(view.words.from_page(part.date, screen.date)),
            text_html(view.words.moment(part.date)),
            text_html(part.destination),
            str(part.status),
        ]
        for part in screen.parts[:PARTS_SHOWN]
    ]
    beyond = max(0, len(screen.parts) - PARTS_SHOWN) + screen.unlisted
    return table("parts", columns, rows) + _rest(view, beyond)


def _missing(view: View, screen: Screen) -> str:
    urls = "".join(f"<li>{url_link(url)}</li>" for url in screen.missing[:PARTS_SHOWN])
    return f'<ul class="urls">{urls}</ul>' + _rest(view, len(screen.missing) - PARTS_SHOWN)


def _rest(view: View, count: int) -> str:
    return paragraph(view.words.count("screen.not-shown", count), "more") if count > 0 else ""


def _former(view: View, screens: Sequence[Screen]) -> str:
    if not screens:
        return ""
    columns = [Column(view.words.say("screen.page"), "long"), Column("", "long")]
    rows = [
        [text_html(shown(screen.url)), text_html(" ".join(_sentences(view, screen)))]
        for screen in screens
    ]
    return section(view.words.say("screen.former"), table("former", columns, rows), "former")
