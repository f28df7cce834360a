"""Which crawl goes to which crawler, and how many crawlers more are wanted: pure decisions."""

from collections.abc import Sequence

from attrs import frozen

URGENT = 1000.0  # added to the priority of what a person orders, so that it goes first


@frozen
class Due:
    """A crawl that waits for a crawler.

    Attributes:
        crawl: its name.
        site: its site's name.
        host: the host it is collected from.
        attempt: the name that its next attempt will have.
        beside: whether it is a second crawl of a site that another collects meanwhile.
        lane: crawls of one lane are not collected at once.
    """

    crawl: str
    site: str
    host: str
    attempt: str
    beside: bool = False
    lane: str = ""


@frozen
class Plan:
    """What to do now.

    Attributes:
        assignments: (crawl, crawler) pairs.
        forks: crawlers to ask the nursery for.
    """

    assignments: tuple[tuple[Due, str], ...] = ()
    forks: int = 0


def plan(
    due: Sequence[Due],
    free: Sequence[str],
    crawlers: int,
    maximum: int,
) -> Plan:
    """Give the crawls that wait to free crawlers, first come first served.

    Args:
        due: crawls that may be collected beside each other and all that is being collected, the
            one that comes first, first.
        free: names of free crawlers.
        crawlers: how many there are or are being forked, free or not.
        maximum: how many there may be.
    """
    unserved = max(0, len(due) - len(free))
    forks = max(0, min(unserved, maximum - crawlers))
    return Plan(tuple(zip(due, free, strict=False)), forks)
