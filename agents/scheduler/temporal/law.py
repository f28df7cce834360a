"""How the text of a level of a site changes: the law, and what a crawl is worth under it.

Every text of the web lives for an exponential time (*Web InfoMall*: "life duration of pages obeys
exponent probability distribution"), but texts of one level do not all change at one rate. Their
rates are taken to be spread as a gamma distribution of shape 2 round the level's mean: most are
slower than it, a few much quicker. With x = rate · time / 2 that gives

    unchanged after a time    S(t) = 1 / (1 + x)²
    gain of a crawl           G(t) = ∫₀ᵗ (S(s) - S(t)) ds = (2 / rate) · (x / (1 + x))²

G(t) says by how many seconds of freshness the mean text gains when a level that is crawled every
t seconds is crawled a little oftener. Freshness is best, for a given number of requests, where a
request gains the same everywhere: the price (Cho and Garcia-Molina, *Effective page refresh
policies for web crawlers*, 2003, find the same with a Lagrange multiplier for one rate). A level
whose G never comes up to the price changes too quickly to be kept fresh at that price.

The sum has a closed inverse, so that a site's interval follows from its own rate and the price
alone: nothing has to know all sites at once.
"""

from math import inf, sqrt

SHAPE = 2.0  # of the gamma distribution; the formulas here are for this one


def unchanged(rate: float, seconds: float) -> float:
    """Return the share of a level's text that has not changed after a time.

    Args:
        rate: mean changes a second.
        seconds: since it was collected.
    """
    return 1.0 / (1.0 + rate * seconds / SHAPE) ** 2


def gain(rate: float, seconds: float) -> float:
    """Return what one more crawl of a level is worth when it is crawled every so often.

    Returns:
        Seconds of freshness a request; it grows with the time, up to 2 / rate.
    """
    x = rate * seconds / SHAPE
    return SHAPE / rate * (x / (1.0 + x)) ** 2


def interval(rate: float, price: float) -> float:
    """Return after which time a crawl of a level is worth the price.

    Args:
        rate: mean changes a second, above 0.
        price: seconds of freshness that a request must bring.

    Returns:
        Seconds; infinite when it never is, because the level changes too quickly.
    """
    root = sqrt(price * rate / SHAPE)
    return SHAPE / rate * root / (1.0 - root) if root < 1.0 else inf
