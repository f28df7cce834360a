"""Sites and the index of their delimitations: what may be registered, and how it is ordered."""

from collections.abc import Callable, Iterable, Iterator

from agents.delimitation import InvalidExpression
from agents.scheduler.expansion.borders import Decision, TooWide, decide, left_to
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations, Stamp

Row = tuple[int, str, str, str]  # number, start URL, accept, reject


def place(index: Delimitations, new: Claim) -> Decision:
    """Tell whether a site can be registered beside those of the index; it blocks.

    It cannot when nothing would be left to it or to another, or when a crawl could not be told all
    that it has to leave to others.

    Args:
        new: what it claims, with a number higher than all others', or its own if it is known.
    """
    try:
        others = index.neighbours(new)
        decision = decide(new, others)
        if decision.allowed:
            left_to(new, others)
            for other in others:
                near = [each for each in index.neighbours(other) if each.number != new.number]
                left_to(other, [*near, new])
    except TooWide as error:
        return Decision(False, (f"{error}; narrow the bounds",))
    return decision


def reject_of(index: Delimitations, number: int) -> str:
    """Return the reject expression that a site is ordered with; it blocks.

    Raises:
        KeyError: the index does not know the site.
        TooWide: more sites lie within than an expression can leave out.
    """
    claim = index.claim(number)
    if claim is None:
        raise KeyError(number)
    return left_to(claim, index.neighbours(claim))


def catch_up(
    index: Delimitations, wanted: Stamp, rows_after: Callable[[int], Iterable[Row]]
) -> dict[int, str]:
    """Bring an open index up to the table of sites; it blocks, two minutes for a million.

    Args:
        wanted: of the table: how many rows, the highest number, and a number that changes whenever
            bounds of known sites do.
        rows_after: gives the rows with higher numbers than one, in order.

    Returns:
        Why sites were refused, in words by number.
    """
    refused: dict[int, str] = {}
    if index.stamp.mark == wanted.mark and index.stamp.last < wanted.last:
        refused |= index.register(_claims(rows_after(index.stamp.last), refused), wanted.mark)
    if index.stamp != wanted:
        refused.clear()
        index.clear()
        refused |= index.register(_claims(rows_after(0), refused), wanted.mark)
    return refused


def _claims(rows: Iterable[Row], refused: dict[int, str]) -> Iterator[Claim]:
    """Read rows; bounds that cannot be read claim nothing."""
    for number, start_url, accept, reject in rows:
        try:
            yield Claim.read(number, start_url, accept, reject)
        except InvalidExpression as error:
            refused[number] = str(error)
            yield Claim.read(number, start_url, "")
