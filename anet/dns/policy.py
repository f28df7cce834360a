"""What is made of the answers about a name, and how long it is kept: no I/O here."""

from collections.abc import Collection

from attrs import evolve, frozen

from anet.dns.answers import Absent, Failed, Found
from anet.errors import ConnectFailed, TimedOut

Outcome = Found | Absent | Failed


@frozen
class Keeping:
    """For how long answers are kept, in seconds.

    Attributes:
        shortest: at least, lest a time to live of 0 makes each connection ask.
        longest: at most, addresses.
        longest_absence: at most, that there are none (RFC 2308 §5 advises one to three hours).
        failure: that no server answered (RFC 9520 asks for one second to five minutes).
        stale: after their time, addresses for which no server answers any more (RFC 8767).
    """

    shortest: float = 5.0
    longest: float = 86_400.0
    longest_absence: float = 3_600.0
    failure: float = 10.0
    stale: float = 3_600.0

    def of_addresses(self, ttl: int) -> float:
        """Return for how long addresses are kept."""
        return min(max(float(ttl), self.shortest), self.longest)

    def of_absence(self, ttl: int | None) -> float:
        """Return for how long it is kept that a name has no addresses."""
        return min(max(float(ttl or 0), self.shortest), self.longest_absence)


@frozen
class Verdict:
    """What is known of a name.

    Attributes:
        addresses: where it leads, the best first.
        seconds: for how long this is kept.
        failure: why no server told, or empty.
        late: whether the servers were silent.
        overdue: seconds for which it will have been kept past its time.
    """

    addresses: tuple[str, ...]
    seconds: float
    failure: str = ""
    late: bool = False
    overdue: float = 0.0

    def told_of(self, name: str) -> tuple[str, ...]:
        """Return the addresses.

        Raises:
            ConnectFailed: the name is unknown, or no server told.
            TimedOut: no server answered in time.
        """
        if self.addresses:
            return self.addresses
        if self.late:
            raise TimedOut(f"no answer about the name {name}: {self.failure}")
        if self.failure:
            raise ConnectFailed(f"the name {name} could not be looked up: {self.failure}")
        raise ConnectFailed(f"the name {name} is unknown")


def judge(four: Outcome, six: Outcome, routed: Collection[int], keeping: Keeping) -> Verdict:
    """Return what two answers say together.

    Addresses of one family stand although the other's question failed: servers that cannot be
    asked for IPv6 are common (RFC 4074).

    Args:
        four: the answer about IPv4.
        six: the answer about IPv6.
        routed: versions of IP (4, 6) by which this machine reaches the Internet.
        keeping: for how long what is kept.
    """
    found = [answer for answer in (four, six) if isinstance(answer, Found)]
    if found:
        addresses = _ordered(
            four.addresses if isinstance(four, Found) else (),
            six.addresses if isinstance(six, Found) else (),
            routed,
        )
        return Verdict(addresses, min(keeping.of_addresses(answer.ttl) for answer in found))
    for answer in (four, six):
        if isinstance(answer, Failed):
            return Verdict((), keeping.failure, answer.words, answer.late)
    absent = [answer for answer in (four, six) if isinstance(answer, Absent)]
    return Verdict((), min(keeping.of_absence(answer.ttl) for answer in absent))


def usable(old: Verdict, seconds_past: float, keeping: Keeping) -> bool:
    """Tell whether addresses may stand in while nobody tells newer ones.

    Args:
        old: what was known.
        seconds_past: seconds since its time was up.
        keeping: for how long what is kept.
    """
    return bool(old.addresses) and old.overdue + seconds_past <= keeping.stale


def outlive(new: Verdict, old: Verdict | None, seconds_past: float, keeping: Keeping) -> Verdict:
    """Return the new verdict, or the old one to go on with when the new one is a failure."""
    if not new.failure or old is None or not usable(old, seconds_past, keeping):
        return new
    overdue = old.overdue + seconds_past + keeping.failure
    return evolve(old, seconds=keeping.failure, overdue=overdue)


def _ordered(
    four: tuple[str, ...], six: tuple[str, ...], routed: Collection[int]
) -> tuple[str, ...]:
    """Return addresses, those of IPv6 first (RFC 6724), without those of a family not routed."""
    reachable = (*(six if 6 in routed else ()), *(four if 4 in routed else ()))
    return reachable or (*four, *six)
