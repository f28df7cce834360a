"""A curve as inline SVG; its labels are HTML, so that they stay readable at any width."""

from collections.abc import Iterable, Sequence
from html import escape
from math import floor, log10

from agents.page.text import human_bytes, human_number, human_seconds
from agents.page.values import Curve

WIDTH, HEIGHT = 600, 120
POINT_LIMIT = 600
LARGEST = 1e100  # also false for what is not a number

Points = Sequence[tuple[float, float]]


def curve_html(curve: Curve) -> str:
    """Return the figure of a curve, without its section."""
    points = finite(curve.series)
    if len(points) < 2:
        return '<p class="empty">Not enough measures yet.</p>'
    lowest = min(0.0, min(value for _, value in points))
    top = ceiling(max(value for _, value in points))
    span = human_seconds(points[-1][0] - points[0][0])
    last, highest = (
        quantity(value, curve.unit) for value in (points[-1][1], max(v for _, v in points))
    )
    summary = f"{curve.title}: {last} now, at most {highest} in {span}"
    return (
        f'<figure class="curve"><figcaption><b>{escape(last)}</b> now'
        f'<span>at most {escape(highest)}</span></figcaption><div class="plot">'
        f'<div class="scale"><span>{escape(quantity(top, curve.unit))}</span>'
        f"<span>{escape(quantity(lowest, curve.unit))}</span></div>"
        f"{_svg(points, lowest, top, summary)}"
        f'<div class="time"><span>{escape(span)} ago</span><span>now</span></div></div></figure>'
    )


def finite(series: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the newest points that can be drawn, in order of time."""
    points = [
        (float(time), float(value))
        for time, value in series
        if abs(time) < LARGEST and abs(value) < LARGEST
    ]
    return sorted(points[-POINT_LIMIT:], key=lambda point: point[0])


def ceiling(value: float) -> float:
    """Return the next round number (1, 2 or 5 with zeros) at or above `value`; 1 when none is."""
    if value <= 1e-300:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in (1, 2, 5) if step * power >= value), 10 * power)


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit, as people write it."""
    if unit == "s":
        return human_seconds(value)
    if unit.startswith("bytes"):
        return human_bytes(value) + unit.removeprefix("bytes")
    return f"{human_number(value)}{'' if unit[:1] == '/' else ' '}{unit}".rstrip()


def _svg(points: Points, lowest: float, top: float, summary: str) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in _placed(points, lowest, top))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(summary)}">'
        f'<path class="grid" d="M0 .5H{WIDTH}M0 {HEIGHT / 2}H{WIDTH}M0 {HEIGHT - 0.5}H{WIDTH}"/>'
        f'<polygon points="0,{HEIGHT} {line} {WIDTH},{HEIGHT}"/><polyline points="{line}"/></svg>'
    )


def _placed(points: Points, lowest: float, top: float) -> list[tuple[float, float]]:
    start = points[0][0]
    duration = (points[-1][0] - start) or 1.0
    height = (top - lowest) or 1.0
    return [
        (
            (time - start) / duration * WIDTH,
            HEIGHT - (value - lowest) / height * HEIGHT,
        )
        for time, value in points
    ]
