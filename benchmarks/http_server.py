"""How quickly files are given over HTTP: our server and nginx in turn.

    python benchmarks/http_server.py [--quick] [--runs N] [--before FOLDER]

wrk asks for one file again and again over connections that are kept: 32 for the small ones, 8 for
that of 50 MiB. Server and client have a processor each, and nginx has one worker and sendfile,
as Debian configures it. Processor time is that of the server. `--before` measures an older `anet`
too, from another checkout. The last line is JSON.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from crawl_sites import free_ports, wait_for_port
from crawl_tools import processor_of_tree

SIZES = {"10 KiB": 10 * 1024, "1 MiB": 1024**2, "50 MiB": 50 * 1024**2}
OURS = Path(__file__).parent / "http_server_dlweb.py"
GIB = 1024**3


class Run(NamedTuple):
    """One file, asked for again and again from one server."""

    requests: int
    seconds: float
    processor: float  # seconds of the server
    size: int  # bytes of the file

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    @property
    def per_request(self) -> float:
        """Seconds of processor time a request."""
        return self.processor / self.requests

    @property
    def per_gib(self) -> float:
        """Seconds of processor time a GiB."""
        return self.processor / (self.requests * self.size) * GIB


class Server(NamedTuple):
    """A server that runs."""

    pid: int
    port: int


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="for a second each only")
    parser.add_argument("--runs", type=int, default=3, help="of each server (default: 3)")
    parser.add_argument("--before", metavar="FOLDER", help="that holds an older anet/")
    options = parser.parse_args()
    check_machine()
    seconds = 1 if options.quick else 5
    with tempfile.TemporaryDirectory(prefix="dlweb-benchmark-") as name, ExitStack() as stack:
        work = Path(name)
        files = write_files(work)
        servers = {"dlweb": stack.enter_context(dlweb(files, OURS.parents[1]))}
        if options.before:
            servers["before"] = stack.enter_context(dlweb(files, Path(options.before)))
        servers["nginx"] = stack.enter_context(nginx(files, work))
        runs = measure(servers, seconds, max(1, options.runs))
    report(runs)


def check_machine() -> None:
    """End with a message when this machine lacks a tool."""
    needed = {"nginx": "nginx-light", "wrk": "wrk"}
    missing = [package for tool, package in needed.items() if shutil.which(tool) is None]
    if missing:
        sys.exit(f"install Debian's packages first: apt-get install {' '.join(missing)}")


def write_files(work: Path) -> Path:
    """Write the files; they then are in memory."""
    work.chmod(0o755)  # nginx's worker may be another user
    files = work / "files"
    files.mkdir()
    for name, size in SIZES.items():
        (files / name.replace(" ", "")).write_bytes(os.urandom(size))
    return files


def processors() -> tuple[int, int]:
    """Return a processor for the servers and one for the client, another where there are two."""
    available = sorted(os.sched_getaffinity(0))
    return available[0], available[-1]


def on_processor(number: int) -> list[str]:
    """Return what a command begins with to stay on one processor."""
    return ["taskset", "--cpu-list", str(number)]


@contextmanager
def dlweb(files: Path, checkout: Path) -> Iterator[Server]:
    """Run our server, from a checkout."""
    process = subprocess.Popen(
        [*on_processor(processors()[0]), sys.executable, OURS, files],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Server(process.pid, int(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait()


@contextmanager
def nginx(files: Path, work: Path) -> Iterator[Server]:
    """Run nginx with one worker."""
    port = free_ports(1)
    configuration = work / "nginx.conf"
    configuration.write_text(
        f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
        {"user root;" if os.geteuid() == 0 else ""}
        events {{ worker_connections 256; }}
        http {{ access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on;
          client_body_temp_path {work}/1; proxy_temp_path {work}/2; fastcgi_temp_path {work}/3;
          uwsgi_temp_path {work}/4; scgi_temp_path {work}/5;
          server {{ listen 127.0.0.1:{port}; root {files}; }} }}"""
    )
    command: list[str | Path] = [
        *on_processor(processors()[0]),
        "nginx",
        "-c",
        configuration,
        "-p",
        work,
    ]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        yield Server(process.pid, port)
    finally:
        process.terminate()
        process.wait()


def measure(servers: dict[str, Server], seconds: int, count: int) -> dict[str, list[Run]]:
    """Ask the servers in turn, so that a busy moment of the machine meets all of them."""
    runs: dict[str, list[Run]] = {f"{name}, {size}": [] for size in SIZES for name in servers}
    for number in range(1, count + 1):
        for size in SIZES:
            for name, server in servers.items():
                run = ask(server, size, seconds)
                runs[f"{name}, {size}"].append(run)
                print(f"{name} {size} {number}/{count}: {run.rate:.0f}/s", file=sys.stderr)
    return runs


def ask(server: Server, size: str, seconds: int) -> Run:
    """Ask one server for one file for some seconds."""
    connections = 8 if SIZES[size] > 10 * 1024**2 else 32
    url = f"http://127.0.0.1:{server.port}/{size.replace(' ', '')}"
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", url]
    before, began = sum(processor_of_tree(server.pid).values()), time.monotonic()
    done = subprocess.run(
        [*on_processor(processors()[1]), *command], capture_output=True, text=True, check=True
    )
    taken = time.monotonic() - began
    processor = sum(processor_of_tree(server.pid).values()) - before
    said = re.search(r"(\d+) requests in", done.stdout)
    if said is None or "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        sys.exit(f"wrk met errors at {url}:\n{done.stdout}")
    return Run(max(1, int(said[1])), taken, processor, SIZES[size])


def report(runs: dict[str, list[Run]]) -> None:
    """Print a table of medians, and the line of JSON."""
    print(f"{'':16}{'requests/s':>12}{'MiB/s':>9}{'CPU µs/request':>16}{'CPU s/GiB':>11}")
    figures: dict[str, dict[str, float]] = {}
    for name, each in runs.items():
        rate = statistics.median(run.rate for run in each)
        figures[name] = {
            "requests_per_second": round(rate, 2),
            "mib_per_second": round(rate * each[0].size / 1024**2, 1),
            "processor_us_per_request": round(
                1e6 * statistics.median(run.per_request for run in each), 1
            ),
            "processor_seconds_per_gib": round(statistics.median(run.per_gib for run in each), 3),
        }
        values = figures[name].values()
        print("{:16}{:12.1f}{:9.0f}{:16.1f}{:11.2f}".format(name, *values))
    result = {
        "benchmark": "http_server",
        "versions": versions(),
        "figures": figures,
        "ratios": ratios(figures),
        "targets": {},
    }
    print(json.dumps(result))


def ratios(figures: dict[str, dict[str, float]]) -> dict[str, float]:
    """Compare with every peer: above 1, ours is the better."""
    found: dict[str, float] = {}
    peers = {name.partition(",")[0] for name in figures} - {"dlweb"}
    for size in SIZES:
        ours = figures[f"dlweb, {size}"]
        for peer in sorted(peers):
            theirs = figures[f"{peer}, {size}"]
            label = f"{size.replace(' ', '_')}_vs_{peer}"
            rate = ours["requests_per_second"] / theirs["requests_per_second"]
            time = theirs["processor_us_per_request"] / ours["processor_us_per_request"]
            found[f"requests_per_second_{label}"] = round(rate, 3)
            found[f"processor_time_{label}"] = round(time, 3)
    return found


def versions() -> dict[str, str]:
    """Return what was compared."""

    def said(*command: str | Path) -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stdout or done.stderr).splitlines()[0].strip()

    return {
        "dlweb": said(Path(sys.executable).parent / "dlweb", "--version").split()[-1],
        "nginx": said("nginx", "-v").rpartition("/")[2],
        "wrk": said("wrk", "-v").split()[1],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
