"""How quickly the archive is given back to browsers, beside pywb over the same captures.

    python benchmarks/replay.py [--quick] [--runs N] [--folder FOLDER] [--only WORK]…

Captures: 2,000 pages of 4 KiB; 2,000 resources of a mixed site; a video of 100 MB. dlweb is an
archive of real processes (storage master, index node, one storage node, and one consultation agent
or two); pywb serves the same captures from one WARC in proxy mode under uwsgi, with one worker or
two, and rewrites nothing. wrk asks each as a browser asks its proxy, over 16 connections that are
kept (one for the latency), and the video in ranges of 1 MiB. Processor time is that of all
processes of a system: of dlweb the index and storage nodes too. `cold` asks for pages of 1 KiB
once each, after the start, when nobody remembers anything. Memory is by how much the processes
that answer browsers grew while whole videos passed. The two take turns; the table has medians. The
last line is JSON.
"""

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from deposit import free_ports, processor
from replay_archives import (
    HOST,
    MEBIBYTE,
    PYWB,
    VIDEO,
    Proxy,
    dlweb,
    fill,
    mixed_site,
    pywb,
    small_pages,
    version_of_pywb,
    video,
    write_warc,
)
from twisted.internet.defer import Deferred
from twisted.internet.task import react

HERE = Path(__file__).parent
WORKS = ("cold", "small", "mixed", "ranges", "latency")
SECONDS, QUICK_SECONDS = 8, 3
COLD, QUICK_COLD = 60_000, 15_000  # pages, more than are asked for in that time
CONNECTIONS = 16
TARGETS = {
    "small_cpu": 10.0, "mixed_cpu": 10.0, "ranges_cpu": 10.0, "latency_p50": 5.0, "memory": 1.0,
}  # fmt: skip


class Run(NamedTuple):
    """One work of one system.

    Attributes:
        requests: answered.
        seconds: of the clock.
        processor: seconds of all its processes.
        p50: microseconds of the middle one.
    """

    requests: float
    seconds: float
    processor: float
    p50: float


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer captures, and shorter")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turn (default: 3)")
    parser.add_argument("--folder", type=Path, help="where the archives lie (default: temporary)")
    parser.add_argument("--only", action="append", choices=WORKS, help="of the works")
    parser.add_argument("--processes", type=int, action="append", help="1, 2 (default: both)")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed: sudo apt-get install wrk")
    if not (PYWB / "uwsgi").exists():
        sys.exit(f"{PYWB} has no uwsgi: install pywb and uwsgi, and name their folder by PYWB")
    react(lambda reactor: Deferred.fromCoroutine(run(reactor, options)))


async def run(reactor: Any, options: argparse.Namespace) -> None:
    """Fill both archives, measure, and report."""
    work = Path(tempfile.mkdtemp(prefix="dlweb-replay-", dir=options.folder))
    count = 300 if options.quick else 2000
    resources = {
        "cold": small_pages(QUICK_COLD if options.quick else COLD, 1024, "cold"),
        "small": small_pages(count, 4096, "small"),
        "mixed": mixed_site(count),
        "ranges": [video()],
    }
    everything = [it for some in resources.values() for it in some]
    ours, theirs = work / "dlweb", work / "pywb"
    base = free_ports()
    try:
        for folder in (ours, theirs):
            folder.mkdir()
        write_warc(work / "replay.warc.gz", everything)
        with dlweb(ours, 0, base):
            await fill(reactor, ours, base, everything)
        for name, some in resources.items():
            (work / f"{name}.txt").write_text("".join(f"{it.url}\n" for it in some))
        figures = measure(work, base, options)
    finally:
        shutil.rmtree(work)
    report(figures, options)


def measure(work: Path, base: int, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the medians of each system, by work and number of processes."""
    runs: dict[str, dict[str, list[Run]]] = {}
    memory: dict[str, list[int]] = {"dlweb": [], "pywb": []}
    for _ in range(1 if options.quick else options.runs):
        for processes in options.processes or (1, 2):
            for name in ("dlweb", "pywb"):
                with started(name, work, base, processes) as proxy:
                    for what in options.only or WORKS:
                        if what == "latency" and processes > 1:
                            continue
                        key = f"{what} {processes}"
                        runs.setdefault(key, {}).setdefault(name, []).append(
                            one(proxy, what, work, options.quick)
                        )
                    if processes == 1:
                        memory[name].append(memory_of_videos(proxy))
    found: dict[str, dict[str, Any]] = {
        key: {name: medians(several) for name, several in systems.items()}
        for key, systems in runs.items()
    }
    found["memory MiB"] = {
        name: round(statistics.median(several) / 2**20, 1) for name, several in memory.items()
    }
    return found


@contextmanager
def started(name: str, work: Path, base: int, processes: int) -> Any:
    """Run one of the two."""
    if name == "dlweb":
        with dlweb(work / "dlweb", processes, base) as (proxy, _):
            wait_until_given(proxy)
            yield proxy
    else:
        with pywb(work / "pywb", processes, work / "replay.warc.gz") as proxy:
            wait_until_given(proxy)
            yield proxy


def wait_until_given(proxy: Proxy) -> None:
    """Wait until each process gives a page."""
    for port in proxy.ports:
        for _ in range(300):
            done = subprocess.run(
                ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-x", f"127.0.0.1:{port}",
                 f"http://{HOST}/small/0.html"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.stdout == "200":
                break
            time.sleep(0.1)
        else:
            sys.exit(f"the proxy at port {port} gives {done.stdout}")


def one(proxy: Proxy, what: str, work: Path, quick: bool) -> Run:
    """Have wrk ask for one work."""
    seconds = QUICK_SECONDS if quick else SECONDS
    headers = [f"Host: {HOST}"]
    if what == "ranges":
        headers.append(f"Range: bytes={40 * MEBIBYTE}-{41 * MEBIBYTE - 1}")
    paths = work / f"{ {'latency': 'small'}.get(what, what) }.txt"
    connections = 1 if what == "latency" else CONNECTIONS
    before = sum(map(processor, proxy.pids))
    said = [
        _wait(child)
        for child in [
            _ask(port, paths, headers, max(1, connections // len(proxy.ports)), seconds)
            for port in proxy.ports
        ]
    ]
    spent = sum(map(processor, proxy.pids)) - before
    for answer in said:
        if answer["errors"]:
            sys.exit(f"wrk met errors in {what}: {answer}")
    answered = sum(it["requests"] for it in said)
    if what == "cold" and answered > len(paths.read_text().splitlines()) * len(proxy.ports):
        sys.exit("cold pages were asked for twice; there must be more of them")
    return Run(
        answered,
        max(it["microseconds"] for it in said) / 1e6,
        spent,
        statistics.mean(it["p50"] for it in said),
    )


def _ask(
    port: int, paths: Path, headers: list[str], connections: int, seconds: int
) -> "subprocess.Popen[str]":
    command = [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s",
        str(HERE / "storage.lua"), f"http://127.0.0.1:{port}", "--", "GET", str(paths), "-",
        *headers,
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _wait(child: "subprocess.Popen[str]") -> dict[str, Any]:
    out, _ = child.communicate()
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def memory_of_videos(proxy: Proxy) -> int:
    """Return the bytes by which the processes grew while whole videos passed."""
    before = _resident(proxy.front)
    for _ in range(3):
        subprocess.run(
            ["curl", "-s", "-o", "/dev/null", "-x", f"127.0.0.1:{proxy.ports[0]}",
             f"http://{HOST}{VIDEO}"], check=True,
        )  # fmt: skip
    return max(0, _most(proxy.front) - before)


def _resident(pids: list[int]) -> int:
    return sum(_status(pid, "VmRSS") for pid in pids)


def _most(pids: list[int]) -> int:
    return sum(_status(pid, "VmHWM") for pid in pids)


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


def medians(runs: list[Run]) -> dict[str, float]:
    """Return the figures of several runs of one work."""
    return {
        "requests_per_second": round(statistics.median(it.requests / it.seconds for it in runs)),
        "requests_per_processor_second": round(
            statistics.median(it.requests / max(it.processor, 0.01) for it in runs)
        ),
        "p50_ms": round(statistics.median(it.p50 for it in runs) / 1000, 3),
    }


def report(figures: dict[str, dict[str, Any]], options: argparse.Namespace) -> None:
    """Print the table and the line of JSON."""
    print(f"{'work, processes':20}{'':8}{'requests/s':>12}{'/CPU second':>13}{'p50 ms':>9}")
    ratios: dict[str, float] = {}
    for key, systems in figures.items():
        if key == "memory MiB":
            continue
        for name, found in systems.items():
            print(
                f"{key:20}{name:8}{found['requests_per_second']:>12}"
                f"{found['requests_per_processor_second']:>13}{found['p50_ms']:>9}"
            )
        what, processes = key.split()
        ours, theirs = systems["dlweb"], systems["pywb"]
        if processes == "1":
            per_second = "requests_per_processor_second"
            ratios[f"{what}_cpu"] = round(ours[per_second] / theirs[per_second], 2)
            ratios[f"{what}_p50"] = round(theirs["p50_ms"] / ours["p50_ms"], 2)
    memory = figures["memory MiB"]
    print(f"memory that whole videos took, MiB: dlweb {memory['dlweb']}, pywb {memory['pywb']}")
    versions = {
        "python": platform.python_version(), "dlweb": version("dlweb"), "pywb": version_of_pywb(),
    }  # fmt: skip
    print(
        json.dumps(
            {"benchmark": "replay", "versions": versions, "figures": figures, "ratios": ratios,
             "targets": TARGETS}
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
