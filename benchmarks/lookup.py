"""How long it takes to find a capture by URL and date, and how many messages that costs.

    python benchmarks/lookup.py [--quick] [--urls N] [--lookups N]

First with real processes: a storage master, an index node and four storage nodes, each URL recorded
on two of them. A lookup is the paper's steps 1 to 4 (*INA §2.3.2*): ask who holds the structure
file, by multicast or by the index node, then ask that node for the capture nearest to a date. Each
way is measured one at a time and with 32 readers at once; times are of the clock, in milliseconds.

Then the number of messages of a lookup by multicast against the number of nodes, 1 to 64: real
sockets in this process, each node subscribed to the groups of what it holds. Contents are placed
by the code that places them in an archive. A question counts once for each node that gets it.
The last line is JSON.
"""

import argparse
import json
import platform
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from deposit import free_ports, ready, running
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from agents.capture import Capture, structure_key
from agents.configuration import secret
from agents.consultation.lookup.index import IndexNode
from agents.consultation.lookup.locators import IndexLocator, Locator, MulticastLocator
from agents.consultation.lookup.structures import Structures
from agents.deposit import ContentSize, Placement
from agents.storage.policy import place
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState, NodeStatus
from anet.http import HttpClient, PipelinedClient
from anet.multicast import GroupListener, Groups
from anet.multicast import MulticastLocator as Multicast
from anet.tasks import sleep
from anet.together import together
from hip import Agent, convert

NODES = 4
READERS = 32  # at once
DATES = 5  # captures of each URL
CONFIG = "storage-node: {multicast: true}\n"
COUNTS = (1, 2, 4, 8, 16, 32, 64)  # nodes of the simulation
REPLICAS = 2
TIMEOUT = 5.0  # seconds for an answer by multicast
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
BATCH = 2000  # captures recorded together

Look = Callable[[str, str], Awaitable[None]]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer of everything")
    parser.add_argument("--urls", type=int, default=20_000, help="recorded (default: 20000)")
    parser.add_argument("--lookups", type=int, default=10_000, help="of each way (default: 10000)")
    options = parser.parse_args()
    if options.quick:
        options.urls, options.lookups = min(options.urls, 2000), min(options.lookups, 1000)
    react(lambda reactor: Deferred.fromCoroutine(run(reactor, options)))


async def run(reactor: Any, options: argparse.Namespace) -> None:
    """Measure both, and report."""
    folder = Path(tempfile.mkdtemp(prefix="dlweb-lookup-"))
    try:
        times = await real(reactor, folder, options.urls, options.lookups)
    finally:
        shutil.rmtree(folder)
    print(f"{'lookups':28}{'p50 ms':>10}{'p99 ms':>10}{'a second':>12}")
    for name, figures in times.items():
        print(f"{name:28}" + "".join(f"{value:>10.2f}" for value in figures.values()))
    messages = {count: await simulated(reactor, count, options.quick) for count in COUNTS}
    print(
        f"\n{'nodes':>8}{'questions heard':>18}{'answers':>10}{'by index':>10}   messages a lookup"
    )
    for count, (heard, answers) in messages.items():
        print(f"{count:>8}{heard:>18.2f}{answers:>10.2f}{2:>10}")
    figures = {
        "times": times,
        "messages": {
            str(count): {"heard": heard, "answers": answers}
            for count, (heard, answers) in messages.items()
        },
    }
    versions = {"python": platform.python_version()}
    print(
        json.dumps(
            {"benchmark": "lookup", "versions": versions, "figures": figures, "ratios": {},
             "targets": {}}
        )
    )  # fmt: skip


# With real processes


async def real(reactor: Any, folder: Path, urls: int, lookups: int) -> dict[str, dict[str, float]]:
    """Return the times of lookups in an archive of real processes."""
    base = free_ports()
    agents = {"storage-master": "storage-master", "index-1": "index-node"} | {
        f"storage-{number}": "storage-node" for number in range(1, NODES + 1)
    }
    console = Agent(reactor, "console", "console")
    depositor = Agent(reactor, "connectivity", "connectivity")
    client, quick = HttpClient(reactor, connections=READERS), PipelinedClient(reactor)
    groups = Groups(base, secret=secret(folder))
    multicast = Multicast(reactor, groups)
    with running(folder, base, agents, CONFIG):
        master = console.connect(f"127.0.0.1:{base + 2}")
        index = depositor.connect(f"127.0.0.1:{base + 4}")
        for service in (console, depositor, client, quick, multicast):
            service.startService()
        await ready(reactor, master, NODES)
        await record(reactor, index, urls)
        await sleep(reactor, 3.0)  # the nodes join their groups once a second
        ways: dict[str, Locator] = {
            "multicast": MulticastLocator(multicast, TIMEOUT),
            "index": IndexLocator(IndexNode(reactor, index, TIMEOUT).find),
        }
        found = {}
        for readers in (1, READERS):
            for name, locator in ways.items():
                look = looking(locator, Structures(client, quick))
                times = await measure(reactor, look, urls, lookups, readers)
                found[f"{name}, {readers} at once"] = times
        quick.stopService()
        for each in (multicast, client, depositor, console):
            await each.stopService()
    return found


async def record(reactor: Any, index: Any, urls: int) -> None:
    """Record captures of some URLs; their contents are nowhere, and nobody asks for them."""
    content = sha256(b"nothing").hexdigest()
    placed = await index.call("place", contents=[ContentSize(content, 7)], timeout=TIMEOUT)
    nodes = list(convert(placed, list[Placement])[0].nodes)
    for start in range(0, urls * DATES, BATCH):
        captures = [
            Capture(url_of(number // DATES), date_of(number % DATES), content, 7, 200, HEAD)
            for number in range(start, min(start + BATCH, urls * DATES))
        ]
        await index.call("record", captures=captures, stored={content: nodes}, timeout=120.0)


def looking(locator: Locator, structures: Structures) -> Look:
    """Return what looks a URL up at a date, and makes sure that it is the right capture."""

    async def look(url: str, date: str) -> None:
        key = structure_key(url)
        nodes = await locator.locate("structures", key)
        nearest = await structures.nearest(nodes, key, date)
        if nearest is None or (nearest.capture.url, nearest.capture.date) != (url, date):
            sys.exit(f"{url} at {date} was not found: {nodes} {nearest}")

    return look


async def measure(
    reactor: Any, look: Look, urls: int, lookups: int, readers: int
) -> dict[str, float]:
    """Return the percentiles of looking up URLs at random, in milliseconds, and the rate."""
    choice = random.Random(1)  # noqa: S311  which URLs are asked for is no secret
    wanted = [(url_of(choice.randrange(urls)), date_of(choice.randrange(DATES)))
              for _ in range(lookups)]  # fmt: skip
    times: list[float] = []

    async def reader() -> None:
        while wanted:
            url, date = wanted.pop()
            begun = reactor.seconds()
            await look(url, date)
            times.append((reactor.seconds() - begun) * 1e3)

    begun = reactor.seconds()
    for outcome in await together(reader() for _ in range(readers)):
        if isinstance(outcome, Exception):
            raise outcome
    seconds = reactor.seconds() - begun
    cuts = statistics.quantiles(times, n=100)
    return {"p50": round(cuts[49], 3), "p99": round(cuts[98], 3), "rate": round(lookups / seconds)}


def url_of(number: int) -> str:
    """Return one of the URLs."""
    return f"http://site-{number % 97}.test/page/{number}.html"


def date_of(number: int) -> str:
    """Return one of the dates."""
    return f"2026{number + 1:02}01120000000000"


# Simulated


async def simulated(reactor: Any, count: int, quick: bool) -> tuple[float, float]:
    """Return how many nodes hear the question of a lookup, and how many answer."""
    nodes = [
        NodeState(NodeStatus(f"storage-{number}", f"http://{number}", free=2**40), up=True)
        for number in range(count)
    ]
    keys = [sha256(b"%d" % number).digest() for number in range(2000 if quick else 20_000)]
    held: dict[str, set[bytes]] = {node.name: set() for node in nodes}
    for key in keys:
        for node in place(key.hex(), nodes, Wanted(REPLICAS)):
            held[node.name].add(key)
    groups = Groups(free_ports(), secret="simulated")  # noqa: S106  guards nothing
    listeners = [await listening(reactor, groups, node, held[node.name]) for node in nodes]
    locator = Multicast(reactor, groups)
    locator.startService()
    lookups = keys[:: len(keys) // (100 if quick else 500)]
    for key in lookups:
        if not await locator.find("contents", key, TIMEOUT):
            sys.exit(f"nobody of {count} nodes answered")
    await sleep(reactor, 0.05)
    for service in (locator, *listeners):
        await service.stopService()
    heard = sum(listener.questions for listener in listeners) / len(lookups)
    return round(heard, 2), round(sum(each.answers for each in listeners) / len(lookups), 2)


async def listening(
    reactor: Any, groups: Groups, node: NodeState, held: set[bytes]
) -> GroupListener:
    """Return a node that answers for what it holds, in the groups of it."""
    known = (node.status.url, 0)
    listener = GroupListener(reactor, groups, lambda _, key: known if key in held else None)
    await listener.join({key[0] for key in held})
    return listener


if __name__ == "__main__":
    main()
