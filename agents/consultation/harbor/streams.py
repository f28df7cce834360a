"""The archived radios and televisions, and the search of what was said of them."""

from collections.abc import Sequence
from html import escape

from attrs import asdict

from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.means import Means, number_of
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
)
from agents.consultation.harbor.view import View
from agents.consultation.streams.catalogue import CatalogueAway
from agents.consultation.streams.tables import Said, Stream
from agents.page import text_html
from anet.http import Request, Response

STREAMS_SHOWN = 100
STREAMS_LIMIT = 1000
_KINDS = {"name": "streams.name.kind", "genre": "streams.genre.kind"}


async def streams(means: Means, request: Request) -> Response:
    """List the archived streams `after` a URL, or what was said with `words` in it."""
    if means.catalogue is None:
        return means.say(request, 404, "streams", means.view(request).words.say("streams.away"))
    words = request.query.get("words", "").strip()[:200]
    try:
        return await (_found(means, request, words) if words else _listed(means, request))
    except CatalogueAway as error:
        return means.unreachable(request, error)


async def _listed(means: Means, request: Request) -> Response:
    assert means.catalogue is not None
    limit = number_of(request, "limit", STREAMS_SHOWN, STREAMS_LIMIT)
    after = request.query.get("after", "")
    found, more = await means.catalogue.streams(after, limit, means.reader(request))
    if wants_json(request):
        return frame.json({"streams": [asdict(each) for each in found], "after": more or None})
    view = means.view(request)
    say = view.words.say
    inside = _table(view, found) if found else paragraph(say("streams.none"), "empty")
    further = link(path_to("/streams", after=more), say("streams.further"), ' rel="next"')
    main = (
        paragraph(say("streams.words"))
        + title_form(view)
        + section(say("streams.all"), inside, "streams")
        + (f"<p>{further}</p>" if more else "")
    )
    return frame.page(view, say("streams"), main, "/streams")


def _table(view: View, found: Sequence[Stream]) -> str:
    say, words = view.words.say, view.words
    columns = [
        Column(say("streams.name"), "long"),
        Column(say("streams.genre")),
        Column(say("streams.format"), "short"),
        Column(say("streams.first"), "short"),
        Column(say("streams.last"), "short"),
    ]
    rows = (
        [
            link(path_to("/stream", url=each.url), each.name or shown(each.url))
            + (f"<small>{text_html(shown(each.url))}</small>" if each.name else ""),
            text_html(each.genre),
            text_html(format_of(each)),
            text_html(words.day(each.first)),
            text_html(words.day(each.last)),
        ]
        for each in found
    )
    return table("streams", columns, rows)


async def _found(means: Means, request: Request, words: str) -> Response:
    assert means.catalogue is not None
    url, reader = request.query.get("url", ""), means.reader(request)
    before = number_of(request, "before", 1 << 40, 1 << 40) if "before" in request.query else 0
    found, more = await means.catalogue.search(words, url, before, reader)
    if wants_json(request):
        return frame.json({"found": [asdict(each) for each in found], "before": more or None})
    view = means.view(request)
    say = view.words.say
    path = path_to("/streams", words=words, url=url, before=more)
    further = link(path, say("streams.found.further"), ' rel="next"')
    inside = _said(view, found) if found else paragraph(say("streams.found.none"), "empty")
    main = (
        title_form(view, words, url)
        + section(say("streams.found", text=words), inside, "found")
        + (f"<p>{further}</p>" if more else "")
    )
    return frame.page(view, say("streams"), main)


def _said(view: View, found: Sequence[Said]) -> str:
    say, words = view.words.say, view.words
    columns = [
        Column(say("date"), "short"),
        Column(say("streams.said"), "long"),
        Column(say("streams.name"), "long"),
    ]
    rows = (
        [
            link(play_path(each.url, each.date), words.moment(each.date)),
            text_html(each.text)
            + f"<small>{text_html(say(_KINDS.get(each.kind, f'streams.{each.kind}')))}</small>",
            link(path_to("/stream", url=each.url, day=each.date[:8]), shown(each.url)),
        ]
        for each in found
    )
    return table("found", columns, rows)


def title_form(view: View, words: str = "", url: str = "") -> str:
    """Return the form that searches, in one stream or in all."""
    say = view.words.say
    inside = (
        f'<label for="words">{text_html(say("streams.search.label"))}</label>'
        f'<input id="words" name="words" required value="{escape(words)}" autocomplete="off">'
        + (hidden("url", url) if url else "")
        + f"<div>{button(say('streams.search.button'))}</div>"
    )
    return (
        f'<section aria-labelledby="words-title"><h2 id="words-title">'
        f"{text_html(say('streams.search'))}</h2>{form('/streams', inside)}</section>"
    )


def play_path(url: str, date: str) -> str:
    """Return the path of the page that plays a stream from a date on."""
    return path_to("/stream", url=url, day=date[:8], at=date)


def format_of(stream: Stream) -> str:
    """Return format and protocol of a stream in a few words."""
    return " · ".join(filter(None, (stream.media_type, stream.protocol.upper())))
