"""The harbor's own colours can be read by people with weak sight, light and dark."""

import re
from importlib.resources import files

import pytest

HOUSE = (files("agents.page") / "page.css").read_text("utf-8")
HARBOR = (files("agents.consultation.harbor") / "harbor.css").read_text("utf-8")
PALETTES = [
    dict(re.findall(r"--(\w+): #([0-9a-f]{3,6});", block))
    for block in re.findall(r":root \{(.*?)\}", HOUSE, re.DOTALL)
]
SHADES = [int(share) for share in re.findall(r"--shade: (\d+)%", HARBOR)]
MIXES = [(name, int(share)) for name, share in re.findall(r"var\(--(bad|good)\) (\d+)%", HARBOR)]


def channels(color):
    """Return red, green and blue of a colour, 0 to 255."""
    digits = color if len(color) == 6 else "".join(2 * digit for digit in color)
    return [int(digits[at : at + 2], 16) for at in (0, 2, 4)]


def luminance(rgb):
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    shares = [each / 255 for each in rgb]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return the contrast of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", PALETTES, ids=["light", "dark"])
def test_text_stands_out_on_every_shade(palette):
    """On days of a calendar and on lines of a difference text has a contrast of 4.5 to 1."""
    ink, surface = channels(palette["ink"]), channels(palette["surface"])
    grounds = [("accent", share) for share in SHADES]
    grounds += [(name, share + 20) for name, share in MIXES]  # a mark over the ground of its line
    assert len(SHADES) == 4 and len(MIXES) == 4
    for name, share in grounds:
        pairs = zip(channels(palette[name]), surface, strict=True)
        ground = [(share * over + (100 - share) * under) / 100 for over, under in pairs]
        assert contrast(ink, ground) >= 4.5, (name, share)
