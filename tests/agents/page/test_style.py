"""The pages' colours can be read by people with weak sight, light and dark."""

import re
from importlib.resources import files

import pytest

STYLE = (files("agents.page") / "page.css").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--(\w+): (#[0-9a-f]{3,8})", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    digits = color[1:] if len(color) > 4 else "".join(2 * digit for digit in color[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["ground", "surface"])
@pytest.mark.parametrize("ink", ["ink", "soft", "accent", "good", "warning", "bad"])
def test_text_stands_out(colors, ground, ink):
    """Every colour of text has a contrast of 4.5 to 1 with every ground (WCAG 2, AA)."""
    dark, light = sorted((luminance(colors[ink]), luminance(colors[ground])))
    assert (light + 0.05) / (dark + 0.05) >= 4.5
