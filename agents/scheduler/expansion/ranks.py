"""Hub and authority ranks of sites: HITS, damped, and led by relevance (*INA §1.5.1, [11]*).

Kleinberg's HITS gives everything to the densest part of the graph: a few hundred sites that link
to each other, of whatever topic, take all. This is the randomized HITS of Ng, Zheng and Jordan
(2001) with relevance as its prior. A reader begins at a site, the likelier the more relevant it is;
goes over a link forwards, over one backwards, and so on; and begins anew with probability
`RESTART` before each. Those that come to a site forwards make it an authority, backwards a hub:

    authority(t) = RESTART · relevance(t) + (1 - RESTART) · Σ hub(s) · weight(s, t) / out(s)
    hub(s)       = RESTART · relevance(s) + (1 - RESTART) · Σ authority(t) · weight(s, t) / in(t)

where `out` and `in` are the sums of weights of the links from a site and to one, and a link weighs
the more the more relevant its source is. What follows from it:

* All ranks of a kind add up to no more than all relevance does. Sites that only link to each other
  hold no more than their own relevance, however many links they make: a clique gains nothing.
* There is one solution, whatever the ranks began with, and each round comes nearer to it by a third
  at least. Ranks that were right before some links came need few rounds.
* Nothing is divided by the number of sites or by the highest rank, so a new link changes the ranks
  around it and no others; only those that have changed are written.
"""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from agents.scheduler.expansion.graph import Graph, GraphFiles, RankRow

RESTART: Final = 0.2
EPSILON: Final = 0.001  # of a rank; a lesser change is not written
_ROUNDS: Final = 100  # after which what is left of an error is 2e-20 of it
_PRECISION: Final = 0.1  # of epsilon; how far ranks may still move when rounds end


@frozen
class Ranks:
    """Ranks that were worked out.

    Attributes:
        hubs: by the number of the site.
        authorities: likewise.
        rounds: that it took.
    """

    hubs: list[float]
    authorities: list[float]
    rounds: int


def ranks(graph: Graph, epsilon: float = EPSILON) -> Ranks:
    """Return the ranks of all sites, to within about `epsilon`.

    They begin as the graph has them: the nearer these are, the fewer rounds it takes.
    """
    outwards = _shares(graph.sources, graph)
    inwards = _shares(graph.targets, graph)
    prior = [RESTART * relevance for relevance in graph.relevance]
    hubs, rounds = graph.hubs, 0
    while True:
        former, rounds = hubs, rounds + 1
        authorities, hubs = prior.copy(), prior.copy()
        for source, target, share in zip(graph.sources, graph.targets, outwards, strict=True):
            authorities[target] += former[source] * share
        for source, target, share in zip(graph.sources, graph.targets, inwards, strict=True):
            hubs[source] += authorities[target] * share
        if _furthest(former, hubs) <= epsilon * _PRECISION or rounds == _ROUNDS:
            return Ranks(hubs, authorities, rounds)


def changed(graph: Graph, now: Ranks, epsilon: float = EPSILON) -> Iterator[RankRow]:
    """Yield the ranks that differ by more than `epsilon` from those that the graph has."""
    both = zip(graph.hubs, graph.authorities, now.hubs, now.authorities, strict=True)
    for number, (hub, authority, new_hub, new_authority) in enumerate(both):
        if abs(new_hub - hub) > epsilon or abs(new_authority - authority) > epsilon:
            yield number, new_hub, new_authority


def rank_files(folder: str, epsilon: float = EPSILON) -> list[int]:
    """Work out the ranks of the graph in a folder, and leave there those that have changed.

    What a worker process does (`anet.processes`).

    Returns:
        How many sites, links and rounds there were.

    Raises:
        OSError: the files cannot be read or written.
        ValueError: they hold no graph.
    """
    files = GraphFiles(Path(folder))
    graph = Graph.of(files.sites(), files.links())
    now = ranks(graph, epsilon)
    files.add_changed(changed(graph, now, epsilon))
    return [len(graph.relevance), len(graph.sources), now.rounds]


def _shares(ends: "array[int]", graph: Graph) -> "array[float]":
    """Return what share each link has of all that begin, or that end, where it does."""
    sums = [0.0] * len(graph.relevance)
    for end, weight in zip(ends, graph.weights, strict=True):
        sums[end] += weight
    kept = 1 - RESTART
    return array(
        "d", (kept * weight / sums[end] for end, weight in zip(ends, graph.weights, strict=True))
    )


def _furthest(former: list[float], now: list[float]) -> float:
    return max((abs(a - b) for a, b in zip(former, now, strict=True)), default=0.0)
