"""Bars as inline SVG; their labels are HTML, so that they stay readable at any width."""

from collections.abc import Sequence
from html import escape

from agents.page.cells import text_html
from agents.page.curve import HEIGHT, WIDTH, ceiling, quantity
from agents.page.values import Bars

BAR_LIMIT = 120
_GAP = 0.2  # of a bar's width


def bars_html(section: Bars) -> str:
    """Return the figure of some bars, without its section."""
    bars = section.bars[-BAR_LIMIT:]
    if not bars:
        return '<p class="empty">Nothing yet.</p>'
    highest = max(value for _, value in bars)
    top = ceiling(highest)
    last = f"{text_html(bars[-1][0])}: <b>{escape(quantity(bars[-1][1], section.unit))}</b>"
    summary = f"{section.title}: at most {quantity(highest, section.unit)}"
    return (
        f'<figure class="curve bars"><figcaption>{last}'
        f"<span>at most {escape(quantity(highest, section.unit))}</span></figcaption>"
        f'<div class="plot"><div class="scale"><span>{escape(quantity(top, ""))}</span>'
        f"<span>0</span></div>{_svg(bars, top, summary, section.unit)}"
        f'<div class="time"><span>{text_html(bars[0][0])}</span>'
        f"<span>{text_html(bars[-1][0])}</span></div></div></figure>"
    )


def _svg(bars: Sequence[tuple[str, float]], top: float, summary: str, unit: str) -> str:
    width = WIDTH / len(bars)
    drawn = "".join(
        f'<rect x="{width * (place + _GAP / 2):.1f}" y="{HEIGHT - value / top * HEIGHT:.1f}" '
        f'width="{width * (1 - _GAP):.1f}" height="{value / top * HEIGHT:.1f}">'
        f"<title>{text_html(name)}: {escape(quantity(value, unit))}</title></rect>"
        for place, (name, value) in enumerate(bars)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text_html(summary)}">'
        f'<path class="grid" d="M0 .5H{WIDTH}M0 {HEIGHT / 2}H{WIDTH}M0 {HEIGHT - 0.5}H{WIDTH}"/>'
        f"{drawn}</svg>"
    )
