"""How quickly one website is collected and stored: dlweb, Scrapy and wget in turn.

    python benchmarks/crawl.py [--quick] [--runs N]

nginx serves Debian's python3.11-doc on loopback. Each tool collects the whole site from its first
page, with no pauses, and stores what it fetches: dlweb by its whole tree of agents, every content
twice, durable and hashed; Scrapy to files named by SHA-256; wget to a WARC file. dlweb is measured
twice: with its ten processes started and stopped for the run, and in an archive that runs
already, as archives do. Processor time is that of all processes of a tool. The last line is JSON.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

DOCUMENTATION = Path("/usr/share/doc/python3.11/html")
QUICK_PART = ("tutorial", "howto", "_static", "_images")  # folders of the site for --quick
BIN = Path(sys.executable).parent
SCRAPY = Path(__file__).parent / "crawl_scrapy.py"


class Run(NamedTuple):
    """One collection of the site."""

    pages: int  # answers with status 200 that were stored
    seconds: float
    processor: float  # seconds, over all processes

    @property
    def rate(self) -> float:
        """Pages a second."""
        return self.pages / self.seconds

    @property
    def thrift(self) -> float:
        """Pages a second of processor time."""
        return self.pages / self.processor


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a part of the site only")
    parser.add_argument("--runs", type=int, default=3, help="of each tool (default: 3)")
    options = parser.parse_args()
    check_machine()
    with tempfile.TemporaryDirectory(prefix="dlweb-benchmark-") as name:
        work = Path(name)
        site = quick_site(work) if options.quick else DOCUMENTATION
        with served(site, work) as url:
            runs = measure(url, work, max(1, options.runs))
    report(runs)


def check_machine() -> None:
    """End with a message when this machine lacks a tool."""
    needed = {"nginx": "nginx-light", "wget": "wget"}
    missing = [package for tool, package in needed.items() if shutil.which(tool) is None]
    if not DOCUMENTATION.is_dir():
        missing.append("python3.11-doc")
    if missing:
        sys.exit(f"install Debian's packages first: apt-get install {' '.join(missing)}")
    if subprocess.run([sys.executable, "-c", "import scrapy"], capture_output=True).returncode:
        sys.exit("install Scrapy first: make benchmark")


def quick_site(work: Path) -> Path:
    """Make a smaller site out of the documentation: what it lacks is a 404 for every tool."""
    site = work / "site"
    site.mkdir()
    for page in DOCUMENTATION.glob("*.html"):
        if page.stat().st_size < 200_000:
            shutil.copy(page, site)
    for folder in QUICK_PART:
        if (DOCUMENTATION / folder).is_dir():
            shutil.copytree(DOCUMENTATION / folder, site / folder)
    return site


@contextmanager
def served(site: Path, work: Path) -> Iterator[str]:
    """Serve a folder by nginx for as long as the context lasts; gives its URL."""
    port = free_ports(1)
    configuration = work / "nginx.conf"
    configuration.write_text(
        f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
        {"user root;" if os.geteuid() == 0 else ""}
        events {{ worker_connections 256; }}
        http {{ include /etc/nginx/mime.types; access_log off; keepalive_requests 100000;
          client_body_temp_path {work}/1; proxy_temp_path {work}/2; fastcgi_temp_path {work}/3;
          uwsgi_temp_path {work}/4; scgi_temp_path {work}/5;
          server {{ listen 127.0.0.1:{port}; root {site}; }} }}"""
    )
    server = subprocess.Popen(["nginx", "-c", configuration, "-p", work], stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(100):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("nginx does not start")


def free_ports(count: int) -> int:
    """Return the first of `count` free ports in a row."""
    for base in range(20_000 + os.getpid() % 9000, 60_000, count):
        try:
            for port in range(base, base + count):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    sys.exit("no free ports")


def measure(url: str, work: Path, count: int) -> dict[str, list[Run]]:
    """Run the tools in turn, so that a busy moment of the machine meets all of them."""
    tools: dict[str, Callable[[str, Path], Run]] = {
        "dlweb": run_dlweb,
        "dlweb running": run_running_dlweb,
        "scrapy": run_scrapy,
        "wget": run_wget,
    }
    runs: dict[str, list[Run]] = {name: [] for name in tools}
    for number in range(1, count + 1):
        for name, tool in tools.items():
            folder = work / f"{name}-{number}"
            folder.mkdir()
            run = tool(url, folder)
            shutil.rmtree(folder)
            runs[name].append(run)
            print(
                f"{name} {number}/{count}: {run.pages} pages, {run.seconds:.1f} s, "
                f"{run.processor:.1f} s of processor",
                file=sys.stderr,
            )
    return runs


def timed(command: list[str | Path], folder: Path, statuses: tuple[int, ...] = (0,)) -> Run:
    """Run a command to its end; its processor time is that of all processes it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=errors)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in statuses:
        sys.exit(f"{command[0]} failed:\n{(folder / 'errors').read_text()[-2000:]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(0, seconds, processor)


def run_dlweb(url: str, folder: Path) -> Run:
    """Collect with a whole archive, started for the occasion."""
    base = free_ports(100)
    command = [BIN / "dlweb", "run", "--once", "--json", "--delay", "0", url]
    run = timed([*command, "--archive", folder / "archive", "--base-port", str(base)], folder)
    summary = json.loads((folder / "output").read_text().splitlines()[-1])
    return run._replace(pages=summary["captures"] - count_refused(folder / "archive"))


def run_running_dlweb(url: str, folder: Path) -> Run:
    """Collect with an archive that was started before; it starts empty too."""
    base = free_ports(100)
    where = ["--archive", folder / "archive", "--base-port", str(base)]
    archive = subprocess.Popen(
        [BIN / "twistd", "--nodaemon", f"--pidfile={folder / 'pid'}", "archive", *where],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    try:
        wait_until_ready(f"http://127.0.0.1:{base + 98}/status.json")
        before = processor_of_tree(archive.pid)
        run = timed([BIN / "dlweb", "run", "--once", "--json", "--delay", "0", *where, url], folder)
        processor = run.processor + processor_of_tree(archive.pid) - before
    finally:
        archive.terminate()
        archive.wait()
    summary = json.loads((folder / "output").read_text().splitlines()[-1])
    pages = summary["captures"] - count_refused(folder / "archive")
    return Run(pages, run.seconds, processor)


def wait_until_ready(status: str) -> None:
    """Wait until every agent of an archive answers."""
    for _ in range(300):
        with suppress(OSError), urlopen(status, timeout=5) as answer:
            if json.load(answer)["ready"]:
                return
        time.sleep(0.1)
    sys.exit("the archive does not start")


def processor_of_tree(root: int) -> float:
    """Return the seconds of processor time of a process and its living descendants."""
    ticks: dict[int, tuple[int, int]] = {}  # each process's parent and time
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            ticks[int(path.parent.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    tree = {root}
    while more := {pid for pid, (parent, _) in ticks.items() if parent in tree} - tree:
        tree |= more
    return sum(ticks[pid][1] for pid in tree) / os.sysconf("SC_CLK_TCK")


def count_refused(archive: Path) -> int:
    """Return how many captures have another status than 200; from the plain files of one node."""
    lines = (
        line
        for path in (archive / "storage-1").glob("structures/*/*/*.captures")
        for line in path.read_bytes().splitlines()
    )
    return sum(line.split()[3] != b"200" for line in lines)


def run_scrapy(url: str, folder: Path) -> Run:
    """Collect with Scrapy."""
    run = timed([sys.executable, SCRAPY, url, folder / "contents"], folder)
    return run._replace(pages=int((folder / "output").read_text().split()[-1]))


def run_wget(url: str, folder: Path) -> Run:
    """Collect with wget; status 8 means that some address answered 404, as on any site."""
    command: list[str | Path] = [
        "wget", "--recursive", "--page-requisites", "--level=inf", "--quiet", "--delete-after",
        "--execute=robots=off", "--no-warc-compression", f"--warc-file={folder / 'site'}",
        f"--directory-prefix={folder / 'files'}", url,
    ]  # fmt: skip
    run = timed(command, folder, statuses=(0, 8))
    pages = 0
    with (folder / "site.warc").open("rb") as warc:
        pages = sum(line.startswith(b"HTTP/1.1 200 ") for line in warc)
    return run._replace(pages=pages)


def report(runs: dict[str, list[Run]]) -> None:
    """Print a table of medians, and the line of JSON."""
    print(f"{'':15}{'pages':>8}{'seconds':>10}{'pages/s':>10}{'CPU s':>10}{'pages/CPU s':>13}")
    figures: dict[str, dict[str, float]] = {}
    for name, each in runs.items():
        figures[name] = {
            "pages": statistics.median(run.pages for run in each),
            "seconds": round(statistics.median(run.seconds for run in each), 3),
            "pages_per_second": round(statistics.median(run.rate for run in each), 2),
            "processor_seconds": round(statistics.median(run.processor for run in each), 3),
            "pages_per_processor_second": round(statistics.median(run.thrift for run in each), 2),
        }
        pages, seconds, rate, processor, thrift = figures[name].values()
        print(f"{name:15}{pages:8.0f}{seconds:10.2f}{rate:10.1f}{processor:10.2f}{thrift:13.1f}")
    ratios = {
        f"{ours.replace(' ', '_')}_{what}_vs_{peer}": round(
            figures[ours][what] / figures[peer][what], 3
        )
        for ours in ("dlweb", "dlweb running")
        for peer in ("scrapy", "wget")
        for what in ("pages_per_second", "pages_per_processor_second")
    }
    result = {
        "benchmark": "crawl",
        "versions": versions(),
        "figures": figures,
        "ratios": ratios,
        "targets": {},
    }
    print(json.dumps(result))


def versions() -> dict[str, str]:
    """Return what was compared."""

    def said(*command: str | Path) -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stdout or done.stderr).splitlines()[0].strip()

    return {
        "dlweb": said(BIN / "dlweb", "--version").split()[-1],
        "scrapy": said(sys.executable, "-c", "import scrapy; print(scrapy.__version__)"),
        "wget": said("wget", "--version").split()[2],
        "nginx": said("nginx", "-v").rpartition("/")[2],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
