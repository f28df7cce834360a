"""A page as HTML: one self-contained document, every text escaped, no foreign resource."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from agents.page.bars import bars_html
from agents.page.cells import cell_html, table_html, text_html
from agents.page.curve import curve_html
from agents.page.entry import form_html, question_html
from agents.page.graph import graph_html
from agents.page.network import network_html
from agents.page.strip import strip_html
from agents.page.values import (
    Bars,
    Branch,
    Cell,
    Curve,
    Figures,
    Form,
    Graph,
    LinkTo,
    Log,
    Network,
    Note,
    Page,
    Question,
    Section,
    Strip,
    Table,
    Tree,
)

TREE_DEPTH_LIMIT = 32
FIGURE_LENGTH = 18  # characters; a longer figure is set in smaller type on a line of its own

_STYLE = (files("agents.page") / "page.css").read_text("utf-8")
_SCRIPT = (files("agents.page") / "page.js").read_text("utf-8")
_NETWORK = (files("agents.page") / "network.js").read_text("utf-8")


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


FRAMED_POLICY = (
    f"default-src 'none'; script-src {_source(_SCRIPT)} {_source(_NETWORK)}; "
    f"style-src {_source(_STYLE)}; "
    "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'"
)
"""What a document of ours may do: run its own scripts and style, and ask its own server."""

CONTENT_SECURITY_POLICY = f"{FRAMED_POLICY}; frame-ancestors 'none'"
"""The same, and no other page may show it in a frame, so none can have it clicked on unseen."""


def scriptless_policy(style: str, frames: str = "") -> str:
    """Return the policy of documents that run no script.

    Args:
        style: the sheet that they add to the house's; the same as `document` is given.
        frames: the origin whose pages they may show in frames; none may without one.
    """
    framed = f"frame-src {frames}; " if frames else ""
    return (
        f"default-src 'none'; style-src {_source(_STYLE)} {_source(style)}; {framed}"
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"Content-Type", b"text/html; charset=utf-8"),
    (b"Content-Security-Policy", CONTENT_SECURITY_POLICY.encode()),
    (b"Cross-Origin-Resource-Policy", b"same-origin"),
    (b"Cross-Origin-Opener-Policy", b"same-origin"),
    (b"X-Content-Type-Options", b"nosniff"),
    (b"X-Frame-Options", b"DENY"),
    (b"Referrer-Policy", b"same-origin"),
    (b"Cache-Control", b"no-store"),
)
"""The header fields to send with `render`'s result."""


def render(page: Page) -> bytes:
    """Return a monitoring page as an HTML document that updates itself."""
    summary = f'<p class="summary">{text_html(page.summary)}</p>' if page.summary else ""
    sections = "".join(
        _section_html(section, f"section-{position}")
        for position, section in enumerate(page.sections)
    )
    return document(
        page.title,
        summary + sections,
        who=page.name if page.name == page.kind else f"{page.kind} {page.name}",
        links=page.links,
        here=page.here,
        live=page.live,
        network=any(isinstance(section, Network) for section in page.sections),
    )


def document(
    title: str,
    main: str,
    *,
    who: str = "",
    links: Sequence[LinkTo] = (),
    here: str = "",
    live: bool = False,
    network: bool = False,
    language: str = "en",
    style: str = "",
    skip: str = "",
    pages: str = "Pages",
) -> bytes:
    """Return an HTML document in the house's style.

    Args:
        title: the heading; plain text.
        main: the body, HTML already escaped.
        who: what stands beside the heading; plain text.
        links: the navigation.
        here: the URL of the link that leads to this very page.
        live: whether the page asks for itself again every two seconds.
        network: whether there is a picture to search, zoom and move.
        language: of its texts.
        style: a sheet beside the house's own.
        skip: words of a first link that leads past heading and navigation, for who reads by
            keyboard or ear; no such link without any.
        pages: what the navigation is called.
    """
    heading = text_html(title)
    aside = f'<span class="who">{text_html(who)}</span>' if who else ""
    navigation = "".join(_navigation_html(link, here) for link in links)
    refresh = '<noscript><meta http-equiv="refresh" content="5"></noscript>' if live else ""
    state = '<span id="live" role="status">live</span>' if live else ""
    script = f"<script>{_SCRIPT}</script>" if live else ""
    script += f"<script>{_NETWORK}</script>" if network else ""
    more = f"<style>{style}</style>" if style else ""
    past = f'<a class="skip" href="#main">{text_html(skip)}</a>' if skip else ""
    main_tag = '<main id="main" tabindex="-1">' if skip else "<main>"
    return (
        f'<!DOCTYPE html>\n<html lang="{text_html(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{heading}{' · ' + text_html(who) if who else ''}</title>"
        f'<link rel="icon" href="data:,">{refresh}<style>{_STYLE}</style>{more}</head><body>'
        f"{past}<header><h1>{heading}</h1>{aside}{state}</header>"
        + (f'<nav aria-label="{text_html(pages)}">{navigation}</nav>' if navigation else "")
        + f"{main_tag}{main}</main>{script}</body></html>\n"
    ).encode("utf-8", "replace")


def _navigation_html(link: LinkTo, here: str) -> str:
    html = cell_html(link)
    return html.replace("<a ", '<a aria-current="page" ', 1) if link.url == here else html


def _section_html(section: Section, key: str) -> str:
    half = isinstance(section, Curve | Bars) or (isinstance(section, Table | Form) and section.half)
    width = ' class="half"' if half else ""
    return (
        f'<section{width} aria-labelledby="{key}"><h2 id="{key}">{text_html(section.title)}</h2>'
        f"{_inside_html(section, key)}</section>"
    )


def _inside_html(section: Section, key: str) -> str:
    match section:
        case Figures():
            return _figures_html(section)
        case Table():
            return f'<div class="box">{table_html(section, key)}</div>'
        case Curve():
            return f'<div class="box">{curve_html(section)}</div>'
        case Bars():
            return f'<div class="box">{bars_html(section)}</div>'
        case Strip():
            return f'<div class="box">{strip_html(section)}</div>'
        case Log():
            return f'<div class="box">{_log_html(section, key)}</div>'
        case Tree():
            return f'<div class="box tree"><ul>{_branch_html(section.root, 0)}</ul></div>'
        case Graph():
            return f'<div class="box">{graph_html(section)}</div>'
        case Network():
            return f'<div class="box">{network_html(section)}</div>'
        case Form():
            return form_html(section, key)
        case Question():
            return question_html(section)
        case Note():
            tone = text_html(section.tone)
            return f'<p class="box note {tone}">{text_html(section.text)}</p>'


def _figures_html(section: Figures) -> str:
    figures = "".join(_figure_html(label, cell) for label, cell in section.figures.items())
    return f'<dl class="box figures">{figures}</dl>'


def _log_html(section: Log, key: str) -> str:
    if not section.lines:
        return f'<p class="empty">{text_html(section.empty)}</p>'
    lines = "".join(f"<li>{text_html(line)}</li>" for line in reversed(section.lines))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{key}" '
        f'data-key="{key}"><ol class="log">{lines}</ol></div>'
    )


def _branch_html(branch: Branch, depth: int) -> str:
    note = f"<small>{text_html(branch.note)}</small>" if branch.note else ""
    children: Sequence[Branch] = branch.children if depth < TREE_DEPTH_LIMIT else ()
    below = "".join(_branch_html(child, depth + 1) for child in children)
    return f"<li>{cell_html(branch.label)}{note}{f'<ul>{below}</ul>' if below else ''}</li>"


def _figure_html(label: str, cell: Cell) -> str:
    text = cell.text if isinstance(cell, LinkTo) else cell
    wide = isinstance(text, str) and len(text) > FIGURE_LENGTH
    words = wide or not isinstance(cell, str | int | float)
    outer, inner = ' class="wide"' if wide else "", ' class="words"' if words else ""
    return f"<div{outer}><dt>{text_html(label)}</dt><dd{inner}>{cell_html(cell)}</dd></div>"
