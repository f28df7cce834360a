"""Results of a simulation as a picture: an SVG file that stands by itself."""

from collections.abc import Iterator, Sequence
from html import escape

from agents.scheduler.temporal.simulation.simulator import SAMPLES_PER_DAY, Result

_Scale = tuple[float, float]  # shares at the bottom and at the top

WIDTH, HEIGHT = 860, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 48, 44  # margins
_COLOURS = ("#0b63a5", "#b3261e", "#8a5300", "#17703a", "#6b3fa0")
_DASHES = ("", "", "7 4", "2 3", "10 3 2 3")  # so that colour is not all that tells them apart
_POINTS = 52
_LABEL_HEIGHT = 17.0
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1b2530}.soft{fill:#59656f}"
    ".title{font-weight:600;font-size:15px}.grid{stroke:#e0e4e8}"
)


def chart(results: Sequence[Result], title: str) -> str:
    """Return the freshness of policies over time as an SVG document.

    Args:
        results: of policies over the same histories, of the same length.
        title: what it shows.
    """
    curves = [_means(result.fresh) for result in results]
    lowest = min((min(curve) for curve in curves if curve), default=0.0)
    highest = max((max(curve) for curve in curves if curve), default=1.0)
    scale = int(lowest * 20) / 20, min(1.0, int(highest * 20 + 1) / 20)
    days = max((result.days for result in results), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text class="title" x="{_LEFT}" y="26">{escape(title)}</text>',
        *_grid(scale, days),
        *_lines(curves, scale),
        *_labels(results, curves, scale),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _means(values: Sequence[float]) -> list[float]:
    """Return means over some days each, so that lines stay calm."""
    count = max(1, min(_POINTS, len(values) // SAMPLES_PER_DAY))
    edges = [len(values) * number // count for number in range(count + 1)]
    return [
        sum(values[first:last]) / (last - first)
        for first, last in zip(edges, edges[1:], strict=False)
        if last > first
    ]


def _grid(scale: _Scale, days: float) -> Iterator[str]:
    bottom, top = scale
    steps = round((top - bottom) * 100)
    for number in range(0, steps + 1, 1 if steps <= 10 else 5):
        share = bottom + number / 100
        y = _y(share, scale)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>'
        yield (
            f'<text class="soft" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f"{100 * share:.0f} %</text>"
        )
    for number in range(5):
        x = _LEFT + (WIDTH - _LEFT - _RIGHT) * number / 4
        yield (
            f'<text class="soft" x="{x:.1f}" y="{HEIGHT - _BOTTOM + 24}" text-anchor="middle">'
            f"day {days * number / 4:.0f}</text>"
        )


def _lines(curves: Sequence[Sequence[float]], scale: _Scale) -> Iterator[str]:
    for index, curve in enumerate(curves):
        width = (WIDTH - _LEFT - _RIGHT) / max(1, len(curve))
        points = " ".join(
            f"{_LEFT + (place + 0.5) * width:.1f},{_y(value, scale):.1f}"
            for place, value in enumerate(curve)
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke="{_COLOURS[index % len(_COLOURS)]}" '
            f'stroke-width="2" stroke-dasharray="{_DASHES[index % len(_DASHES)]}"/>'
        )


def _labels(
    results: Sequence[Result], curves: Sequence[Sequence[float]], scale: _Scale
) -> Iterator[str]:
    """Name the lines at their right ends, none above another."""
    ends = sorted((_y(curve[-1], scale), index) for index, curve in enumerate(curves) if curve)
    last = 0.0
    for y, index in ends:
        last = max(y, last + _LABEL_HEIGHT)
        yield (
            f'<text x="{WIDTH - _RIGHT + 8}" y="{last + 4:.1f}" '
            f'style="fill:{_COLOURS[index % len(_COLOURS)]}">'
            f"{escape(results[index].policy)} {100 * results[index].freshness():.1f} %</text>"
        )


def _y(share: float, scale: _Scale) -> float:
    bottom, top = scale
    return _TOP + (top - share) / (top - bottom) * (HEIGHT - _TOP - _BOTTOM)
