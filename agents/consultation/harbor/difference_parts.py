"""The difference of two captures as HTML; all that comes from the web is escaped text."""

from collections.abc import Sequence
from html import escape

from attrs import frozen

from agents import dates
from agents.capture import Capture
from agents.consultation.harbor import frame
from agents.consultation.harbor.comparing import CONTENT_LIMIT, Comparison, Row, Runs
from agents.consultation.harbor.parts import (
    Column,
    button,
    captures_path,
    form,
    hidden,
    link,
    paragraph,
    section,
    shown,
    table,
    url_link,
)
from agents.consultation.harbor.pictures import picture_path
from agents.consultation.harbor.view import View
from agents.page import text_html
from anet.http import Response

_MARKS = {"added": "+", "removed": "−", "same": " "}
_TAGS = {"added": "ins", "removed": "del", "same": "span"}


@frozen
class Pair:
    """Two captures of one URL.

    Attributes:
        old: the earlier one.
        new: the later one.
        old_type: its media type, or empty.
        new_type: of the later one.
    """

    old: Capture
    new: Capture
    old_type: str
    new_type: str


def difference_page(
    view: View, pair: Pair, mode: str, told: Comparison | str | None, replay: str
) -> Response:
    """Return the page.

    Args:
        view: who looks.
        pair: what is compared.
        mode: how (see `difference`).
        told: what differs, the key of a text that says why nobody knows, or None in modes that
            need no comparison.
        replay: the origin that renders pages, or empty.
    """
    say = view.words.say
    url = pair.new.url
    body = _body(view, pair, mode, told, replay)
    main = (
        f'<p class="summary">{link(captures_path(url), shown(url))}</p>'
        + section(say("captures"), _facts(view, pair), "both")
        + _ways(view, pair, mode)
        + section(say(f"difference.{mode}"), body, "difference")
        + other_dates(view, pair)
    )
    return frame.page(view, say("difference"), main, frames=replay if mode == "frames" else "")


def _body(view: View, pair: Pair, mode: str, told: Comparison | str | None, replay: str) -> str:
    say = view.words.say
    if isinstance(told, str):
        return paragraph(say(told, limit=view.words.size(CONTENT_LIMIT)), "empty")
    if mode == "pictures":
        return _pictures(view, pair)
    if mode == "frames":
        return _frames(view, pair, replay)
    if told is None:
        return ""
    return _links(view, told) if mode == "links" else _text(view, pair, told)


def _facts(view: View, pair: Pair) -> str:
    """Return both captures side by side, and the form that chooses two others."""
    say = view.words.say
    columns = [Column(""), Column(say("difference.old")), Column(say("difference.new"))]
    unknown = say("unknown")
    rows = [
        [say("date"), view.words.moment(pair.old.date), view.words.moment(pair.new.date)],
        [say("status"), str(pair.old.status), str(pair.new.status)],
        [say("type"), pair.old_type or unknown, pair.new_type or unknown],
        [say("size.column"), view.words.size(pair.old.size), view.words.size(pair.new.size)],
    ]
    same = pair.old.content == pair.new.content
    note = paragraph(say("difference.same-content"), "more") if same else ""
    return table("both", columns, [[text_html(cell) for cell in row] for row in rows]) + note


def _ways(view: View, pair: Pair, mode: str) -> str:
    say = view.words.say
    modes = ["pictures" if mode == "pictures" else "text", "source", "links", "frames"]
    if mode == "pictures":
        modes.remove("source")
    ways = "".join(
        button(
            say(f"difference.{each}"),
            "mode",
            "text" if each == "pictures" else each,
            ' aria-current="true"' if each == mode else "",
        )
        for each in modes
    )
    kept = hidden("url", pair.new.url) + hidden("from", pair.old.date) + hidden("to", pair.new.date)
    more = f' class="ways" aria-label="{text_html(say("difference.modes"))}"'
    return form("/difference", kept + ways, more=more)


def _text(view: View, pair: Pair, told: Comparison) -> str:
    say = view.words.say
    if not told.has_text:
        return paragraph(say("difference.no-text"), "empty")
    percent = view.words.number(_percent(told.similarity), 1)
    words = say("difference.similar", percent=percent)
    if told.similarity == 1.0 and all(row.kind in ("same", "skipped") for row in told.rows):
        same = pair.old.content == pair.new.content
        words = say("difference.same-content" if same else "difference.same-text")
        return paragraph(words, "empty")
    lines = "".join(_row(view, row) for row in told.rows)
    cut = paragraph(say("difference.cut"), "more") if told.cut else ""
    return (
        paragraph(words, "empty")
        + paragraph(say("difference.legend"), "empty")
        + '<div class="scroll" role="region" tabindex="0" aria-labelledby="difference">'
        + f'<ol class="lines">{lines}</ol></div>{cut}'
    )


def _percent(similarity: float) -> float:
    """Return a share in per cent; only what is wholly the same is 100."""
    return min(99.9, 100 * similarity) if similarity < 1 else 100.0


def _row(view: View, row: Row) -> str:
    if row.kind == "skipped":
        words = view.words.count("difference.skipped", row.count)
        return f'<li class="skipped">… {text_html(words)} …</li>'
    kind = row.kind if row.kind in _TAGS else "same"
    mark = _MARKS[kind]
    spoken = "" if kind == "same" else f' aria-label="{view.words.say(f"difference.{kind}")}"'
    role = ' role="img"' if spoken else ""
    return (
        f'<li class="{kind}"><span class="mark"{role}{spoken}>{mark}</span>'
        f"{_runs(row.runs, _TAGS[kind])}</li>"
    )


def _runs(runs: Runs, tag: str) -> str:
    return "".join(
        f"<{tag}>{text_html(text)}</{tag}>" if changed else text_html(text)
        for changed, text in runs
    )


def _links(view: View, told: Comparison) -> str:
    say = view.words.say
    fields = [
        [f'<span class="key">{text_html(name)}</span>', text_html(old), text_html(new)]
        for name, old, new in told.fields
    ]
    columns = [
        Column(say("difference.field")),
        Column(say("difference.old"), "long"),
        Column(say("difference.new"), "long"),
    ]
    none = paragraph(say("difference.none"), "empty")
    heading = f'<h3 id="fields">{text_html(say("difference.head"))}</h3>'
    return (
        _urls(view, say("difference.links-added"), told.links_added)
        + _urls(view, say("difference.links-gone"), told.links_gone)
        + heading
        + (table("fields", columns, fields) if fields else none)
    )


def _urls(view: View, title: str, urls: Sequence[str]) -> str:
    items = "".join(f"<li>{url_link(url)}</li>" for url in urls)
    none = paragraph(view.words.say("difference.none"), "empty")
    return f"<h3>{text_html(title)}</h3>" + (f'<ul class="urls">{items}</ul>' if urls else none)


def _pictures(view: View, pair: Pair) -> str:
    say = view.words.say
    old, new = (escape(picture_path(each.url, each.date)) for each in (pair.old, pair.new))
    labels = [
        text_html(say(f"difference.pictures.{name}", date=view.words.moment(each.date)))
        for name, each in (("old", pair.old), ("new", pair.new))
    ]
    differs = text_html(say("difference.pictures.differs"))
    return (
        paragraph(say("difference.pictures.help"), "empty")
        + f'<div class="pair"><figure><img src="{old}" alt="{labels[0]}"><figcaption>{labels[0]}'
        f'</figcaption></figure><figure><img src="{new}" alt="{labels[1]}"><figcaption>{labels[1]}'
        "</figcaption></figure>"
        f'</div><figure class="overlay"><div role="img" aria-label="{differs}">'
        f'<img src="{old}" alt=""><img src="{new}" alt=""></div>'
        f"<figcaption>{differs}</figcaption></figure>"
    )


def _frames(view: View, pair: Pair, replay: str) -> str:
    say = view.words.say
    if not replay:
        return paragraph(say("difference.frames.none"), "empty")
    beside = over = ""
    for each in (pair.old, pair.new):
        title = text_html(say("difference.frame", date=view.words.moment(each.date)))
        framed = _frame(each, replay, title)
        beside += f"<figure>{framed}<figcaption>{title}</figcaption></figure>"
        over += framed
    differs = text_html(say("difference.frames.differs"))
    return (
        paragraph(say("difference.frames.help"), "empty") + f'<div class="pair">{beside}</div>'
        # Nothing in it can be pressed or scrolled, or the two would lie apart.
        f'<figure class="overlay pages"><div inert>{over}</div>'
        f"<figcaption>{differs}</figcaption></figure>"
    )


def _frame(capture: Capture, replay: str, title: str) -> str:
    source = escape(f"{replay}/web/{capture.date}/{capture.url}")
    return (
        f'<iframe src="{source}" title="{title}" loading="lazy" '
        'sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer"></iframe>'
    )


def other_dates(view: View, pair: Pair) -> str:
    """Return the form that compares two other captures of the URL."""
    say = view.words.say
    title = text_html(say("difference.others"))
    fields = "".join(
        f'<p><label for="{name}">{text_html(say(label))}</label>'
        f'<input id="{name}" name="{name}" class="short" required '
        f'value="{dates.to_words(date)}"></p>'
        for name, label, date in (
            ("from", "difference.old", pair.old.date),
            ("to", "difference.new", pair.new.date),
        )
    )
    inside = hidden("url", pair.new.url) + fields + f"<div>{button(say('captures.compare'))}</div>"
    others = form("/difference", inside, more=' class="box decide"')
    return f'<section aria-labelledby="others"><h2 id="others">{title}</h2>{others}</section>'
