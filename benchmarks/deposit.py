"""What storing costs: a crawl of some folders of files is deposited, and each process's time taken.

    python benchmarks/deposit.py [--runs N] [--later SECONDS] [--folder DIRECTORY] FOLDER…
    python benchmarks/deposit.py [--runs N] [--folder DIRECTORY] --captures N [--size BYTES]

A crawl folder is written as a site crawler would leave it after it had collected the files, or as
many made-up ones as are asked for, and deposited into a fresh storage of real processes: storage
master, index node, two storage nodes and a connectivity agent. This process is their scheduler.
Times are of the processor, in microseconds a capture, from the order to the acknowledgement;
"later" is what follows within some seconds, when the storage master counts replicas. "flat" is the
rate of the last tenth of the captures against that of the second: whether it falls as an archive
grows. The last line is JSON.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from agents.bundle import CONTENT_LIMIT
from agents.crawler.pack import Pack
from agents.deposit import DepositFigures
from anet.tasks import sleep
from hip import Agent, HipError, convert, exposed

AGENTS = {
    "storage-master": "storage-master",
    "index-1": "index-node",
    "storage-1": "storage-node",
    "storage-2": "storage-node",
    "connectivity": "connectivity",
}
CONFIG = "storage-node: {multicast: false}\n"
HEAD = (
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 07:30:00 GMT\r\n"
    "Content-Type: text/html\r\nContent-Length: {size}\r\nConnection: keep-alive\r\n"
    'Last-Modified: Wed, 04 Feb 2026 10:00:00 GMT\r\nETag: "{tag}"\r\nAccept-Ranges: bytes\r\n\r\n'
)
PATIENCE = 60.0  # seconds for the agents to start
LONGEST = 7200.0  # seconds of a deposit


@define
class Scheduler:
    """Hears of progress.

    Attributes:
        steps: (seconds, captures recorded) since the deposit began.
    """

    steps: list[tuple[float, int]] = field(factory=list)

    @exposed
    def deposit_progress(self, crawl: str, figures: DepositFigures) -> None:
        """Take note."""
        self.steps.append((figures.seconds, figures.captures_recorded))

    def rates(self) -> list[float]:
        """Return captures a second of each tenth of the deposit."""
        last = self.steps[-1][1]
        times = [next(at for at, count in self.steps if count >= last * i / 10) for i in range(11)]
        return [last / 10 / max(b - a, 1e-9) for a, b in pairwise(times)]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="deposits (default: 3)")
    parser.add_argument("--later", type=float, default=0.0, help="seconds watched afterwards")
    parser.add_argument("--folder", type=Path, help="where everything is written")
    parser.add_argument("--captures", type=int, help="made-up captures, instead of folders")
    parser.add_argument("--size", type=int, default=10_240, help="bytes of each (default: 10240)")
    parser.add_argument("folders", type=Path, nargs="*", help="their files are the contents")
    options = parser.parse_args()
    if bool(options.captures) is bool(options.folders):
        parser.error("name folders, or say how many --captures")
    react(lambda reactor: Deferred.fromCoroutine(run(reactor, options)))


async def run(reactor: Any, options: argparse.Namespace) -> None:
    """Deposit as often as wanted, and report."""
    each: list[dict[str, float]] = []
    rates: list[list[float]] = []
    if options.captures:
        contents = made_up(options.captures, options.size)
    else:
        contents = files_below(options.folders)
    with tempfile.TemporaryDirectory(prefix="dlweb-deposit-", dir=options.folder) as name:
        crawl = Path(name) / "crawl"
        count = write_crawl(crawl, contents)
        for number in range(options.runs):
            archive = Path(name) / f"archive-{number}"
            shutil.copytree(crawl, archive / "crawls" / "c", copy_function=os.link)
            seconds, steps = await deposit(reactor, archive, options.later)
            shutil.rmtree(archive)
            each.append({name: time / count * 1e6 for name, time in seconds.items()})
            rates.append(steps)
            print({name: round(time) for name, time in each[-1].items()}, file=sys.stderr)
            print("captures/s of each tenth:", *map(round, steps), file=sys.stderr)
    medians = {name: round(statistics.median(run[name] for run in each), 1) for name in each[0]}
    for name, time in medians.items():
        print(f"{name:16}{time:8.0f} µs a capture")
    per_second = round(1e6 / medians["clock"])
    flat = round(statistics.median(steps[-1] / steps[1] for steps in rates), 3)
    print(f"{per_second} captures/s; the last tenth at {flat} of the second's rate")
    summary = {
        "benchmark": "deposit",
        "captures": count,
        "microseconds": medians,
        "figures": {"captures_per_second": per_second, "flat": flat},
        "targets": {"captures_per_second": 1500},
    }
    print(json.dumps(summary))


def files_below(folders: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each file below some folders."""
    for path in sorted(file for folder in folders for file in folder.rglob("*") if file.is_file()):
        yield path.as_posix(), path.read_bytes()


def made_up(count: int, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield paths and bytes of pages that differ in a line."""
    filling = os.urandom(size)
    for number in range(count):
        yield f"/{number // 1000}/{number}.html", (b"%016d" % number + filling)[:size]


def write_crawl(folder: Path, contents: Iterable[tuple[str, bytes]]) -> int:
    """Write the folder of a crawl that met these paths; return how many."""
    folder.mkdir()
    pack = Pack(folder / "pack")
    keys: set[str] = set()
    count = 0
    with (folder / "structure").open("w") as structure:
        for count, (path, body) in enumerate(contents, 1):
            key = sha256(body).hexdigest()
            line = line_of(count, path, key, len(body), key not in keys)
            if line["new"] and len(body) <= CONTENT_LIMIT:
                line["place"] = pack.append(body)
            elif line["new"]:
                content = folder / "contents" / key[:2] / key
                content.parent.mkdir(parents=True, exist_ok=True)
                content.write_bytes(body)
            structure.write(json.dumps(line) + "\n")
            keys.add(key)
    pack.close()
    (folder / "signatures").write_text("".join(f"{key}\n" for key in sorted(keys)))
    (folder / "report.xml").write_text("<?xml version='1.0'?><report/>")
    return count


def line_of(number: int, path: str, key: str, size: int, new: bool) -> dict[str, Any]:
    """Return the line of one capture in a crawl's structure."""
    return {
        "url": f"http://127.0.0.1:8000{path}",
        "date": f"20261121{number // 1_000_000 % 100:02}3000{number % 1_000_000:06}",
        "content": key,
        "size": size,
        "status": 200,
        "head": HEAD.format(size=size, tag=key[:16]),
        "origin": "crawl: c\nsite: s\nagent: crawler-1\naddress: 127.0.0.1:8000\n",
        "depth": 1,
        "kind": "page",
        "new": new,
        "change": "new",
    }


async def deposit(
    reactor: Any, archive: Path, later: float
) -> tuple[dict[str, float], list[float]]:
    """Deposit the crawl of an archive; return each process's seconds, and the tenths' rates."""
    base = free_ports()
    told = Scheduler()
    scheduler = Agent(reactor, "scheduler", "scheduler", [told])
    console = Agent(reactor, "console", "console")
    with running(archive, base, AGENTS, CONFIG) as children:
        scheduler.listen(f"127.0.0.1:{base}")
        master = console.connect(f"127.0.0.1:{base + 2}")
        scheduler.startService()
        console.startService()
        await ready(reactor, master, 2, scheduler)
        before = {name: processor(child.pid) for name, child in children.items()}
        began = reactor.seconds()
        figures = convert(
            await scheduler.slaves["connectivity"].call(
                "deposit", timeout=LONGEST, crawl="c", site="s", directory=f"{archive}/crawls/c"
            ),
            DepositFigures,
        )
        clock = reactor.seconds() - began
        after = {name: processor(child.pid) for name, child in children.items()}
        assert figures.done and not figures.captures_missing, figures
        told.deposit_progress("c", figures)
        await sleep(reactor, later)
        last = {name: processor(child.pid) for name, child in children.items()}
        await console.stopService()
        await scheduler.stopService()
    spent = {name: after[name] - before[name] for name in children}
    waited = {"later": sum(last.values()) - sum(after.values())} if later else {}
    return {**spent, "all": sum(spent.values()), **waited, "clock": clock}, told.rates()


async def ready(reactor: Any, master: Any, nodes: int, scheduler: Agent | None = None) -> None:
    """Wait until some storage nodes and an index node are up, and a scheduler has a depositor."""
    deadline = reactor.seconds() + PATIENCE
    while reactor.seconds() < deadline:
        try:
            status = await master.call("status", timeout=2.0)
        except HipError:
            status = {"nodes": [], "index_nodes": []}
        up = sum(node["up"] for node in status["nodes"])
        linked = scheduler is None or "connectivity" in scheduler.slaves
        if up == nodes and status["index_nodes"] and linked:
            await sleep(reactor, 2.5)  # the link to the index node, and what starting leaves
            return
        await sleep(reactor, 0.1)
    sys.exit("the agents do not start")


@contextmanager
def running(
    archive: Path, base: int, agents: Mapping[str, str], config: str
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Run agents, plugins by name, for as long as the context lasts."""
    (archive / "archive.yaml").write_text(config)
    children = {}
    for name, plugin in agents.items():
        command: list[str | Path] = [
            Path(sys.executable).parent / "twistd", "--nodaemon", "--pidfile=", plugin,
            "--config", archive / "archive.yaml", "--archive", archive,
            "--base-port", str(base), "--name", name,
        ]  # fmt: skip
        with (archive / f"{name}.log").open("wb") as log:
            children[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=archive)
    try:
        yield children
    finally:
        for child in children.values():
            child.terminate()
        for child in children.values():
            child.wait()


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_ports() -> int:
    """Return the first of a hundred ports of which those that the agents use are free."""
    for base in range(20_000 + os.getpid() % 9000, 60_000, 100):
        try:
            for offset in (0, 2, 3, 4, 5, 8, 11, 12):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", base + offset))
        except OSError:
            continue
        return base
    sys.exit("no free ports")


if __name__ == "__main__":
    main()
