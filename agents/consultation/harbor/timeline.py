"""The dates of a page's parts around that of the page, drawn as SVG. Pure."""

from collections.abc import Sequence
from math import asinh

from agents import dates
from agents.consultation.harbor.parts import shown
from agents.consultation.harbor.view import View
from agents.page import text_html

WIDTH, HEIGHT = 1000, 190
DRAWN = 500  # parts
_MIDDLE, _MARGIN = WIDTH / 2, 30
_HOUR = 3600.0
_MINOR = ' class="minor"'
_DAY = 24 * _HOUR
_TICKS = (_HOUR, _DAY, 30 * _DAY, 365 * _DAY, 3650 * _DAY)  # seconds


def timeline(view: View, page: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return the picture of some parts, as far left or right of their page as they are in time.

    Distances grow as their logarithm does, for a part may be a minute or ten years away. The
    table beside it says the same in words.

    Args:
        view: who looks.
        page: date of the page, 20 digits.
        parts: URL and date of each.
    """
    words = view.words
    gaps = [(url, date, _gap(date, page)) for url, date in parts[:DRAWN]]
    furthest = max((abs(gap) for _, _, gap in gaps), default=0.0)
    reach = max(furthest * 1.2, _HOUR)
    sizes = [size for size in _TICKS if size <= reach]
    drawn = "".join(
        _tick(view, sign * size, reach, size == sizes[-1]) for size in sizes for sign in (-1, 1)
    )
    drawn += "".join(
        _dot(view, place, url, date, page, _x(gap, reach))
        for place, (url, date, gap) in enumerate(gaps)
    )
    label = text_html(words.say("screen.timeline"))
    return (
        f'<figure class="timeline"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{label}"><path class="axis" d="M0 140H{WIDTH}M{_MIDDLE} 8V148"/>{drawn}'
        f'<text x="{_MIDDLE}" y="178" class="page">{text_html(words.say("screen.page"))}</text>'
        f"</svg><figcaption>{label}</figcaption></figure>"
    )


def _gap(date: str, page: str) -> float:
    return (dates.to_datetime(date) - dates.to_datetime(page)).total_seconds()


def _x(gap: float, reach: float) -> float:
    """Return where a gap of seconds is drawn, of which `reach` is drawn at the edge."""
    return _MIDDLE + (_MIDDLE - _MARGIN) * asinh(gap / 60) / asinh(reach / 60)


def _tick(view: View, size: float, reach: float, last: bool) -> str:
    """Return a mark of a distance; where there is little room only the last ones have words."""
    x = _x(size, reach)
    words = ("−" if size < 0 else "+") + view.words.span(size)
    return (
        f'<path d="M{x:.1f} 132V148"/>'
        f'<text x="{x:.1f}" y="178"{"" if last else _MINOR}>{text_html(words)}</text>'
    )


def _dot(view: View, place: int, url: str, date: str, page: str, x: float) -> str:
    """Return a part; those of one time stand over each other, seven high."""
    title = f"{shown(url)}: {view.words.from_page(date, page)}"
    y = 126 - place % 7 * 18
    return f'<circle cx="{x:.1f}" cy="{y}" r="7"><title>{text_html(title)}</title></circle>'
