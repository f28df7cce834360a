"""How safe contents are in a large cluster: a model of it with the code that places replicas.

    python benchmarks/durability.py [--quick] [--nodes N] [--contents N] [--sample N]

A sample of the contents is placed by `agents.storage.policy.place` on the model's nodes. Told are:
how evenly the nodes are filled; what a node that comes or goes moves; and how probable it is that a
content is lost within a year, by the number of replicas and by how quickly the storage master
repairs. Loss is calculated, since it is too rare to be waited for, and the calculation is checked
by a simulation in which nodes fail a hundred times as often. The last line is JSON.

A node fails for good, with all it holds, once in 25 years on average and independently of the
others, and an empty one takes its place. What whole sites do together is told apart.
"""

import argparse
import heapq
import json
import math
import platform
import random
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from agents.storage.policy import place
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState, NodeStatus

FAILURES = 0.04  # of a node, a year
SITES = 10
SIZE = 50_000  # bytes of a content, on average
GRACE = 60.0  # seconds until repairs begin, the default of the storage master
RATES = (
    200.0,
    2_000.0,
    20_000.0,
)  # repairs a second of the whole cluster; the first is the default
REPLICAS = (1, 2, 3, 4)
YEAR = 365.25 * 86_400  # seconds
OFTEN = 100  # times as many failures in the simulation that checks the calculation


class Placed(NamedTuple):
    """Where a sample of contents lies: names of nodes, by key."""

    holders: dict[str, list[str]]

    def fill(self, nodes: Sequence[NodeState]) -> list[int]:
        """Return how many replicas each node has."""
        counted = Counter(name for names in self.holders.values() for name in names)
        return [counted[node.name] for node in nodes]


def main() -> None:
    """Run the model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sample")
    parser.add_argument("--nodes", type=int, default=1000, help="of the model (default: 1000)")
    parser.add_argument("--contents", type=float, default=1e10, help="in it (default: 1e10)")
    parser.add_argument("--sample", type=int, default=100_000, help="placed (default: 100000)")
    options = parser.parse_args()
    sample = options.sample // 10 if options.quick else options.sample
    nodes = cluster(options.nodes)
    keys = [sha256(b"%d" % number).hexdigest() for number in range(sample)]
    figures = {
        "balance": told("How evenly two replicas fill the nodes", balance(keys, nodes)),
        "moves": told("What moves, of all replicas", moves(keys, nodes)),
        "sites": told("Contents with all replicas in one site", one_site(keys, nodes)),
        "check": told(
            "Lost a year of a thousand contents, where nodes fail a hundred times as often",
            check(options.quick),
        ),
        "lost": told(
            "Nines: how many 9s the probability begins with that a content is there after a year",
            nines(options.nodes, options.contents),
        ),
    }
    versions = {"python": platform.python_version()}
    print(
        json.dumps(
            {"benchmark": "durability", "versions": versions, "figures": figures, "ratios": {},
             "targets": {}}
        )
    )  # fmt: skip


def told(title: str, figures: dict[str, float]) -> dict[str, float]:
    """Print figures, and return them."""
    print(f"\n{title}")
    for name, value in figures.items():
        print(f"    {name:58}{value:12.4g}")
    return figures


def cluster(count: int, first: int = 0) -> list[NodeState]:
    """Return nodes of equal size in some sites."""
    return [
        NodeState(
            NodeStatus(
                f"storage-{number}", f"http://{number}", free=2**40, place=f"site-{number % SITES}"
            ),
            up=True,
        )
        for number in range(first, first + count)
    ]


def placed(keys: Sequence[str], nodes: Sequence[NodeState], wanted: Wanted) -> Placed:
    """Place contents."""
    return Placed({key: [node.name for node in place(key, nodes, wanted)] for key in keys})


def balance(keys: Sequence[str], nodes: Sequence[NodeState]) -> dict[str, float]:
    """Return how much the nodes differ; some of that is the chance of a small sample."""
    fill = placed(keys, nodes, Wanted(2, places=2)).fill(nodes)
    mean = statistics.mean(fill)
    return {
        "replicas of the sample on a node, mean": mean,
        "standard deviation, of the mean": statistics.pstdev(fill) / mean,
        "of it, chance of the sample": 1 / math.sqrt(mean),
        "fullest node, of the mean": max(fill) / mean,
    }


def moves(keys: Sequence[str], nodes: Sequence[NodeState]) -> dict[str, float]:
    """Return which part of all replicas belongs elsewhere after a change, and at least must."""
    wanted, count = Wanted(2, places=2), len(nodes)
    before = placed(keys, nodes, wanted)
    tenth = count // 10

    def moved(after: Placed) -> float:
        stayed = sum(len({*before.holders[key]} & {*names}) for key, names in after.holders.items())
        return 1 - stayed / sum(map(len, before.holders.values()))

    return {
        "a node goes": moved(placed(keys, nodes[:-1], wanted)),
        "    at least": 1 / count,
        "a node comes": moved(placed(keys, [*nodes, *cluster(1, count)], wanted)),
        "    at least ": 1 / (count + 1),
        "a tenth more nodes come": moved(placed(keys, [*nodes, *cluster(tenth, count)], wanted)),
        "    at least  ": tenth / (count + tenth),
    }


def one_site(keys: Sequence[str], nodes: Sequence[NodeState]) -> dict[str, float]:
    """Return which part of contents a lost site takes along."""
    sites = {node.name: node.status.place for node in nodes}

    def part(wanted: Wanted) -> float:
        found = placed(keys, nodes, wanted).holders.values()
        return sum(len({sites[name] for name in names}) == 1 for names in found) / len(keys)

    return {
        "two replicas anywhere": part(Wanted(2)),
        "two replicas in two places": part(Wanted(2, places=2)),
    }


def nines(nodes: int, contents: float) -> dict[str, float]:
    """Return the nines by replicas and rate of repair."""
    found = {}
    for rate in RATES:
        for replicas in REPLICAS:
            hours = window(nodes, contents, replicas, rate) / 3600
            lost = loss(replicas, FAILURES, window(nodes, contents, replicas, rate) / YEAR)
            name = f"{replicas} replicas, {rate:.0f} repairs a second ({hours:.1f} hours a node)"
            found[name] = round(-math.log10(lost), 1)
    return found


def window(nodes: int, contents: float, replicas: int, rate: float) -> float:
    """Return the seconds from a node's failure until all it held has been copied."""
    return GRACE + contents * replicas / nodes / rate


def loss(replicas: int, failures: float, repair: float) -> float:
    """Return the probability that a content is lost within a year, or a little more than it.

    One of its nodes fails; each of the others fails before the content's turn in the repair has
    come, which is at any time within the repair with equal probability. So that all of them do, k
    being one less than the replicas, has the probability (failures × repair)^k / (k + 1). That the
    second failure begins a repair too, which may come first, is left out.

    Args:
        replicas: how many nodes have it.
        failures: of a node, a year.
        repair: years from a failure to the end of its repair.
    """
    others = replicas - 1
    return -math.expm1(-replicas * failures * (failures * repair) ** others / (others + 1))


# The check


def check(quick: bool) -> dict[str, float]:
    """Return losses as calculated and as simulated, where they are frequent enough to be seen."""
    found = {}
    for replicas in (2, 3):
        failures, repair = FAILURES * OFTEN, 0.02  # a week
        lost = 1000 * loss(replicas, failures, repair)
        years = (10 if quick else 400) * (1 if replicas == 2 else 5)
        found[f"{replicas} replicas, calculated"] = lost
        found[f"{replicas} replicas, simulated"] = simulated(replicas, failures, repair, years)
    return found


def simulated(replicas: int, failures: float, repair: float, years: int) -> float:
    """Return how many of a thousand contents are lost a year, among a hundred nodes.

    A content that is lost is put back, so that there are always as many.
    """
    chance = random.Random(1)  # noqa: S311  nothing here is secret
    nodes = [node.name for node in cluster(100)]
    keys = [sha256(b"%d" % number).hexdigest() for number in range(1000)]
    found = placed(keys, cluster(100), Wanted(replicas)).holders
    holders = {key: set(names) for key, names in found.items()}
    held: dict[str, set[str]] = defaultdict(set)
    for key, names in holders.items():
        for name in names:
            held[name].add(key)
    repairs: list[tuple[float, str]] = []
    lost = 0
    for now, failed in failing(chance, nodes, failures, years):
        while repairs and repairs[0][0] <= now:
            key = heapq.heappop(repairs)[1]
            if len(holders[key]) < replicas:
                name = chance.choice([name for name in nodes if name not in holders[key]])
                holders[key].add(name)
                held[name].add(key)
        for key in held.pop(failed, set()):
            holders[key].discard(failed)
            lost += not holders[key]
            missing = 1 if holders[key] else replicas
            for _ in range(missing):
                delay = chance.random() * repair if holders[key] else 0.0
                heapq.heappush(repairs, (now + delay, key))
    return lost / years


def failing(
    chance: random.Random, nodes: Sequence[str], failures: float, years: int
) -> Iterator[tuple[float, str]]:
    """Yield when which node fails, in years."""
    now = 0.0
    while (now := now + chance.expovariate(failures * len(nodes))) < years:
        yield now, chance.choice(nodes)


if __name__ == "__main__":
    main()
