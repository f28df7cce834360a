"""The harbor's pages as HTML: plain, quick, and without script."""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from agents.consultation.faults.missing import Hole
from agents.consultation.harbor.listing import Listing
from agents.consultation.harbor.parts import (
    View,
    captures_path,
    captures_table,
    chosen,
    date_form,
    date_words,
    hidden,
    holes_table,
    how_to_browse,
    search_form,
    section,
    url_form,
)
from agents.consultation.lookup.structures import CaptureLine
from agents.page import LinkTo, Table, document, table_html, text_html
from agents.urls import readable


def home_page(view: View, holes: Sequence[Hole]) -> bytes:
    """Return the first page."""
    main = (
        f'<p class="summary">You read the archive at <b>{escape(date_words(view.date))}</b>.</p>'
        + ("" if view.through_proxy else how_to_browse(view))
        + date_form(view)
        + url_form()
        + search_form("")
        + section("Recently missing", holes_table(holes))
    )
    return _document(view, "Web archive", main, view.home)


def urls_page(view: View, prefix: str, listing: Listing) -> bytes:
    """Return a page of the list of archived URLs."""
    rows = [
        [LinkTo(readable(listed.url), captures_path(listed.url))]
        for listed in sorted(listing.urls, key=lambda listed: listed.url)
    ]
    table = table_html(
        Table("", ["URL"], rows, empty="No archived URL here begins like this."), "urls"
    )
    warning = ""
    if listing.silent:
        warning = (
            f'<p class="box note warning">{listing.silent} of {listing.nodes} storage nodes do '
            "not answer; URLs that only they hold are not listed.</p>"
        )
    further = ""
    if listing.after is not None:
        query = urlencode({"prefix": prefix, "after": listing.after})
        further = f'<p><a href="/urls?{escape(query)}" rel="next">Further URLs</a></p>'
    title = "Archived URLs" + (f" that begin with {prefix}" if prefix else "")
    main = search_form(prefix) + warning + section(title, table, "urls") + further
    return _document(view, "What the archive holds", main, "/urls")


def captures_page(view: View, url: str, captures: Sequence[CaptureLine]) -> bytes:
    """Return the page of all captures of a URL, newest first."""
    words = f"{len(captures)} captures" if len(captures) != 1 else "1 capture"
    shown = text_html(readable(url))
    link = f'<a href="{escape(url)}">{shown}</a>' if view.through_proxy else shown
    table = captures_table(captures, view.date)
    if captures:
        table = (
            f'<form method="post" action="/date">{hidden("token", view.token)}'
            f"{hidden('url', url)}{table}</form>"
        )
    main = (
        f'<p class="summary">{link}</p>'
        + (chosen(view) if captures else "")
        + section(words, table, "captures")
        + url_form(url)
    )
    return _document(view, "Captures", main)


def missing_page(view: View, holes: Sequence[Hole]) -> bytes:
    """Return the page of what readers asked for in vain."""
    main = (
        "<p>What readers asked for and the archive could not give, newest first. "
        "It may be worth collecting.</p>" + section("Missing", holes_table(holes))
    )
    return _document(view, "What is missing", main, "/missing")


def going_page(view: View, url: str) -> bytes:
    """Return the page that leads from the harbor to an archived URL.

    A form may not lead there by itself: our pages' policy keeps forms within the harbor.
    """
    main = (
        f'<meta http-equiv="refresh" content="0;url={escape(url)}">'
        f'<p class="summary">You read the archive at <b>{escape(date_words(view.date))}</b>.</p>'
        f'<p><a href="{escape(url)}">Go on to {text_html(readable(url))}</a></p>'
    )
    return _document(view, "Your date is set", main)


def message_page(view: View, title: str, message: str) -> bytes:
    """Return a page that says one thing."""
    return _document(view, title, f'<p class="summary">{text_html(message)}</p>')


def _document(view: View, title: str, main: str, here: str = "") -> bytes:
    links = [
        LinkTo("Harbor", view.home),
        LinkTo("What it holds", "/urls"),
        LinkTo("What is missing", "/missing"),
        LinkTo("Monitoring", "/monitoring" if view.through_proxy else "/"),
    ]
    return document(title, main, who="dlweb harbor", links=links, here=here)
