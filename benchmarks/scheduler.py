"""What scheduling costs: orders a second on one core, memory and database, few sites and many.

    python benchmarks/scheduler.py [--quick] [--times N] [--sites N…] [--orders N] [--crawlers N]
                                   [--folder DIRECTORY] [--profile FILE]

A scheduler in a process of its own keeps so many sites, all of them due, each with a former crawl.
This process is its 2,000 crawlers and its connectivity agents, linked to it by HIP, which answer
at once and do nothing. An order is a whole life: a site falls due, is begun, collected, finished,
deposited, and its folder removed; each step durable before anybody is answered. Times are the
scheduler's, of the processor: how many orders one core carries out. Names of hosts are answered
within it at once: to ask a name server costs about 0.4 ms more for each that is not known. Each
size is measured three times, in turn with the others, and the medians count. The last line is JSON.
"""

import argparse
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from attrs import define, field
from twisted.internet.task import react
from zope.interface import implementer

from agents.configuration import load
from agents.deposit import DepositFigures, HostedFolder
from agents.order import CrawlFigures
from agents.scheduler.database import Database
from agents.scheduler.service import make_service
from anet.garbage import settle
from anet.names import INames
from anet.tasks import Tasks, sleep
from hip import Agent, exposed

WANTED = 1000  # orders a second of one core
FLAT = 1.25  # as much memory with many sites as with few, and this at most
CONNECTIVITY = 4  # agents that deposit
FIRST = "20260101000000000000"  # when all sites were collected before, and are due again
CONFIG = """\
scheduler:
  address: unix:{folder}/socket
  pages: 127.0.0.1:0
  maximum_crawlers: {crawlers}
  deposits_at_once: 100
"""
FIGURES = json.dumps(
    dict.fromkeys(("bytes_received", "captures", "contents_known", "contents_new", "pages"), 1000)
)
# As Database would write them one by one, which takes a minute for a million.
FILL = f"""
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :sites)
INSERT INTO sites (site, number, start_url, accept, reject, maximum_depth, host, lane, state,
    standing, crawl, crawls, registered, changed, next, guess, rhythm, judgement)
SELECT host, n, 'http://' || host || '/', '//' || host || '/', '', 150, host,
    lane, 'idle', 'member', '20260101-000000-' || host, 1, '{FIRST}', '{FIRST}',
    '{FIRST[:8]}' || printf('%012d', n), :text, :text, :text
FROM (SELECT n, 'www' || n || '.example.org' AS host,
        '10.' || (n >> 16) || '.' || (n >> 8 & 255) || '.' || (n & 255) AS lane FROM numbers);
"""
FORMER = f"""
INSERT INTO crawls (crawl, site, host, lane, state, private_networks, attempt, name, crawler,
    directory, figures, deposit, ordered, changed)
SELECT crawl, site, host, lane, 'deposited', 0, 1, crawl, 'crawler-1', '/archive/crawls/' || crawl,
    :figures, :figures, '{FIRST}', '{FIRST}' FROM sites;
"""
ATTEMPTS = f"""
INSERT INTO attempts (name, crawl, number, crawler, began, ended)
SELECT crawl, crawl, 1, 'crawler-1', '{FIRST}', '{FIRST}' FROM sites;
"""

Figures = dict[str, float]


@define
class Progress:
    """What the simulated agents have done."""

    collected: int = 0
    deposited: int = 0
    removed: int = 0
    lost: int = 0


@implementer(INames)
class Names:
    """Name servers that have answered as soon as they are asked: each site has an address."""

    async def resolve(self, host: str) -> list[str]:
        """Return the address of a site, which is its lane, too."""
        number = int(host.removeprefix("www").partition(".")[0])
        return [f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"]

    def resolveHostName(self, *_: Any) -> Any:
        """Refuse: the scheduler asks for addresses alone."""
        raise NotImplementedError


class Crawler:
    """A site crawler that has collected a site as soon as it is asked to."""

    def __init__(self, number: int, progress: Progress) -> None:
        self.name = f"crawler-{number}"
        self.link: Any = None
        self._progress, self._tasks = progress, Tasks()

    @exposed
    def collect(self, order: dict[str, Any]) -> None:
        """Take an order, and end it at once."""
        self._tasks.start(self._finish(order["crawl"]), "finishing")

    async def _finish(self, crawl: str) -> None:
        self._progress.collected += 1
        figures = CrawlFigures(captures=1000, pages=500, contents_new=10, contents_known=990)
        if not await self.link.call(
            "finished", crawl=crawl, directory=f"/archive/crawls/{crawl}", figures=figures
        ):
            self._progress.lost += 1


class Connectivity:
    """A connectivity agent that has deposited a crawl as soon as it is asked to."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    @exposed
    def serves(self) -> HostedFolder:
        """Serve one machine."""
        return HostedFolder("here", "/archive/crawls")

    @exposed
    def deposit(
        self, crawl: str, site: str, directory: str, machine: str | None = None
    ) -> DepositFigures:
        """Deposit nothing."""
        self._progress.deposited += 1
        return DepositFigures(captures=1000, captures_recorded=1000, contents_stored=10, done=True)

    @exposed
    def discard(self, directory: str, machine: str | None = None) -> None:
        """Remove nothing."""
        self._progress.removed += 1


@define
class Process:
    """The scheduler's process, and what the system says of it."""

    pid: int
    began: float = field(factory=monotonic)
    spent: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.spent = self._processor()

    def figures(self, orders: int) -> dict[str, float]:
        """Return what `orders` since then took."""
        processor, seconds = self._processor() - self.spent, monotonic() - self.began
        return {
            "orders_per_second_of_a_core": round(orders / processor, 1),
            "orders_per_second_by_clock": round(orders / seconds, 1),
            "processor_ms_per_order": round(processor / orders * 1000, 3),
            "cores": round(processor / seconds, 2),
        }

    def _processor(self) -> float:
        text = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(text[11]) + int(text[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, what: str) -> float:
        """Return a line of its status, in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(what):
                return round(int(line.split()[1]) / 1024, 1)
        raise KeyError(what)


def main() -> None:
    """Measure as the command line says."""
    options = read_options()
    if options.serve:
        react(serve, [options.serve])
    print_head()
    runs: dict[int, list[Figures]] = {sites: [] for sites in options.sites}
    for _ in range(options.times):
        for sites, found in runs.items():
            found.append(measure(sites, options))
            print_row(f"{sites:,}", found[-1])
    results = {sites: medians(found) for sites, found in runs.items()}
    for sites, figures in results.items():
        print_row(f"median of {sites:,}", figures)
    report(results)


def read_options() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sites, and once")
    parser.add_argument("--times", type=int, help="how often each size is measured")
    parser.add_argument("--sites", type=int, nargs="+", help="sizes, ascending")
    parser.add_argument("--orders", type=int, help="orders at most, a quarter of them to warm up")
    parser.add_argument("--crawlers", type=int, default=2000)
    parser.add_argument("--folder", type=Path, help="where the databases are made")
    parser.add_argument("--profile", help="where the profile of the scheduler goes")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.sites = options.sites or [10_000, 100_000 if options.quick else 1_000_000]
    options.orders = options.orders or (6000 if options.quick else 30_000)
    options.times = options.times or (1 if options.quick else 3)
    return options


async def serve(reactor: Any, folder: str) -> None:
    """Be the scheduler, until standard input ends."""
    configuration = load(Path(folder) / "archive.yaml", directory=folder, base_port=None)
    service = make_service(reactor, configuration, "scheduler")
    service.startService()
    reactor.installNameResolver(Names())
    settle()  # as every agent does when it starts
    print("ready", flush=True)
    while not Path(folder, "stop").exists():
        await sleep(reactor, 0.2)
    await service.stopService()


def measure(sites: int, options: argparse.Namespace) -> Figures:
    """Return the figures of a scheduler with so many sites."""
    folder = Path(tempfile.mkdtemp(prefix="scheduler-", dir=options.folder))
    found: Figures = {}
    try:
        (folder / "archive.yaml").write_text(
            CONFIG.format(folder=folder, crawlers=options.crawlers)
        )
        fill(folder / "scheduler" / "scheduler.sqlite", sites)
        found["database_mb"] = round(size(folder) / 1e6, 1)
        found["database_bytes_per_site"] = round(size(folder) / sites)
        with scheduler(folder, options.profile) as pid:
            orders = min(options.orders, sites - options.crawlers)
            react_once(run, folder, pid, options.crawlers, orders, found)
        return found
    finally:
        shutil.rmtree(folder)


def react_once(main: Any, *arguments: Any) -> None:
    """Run a coroutine in a process of its own: a reactor runs once."""
    *rest, found = arguments
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            react(lambda reactor: main(reactor, *rest, write))
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as answers:
        text = answers.read()
    os.waitpid(child, 0)
    found.update(json.loads(text or "{}"))


def fill(path: Path, sites: int) -> None:
    """Write a database of sites that are all due."""
    Database(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    text = json.dumps({"why": "x" * 150})
    connection.execute(FILL, {"sites": sites, "text": text})
    connection.execute(FORMER, {"figures": FIGURES})
    connection.execute(ATTEMPTS)
    connection.execute("DELETE FROM tallies")
    connection.commit()
    connection.close()
    Database(path).close()


def size(folder: Path) -> int:
    """Return the bytes of the database."""
    return sum(file.stat().st_size for file in (folder / "scheduler").iterdir())


@contextmanager
def scheduler(folder: Path, profile: str | None) -> Iterator[int]:
    """Run a scheduler; give its process."""
    profiled = ["-m", "cProfile", "-o", profile] if profile else []
    process = subprocess.Popen(
        [sys.executable, *profiled, __file__, "--serve", folder], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit("the scheduler did not start")
        yield process.pid
        (folder / "stop").touch()
        process.wait(60)
    finally:
        process.kill()
        process.wait()


async def run(
    reactor: Any, folder: Path, pid: int, crawlers: int, orders: int, answers: int
) -> None:
    """Be the scheduler's agents until enough has been done."""
    progress = Progress()
    before = Process(pid)
    pool = [Crawler(number, progress) for number in range(crawlers)]
    agents = [connected(reactor, folder, "site-crawler", one.name, one) for one in pool]
    for crawler, (_, link) in zip(pool, agents, strict=True):
        crawler.link = link
        await link.connected()
    idle = before.memory("VmRSS")
    for number in range(CONNECTIVITY):
        one = Connectivity(progress)
        agents.append(connected(reactor, folder, "connectivity", f"connectivity-{number}", one))
        await agents[-1][1].connected()
    measured = Process(pid)
    for crawler in pool:
        await crawler.link.call("ready", crawl=None)
    while progress.removed < orders // 4:  # warm up
        await sleep(reactor, 0.02)
    done, measured = progress.removed, Process(pid)
    while progress.removed < orders:
        await sleep(reactor, 0.02)
    figures = measured.figures(progress.removed - done)
    figures |= {
        "memory_mb": measured.memory("RssAnon"),
        "memory_peak_mb": measured.memory("VmHWM"),
        "memory_with_idle_crawlers_mb": idle,
        "lost": progress.lost,
    }
    with os.fdopen(answers, "w") as pipe:
        json.dump(figures, pipe)
    os._exit(0)  # 2,000 links need not say goodbye


def connected(reactor: Any, folder: Path, kind: str, name: str, methods: Any) -> tuple[Any, Any]:
    """Return an agent, and its link to the scheduler."""
    agent = Agent(reactor, kind=kind, name=name, methods=[methods])
    link = agent.connect(f"unix:{folder}/socket")
    agent.startService()
    return agent, link


def medians(runs: list[Figures]) -> Figures:
    """Return the median of each figure."""
    return {name: median(run[name] for run in runs) for name in runs[0]}


def print_head() -> None:
    """Print what the columns are."""
    print(
        f"{'sites':>20} {'orders/s of a core':>19} {'ms each':>8} {'by the clock':>13} "
        f"{'memory, MB':>11} {'database, MB':>13}"
    )


def print_row(what: str, found: Figures) -> None:
    """Print the figures of a size."""
    print(
        f"{what:>20} {found['orders_per_second_of_a_core']:>19,.0f} "
        f"{found['processor_ms_per_order']:>8.2f} {found['orders_per_second_by_clock']:>13,.0f} "
        f"{found['memory_mb']:>11,.0f} {found['database_mb']:>13,.0f}",
        flush=True,
    )


def report(results: dict[int, Figures]) -> None:
    """Print how memory grows, whether targets are met, and the line of JSON."""
    few, many = min(results), max(results)
    rate = results[many]["orders_per_second_of_a_core"] / WANTED
    growth = results[many]["memory_mb"] / results[few]["memory_mb"]
    targets = {
        f"{WANTED} orders a second of one core": target(rate, 1.0),
        "memory flat in the number of sites": target(1 / growth, 1 / FLAT),
    }
    print(f"{growth:.2f} times the memory with {many / few:g} times the sites")
    for name, found in targets.items():
        print(
            f"{name}: {found['ratio']} of {found['wanted']} {'met' if found['met'] else 'MISSED'}"
        )
    summary = {
        "benchmark": "scheduler",
        "versions": {
            "dlweb": version("dlweb"),
            "sqlite": sqlite3.sqlite_version,
            "python": platform.python_version(),
        },
        "figures": {str(sites): found for sites, found in results.items()},
        "ratios": {"orders_per_second": round(rate, 3), "memory": round(1 / growth, 3)},
        "targets": targets,
    }
    print(json.dumps(summary))


def target(ratio: float, wanted: float) -> dict[str, Any]:
    """Return how far a target is met."""
    return {"ratio": round(ratio, 3), "wanted": round(wanted, 3), "met": ratio >= wanted}


if __name__ == "__main__":
    main()
