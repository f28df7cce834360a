"""Which rules hold for a URL: found by its host and the beginning of its path. Pure.

The prefixes of a path that are in a sorted list form a chain: the last one that is not after the
path, or what that one begins with. So a look-up is a binary search and a few steps, however many
rules a host has.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator

from agents.consultation.access.rule import Place, Rule, comparable, named, place_of
from agents.urls import authority, split_port, target


class Prefixes:
    """The rules of one host, by the paths they begin with."""

    def __init__(self, rules: dict[str, list[Rule]]) -> None:
        self._paths = sorted(rules)
        self._rules = [rules[path] for path in self._paths]
        self._parents: list[int] = []
        chain: list[int] = []
        for place, path in enumerate(self._paths):
            while chain and not path.startswith(self._paths[chain[-1]]):
                chain.pop()
            self._parents.append(chain[-1] if chain else -1)
            chain.append(place)

    def find(self, path: str) -> Iterator[Rule]:
        """Yield the rules of all prefixes of a path, the most specific first."""
        place = bisect_right(self._paths, path) - 1
        while place >= 0:
            if path.startswith(self._paths[place]):
                exact = is_of(path, self._paths[place])
                yield from (rule for rule in self._rules[place] if exact or not rule.exact)
            place = self._parents[place]


class Places:
    """All rules, by where they hold."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        """Arrange rules.

        Raises:
            RulesRefused: a pattern of one is none.
        """
        hosts: dict[tuple[str, bool], dict[str, list[Rule]]] = defaultdict(dict)
        for rule in rules:
            for place in map(place_of, rule.urls):
                hosts[place.host, place.subdomains].setdefault(place.path, []).append(rule)
        self._hosts = {key: Prefixes(found) for key, found in hosts.items()}

    def find(self, url: str) -> Iterator[Rule]:
        """Yield the rules that hold for a canonical URL at some date."""
        path = comparable(target(url))
        for key in _names(authority(url)):
            prefixes = self._hosts.get(key)
            if prefixes is not None:
                yield from prefixes.find(path)


def is_of(path: str, asked: str) -> bool:
    """Tell whether a path is the one asked for, or names an answer to what was posted there."""
    rest = path.removeprefix(asked)
    return path.startswith(asked) and (not rest or rest[1:].startswith("__wb_method="))


def holds(place: Place, exact: bool, url: str) -> bool:
    """Tell whether a rule of one place holds for a URL: slowly, and as simply as can be said."""
    path = comparable(target(url))
    begins = is_of(path, place.path) if exact else path.startswith(place.path)
    return begins and (place.host, place.subdomains) in _names(authority(url))


def _names(host: str) -> list[tuple[str, bool]]:
    """Return what rules may call a host: with its port and without, itself and domains above."""
    name, port = split_port(named(host))
    found = []
    for end in ("", f":{port}") if port is not None else ("",):
        found.append((name + end, False))
        above = name
        while above:
            found.append((above + end, True))
            above = above.partition(".")[2]
    return [*found, ("", True)]
