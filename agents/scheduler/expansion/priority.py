"""Which candidate is collected first, by those that lead to it (*INA §1.5.1*). Pure.

Each site that links to a candidate speaks for it by its relevance, the more the better a hub it
is; the candidate's own authority is added. What all of it adds up to is brought between 0 and 1.
"""

from collections.abc import Iterable
from math import fsum

from attrs import field, frozen, validators

_rank = [validators.ge(0.0), validators.lt(float("inf"))]


@frozen
class Referrer:
    """A site of the portion that links to a candidate.

    Attributes:
        site: its name.
        relevance: from 0 to 1.
        hub: its hub rank.
    """

    site: str
    relevance: float = field(validator=[validators.ge(0.0), validators.le(1.0)])
    hub: float = field(default=0.0, validator=_rank)

    @property
    def word(self) -> float:
        """How much it says for a candidate."""
        return self.relevance * (1.0 + self.hub)


@frozen
class Priority:
    """A candidate's place in the queue.

    Attributes:
        value: from 0 to 1; the highest is collected first.
        reason: why, in a sentence.
    """

    value: float
    reason: str


def priority(referrers: Iterable[Referrer], authority: float) -> Priority:
    """Return the priority of a candidate.

    It never falls when a referrer comes, or becomes more relevant or a better hub, or when the
    candidate's authority rises; the order of referrers does not matter.

    Args:
        referrers: sites that link to it; the foremost are enough.
        authority: its authority rank.
    """
    told = sorted(referrers, key=lambda each: (-each.word, each.site))
    # Not x / (1 + x), which is the same but for rounding, and might then fall by the last bit.
    value = 1.0 - 1.0 / (1.0 + fsum([authority, *(each.word for each in told)]))
    return Priority(value, f"{_named(told)}; its authority rank is {authority:.2f}: {value:.2f}")


def _named(told: list[Referrer]) -> str:
    if not told:
        return "no known site links to it"
    first = told[0]
    count = "1 known site links to it" if len(told) == 1 else f"{len(told)} known sites link to it"
    return f"{count}, foremost {first.site} (relevance {first.relevance:.2f}, hub {first.hub:.2f})"
