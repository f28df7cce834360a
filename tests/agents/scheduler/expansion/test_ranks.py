"""Hub and authority ranks: against exact solutions, on known graphs, and through a worker."""

from collections.abc import AsyncIterator
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.scheduler.expansion.graph import (
    LARGEST,
    Graph,
    GraphFiles,
    LinkRow,
    RankRow,
    SiteRow,
    weight,
)
from agents.scheduler.expansion.ranking import changed_ranks
from agents.scheduler.expansion.ranks import RESTART, Ranks, changed, ranks
from anet.processes import Processes
from anet.workers import Workers

EXACT = 1e-9  # epsilon of ranks that are compared


def graph(relevance: list[float], links: list[LinkRow], hubs: list[float] | None = None) -> Graph:
    """Return a graph of sites, numbered from 0."""
    hubs = hubs or [0.0] * len(relevance)
    return Graph.of([(n, r, hubs[n], 0.0) for n, r in enumerate(relevance)], links)


def exact(graph: Graph) -> tuple[list[Fraction], list[Fraction]]:
    """Solve the equations of the ranks' module docstring, by elimination, in fractions."""
    count, restart = len(graph.relevance), Fraction(str(RESTART))
    links = [
        (s, t, Fraction(w))
        for s, t, w in zip(graph.sources, graph.targets, graph.weights, strict=True)
    ]
    size = 2 * count  # authorities, then hubs
    rows = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for column in rows:
        column.append(Fraction(0))
    for site in range(count):
        rows[site][size] = rows[count + site][size] = restart * Fraction(graph.relevance[site])
    for s, t, w in links:
        rows[t][count + s] -= (1 - restart) * w / sum(v for a, _, v in links if a == s)
        rows[count + s][t] -= (1 - restart) * w / sum(v for _, b, v in links if b == t)
    for i in range(size):
        pivot = next(row for row in rows[i:] if row[i])
        rows.remove(pivot)
        rows.insert(i, [each / pivot[i] for each in pivot])
        for j, row in enumerate(rows):
            if j != i and row[i]:
                rows[j] = [a - row[i] * b for a, b in zip(row, rows[i], strict=True)]
    solved = [row[size] for row in rows]
    return solved[count:], solved[:count]


RELEVANCE = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6)
LINKS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([1.0, 2.5, 4.0])),
    max_size=12,
    unique_by=lambda link: link[:2],
)


@given(RELEVANCE, LINKS, st.lists(st.floats(0, 5), min_size=6, max_size=6))
def test_ranks_solve_their_equations(
    relevance: list[float], links: list[LinkRow], begun: list[float]
) -> None:
    """Wherever they begin, they end at the one solution; all of a kind are bounded together."""
    made = graph(relevance, links, begun)
    found = ranks(made, EXACT)
    hubs, authorities = exact(made)
    assert found.hubs == pytest.approx([float(each) for each in hubs], abs=1e-8)
    assert found.authorities == pytest.approx([float(each) for each in authorities], abs=1e-8)
    for of_kind in (found.hubs, found.authorities):
        assert sum(of_kind) <= sum(relevance) + 1e-6
        assert min(of_kind) >= 0


@given(RELEVANCE, LINKS)
def test_ranks_are_deterministic(relevance: list[float], links: list[LinkRow]) -> None:
    """The same graph gives the same numbers, to the last bit."""
    assert ranks(graph(relevance, links)) == ranks(graph(relevance, links))


def test_a_list_of_links_and_what_it_leads_to() -> None:
    """Of six members, the one that links is a hub, the one all link to an authority."""
    links = [(0, target, 1.0) for target in range(1, 5)]
    links += [(source, 5, 1.0) for source in range(5)]
    found = ranks(graph([1.0] * 6, links), EXACT)
    assert max(found.hubs) == found.hubs[0]
    assert max(found.authorities) == found.authorities[5]
    assert found.authorities[0] == pytest.approx(RESTART)
    assert found.hubs[5] == pytest.approx(RESTART)


def test_an_unjudged_site_lives_on_its_referrers() -> None:
    """It has no hub rank, and the more authority the more relevant sites link to it."""
    found = ranks(graph([1.0, 0.2, 0.0, 0.0, 0.0], [(0, 2, 1.0), (1, 3, 1.0)]), EXACT)
    assert found.hubs[2:] == [0, 0, 0]
    assert found.authorities[2] > found.authorities[3] > found.authorities[4] == 0


def test_relevant_sites_have_the_greater_share_of_an_authority() -> None:
    """Two that link alike are hubs in the measure of their relevance."""
    found = ranks(graph([0.9, 0.3, 0.5], [(0, 2, 1.0), (1, 2, 1.0)]), EXACT)
    assert found.hubs[0] == pytest.approx(3 * found.hubs[1])


def plain_hits(count: int, links: list[LinkRow]) -> list[float]:
    """Return authorities by Kleinberg's algorithm."""
    hubs = [1.0] * count
    for _ in range(100):
        authorities = [0.0] * count
        for source, target, _ in links:
            authorities[target] += hubs[source]
        hubs = [0.0] * count
        for source, target, _ in links:
            hubs[source] += authorities[target]
        norm = sum(hubs)
        hubs = [hub / norm for hub in hubs]
    whole = sum(authorities)
    return [authority / whole for authority in authorities]


def test_a_clique_of_spam_takes_no_more_than_its_relevance() -> None:
    """Thirty sites that just pass and all link to each other: plain HITS gives them everything."""
    honest = [(s, t, 1.0) for s in range(60) for t in (0, 1, (s * 7) % 60) if s != t]
    clique = [(s, t, 1.0) for s, t in permutations(range(60, 90), 2)]
    plain = plain_hits(90, honest + clique)
    found = ranks(graph([0.8] * 60 + [0.1] * 30, honest + clique), EXACT)
    assert sum(plain[:60]) < 0.1
    assert sum(found.authorities[60:]) <= 30 * 0.1 + 1e-6
    assert max(found.authorities[60:]) < found.authorities[0] / 10


def test_few_rounds_and_few_changes_after_few_links() -> None:
    """Ranks go on from where they were, and what is far from the new link stays unwritten."""
    count = 300
    links = [(s, (s * k + 1) % count, 1.0) for s in range(0, count, 2) for k in (3, 7, 11)]
    cold = ranks(graph([0.5] * count, links))
    before = Graph.of(
        [(n, 0.5, cold.hubs[n], cold.authorities[n]) for n in range(count)],
        [*links, (0, 299, 1.0)],
    )
    warm = ranks(before)
    assert warm.rounds < cold.rounds
    written = list(changed(before, warm))
    assert 0 < len(written) < count / 2
    assert 299 in {number for number, _, _ in written}
    anew = ranks(graph([0.5] * count, [*links, (0, 299, 1.0)]))
    assert warm.hubs == pytest.approx(anew.hubs, abs=0.001)


def test_an_island_does_not_move_the_rest() -> None:
    """More sites far away change nobody's rank, so nothing of them is written."""
    links = [(0, 1, 1.0), (1, 2, 1.0)]
    alone = ranks(graph([1.0] * 3, links), EXACT)
    more = ranks(graph([1.0] * 9, [*links, (5, 6, 1.0), (7, 6, 1.0)]), EXACT)
    assert more.authorities[:3] == pytest.approx(alone.authorities)


def test_what_is_no_link_is_left_out() -> None:
    """Links to itself, of what is not relevant, to unknown sites: hostile rows do no harm."""
    links = [(0, 0, 1.0), (1, 0, 1.0), (0, 9, 1.0), (-1, 0, 1.0), (0, 1, 0.0), (0, 1, -3.0)]
    assert not graph([1.0, 0.0], links).sources
    for number in (-1, LARGEST + 1):
        with pytest.raises(ValueError, match="number of a site"):
            Graph.of([(number, 1.0, 0.0, 0.0)], [])
    assert ranks(Graph()) == Ranks([], [], 1)


def test_a_link_on_every_page_is_little_more_than_one() -> None:
    """Weights grow, and more and more slowly."""
    assert weight(0) == weight(1) == 1
    assert 1 < weight(10) < weight(1000) < 8


@given(
    st.lists(st.tuples(st.integers(0, 99), *[st.floats(0, 9)] * 3), max_size=20),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.floats(0, 9)), max_size=20),
    st.integers(1, 3),
)
def test_a_graph_goes_through_files(
    tmp_path_factory: pytest.TempPathFactory,
    sites: list[SiteRow],
    links: list[LinkRow],
    stretch: int,
) -> None:
    """Stretch by stretch, in order, to the bit; what an earlier one left is gone."""
    files = GraphFiles(tmp_path_factory.mktemp("g") / "graph")
    for _ in range(2):
        files.clear()
        for begin in range(0, 20, stretch):
            files.add_sites(sites[begin : begin + stretch])
            files.add_links(iter(links[begin : begin + stretch]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("agents.scheduler.expansion.graph._ROWS", stretch)
            assert (list(files.sites()), list(files.links())) == (sites, links)


async def stretches(rows: list[Any]) -> AsyncIterator[list[Any]]:
    """Yield rows two at a time, as a database does."""
    for begin in range(0, len(rows), 2):
        yield rows[begin : begin + 2]


@ensureDeferred
async def test_a_worker_process_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that has changed comes back in stretches; the next time there is nothing to change."""
    monkeypatch.setattr("agents.scheduler.expansion.ranking.STRETCH", 2)
    processes, workers = Processes(reactor, size=1, name="ranks"), Workers(reactor, 1)
    services: list[Any] = [processes, workers]
    for service in services:
        service.startService()
    links = [(0, 1, 1.0), (0, 2, 2.0), (1, 2, 1.0)]
    relevance = (1.0, 0.5, 0.0)

    async def changes(ranks: list[tuple[float, float]]) -> list[list[RankRow]]:
        sites = [(number, relevance[number], *ranks[number]) for number in range(3)]
        return [
            stretch
            async for stretch in changed_ranks(
                processes, workers, tmp_path / "ranks", stretches(sites), stretches(links)
            )
        ]

    first = await changes([(0.0, 0.0)] * 3)
    assert [[number for number, _, _ in stretch] for stretch in first] == [[0, 1], [2]]
    now = [(hub, authority) for stretch in first for _, hub, authority in stretch]
    expected = ranks(graph(list(relevance), links))
    assert now == list(zip(expected.hubs, expected.authorities, strict=True))
    assert await changes(now) == []
    for service in services:
        await service.stopService()
