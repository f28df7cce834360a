"""The harbor's first page: when the reader is, and ways to go (*INA §2.4.3*)."""

import re
from html import escape
from urllib.parse import quote

from agents import dates
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import is_absolute, origin_of, wants_json
from agents.consultation.harbor.forms import FormRefused
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.on_screen import in_short
from agents.consultation.harbor.parts import (
    date_form,
    holes_table,
    link,
    paragraph,
    section,
    shown,
    url_form,
)
from agents.consultation.harbor.search import search_form
from agents.consultation.harbor.view import View
from agents.urls import canonical
from anet.http import Request, Response

HOLES_SHOWN = 10


async def home(means: Means, request: Request) -> Response:
    """Show the reader's date, and ways to go; `date` in the query is one to propose."""
    view = means.view(request)
    if wants_json(request):
        lookup = means.retrieval.locator.lookup
        return frame.json({"date": view.date, "lookup": lookup, "proxy": view.proxy})
    say = view.words.say
    holes = means.holes(request, HOLES_SHOWN)
    screens = means.screens.of(means.reader(request).key)
    proposed = request.query.get("date", "")
    browse = paragraph(say("home.browse", proxy=view.proxy), "box note quiet")
    missing = holes_table(view, holes, "missing-title")
    if holes:
        missing += f'<p class="more">{link("/missing", say("home.all-missing"))}</p>'
    main = (
        paragraph(view.when(), "summary")
        + ("" if view.through_proxy else browse)
        + date_form(view, proposed if re.fullmatch(r"[0-9:T. -]{4,26}", proposed) else "")
        + (section(say("home.screen"), in_short(view, screens[0]), "screen") if screens else "")
        + url_form(view)
        + search_form(view)
        + section(say("home.missing"), missing, "missing-title")
        + f"<p>{link('/certificate', say('home.certificate'))}</p>"
    )
    return frame.page(view, say("home"), main, view.home)


async def choose(means: Means, request: Request) -> Response:
    """Set the reader's date, and lead to `url` or back home."""
    words = means.view(request).words
    reader = means.reader(request)
    try:
        fields = await means.forms.read(request, origin_of(request), reader.key)
    except FormRefused as error:
        return means.say(request, 403, "date.unchanged", words.say(f"refused.{error.reason}"))
    typed = fields.get("date", "")
    try:
        date = "" if fields.get("newest") else dates.parse(typed)
    except dates.InvalidDate:
        words_of_it = words.say("date.invalid", text=typed[:60])
        return means.say(request, 400, "date.unchanged", words_of_it)
    means.readers.choose(reader.key, date=date)
    url = canonical(fields.get("url", ""))
    if url is None:
        return Response.redirect(means.view(request).home, 303)
    page = "/going?url=" if is_absolute(request) else "/captures?url="
    return Response.redirect(page + quote(url, safe=""), 303)


async def going(means: Means, request: Request) -> Response:
    """Lead on to the archived `url`, after a date was chosen for it."""
    url = canonical(request.query.get("url", ""))
    view = means.view(request)
    if url is None or not view.through_proxy:
        return Response.redirect(view.home, 303)
    return frame.page(view, view.words.say("date.set"), _going(view, url))


def _going(view: View, url: str) -> str:
    """Return what leads there at once: a form may not, our policy keeps forms in the harbor."""
    return (
        f'<meta http-equiv="refresh" content="0;url={escape(url)}">'
        + paragraph(view.when(), "summary")
        + f"<p>{link(url, view.words.say('go-on', url=shown(url)))}</p>"
    )
