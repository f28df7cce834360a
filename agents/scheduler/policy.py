"""Which crawl goes to which crawler, and how many crawlers more are wanted: pure decisions."""

from collections.abc import Collection, Sequence

from attrs import frozen


@frozen
class Due:
    """A crawl that waits for a crawler.

    Attributes:
        crawl: its name.
        site: its site's name.
        host: the host it is collected from.
        attempt: the name that its next attempt will have.
        beside: whether it is a second crawl of a site that another collects meanwhile.
    """

    crawl: str
    site: str
    host: str
    attempt: str
    beside: bool = False


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
    busy_hosts: Collection[str],
    crawlers: int,
    maximum: int,
) -> Plan:
    """Give the crawls that wait to free crawlers, first come first served.

    Two sites on one host are not collected at once: a second one waits for its turn and takes
    no crawler's place. A second crawl of one site was asked for as such, and does not wait.

    Args:
        due: crawls that wait, the one that waits longest first.
        free: names of free crawlers.
        busy_hosts: hosts that are being collected from.
        crawlers: how many there are or are being forked, free or not.
        maximum: how many there may be.
    """
    taken = set(busy_hosts)
    waiting = list(free)
    assignments = []
    unserved = 0
    for one in due:
        if one.host in taken and not one.beside:
            continue
        taken.add(one.host)
        if waiting:
            assignments.append((one, waiting.pop(0)))
        else:
            unserved += 1
    return Plan(tuple(assignments), max(0, min(unserved, maximum - crawlers)))
