"""One budget for all sites: the price of a request, moved slowly until supply meets demand.

Every site plans for itself by its own rates and the price. What it asks for a day, times the root
of the price it reckoned with, is its demand: where text changes slowly the requests a site asks
for fall as the root of the price rises. The sum over all sites is one number, kept up to date as
plans change, and the price at which it equals what crawlers can do follows from it.
"""

from math import exp, sqrt

from agents.scheduler.temporal.rhythm import DAY

FIRST_PRICE = 5 * DAY  # seconds of freshness a request, until something is known
CHEAPEST, DEAREST = 60.0, 3650 * DAY
_PATIENCE = 14 * DAY  # in which the price comes two thirds of the way
_CLEARING = 14 * DAY  # in which what is overdue should be done


def demand(requests_per_day: float, price: float) -> float:
    """Return a site's demand: what it asks for at some price, comparable with any other price."""
    return requests_per_day * sqrt(price)


def adapted(
    price: float, demanded: float, capacity: float, overdue: float, elapsed: float
) -> float:
    """Return the price after some time.

    Args:
        price: seconds of freshness that a request must bring, until now.
        demanded: sum of the demands of all sites.
        capacity: requests a day that crawlers can do, above 0.
        overdue: requests of sites that are due and wait.
        elapsed: seconds since the price was last adapted.
    """
    left = max(capacity - overdue / (_CLEARING / DAY), capacity / 10)
    wanted = max(CHEAPEST, min(DEAREST, (demanded / left) ** 2))
    share = 1.0 - exp(-elapsed / _PATIENCE)
    return float(price * (wanted / price) ** share)
