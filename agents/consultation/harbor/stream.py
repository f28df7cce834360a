"""A day of an archived stream: when it was heard, what was on the air, and the player."""

from collections.abc import Sequence
from html import escape

from attrs import asdict, frozen

from agents import dates
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.day_picture import clock, day_picture
from agents.consultation.harbor.heard import Stretch, gaps, stretches, within
from agents.consultation.harbor.listen import playable
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.parts import (
    Column,
    button,
    facts,
    form,
    hidden,
    link,
    paragraph,
    path_to,
    section,
    shown,
    table,
)
from agents.consultation.harbor.streams import format_of, play_path, title_form
from agents.consultation.harbor.view import View
from agents.consultation.streams.catalogue import Catalogue, CatalogueAway
from agents.consultation.streams.tables import Said, Stream
from agents.page import text_html
from anet.http import Request, Response

SEGMENTED = ("hls", "dash")
_END = "235959999999"


@frozen
class Day:
    """What is shown of a stream.

    Attributes:
        stream: it.
        day: 8 digits.
        at: the date that is played, 20 digits, or empty.
        heard: when it was heard, cut to the day.
        gaps: when it was not, between.
        titles: what was said.
        before: the day before on which anything was heard, or empty.
        after: the day after, likewise.
    """

    stream: Stream
    day: str
    at: str
    heard: Sequence[Stretch]
    gaps: Sequence[Stretch]
    titles: Sequence[Said]
    before: str
    after: str


async def stream(means: Means, request: Request) -> Response:
    """Show the stream of a `url` on a `day`, played from `at`, or from a `time` of the day."""
    view = means.view(request)
    unknown = view.words.say("stream.unknown.words")
    if means.catalogue is None:
        return means.say(request, 404, "stream.unknown", unknown)
    try:
        found = await means.catalogue.stream(request.query.get("url", ""), means.reader(request))
        if found is None:
            return means.say(request, 404, "stream.unknown", unknown)
        shown_day = await _day_of(means, means.catalogue, request, found, view.date)
    except CatalogueAway as error:
        return means.unreachable(request, error)
    if wants_json(request):
        return frame.json(_told(shown_day))
    title = found.name or shown(found.url)
    return frame.page(view, title, _main(view, shown_day), sound=True)


async def _day_of(
    means: Means, catalogue: Catalogue, request: Request, found: Stream, date: str
) -> Day:
    at = _moment(request.query.get("at", ""))
    day = _moment(request.query.get("day", ""))[:8] or at[:8]
    time = request.query.get("time", "")
    if not at and day and time:
        at = _moment(f"{day[:4]}-{day[4:6]}-{day[6:8]}T{time}")
    day = day or min(max(date or found.last, found.first), found.last)[:8]
    first, last = f"{day}000000000000", f"{day}{_END}"
    reader = means.reader(request)
    heard = stretches(await catalogue.pieces(found.url, first, last, reader))
    titles = await catalogue.titles(found.url, first, last, reader)
    before, after = await catalogue.days_around(found.url, day, reader)
    cut = within(heard, first, last)
    return Day(found, day, at, cut, within(gaps(heard), first, last), titles, before, after)


def _told(day: Day) -> dict[str, object]:
    return {
        "stream": asdict(day.stream),
        "day": day.day,
        "heard": [{"from": each.first, "to": each.last} for each in day.heard],
        "gaps": [{"from": each.first, "to": each.last, "why": each.why} for each in day.gaps],
        "titles": [{"date": each.date, "text": each.text} for each in day.titles],
        "before": day.before or None,
        "after": day.after or None,
    }


def _main(view: View, day: Day) -> str:
    say = view.words.say
    return (
        f'<p class="summary">{_name(view, day.stream)}</p>'
        + f'<div class="box">{facts(_facts(view, day.stream))}</div>'
        + section(say("stream.day", day=view.words.day(day.day)), _picture(view, day), "day")
        + section(say("stream.titles"), _titles(view, day), "titles")
        + section(say("stream.gaps"), _gaps(view, day), "gaps")
        + title_form(view, url=day.stream.url)
    )


def _name(view: View, found: Stream) -> str:
    """Return the stream's URL; a link where the reader's browser leads into the archive."""
    if view.through_proxy and found.url.startswith(("http://", "https://")):
        return link(found.url, shown(found.url))
    return text_html(shown(found.url))


def _facts(view: View, found: Stream) -> list[tuple[str, str]]:
    say, words = view.words.say, view.words
    span = say("stream.span", first=words.moment(found.first), last=words.moment(found.last))
    said = [
        (say("stream.description"), found.description),
        (say("streams.genre"), found.genre),
        (say("streams.format"), format_of(found)),
        (say("stream.heard"), span),
    ]
    return [(name, fact) for name, fact in said if fact]


def _picture(view: View, day: Day) -> str:
    say, words = view.words.say, view.words

    def path(date: str) -> str:
        return play_path(day.stream.url, date)

    times = [each.date for each in day.titles]
    drawn = day_picture(view, day.day, day.heard, times, path, day.at)
    ways = [
        link(path_to("/stream", url=day.stream.url, day=each), say(key, day=words.day(each)))
        for key, each in (("stream.day.before", day.before), ("stream.day.after", day.after))
        if each
    ]
    silent = "" if day.heard else paragraph(say("stream.silent"), "empty")
    others = f'<p class="more">{" · ".join(ways)}</p>' if ways else ""
    return silent + drawn + _player(view, day) + _choice(view, day) + others


def _player(view: View, day: Day) -> str:
    """Return what plays, once a moment was chosen."""
    if not day.at:
        return ""
    say, url = view.words.say, day.stream.url
    if day.stream.protocol in SEGMENTED:
        if not view.through_proxy:
            return paragraph(say("stream.beside", proxy=view.proxy), "empty")
        watch = hidden("url", url) + hidden("date", day.at) + button(say("stream.watch"))
        return paragraph(say("stream.through-proxy"), "empty") + form(
            "/date", watch, view, ' class="more"'
        )
    element = "video" if playable(day.stream.media_type).startswith("video/") else "audio"
    source = escape(path_to("/listen", url=url, date=day.at))
    label = text_html(say("stream.playing", date=view.words.moment(day.at)))
    return (
        f'<div class="player"><p id="playing">{label}</p><{element} controls autoplay '
        f'aria-labelledby="playing" src="{source}"></{element}></div>'
    )


def _choice(view: View, day: Day) -> str:
    """Return the form that plays from a time of a day."""
    say = view.words.say
    iso = dates.to_iso(f"{day.day}000000000000")[:10]
    time = clock(day.at) if day.at else "12:00:00"
    is_channel = day.stream.protocol in SEGMENTED  # which another button plays
    inside = (
        hidden("url", day.stream.url)
        + f'<label for="day-of">{text_html(say("stream.day.label"))}</label>'
        + f'<input id="day-of" type="date" name="day" required value="{iso}">'
        + f'<label for="time-of">{text_html(say("stream.time.label"))}</label>'
        + f'<input id="time-of" type="time" step="1" name="time" required value="{time}">'
        + button(say("stream.day.choose" if is_channel else "stream.day.button"))
    )
    return form("/stream", inside, more=' class="when"')


def _titles(view: View, day: Day) -> str:
    say = view.words.say
    if not day.titles:
        return paragraph(say("stream.titles.none"), "empty")
    columns = [Column(say("stream.from"), "short"), Column(say("stream.title"), "long")]
    rows = (
        [link(play_path(day.stream.url, each.date), clock(each.date)), text_html(each.text)]
        for each in day.titles
    )
    return table("titles", columns, rows)


def _gaps(view: View, day: Day) -> str:
    say = view.words.say
    if not day.gaps:
        return paragraph(say("stream.gaps.none"), "empty")
    columns = [
        Column(say("stream.from"), "short"),
        Column(say("stream.to"), "short"),
        Column(say("stream.length"), "short"),
        Column(say("stream.gap.why"), "long"),
    ]
    rows = (
        [
            text_html(clock(each.first)),
            link(play_path(day.stream.url, each.last), clock(each.last)),
            text_html(view.words.span(each.seconds)),
            text_html(each.why or say("stream.gap.unknown")),
        ]
        for each in day.gaps
    )
    return table("gaps", columns, rows)


def _moment(text: str) -> str:
    """Return a date that a person or a link wrote; empty where it is none."""
    try:
        return dates.parse(text[:40]) if text else ""
    except dates.InvalidDate:
        return ""
