"""Which crawl goes to which crawler, and how many crawlers more are wanted: pure decisions."""

from collections import Counter
from collections.abc import Mapping, Sequence

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
        lane: of its site: crawls of one lane are not collected at once.
        start_url: where it begins.
        accept: expression of what is internal.
        since: date from which it waits as it does now.
        crawlers: those that made attempts that came to nothing.
        machines: theirs, as far as known.
    """

    crawl: str
    site: str
    host: str
    attempt: str
    beside: bool = False
    lane: str = ""
    start_url: str = ""
    accept: str = ""
    since: str = ""
    crawlers: frozenset[str] = frozenset()
    machines: frozenset[str] = frozenset()

    def distrust(self, crawler: "Free") -> int:
        """Return how little is to be expected of a crawler, from 0 to 2, after what failed."""
        if crawler.name in self.crawlers:
            return 2
        return int(crawler.machine in self.machines)


@frozen
class Free:
    """A crawler that may be given a crawl, and the machine it runs on."""

    name: str
    machine: str = ""


@frozen
class Plan:
    """What to do now.

    Attributes:
        assignments: (crawl, crawler) pairs.
        forks: crawlers to ask nurseries for.
    """

    assignments: tuple[tuple[Due, Free], ...] = ()
    forks: int = 0


def plan(
    due: Sequence[Due],
    free: Sequence[Free],
    crawlers: int,
    maximum: int,
    busy: Sequence[Free] = (),
    patient: str = "",
) -> Plan:
    """Give the crawls that wait to free crawlers, first come first served.

    What came to nothing before goes to another crawler, on another machine if there is one. While
    only such are free as failed it, it waits a little for those that are busy.

    Args:
        due: crawls that may be collected beside each other and all that is being collected, the
            one that comes first, first.
        free: crawlers, the one that is free for longest first.
        crawlers: how many there are or are being forked, free or not.
        maximum: how many there may be.
        busy: the other crawlers, which will be free again.
        patient: a crawl that waits from a later date than this may wait for one of these.
    """
    left = dict.fromkeys(free)
    assignments = []
    for one in due:
        if not left:
            break
        chosen = min(left, key=one.distrust) if one.crawlers else next(iter(left))
        if one.since > patient and any(
            one.distrust(other) < one.distrust(chosen) for other in busy if one.crawlers
        ):
            continue
        del left[chosen]
        assignments.append((one, chosen))
    forks = max(0, min(len(due) - len(free), maximum - crawlers))
    return Plan(tuple(assignments), forks)


def shares(count: int, rooms: Mapping[str, int]) -> Counter[str]:
    """Return how many crawlers to ask of each nursery: each of the one with most room then."""
    left, asked = dict(rooms), Counter[str]()
    for _ in range(count):
        name = max(left, key=lambda one: (left[one], one), default="")
        if not left.get(name):
            break
        left[name] -= 1
        asked[name] += 1
    return asked
