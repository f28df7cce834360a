"""What is missing: the log of what readers asked for in vain, by site and kind."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from attrs import asdict

from agents.consultation.faults.missing import Hole
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.means import Means, number_of
from agents.consultation.harbor.parts import (
    button,
    form,
    holes_table,
    kind_words,
    link,
    paragraph,
    path_to,
    section,
    select,
)
from agents.consultation.harbor.view import View
from agents.page import text_html
from agents.urls import host
from anet.http import Request, Response

HOLES_LIMIT = 10_000  # looked at
PAGE_SIZE = 100
_DECIDE = ' class="box decide"'


async def missing(means: Means, request: Request) -> Response:
    """Show what was asked for in vain, of a `site` and a `kind` or of all; `page` from 1 on."""
    site, kind = request.query.get("site", "").strip().lower(), request.query.get("kind", "")
    every = means.holes(request, HOLES_LIMIT)
    holes = [
        hole
        for hole in every
        if (not site or _is_of(hole, site)) and (not kind or hole.code == kind)
    ]
    if wants_json(request):
        return frame.json({"missing": [asdict(hole) for hole in holes]})
    view = means.view(request)
    say = view.words.say
    page = number_of(request, "page", 1, max(1, -(-len(holes) // PAGE_SIZE)))
    part = holes[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    none = paragraph(say("missing.none.here" if every else "missing.none"), "empty")
    main = (
        paragraph(say("missing.words"))
        + _filter(view, every, site, kind)
        + section(
            f"{say('missing')} · {view.words.number(len(holes))}",
            holes_table(view, part, "holes") if part else none,
            "holes",
        )
        + _further(view, site, kind, page, len(holes))
    )
    return frame.page(view, say("missing"), main, "/missing")


def _is_of(hole: Hole, site: str) -> bool:
    """Tell whether a hole is of a host, or of one below it."""
    try:
        name = host(hole.url)
    except IndexError:
        return False
    return name == site or name.endswith("." + site)


def _filter(view: View, holes: Sequence[Hole], site: str, kind: str) -> str:
    say = view.words.say
    counts = Counter(hole.code for hole in holes)
    kinds = [("", say("missing.any"))]
    for code, count in sorted(counts.items()):
        words = kind_words(view, code)
        number = view.words.number(count)
        kinds.append((code, say("missing.kind-count", kind=words, count=number)))
    inside = (
        f'<p><label for="site">{text_html(say("missing.site"))}</label>'
        f'<input id="site" name="site" inputmode="url" value="{escape(site)}" '
        'placeholder="example.org" autocapitalize="off" spellcheck="false"></p>'
        + select("kind", say("missing.kind"), kind, kinds)
        + f"<div>{button(say('missing.show'))}</div>"
    )
    return (
        f'<section aria-labelledby="filter"><h2 id="filter">{text_html(say("missing.filter"))}</h2>'
        f"{form('/missing', inside, more=_DECIDE)}</section>"
    )


def _further(view: View, site: str, kind: str, page: int, count: int) -> str:
    ways = []
    if page > 1:
        path = path_to("/missing", site=site, kind=kind, page=page - 1)
        ways.append(link(path, view.words.say("newer"), ' rel="prev"'))
    if page * PAGE_SIZE < count:
        path = path_to("/missing", site=site, kind=kind, page=page + 1)
        ways.append(link(path, view.words.say("older"), ' rel="next"'))
    return f"<p>{' · '.join(ways)}</p>" if ways else ""
