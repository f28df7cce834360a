"""Where the URLs lie that an expression takes, to be looked up (*INA §1.5.1*). Pure.

An expression gives *portions* of the web: a host or the names below one, and how path and query
begin. Each is found under its *anchor*: the host, its labels turned round, and whole segments of
the path. A URL has few keys, so the sites that may take it are few gets away however many there
are. This is sound: who takes a URL has an anchor among the keys of the URL.

    //www.a.org/~bob/x     org a www|/~bob      .a.org     org a|*
    //a.org:81             org a|81             /news/     |*/news
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from agents import urls
from agents.expression_tree import Not, Or, Pattern, Tree
from agents.patterns import pattern_place

SEGMENTS = 7  # of a path, in an anchor: what lies deeper is found there too
HOST_LIMIT = 253  # characters: DNS has no longer names
_LABELS = 10  # of the names below which hosts are meant
_PATH_LIMIT = 200  # characters of an anchor's path: LMDB's keys are at most 511 bytes
_SPECIAL = re.compile(r"([\\*$()\s])")


class Address(NamedTuple):
    """A URL as it is looked up.

    Attributes:
        name: labels of its host turned round, `org a www`.
        hosts: its host with its port, its host, and the names above, the nearest first; none if
            DNS cannot have such a host.
        paths: beginnings of its path of whole segments, the shortest first.
        rest: its path and query.
    """

    name: str
    hosts: tuple[str, ...]
    paths: tuple[str, ...]
    rest: str


class Portion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """URLs of a host whose path and query begin alike.

    Attributes:
        host: as in an anchor, up to its path.
        path: how path and query begin.
        exact: whether the URL ends after `path`.
        whole: whether all such URLs are taken, so that no expression has to be asked.
    """

    host: str
    path: str
    exact: bool
    whole: bool

    @property
    def anchor(self) -> str:
        """The key it is found under."""
        return self.host + _segments(self.path, self.exact)

    @property
    def rank(self) -> tuple[int, int, int, bool]:
        """How specific it is: of two portions that a URL lies in, the greater is."""
        name, _, port = self.host.partition("|")
        kind = 0 if port == "*" else 2 if port else 1
        return kind, len(name), len(self.path), self.exact

    def holds(self, address: Address) -> bool:
        """Tell whether a URL lies in it."""
        if self.host not in address.hosts:
            return False
        return address.rest == self.path if self.exact else address.rest.startswith(self.path)

    def is_like(self, other: "Portion") -> bool:
        """Tell whether the same URLs lie in both."""
        return (self.host, self.path, self.exact) == (other.host, other.path, other.exact)

    def covers(self, other: "Portion") -> bool:
        """Tell whether all URLs of another portion lie in this one."""
        return _is_host_within(other.host, self.host) and _is_path_within(other, self)

    def meets(self, other: "Portion") -> bool:
        """Tell whether a URL may lie in both: hosts lie within one another or are apart."""
        return (
            _is_host_within(other.host, self.host) or _is_host_within(self.host, other.host)
        ) and (_is_path_within(other, self) or _is_path_within(self, other))

    def __str__(self) -> str:
        """Write it as a pattern."""
        path = _SPECIAL.sub(r"\\\1", self.path) + ("$" if self.exact else "")
        name, _, port = self.host.partition("|")
        host = _SPECIAL.sub(r"\\\1", ".".join(reversed(name.split(" "))))
        if port == "*" and not name:
            return path.replace("//", "/\\/", 1) if path.startswith("//") else path or "/"
        if port == "*":
            return f".{host}{path}"
        return f"//{host}:{port}{path}" if port else f"//{host}{path}"


EVERYWHERE = Portion("|*", "", exact=False, whole=False)


def address_of(url: str) -> Address:
    """Take apart a canonical URL; one whose host DNS cannot name lies nowhere."""
    scheme, _, authority, rest = url.split("/", 3)
    name, hosts = _hosts(scheme, authority)
    rest = "/" + rest
    path = rest.partition("?")[0]
    paths, end = [""], path.find("/", 1)
    while len(paths) <= SEGMENTS and 0 < end <= _PATH_LIMIT:
        paths.append(path[:end])
        end = path.find("/", end + 1)
    if len(paths) <= SEGMENTS and len(path) <= _PATH_LIMIT:
        paths.append(path)
    return Address(name, hosts, tuple(paths), rest)


def portions(tree: Tree) -> tuple[Portion, ...]:
    """Return where the URLs lie that an expression's tree takes; portions may lie in one another.

    Who takes nothing, or hosts only that DNS cannot name, has none.
    """
    return tuple(dict.fromkeys(_portions(tree, taken=True)))


def _portions(tree: Tree, *, taken: bool) -> list[Portion]:
    """Return where the URLs lie that a tree takes, or that it does not take."""
    if isinstance(tree, Not):
        return _portions(tree.part, taken=not taken)
    if isinstance(tree, Pattern):
        return list(_of_pattern(tree.text)) if taken else [EVERYWHERE]
    parts = [_portions(part, taken=taken) for part in tree.parts]
    if isinstance(tree, Or) is taken:
        return [portion for part in parts for portion in part]
    return [replace(portion, whole=False) for portion in _narrowest(parts)]


def _narrowest(parts: Iterable[list[Portion]]) -> list[Portion]:
    """Return the part that lies in the most specific places; each holds what is looked for."""
    return max(
        parts,
        key=lambda part: (min((portion.rank for portion in part), default=(9,)), -len(part)),
        default=[EVERYWHERE],
    )


def _of_pattern(text: str) -> Iterator[Portion]:
    place = pattern_place(text)
    is_path = place.path.startswith("/") or (not place.path and not place.exact)
    if len(place.host) > HOST_LIMIT or not is_path:
        return  # no URL is so
    labels = place.host.split(".")
    whole = place.whole
    if place.below and len(labels) > _LABELS:
        labels, whole = labels[-_LABELS:], False
    port = "*" if place.below else "" if place.port is None else str(place.port)
    path = "" if place.path == "/" and not place.exact else place.path  # all paths begin so
    yield Portion(f"{' '.join(reversed(labels))}|{port}", path, place.exact, whole)


def _segments(path: str, exact: bool) -> str:
    """Return the whole segments that a path begins with, as many as an anchor has."""
    before, query, _ = path.partition("?")
    if not exact and not query:
        before = before.rpartition("/")[0]
    parts = before.split("/")[: SEGMENTS + 1]
    while len("/".join(parts)) > _PATH_LIMIT:
        parts.pop()
    return "/".join(parts)


@lru_cache(maxsize=4096)
def _hosts(scheme: str, authority: str) -> tuple[str, tuple[str, ...]]:
    host, port = urls.split_port(authority)
    if len(host) > HOST_LIMIT or host.startswith("."):
        return "", ()
    labels = host.split(".")[::-1]
    name = " ".join(labels)
    above = tuple(
        f"{' '.join(labels[:count])}|*" for count in range(min(len(labels) - 1, _LABELS), 0, -1)
    )
    if port is None:
        port = 443 if scheme == "https:" else 80
    return name, (f"{name}|{port}", f"{name}|", *above, "|*")


def _is_host_within(inner: str, outer: str) -> bool:
    if inner == outer or outer == "|*":
        return True
    name, _, port = outer.partition("|")
    if port == "*":
        return inner.startswith(f"{name} ")
    return not port and inner.startswith(outer) and not inner.endswith("|*")


def _is_path_within(inner: Portion, outer: Portion) -> bool:
    if outer.exact:
        return inner.exact and inner.path == outer.path
    return inner.path.startswith(outer.path)
