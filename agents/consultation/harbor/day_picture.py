"""A day of a stream, drawn as SVG: when it was heard, and when titles were said. Pure."""

from collections.abc import Callable, Sequence
from html import escape

from agents.consultation.harbor.heard import Stretch, between
from agents.consultation.harbor.view import View
from agents.page import text_html

WIDTH, HEIGHT = 960, 96
_TOP, _TALL = 12, 44
_DAY = 86400.0
_HOURS = range(0, 25, 2)
_DRAWN = 1000  # titles


def day_picture(
    view: View,
    day: str,
    heard: Sequence[Stretch],
    titles: Sequence[str],
    path: Callable[[str], str],
    at: str = "",
) -> str:
    """Return the picture of a day; the lists beside it say the same in words.

    Args:
        view: who looks.
        day: 8 digits.
        heard: what was heard, cut to the day.
        titles: dates at which titles were said.
        path: tells where what plays from a date is.
        at: the date that is played, or empty.
    """
    begin = f"{day}000000000000"

    def x(date: str) -> float:
        return WIDTH * min(1.0, max(0.0, between(begin, date) / _DAY))

    parts = "".join(_stretch(view, each, x, path) for each in heard)
    marks = "".join(f"M{x(date):.1f} {_TOP + _TALL}v8" for date in titles[:_DRAWN])
    now = f'<path class="now" d="M{x(at):.1f} 4V{_TOP + _TALL + 12}"/>' if at else ""
    label = text_html(view.words.say("stream.picture", day=view.words.day(day)))
    return (
        f'<figure class="day"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f'<rect class="silent" x="0" y="{_TOP}" width="{WIDTH}" height="{_TALL}"/>{parts}'
        f'<path class="titles" d="{marks}"/>{_hours(day, path)}{now}</svg>'
        f"<figcaption>{label}</figcaption></figure>"
    )


def _stretch(
    view: View, stretch: Stretch, x: Callable[[str], float], path: Callable[[str], str]
) -> str:
    left, right = x(stretch.first), x(stretch.last)
    words = view.words.say("stream.part", first=clock(stretch.first), last=clock(stretch.last))
    return (
        f'<a href="{escape(path(stretch.first))}"><title>{text_html(words)}</title>'
        f'<rect class="heard" x="{left:.2f}" y="{_TOP}" width="{max(1.0, right - left):.2f}" '
        f'height="{_TALL}"/></a>'
    )


def _hours(day: str, path: Callable[[str], str]) -> str:
    """Return the hours, each a way to play from there."""
    drawn = ""
    for hour in _HOURS:
        place = WIDTH * hour / 24
        anchor = ' class="first"' if hour == 0 else ' class="last"' if hour == 24 else ""
        text = f'<text x="{place:.0f}" y="{HEIGHT - 8}"{anchor}>{hour:02}:00</text>'
        drawn += f'<path d="M{place:.1f} {_TOP}v{_TALL + 4}"/>'
        drawn += f'<a href="{escape(path(f"{day}{hour:02}0000000000"))}">{text}</a>' if (
            hour < 24
        ) else text  # fmt: skip
    return drawn


def clock(date: str) -> str:
    """Return the time of a date to the second: `07:30:00`."""
    return f"{date[8:10]}:{date[10:12]}:{date[12:14]}"
