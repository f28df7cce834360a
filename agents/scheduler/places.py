"""Where running crawls fetch from, so that no two sites of one address are collected at once.

What a crawl fetches from is a set of keys: the host of its site, the addresses of all the hosts
that its bounds name, as far as these are known, and the site's lane, by which an archivist may
keep sites apart. Two crawls of different sites that share a key are not collected at once. One
that has to wait does so in the lane of the other, where nobody looks at it until that has ended.

A host that leads nowhere, or about which nobody answers, goes by its name alone. What a crawl
meets later, such as a host that its bounds only describe (`.example.org`) or a new address of one,
its crawler tells; then no other crawl begins there. Two that met there already are told to the
journal.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from attrs import frozen

from agents.scheduler.policy import Due

_HOSTS = 16  # of one site that are looked up
_KEYS = 200  # of one crawl
_NAMED = re.compile(r"(?:^|[\s(])(?:https?:)?//([a-z0-9][a-z0-9.-]*)")  # hosts in an expression


def hosts_of(due: Due) -> list[str]:
    """Return the hosts that a site's start and bounds name; some more do no harm."""
    start = urlsplit(due.start_url).hostname or due.host
    return list(dict.fromkeys([start, *_NAMED.findall(due.accept)]))[:_HOSTS]


@frozen
class Held:
    """What a running crawl fetches from.

    Attributes:
        site: its site; a second crawl of that does not mind the first.
        lane: where those wait that would fetch from there, too.
        keys: hosts, addresses and lanes.
    """

    site: str
    lane: str
    keys: frozenset[str]


class Places:
    """The keys of running crawls, by attempt."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._holders: dict[str, set[str]] = {}  # attempts, by key

    def holder(self, keys: Iterable[str], site: str) -> Held | None:
        """Return a crawl of another site that fetches from one of these, or none."""
        for key in keys:
            for attempt in self._holders.get(key, ()):
                if self._held[attempt].site != site:
                    return self._held[attempt]
        return None

    def hold(self, attempt: str, site: str, lane: str, keys: Iterable[str]) -> None:
        """Take note that a crawl fetches from there."""
        self.release(attempt)
        self._held[attempt] = Held(site, lane, frozenset(keys))
        for key in self._held[attempt].keys:
            self._holders.setdefault(key, set()).add(attempt)

    def extend(self, attempt: str, keys: Iterable[str]) -> list[str]:
        """Take note of more that a crawl fetches from; return what another does, too."""
        held = self._held.get(attempt)
        if held is None:
            return []
        new = frozenset(list(frozenset(keys) - held.keys)[: max(0, _KEYS - len(held.keys))])
        shared = [key for key in sorted(new) if self.holder([key], held.site)]
        self.hold(attempt, held.site, held.lane, held.keys | new)
        return shared

    def release(self, attempt: str) -> None:
        """Forget a crawl that has ended."""
        held = self._held.pop(attempt, None)
        for key in held.keys if held else ():
            self._holders[key].discard(attempt)
            if not self._holders[key]:
                del self._holders[key]


def keys_of(due: Due, addresses: Iterable[str]) -> frozenset[str]:
    """Return what a crawl of these addresses fetches from."""
    return frozenset([due.host, due.lane or due.host, *addresses])


def lane_of(due: Due, addresses: Iterable[str]) -> str:
    """Return the lane of a crawl of these addresses; of those that share one it is often one."""
    return min(addresses, default=due.host)
