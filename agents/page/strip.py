"""A strip of coloured spans as inline SVG; its labels are HTML."""

from agents.page.cells import text_html
from agents.page.values import Strip

WIDTH, HEIGHT = 600, 40
SPAN_LIMIT = 600


def strip_html(section: Strip) -> str:
    """Return the figure of a strip, without its section."""
    spans = section.spans[-SPAN_LIMIT:]
    if not spans:
        return '<p class="empty">Nothing yet.</p>'
    width = WIDTH / len(spans)
    drawn = "".join(
        f'<rect class="{text_html(tone)}" x="{place * width:.2f}" y="0" width="{width + 0.05:.2f}" '
        f'height="{HEIGHT}"><title>{text_html(words)}</title></rect>'
        for place, (tone, words) in enumerate(spans)
    )
    marks = "".join(f"<span>{text_html(mark)}</span>" for mark in section.marks)
    return (
        f'<figure class="strip"><svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" '
        f'role="img" aria-label="{text_html(_summary(section))}">{drawn}</svg>'
        f'<div class="time">{marks}</div><figcaption>{_legend(section)}</figcaption></figure>'
    )


def _summary(section: Strip) -> str:
    """Return what the colours say, in words."""
    tones = [tone for tone, _ in section.spans]
    counts = ", ".join(
        f"{tones.count(tone)} {words}" for tone, words in section.legend.items() if tone in tones
    )
    return f"{section.title}: {counts}" if counts else section.title


def _legend(section: Strip) -> str:
    return "".join(
        f'<span><i class="dot {"edge" if tone == "quiet" else text_html(tone)}"></i>'
        f"{text_html(words)}</span>"
        for tone, words in section.legend.items()
    )
