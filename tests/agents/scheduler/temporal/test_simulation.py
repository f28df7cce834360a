"""Policies in a web that changes."""

import json
import random
from math import exp
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from agents.scheduler.temporal import SiteSettings, TemporalConfig
from agents.scheduler.temporal.simulation import histories, laws
from agents.scheduler.temporal.simulation.chart import chart
from agents.scheduler.temporal.simulation.comparison import Comparison, table, to_data
from agents.scheduler.temporal.simulation.histories import InvalidHistory, SiteHistory
from agents.scheduler.temporal.simulation.simulator import Found, Ledger, Visit, simulate


class Scripted:
    """A policy that does what it is told, and keeps what it heard."""

    def __init__(self, *visits: Visit) -> None:
        self._visits = [*visits, Visit(1e9, 0, range(0))]
        self.heard: list[object] = []

    def next(self) -> Visit:
        """Return the next visit."""
        return self._visits.pop(0)

    def learn(self, visit: Visit, found: object) -> None:
        """Keep what was found."""
        self.heard.append(found)


def test_freshness_and_age_are_counted_exactly() -> None:
    """A page that changes on day 2 and is collected on day 4 of 10 was out of date for two days."""
    site = SiteHistory("a", (([2.0],),), ((0.1,),))
    policy = Scripted(Visit(1.0, 0, range(1)), Visit(4.0, 0, range(1)))
    result = simulate("scripted", [site], policy, 10.0, lambda _: 0.0)
    assert result.freshness() == pytest.approx(0.8)
    assert result.mean_age() == pytest.approx(sum(x / 4 for x in range(8)) / 40)
    assert result.cost() == pytest.approx(0.2)
    assert policy.heard == [[Found(1, 0)], [Found(1, 1)]]


def test_what_is_never_collected_again_stays_out_of_date() -> None:
    """A change that nobody fetches counts to the end."""
    site = SiteHistory("a", (([5.0],),), ((0.1,),))
    result = simulate("none", [site], Scripted(), 10.0, lambda _: 0.0)
    assert result.freshness() == pytest.approx(0.5)
    assert result.freshness(6.0) == 0.0


def test_a_dead_site_answers_nobody() -> None:
    """A crawl of it costs a request and finds nothing."""
    site = SiteHistory("a", (([],),), ((0.1,),), died=3.0)
    policy = Scripted(Visit(4.0, 0, range(1)))
    assert simulate("scripted", [site], policy, 10.0, lambda _: 0.0).cost() == pytest.approx(0.1)
    assert policy.heard == [None]


@given(st.lists(st.tuples(st.floats(0, 20), st.floats(0, 20)), max_size=30))
def test_the_ledger_is_what_counting_would_give(spans: list[tuple[float, float]]) -> None:
    """At each sample the share that is fresh is that of pages that are not out of date."""
    ledger = Ledger(20.0)
    spans = [(min(span), max(span)) for span in spans]
    for since, until in spans:
        ledger.stale(since, until)
    result = ledger.result("any", len(spans) or 1)
    for sample, fresh in enumerate(result.fresh):
        stale = sum(since <= sample / 4 < until for since, until in spans)
        assert fresh == pytest.approx(1 - stale / (len(spans) or 1))


def test_half_of_the_pages_change_within_two_months() -> None:
    """The made-up web changes as the papers report, and the same seed makes the same one."""
    web = laws.web(200, 60, 1)
    pages = [page for site in web for level in site.levels for page in level]
    changed = sum(bool(page) for page in pages) / len(pages)
    assert 0.45 < changed < 0.55
    assert laws.web(3, 60, 1) == laws.web(3, 60, 1) != laws.web(3, 60, 2)


def test_pages_change_as_often_as_their_rates_say() -> None:
    """In quiet sites the number of changes is that of a Poisson process."""
    web = [site for site in laws.web(100, 365, 2) if not site.bursts]
    expected = sum(sum(map(sum, site.rates)) for site in web) * 365
    counted = sum(len(page) for site in web for level in site.levels for page in level)
    assert counted == pytest.approx(expected, rel=0.05)


def test_policies_spend_their_budget_and_rank_as_the_literature_says() -> None:
    """Proportional is worse than uniform, optimal better; ours gains as much, from nothing."""
    web = laws.web(80, 365, 3, before=30)
    comparison = Comparison(web, 365, 3)
    names = ("adaptive", "uniform", "proportional", "optimal", "bound")
    results = comparison.all(names, comparison.usual_budget)
    fresh = {result.policy: result.freshness() for result in results}
    assert fresh["proportional"] < fresh["uniform"] < fresh["optimal"] < fresh["bound"]
    assert fresh["adaptive"] - fresh["uniform"] > 0.8 * (fresh["optimal"] - fresh["uniform"])
    assert fresh["adaptive"] < fresh["bound"]
    for result in results:
        assert result.cost() == pytest.approx(results[0].cost(), rel=0.05)
    assert results[0].cost() <= comparison.usual_budget * 1.01
    assert results[0].cost() >= comparison.usual_budget * 0.9


def test_uniform_is_as_fresh_as_the_formula_says() -> None:
    """One rate, one interval: (1 - exp(-x)) / x, with x = rate times interval."""
    days = 4000.0
    chance = random.Random(1)
    pages = []
    for _ in range(200):
        moments, day = [], 0.0
        while (day := day + chance.expovariate(0.05)) < days:
            moments.append(day)
        pages.append(moments)
    site = SiteHistory("a", (tuple(pages),), ((0.05,) * 200,))
    result = Comparison([site], days, 1).knowing("uniform", 200 / 20.0)
    assert result.freshness() == pytest.approx(1 - exp(-1.0), abs=0.01)


def test_a_larger_budget_is_fresher() -> None:
    """Twice the requests keep more up to date."""
    web = laws.web(30, 200, 4, before=30)
    comparison = Comparison(web, 200, 4)
    little, much = (
        comparison.adaptive(comparison.usual_budget * part, TemporalConfig(), SiteSettings())
        for part in (0.5, 2.0)
    )
    assert little.freshness() + 0.05 < much.freshness()


def test_a_recorded_history_is_read(tmp_path: Path) -> None:
    """Lines are pages in any order; days count from the earliest date."""
    file = tmp_path / "history.jsonl"
    lines = [
        {"site": "a", "level": 1, "changes": ["2026-01-11", "2026-01-06T12:00:00Z"]},
        {"site": "a", "changes": ["2026-01-01"]},
        {"site": "b", "changes": []},
        {"site": "b", "died": "2026-01-21"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    sites, days = histories.read(file)
    assert days == 20
    assert [site.name for site in sites] == ["a", "b"]
    assert [list(page) for level in sites[0].levels for page in level] == [[0.0], [5.5, 10.0]]
    assert sites[1].died == 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no two different dates"),
        ("{}", "line 1: .*site"),
        ('{"site": "a", "changes": ["yesterday"]}', "line 1: .*not a date"),
        ('{"site": "a", "level": -1}', "line 1: its level"),
        ('{"site": "a", "level": 10000000}', "line 1: its level"),
        ('{"site": "a", "changes": [[[', "line 1"),
        ('{"site": "a", "changes": ["2026"]}\n{"site": 7}', "line 2"),
        (f'{{"site": "{"a" * 1_100_000}"}}', "line 1"),
    ],
)
def test_a_bad_history_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    """The message tells where it is wrong."""
    file = tmp_path / "history.jsonl"
    file.write_text(text)
    with pytest.raises(InvalidHistory, match=words):
        histories.read(file)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 40))
def test_the_picture_is_well_formed(sites: int, days: int) -> None:
    """Whatever is simulated, the SVG is XML with a line a policy, and figures are finite."""
    comparison = Comparison(laws.web(sites, days, 1, before=30), days, 1)
    results = comparison.all(("adaptive", "uniform"), comparison.usual_budget)
    root = etree.fromstring(chart(results, "<&>").encode())
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2
    assert "nan" not in table(results, 0).lower()
    assert json.loads(json.dumps(to_data(results[0], 0)))["policy"] == "adaptive"
