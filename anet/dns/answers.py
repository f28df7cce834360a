"""What an answer of the DNS says about the name that was asked (RFC 1034, RFC 2308).

Only records on the way from that name to its addresses are read: the name's aliases and the
addresses of the last one. Whatever else a server puts into its answer is not believed, and not
kept.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from attrs import frozen
from twisted.names import dns

from anet.errors import ConnectFailed
from anet.names import ascii_name

LONGEST_TRAIL = 16  # names from the one asked to its last alias
MOST_ADDRESSES = 32  # of one family, kept of an answer that may hold thousands
_LONGEST_NAME = 255
_CLASSES = {dns.A: dns.Record_A, dns.AAAA: dns.Record_AAAA}
_TOO_LARGE = 2**31  # such a time to live means none (RFC 2181 §8)


@frozen
class Found:
    """Addresses of one family.

    Attributes:
        addresses: in the server's order, none twice.
        ttl: seconds for which the answer may be kept, its aliases included.
    """

    addresses: tuple[str, ...]
    ttl: int


@frozen
class Absent:
    """The name has no addresses of this family, or does not exist.

    Attributes:
        ttl: seconds for which that may be kept; None when the server does not say (no SOA).
    """

    ttl: int | None


@frozen
class Alias:
    """The name is an alias whose addresses the answer does not hold.

    Attributes:
        trail: the names met, from the one asked to the one that is to be asked next.
        ttl: seconds for which the aliases may be kept.
    """

    trail: tuple[str, ...]
    ttl: int


@frozen
class Failed:
    """No server gave an answer.

    Attributes:
        words: why.
        late: whether they were silent, rather than refused.
    """

    words: str
    late: bool


def read_answer(message: dns.Message, trail: tuple[str, ...], kind: int) -> Found | Absent | Alias:
    """Return what the answer to a question says.

    Args:
        message: the answer.
        trail: the names met so far; the last is the one that was asked.
        kind: which records were asked for: `dns.A` or `dns.AAAA`.

    Raises:
        ConnectFailed: it says nothing, and another server may say more; the message tells of the
            server what it did.
    """
    if message.rCode not in (dns.OK, dns.ENAME):
        raise ConnectFailed(f"answers with error {message.rCode}")
    asked = len(trail)
    trail, ttls = _follow(message.answers, trail)
    addresses, address_ttls = _addresses(message.answers, trail[-1], kind)
    if addresses:
        return Found(addresses, min(ttls + address_ttls))
    negative = _negative_ttl(message.authority, trail[-1])
    if negative is not None:
        return Absent(min([*ttls, negative]))
    if message.rCode == dns.ENAME:
        return Absent(None)
    if len(trail) > asked:
        return Alias(trail, min(ttls))
    if any(record.type == dns.NS for record in message.authority):
        raise ConnectFailed("sends us to other servers instead of asking them")
    return Absent(None)


def _follow(
    answers: list[dns.RRHeader], trail: tuple[str, ...]
) -> tuple[tuple[str, ...], list[int]]:
    """Return the trail, longer by the aliases of an answer, and how long each may be kept."""
    aliases = {
        owner: (_text(record.name), ttl)
        for owner, ttl, record in _records(answers, dns.Record_CNAME)
    }
    ttls: list[int] = []
    while trail[-1] in aliases:
        name, ttl = aliases[trail[-1]]
        ascii_name(name)
        if name in trail:
            raise ConnectFailed(f"says that {name} is an alias of itself")
        if len(trail) == LONGEST_TRAIL:
            raise ConnectFailed(f"tells more than {LONGEST_TRAIL - 1} aliases")
        trail = (*trail, name)
        ttls.append(ttl)
    return trail, ttls


def _addresses(
    answers: list[dns.RRHeader], name: str, kind: int
) -> tuple[tuple[str, ...], list[int]]:
    """Return the addresses of a name, and how long each may be kept."""
    found: dict[str, int] = {}
    for owner, ttl, record in _records(answers, _CLASSES[kind]):
        if owner == name and len(found) < MOST_ADDRESSES:
            found.setdefault(str(ip_address(record.address)), ttl)
    return tuple(found), list(found.values())


def _negative_ttl(authority: list[dns.RRHeader], name: str) -> int | None:
    """Return how long a negative answer may be kept (RFC 2308 §5), if a zone of `name` says."""
    return min(
        (
            min(ttl, _ttl(record.minimum))
            for owner, ttl, record in _records(authority, dns.Record_SOA)
            if f".{name}".endswith(f".{owner}".rstrip("."))
        ),
        default=None,
    )


def _records(records: list[dns.RRHeader], kind: type[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield the owner, the time to live and the content of each record of a kind."""
    for record in records:
        if isinstance(record.payload, kind) and record.cls == dns.IN:
            yield _text(record.name), _ttl(record.ttl), record.payload


def _text(name: dns.Name) -> str:
    """Return a name in lower case; bytes that no name of a host has are marked."""
    return name.name.decode("ascii", "replace").lower()[:_LONGEST_NAME]


def _ttl(seconds: int) -> int:
    return seconds if 0 <= seconds < _TOO_LARGE else 0
