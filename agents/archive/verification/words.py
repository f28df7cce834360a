"""The outcome of a verification: sentences for people, JSON for programs. Pure."""

from collections.abc import Iterator
from typing import Any

from attrs import asdict

from agents import dates
from agents.archive.command.progress import many
from agents.archive.command.tables import plain
from agents.archive.verification.collected import Collection
from agents.archive.verification.comparison import Comparison, Outcome

SHOWN = 100  # differences that people see; JSON has them all


def lines_of(site: str, then: Collection, found: Comparison) -> Iterator[str]:
    """Yield what came out, for people."""
    first, last = dates.to_words(then.first)[:16], dates.to_words(then.last)[:16]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    yield f"{plain(site)}, collected {when} (UTC), {many(len(then.lines), 'URL')}:"
    yield "  " + ", ".join(f"{found.number(outcome)} {outcome}" for outcome in Outcome)
    for each in found.differences[:SHOWN]:
        yield f"  {each.outcome}: {plain(each.url)}"
        yield f"      {plain(each.reason)}"
    if len(found.differences) > SHOWN:
        yield f"  … and {len(found.differences) - SHOWN} more; --json lists them all"
    for source, target, before, after in found.edges[:SHOWN]:
        yield f"  links from {plain(source)} to {plain(target)}: {before} then, {after} now"
    yield _verdict(then, found)


def _verdict(then: Collection, found: Comparison) -> str:
    if not found.well:
        return "The archive does not give the site back as it was collected."
    graph = "" if then.graph is None else ", with the same links between its folders"
    return f"The archive gives the site back as it was collected{graph}."


def to_data(site: str, then: Collection, found: Comparison) -> dict[str, Any]:
    """Return the same as JSON can hold it, with every difference."""
    edges = [dict(zip(("from", "to", "then", "now"), edge, strict=True)) for edge in found.edges]
    return {
        "site": site,
        "first": then.first,
        "last": then.last,
        "well": found.well,
        **{str(outcome): found.number(outcome) for outcome in Outcome},
        "differences": [
            asdict(each) | {"outcome": str(each.outcome)} for each in found.differences
        ],
        "graph": edges,
    }
