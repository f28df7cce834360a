"""How sites are kept apart: a URL never belongs to two (*INA §1.5.1*). Pure.

Where the portions of two sites meet, the more specific one has the URLs: the one that names a port
before the host, the host before the names below a domain, and the longer path before the shorter;
between equals, the site that was registered first. `Delimitations.site_of` answers so, and a crawl
is ordered with what others have as part of its reject expression, so that crawlers agree with it.
"""

from collections.abc import Iterable, Sequence

from attrs import frozen

from agents.delimitation import InvalidExpression, parse
from agents.scheduler.expansion.anchors import Portion, address_of
from agents.scheduler.expansion.claims import Claim

SHOWN = 20  # reasons that a decision tells


@frozen
class Decision:
    """Whether a site can be registered beside the others.

    Attributes:
        allowed: whether it can.
        reasons: in words, each of one neighbour; of a site that is allowed, what is left to whom.
    """

    allowed: bool
    reasons: tuple[str, ...] = ()


class TooWide(ValueError):
    """More sites lie within the bounds of one than can be kept apart; narrow its accept."""


def decide(new: Claim, others: Iterable[Claim]) -> Decision:
    """Tell whether a new site can be registered beside those that it meets."""
    against: list[str] = []
    notes: list[str] = []
    for other in others:
        reason = _refused(new, other)
        if reason:
            against.append(reason)
        else:
            notes += _notes(new, other)
    if against:
        return Decision(allowed=False, reasons=tuple(against[:SHOWN]))
    more = len(notes) - SHOWN
    return Decision(True, (*notes[:SHOWN], *((f"and {more} others",) if more > 0 else ())))


def left_to(claim: Claim, others: Sequence[Claim]) -> str:
    """Return the reject expression that a site is ordered with: its own, and what others have.

    Args:
        claim: what the site claims.
        others: its neighbours (`Delimitations.neighbours`).

    Raises:
        TooWide: there is more than an expression can hold.
    """
    terms = [claim.reject] if claim.reject.strip() else []
    for other in others:
        terms += _lost(claim, other)
    if len(terms) < 2:
        return "".join(terms)
    whole = " OR ".join(terms)
    try:
        parse(whole)
    except InvalidExpression as error:
        raise TooWide(
            f"what others have within {_name(claim)} does not go into an expression: {error.reason}"
        ) from None
    return whole


def _refused(new: Claim, other: Claim) -> str:
    """Return why a site cannot be registered beside another, or nothing."""
    if _winner(new.start_url, new, other) == other:
        return f"its start URL belongs to {_name(other)}"
    if _winner(other.start_url, new, other) == new:
        return f"it takes the start URL of {_name(other)}: reject that"
    for mine, theirs in _meetings(new, other):
        if mine.is_like(theirs) and mine.whole and theirs.whole:
            return f"{_name(other)} takes {theirs} already: reject it, or take another part"
    return ""


def _notes(new: Claim, other: Claim) -> list[str]:
    """Say once how two sites that meet share what both take."""
    for mine, theirs in _meetings(new, other):
        if mine.is_like(theirs):
            first = min(new.number, other.number)
            return [f"shares {theirs} with {_name(other)}: what both take is site {first}'s"]
        if theirs.covers(mine) and theirs.rank < mine.rank:
            return [f"carved out of {_name(other)}, which takes {theirs}"]
        if mine.covers(theirs) and mine.rank < theirs.rank:
            return [f"{_name(other)} lies inside: {theirs} is left to it"]
        keeper = mine if _beats(new, mine, other, theirs) else theirs
        return [
            f"its {mine} crosses {theirs} of {_name(other)}: what both take belongs to {keeper}; "
            "write a reject to have it otherwise"
        ]
    return []


def _meetings(one: Claim, other: Claim) -> list[tuple[Portion, Portion]]:
    """Return the portions that meet, but those that one of the two rejects."""
    return [
        (mine, theirs)
        for mine in one.taken
        for theirs in other.taken
        if mine.meets(theirs) and not _is_rejected(mine, other) and not _is_rejected(theirs, one)
    ]


def _is_rejected(portion: Portion, by: Claim) -> bool:
    return any(each.covers(portion) for each in by.left)


def _winner(url: str, one: Claim, other: Claim) -> Claim | None:
    """Return which of two sites has a URL."""
    address = address_of(url)
    found = [
        (portion.rank, -claim.number, claim)
        for claim in (one, other)
        if (portion := claim.best(url, address, claim.taken)) is not None
    ]
    return max(found)[2] if found else None


def _lost(claim: Claim, other: Claim) -> list[str]:
    """Write what another site has of a site, as terms of an expression."""
    terms = []
    for theirs in other.taken:
        met = [mine for mine in claim.taken if mine.meets(theirs)]
        kept = [mine for mine in met if _beats(claim, mine, other, theirs)]
        if len(kept) < len(met):
            terms.append(_term(other, theirs, kept))
    return terms


def _beats(one: Claim, mine: Portion, other: Claim, theirs: Portion) -> bool:
    return (mine.rank, -one.number) > (theirs.rank, -other.number)


def _term(owner: Claim, portion: Portion, kept: list[Portion]) -> str:
    """Write what a site has by a portion of it, without what lies in other portions."""
    parts = [str(portion)]
    if not portion.whole:
        parts.append(f"( {owner.accept} )")
    if owner.refused:
        parts.append(f"NOT ( {owner.refused} )")
    parts += [f"NOT {each}" for each in kept]
    return " AND ".join(parts)


def _name(claim: Claim) -> str:
    return f"site {claim.number} ({claim.start_url})"
