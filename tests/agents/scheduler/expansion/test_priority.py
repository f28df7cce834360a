"""Priorities of candidates."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.expansion.priority import Referrer, priority

RANKS = st.floats(0, 1e6)
REFERRERS = st.lists(
    st.builds(Referrer, st.sampled_from("abcdef"), st.floats(0, 1), RANKS), max_size=6
)


def test_priority_is_explained() -> None:
    """The foremost referrer is named, and what counted besides."""
    told = priority([Referrer("a.example", 0.5, 0.2), Referrer("b.example", 0.9, 1.0)], 0.4)
    assert told.reason == (
        "2 known sites link to it, foremost b.example (relevance 0.90, hub 1.00);"
        " its authority rank is 0.40: 0.74"
    )
    assert priority([], 0).reason.startswith("no known site links to it")
    assert priority([], 0).value == 0
    assert "1 known site links" in priority([Referrer("a", 1.0)], 0).reason


@given(REFERRERS, RANKS, st.data())
def test_priority_never_falls_for_a_better_reason(
    referrers: list[Referrer], authority: float, data: st.DataObject
) -> None:
    """Neither with a referrer more, nor with one more relevant, a better hub, more authority."""
    former = priority(referrers, authority).value
    assert 0 <= former <= 1
    assert priority(referrers, authority + data.draw(RANKS)).value >= former
    assert (
        priority([*referrers, Referrer("g", data.draw(st.floats(0, 1)))], authority).value >= former
    )
    if referrers:
        first = referrers[0]
        relevant = evolve(first, relevance=data.draw(st.floats(first.relevance, 1)))
        hub = evolve(first, hub=first.hub + data.draw(RANKS))
        for better in (relevant, hub):
            assert priority([better, *referrers[1:]], authority).value >= former


@given(st.permutations([Referrer("a", 0.1, 0.3), Referrer("b", 0.2, 0.7), Referrer("c", 0.3)]))
def test_the_order_of_referrers_does_not_matter(referrers: list[Referrer]) -> None:
    """The same sites give the same priority, and the same words."""
    assert priority(referrers, 0.5) == priority(sorted(referrers, key=lambda it: it.site), 0.5)


@pytest.mark.parametrize(
    ("relevance", "hub"), [(-0.1, 0), (1.1, 0), (0.5, -1), (0.5, float("inf")), (float("nan"), 0)]
)
def test_what_is_no_rank_is_refused(relevance: float, hub: float) -> None:
    """A damaged row gives no priority beyond all others."""
    with pytest.raises(ValueError, match="must be"):
        Referrer("a", relevance, hub)
