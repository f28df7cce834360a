"""How quick HIP's calls are beside AMP's, ZeroMQ's, gRPC's and Perspective Broker's.

    python benchmarks/hip.py [--quick] [--runs N] [--only PART] [--peers NAME…] [--profile SIDE]

A server and a client, each on a core of its own, send the same small dictionary each way, in
three parts: `throughput`, one connection with 1,000 calls in flight; `latency`, one call after
the other, with both sides on one core; `slaves`, 2,000 connections at rest and then with one call
a second on each. HIP is whole: typed arguments, deadlines, cancellation, flow control, a coroutine
as its method. All callers on Twisted use callbacks; those of `hip-awaited` are coroutines. Peers
take turns. The last line is JSON.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

PEERS = Path(__file__).parent / "hip_peers"
BIN = Path(sys.executable).parent
IN_FLIGHT = 1000
CONNECTIONS = 2000
PATIENCE = 120  # seconds that a process may take beyond what is measured

Run = dict[str, float]  # what a client measured


class Peer(NamedTuple):
    """One of those compared: its script, variant and what must be installed for it."""

    script: str
    packages: tuple[str, ...]
    variant: str = ""


HIP = ("hip_agents.py", ("dlweb", "Twisted", "msgspec"))
PEER_OF = {
    "hip": Peer(*HIP),
    "hip-awaited": Peer(*HIP, "awaited"),
    "hip-yaml": Peer(*HIP, "yaml"),
    "hip-tls": Peer(*HIP, "tls"),
    "bare": Peer("bare.py", ("Twisted", "msgspec")),
    "amp": Peer("amp_native.py", ("Twisted",)),
    "zeromq": Peer("zeromq.py", ("pyzmq", "msgpack")),
    "grpc": Peer("grpc_unary.py", ("grpcio", "protobuf")),
    "pb": Peer("perspective_broker.py", ("Twisted",)),
}


class Column(NamedTuple):
    """A figure of a run: its name in the JSON, its title in the table, and how it is made."""

    name: str
    title: str
    of: Callable[[Run], float]


PROCESSOR = (
    Column("server_us_per_call", "server µs", lambda run: run["server"] / run["calls"] * 1e6),
    Column("client_us_per_call", "client µs", lambda run: run["client"] / run["calls"] * 1e6),
)
WAITED = Column(  # for a core that other programs had (or ZeroMQ's own second thread)
    "waited_percent", "waited %", lambda run: run["waited"] / run["seconds"] * 100
)


class Part(NamedTuple):
    """A part of the benchmark; each run's figure is that of the first column."""

    title: str
    peers: tuple[str, ...]
    quick_peers: tuple[str, ...]  # no more than the targets need
    seconds: tuple[float, float]  # to measure: in full, and with --quick
    warm_up: tuple[float, float]  # before that
    columns: tuple[Column, ...]


PARTS = {
    "throughput": Part(
        f"throughput: one connection, {IN_FLIGHT:,} calls in flight",
        tuple(PEER_OF),
        ("hip", "hip-yaml", "hip-tls", "bare", "amp", "zeromq", "grpc"),
        (3.0, 0.4),
        (1.0, 0.2),
        (
            Column("calls_per_second", "calls/s", lambda run: run["calls"] / run["seconds"]),
            *PROCESSOR,
            WAITED,
        ),
    ),
    "latency": Part(
        "latency: one call after the other, both sides on one core",
        ("hip", "hip-awaited", "bare", "amp", "zeromq", "grpc"),
        ("hip", "amp", "zeromq", "grpc"),
        (2.0, 0.3),
        (0.5, 0.1),
        (
            Column("p50_us", "p50 µs", lambda run: run["p50"] * 1e6),
            Column("p99_us", "p99 µs", lambda run: run["p99"] * 1e6),
            *PROCESSOR,
        ),
    ),
    "slaves": Part(
        "slaves: each makes one call a second; memory is the server's, beyond the empty process",
        ("hip", "bare", "amp"),
        ("hip", "amp"),
        (10.0, 1.0),
        (2.0, 0.3),
        (
            Column("server_core_percent", "% of core", lambda r: r["server"] / r["seconds"] * 100),
            Column("calls_per_second", "calls/s", lambda run: run["calls"] / run["seconds"]),
            *PROCESSOR,
            Column("bytes_per_connection", "bytes", lambda r: r["private"] / r["connections"]),
            Column("rss_per_connection", "RSS bytes", lambda r: r["rss"] / r["connections"]),
            WAITED,
        ),
    ),
}


class Target(NamedTuple):
    """What an issue asks for: a ratio above 1 is better than the peer, or than the limit."""

    part: str
    figure: str
    ours: str
    wanted: float
    peer: str = ""
    limit: float = 0.0


TARGETS = {
    "throughput_vs_amp": Target("throughput", "calls_per_second", "hip", 15, "amp"),
    "throughput_vs_zeromq": Target("throughput", "calls_per_second", "hip", 3, "zeromq"),
    "throughput_vs_grpc": Target("throughput", "calls_per_second", "hip", 35, "grpc"),
    "tls_vs_plaintext": Target("throughput", "calls_per_second", "hip-tls", 0.8, "hip"),
    "latency_p50_vs_amp": Target("latency", "p50_us", "hip", 2.5, "amp"),
    "slaves_processor_vs_amp": Target("slaves", "server_core_percent", "hip", 2, "amp"),
    "slaves_memory_vs_4_KiB": Target("slaves", "bytes_per_connection", "hip", 1, limit=4096),
}


def main() -> None:
    """Run the benchmark."""
    options = read_options()
    chosen = choose(options)
    check_machine(chosen, options.connections)
    with tempfile.TemporaryDirectory(prefix="dlweb-benchmark-") as name:
        certificates = Path(name)
        if any("hip-tls" in peers for peers in chosen.values()):
            make_certificates(certificates)
        results = {
            part: measure(part, peers, options, certificates) for part, peers in chosen.items()
        }
    report(results)


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter, and without some peers")
    parser.add_argument("--runs", type=int, default=3, help="of each peer (default: 3)")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be repeated")
    parser.add_argument("--peers", nargs="+", choices=PEER_OF, help="only these, quick or not")
    parser.add_argument("--seconds", type=float, help="to measure in each run")
    parser.add_argument("--connections", type=int, default=CONNECTIONS, help="of many slaves")
    parser.add_argument(
        "--profile",
        choices=("server", "client"),
        help="write what py-spy (if it is installed, else cProfile) sees of that side of each "
        "peer's last run into the current folder; the figures are worth less then",
    )
    return parser.parse_args()


def choose(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the peers of each part that is to be measured."""
    chosen = {}
    for name in options.only or PARTS:
        part = PARTS[name]
        usual = part.quick_peers if options.quick else part.peers
        peers = [peer for peer in part.peers if peer in (options.peers or usual)]
        if peers:
            chosen[name] = peers
    return chosen or sys.exit("nothing to measure: that part has none of these peers")


def check_machine(chosen: dict[str, list[str]], connections: int) -> None:
    """End with a message when this machine lacks something."""
    peers = {peer for part in chosen.values() for peer in part}
    missing = {
        package for peer in peers for package in PEER_OF[peer].packages if not installed(package)
    }
    if missing:
        sys.exit(
            f"install {', '.join(sorted(missing))} first: make benchmark-hip, "
            "or pip install dlweb[benchmarks]"
        )
    if "slaves" in chosen:
        needed, (_, most) = connections + 100, resource.getrlimit(resource.RLIMIT_NOFILE)
        if most != resource.RLIM_INFINITY and most < needed:
            sys.exit(f"allow this user {needed} open files first: ulimit -Hn says {most}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, most))  # child processes have it too


def installed(package: str) -> str:
    """Return the version of a package; empty when it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def make_certificates(folder: Path) -> None:
    """Make an authority and the certificates of the two sides."""
    for agent in ("master", "slave"):
        command = [BIN / "hip", "certs", "create", agent, "--directory", folder]
        done = subprocess.run([*command, "--host", "127.0.0.1"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"hip certs failed:\n{done.stderr[-2000:]}")


def measure(
    part: str, peers: list[str], options: argparse.Namespace, certificates: Path
) -> dict[str, list[Run]]:
    """Run the peers in turn, so that a busy moment of the machine meets all of them."""
    runs: dict[str, list[Run]] = {peer: [] for peer in peers}
    count = max(1, options.runs)
    figure = PARTS[part].columns[0]
    for number in range(1, count + 1):
        for peer in peers:
            profile = options.profile if number == count else None
            jobs = plan(part, peer, options, certificates)
            run = run_once(peer, jobs, profile)
            runs[peer].append(run)
            progress = f"{part} {peer} {number}/{count}: {figure.of(run):,.1f} {figure.title}"
            print(progress, file=sys.stderr)
    return runs


def plan(
    part: str, peer: str, options: argparse.Namespace, certificates: Path
) -> dict[str, dict[str, Any]]:
    """Return the jobs of the two sides; see hip_peers/measuring.py."""
    cores = sorted(os.sched_getaffinity(0))
    seconds, warm_up = PARTS[part].seconds[options.quick], PARTS[part].warm_up[options.quick]
    common = {
        "variant": PEER_OF[peer].variant,
        "seconds": options.seconds or seconds,
        "warm_up": min(warm_up, options.seconds or warm_up),
        "in_flight": IN_FLIGHT,
        "connections": options.connections,
        "certificates": str(certificates),
    }
    other = cores[0] if part == "latency" else cores[-1]
    return {
        "server": {"task": "serve", "core": cores[0], **common},
        "client": {"task": part, "core": other, **common},
    }


def run_once(peer: str, jobs: dict[str, dict[str, Any]], profile: str | None) -> Run:
    """Run both sides, and return what the client measured."""
    patience = PATIENCE + jobs["client"]["seconds"]
    with (
        process(peer, "client", jobs, profile) as client,
        process(peer, "server", jobs, profile) as server,
    ):
        where = json_of(server.stdout) or sys.exit(f"the server of {peer} did not start")
        try:
            said, _ = client.communicate(where, timeout=patience)
        except subprocess.TimeoutExpired:
            sys.exit(f"{peer} did not end within {patience:.0f} seconds")
        measured = json_of(said.splitlines())
        if client.returncode or not measured:
            sys.exit(f"the client of {peer} failed")
    return json.loads(measured)


def json_of(lines: Iterable[str]) -> str:
    """Return the first line that is JSON, as profilers write there too; empty without one."""
    return next((line for line in lines if line.startswith("{")), "")


@contextmanager
def process(
    peer: str, side: str, jobs: dict[str, dict[str, Any]], profile: str | None
) -> Iterator[subprocess.Popen[str]]:
    """Run one side for as long as the context lasts; it ends when its standard input does."""
    name = f"{peer}-{jobs['client']['task']}-{side}"
    python = profiler(name) if profile == side else [sys.executable]
    command = [*python, str(PEERS / PEER_OF[peer].script), json.dumps(jobs[side])]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as started:
        try:
            yield started
            if not started.stdin.closed:
                started.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                started.wait(10)
        finally:
            started.kill()


def profiler(name: str) -> list[str]:
    """Return the start of a command that writes a profile of a script.

    py-spy writes folded stacks: lines of function names, and how often each stack was seen.
    """
    if (BIN / "py-spy").exists():
        spy = [str(BIN / "py-spy"), "record", "--rate", "400", "--function", "--format", "raw"]
        return [*spy, "--output", f"{name}.folded", "--", sys.executable]
    return [sys.executable, "-m", "cProfile", "-o", f"{name}.prof"]


def report(results: dict[str, dict[str, list[Run]]]) -> None:
    """Print a table of medians for each part, and the line of JSON."""
    figures = {
        part: {peer: summary(PARTS[part], each) for peer, each in runs.items()}
        for part, runs in results.items()
    }
    for part, found in figures.items():
        print_table(PARTS[part], found)
    met = targets(figures)
    for name, target in met.items():
        words = "met" if target["met"] else "not met"
        print(f"{name:28}{target['ratio']:9.3f}, wanted {target['wanted']}: {words}")
    result = {
        "benchmark": "hip",
        "versions": versions(results),
        "figures": figures,
        "ratios": ratios(figures),
        "targets": met,
    }
    print(json.dumps(result))


def summary(part: Part, runs: list[Run]) -> dict[str, Any]:
    """Return the median of each column, and the first column of each run."""
    medians = {
        column.name: round(statistics.median(map(column.of, runs)), 3) for column in part.columns
    }
    return {**medians, "runs": [round(part.columns[0].of(run), 1) for run in runs]}


def print_table(part: Part, found: dict[str, dict[str, Any]]) -> None:
    """Print the medians of a part, and each run's first figure."""
    print(part.title)
    titles = "".join(f"{column.title:>11}" for column in part.columns)
    print(f"{'':12}{titles}   each run's {part.columns[0].title}")
    for peer, figures in found.items():
        values = "".join(f"{figures[column.name]:11,.1f}" for column in part.columns)
        print(f"{peer:12}{values}   {'  '.join(f'{run:,.1f}' for run in figures['runs'])}")
    print()


def ratios(figures: dict[str, dict[str, dict[str, Any]]]) -> dict[str, float]:
    """Return how HIP compares with each peer, by time and by processor time of both sides."""
    found = {}
    for part, each in figures.items():
        first = PARTS[part].columns[0].name
        for ours in (peer for peer in each if peer.startswith("hip")):
            for peer in (peer for peer in each if not peer.startswith("hip")):
                name = f"{part}_{ours}_vs_{peer}"
                quotient = each[ours][first] / each[peer][first]
                found[name] = round(quotient if part == "throughput" else 1 / quotient, 3)
                found[f"{name}_by_processor"] = round(spent(each[peer]) / spent(each[ours]), 3)
    return found


def spent(figures: dict[str, Any]) -> float:
    """Return the processor time of a call, of both sides."""
    return sum(figures[column.name] for column in PROCESSOR)


def targets(figures: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return for each target whose peers were measured, whether it is met.

    Beside the ratio stands that of the processor time of a call, which a busy machine sways less.
    """
    found = {}
    for name, target in TARGETS.items():
        each = figures.get(target.part, {})
        ours = each.get(target.ours)
        theirs = each.get(target.peer) if target.peer else {target.figure: target.limit}
        if not ours or not theirs:
            continue
        quotient = ours[target.figure] / theirs[target.figure]
        ratio = quotient if target.figure == "calls_per_second" else 1 / quotient
        found[name] = {
            "ratio": round(ratio, 3),
            "wanted": target.wanted,
            "met": ratio >= target.wanted,
        }
        if target.peer:
            found[name]["by_processor"] = round(spent(theirs) / spent(ours), 3)
    return found


def versions(results: dict[str, Any]) -> dict[str, str]:
    """Return what was compared."""
    peers = {peer for runs in results.values() for peer in runs}
    packages = sorted({package for peer in peers for package in PEER_OF[peer].packages})
    return {**{each: installed(each) for each in packages}, "python": platform.python_version()}


if __name__ == "__main__":
    main()
