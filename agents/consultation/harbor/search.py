"""The search of archived URLs."""

from html import escape

from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.listing import Listing
from agents.consultation.harbor.means import Means, number_of
from agents.consultation.harbor.parts import (
    Column,
    button,
    form,
    link,
    paragraph,
    path_to,
    section,
    table,
    url_link,
)
from agents.consultation.harbor.view import View
from agents.page import text_html
from anet.http import Request, Response

URLS_LIMIT = 1000  # URLs on a page at most
URLS_SHOWN = 100


async def search(means: Means, request: Request) -> Response:
    """List archived URLs: `prefix`, `after` a key, `limit`."""
    query = request.query
    prefix = query.get("prefix", "").strip()
    limit = number_of(request, "limit", URLS_SHOWN, URLS_LIMIT)
    try:
        listing = await means.listings.page(
            prefix, query.get("after", ""), limit, means.reader(request)
        )
    except (LookupFailed, NodesFailed) as error:
        return means.unreachable(request, error)
    listing.urls = [listed for listed in listing.urls if means.shows(request, listed.url)]
    if wants_json(request):
        urls = [{"url": listed.url, "key": listed.key} for listed in listing.urls]
        return frame.json({"urls": urls, "after": listing.after, "silent_nodes": listing.silent})
    view = means.view(request)
    return frame.page(view, view.words.say("search"), _main(view, prefix, listing), "/urls")


def search_form(view: View, prefix: str = "") -> str:
    """Return the form that searches."""
    say = view.words.say
    inside = (
        f'<label for="prefix">{text_html(say("search.label"))}</label>'
        '<input id="prefix" name="prefix" inputmode="url" autocapitalize="off" spellcheck="false" '
        f'placeholder="www.example.org/" value="{escape(prefix)}" aria-describedby="prefix-help">'
        f"<div>{button(say('search.button'))}</div>"
        f'<p id="prefix-help">{text_html(say("search.help"))}</p>'
    )
    return (
        f'<section aria-labelledby="prefix-title"><h2 id="prefix-title">'
        f"{text_html(say('search'))}</h2>{form('/urls', inside)}</section>"
    )


def _main(view: View, prefix: str, listing: Listing) -> str:
    say = view.words.say
    title = say("search.found", text=prefix) if prefix else say("search.all")
    rows = [[url_link(listed.url)] for listed in sorted(listing.urls, key=lambda it: it.url)]
    found = table("urls", [Column(say("url"), "long")], rows)
    none = paragraph(say("search.none"), "empty") + paragraph(say("search.none.help"), "empty")
    return (
        search_form(view, prefix)
        + _silence(view, listing)
        + section(title, found if rows else none, "urls")
        + _further(view, prefix, listing)
    )


def _silence(view: View, listing: Listing) -> str:
    if not listing.silent:
        return ""
    words = view.words.count("search.silent", listing.silent, nodes=listing.nodes)
    return paragraph(words, "box note warning")


def _further(view: View, prefix: str, listing: Listing) -> str:
    if listing.after is None:
        return ""
    path = path_to("/urls", prefix=prefix, after=listing.after)
    further = link(path, view.words.say("search.further"), ' rel="next"')
    return f"<p>{further}</p>"
