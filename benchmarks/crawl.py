"""How thriftily and quickly websites are collected and stored: dlweb and its peers in turn.

    python benchmarks/crawl.py [--quick] [--runs N] [--site NAME] [--tool NAME]… [--folder PATH]

nginx serves two sites on loopback: Python's documentation, large pages with many links, and manuals
of many small pages. Each tool collects each site whole from its first page, with no pauses, and
stores what it fetches: dlweb by its whole tree of agents, every content twice, durable and hashed;
Scrapy to files named by SHA-256; wget to a WARC file, plain and compressed; httrack to files. dlweb
is measured three times: with its processes started and stopped for the run, in an archive that
runs already, as archives do, and in one that neither runs scripts nor analyses texts, as no peer
does: targets go by that. Processor time is that of all processes of a tool. What a peer found
and dlweb did not is listed as missed. The last line is JSON.
"""

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from crawl_sites import missing_packages, served, sites
from crawl_tools import BIN, TOOLS, Run

OURS = "dlweb plain"  # what it does more than its peers is measured beside
TARGETS = {"scrapy": 10.0, "wget": 2.0, "httrack": 2.5}  # times the peer's thrift
QUICK_TOOLS = ("dlweb running", "dlweb plain", "scrapy", "wget", "httrack")
MISSED_SHOWN = 20

Runs = dict[str, list[Run]]  # by tool


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="parts of the sites, each tool once")
    parser.add_argument("--runs", type=int, default=3, help="of each tool (default: 3)")
    parser.add_argument("--site", help="one of the sites only: large pages, small pages")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="this tool only")
    parser.add_argument("--folder", help="where the tools store, such as /dev/shm for memory")
    options = parser.parse_args()
    tools = options.tool or (QUICK_TOOLS if options.quick else tuple(TOOLS))
    check_machine(tools)
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory("", "dlweb-benchmark-", options.folder) as name:
        for site, folder in sites(Path(name), options.quick).items():
            if options.site in (None, site):
                work = Path(name) / site.replace(" ", "-")
                work.mkdir()
                with served(folder, work) as url:
                    runs = measure(url, work, tools, 1 if options.quick else options.runs)
                found[site] = summary(runs)
                print_site(site, found[site])
    print(json.dumps({"benchmark": "crawl", "versions": versions(), **result(found)}))


def check_machine(tools: tuple[str, ...]) -> None:
    """End with a message when this machine lacks a tool."""
    missing = missing_packages()
    missing += [tool for tool in ("wget", "httrack") if tool in tools and not shutil.which(tool)]
    if missing:
        sys.exit(f"install Debian's packages first: apt-get install {' '.join(missing)}")
    imported = subprocess.run([sys.executable, "-c", "import scrapy"], capture_output=True)
    if "scrapy" in tools and imported.returncode:
        sys.exit("install Scrapy first: make benchmark")


def measure(url: str, work: Path, tools: tuple[str, ...], count: int) -> Runs:
    """Run the tools in turn, so that a busy moment of the machine meets all of them.

    Nothing is removed meanwhile: ext4 is slow to make files where others were just removed.
    """
    runs: Runs = {name: [] for name in tools}
    for number in range(1, count + 1):
        for name in tools:
            folder = work / f"{name.replace(' ', '-')}-{number}"
            folder.mkdir()
            run = TOOLS[name](url, folder)
            runs[name].append(run)
            print(
                f"{name} {number}/{count}: {len(run.urls)} resources, {run.seconds:.1f} s, "
                f"{run.processor:.2f} s of processor",
                file=sys.stderr,
            )
    return runs


def summary(runs: Runs) -> dict[str, Any]:
    """Return medians, the processes of the running archive, and what dlweb missed."""
    figures = {
        name: {
            "resources": statistics.median(len(run.urls) for run in each),
            "seconds": round(statistics.median(run.seconds for run in each), 3),
            "resources_per_second": round(statistics.median(run.rate for run in each), 2),
            "processor_seconds": round(statistics.median(run.processor for run in each), 3),
            "resources_per_processor_second": round(
                statistics.median(run.thrift for run in each), 2
            ),
        }
        for name, each in runs.items()
    }
    processes: dict[str, float] = {}
    missed: dict[str, list[str]] = {}
    if ours := runs.get(OURS):
        names = dict.fromkeys(name for run in ours for name in run.processes)
        processes = {
            name: round(statistics.median(run.processes.get(name, 0.0) for run in ours), 3)
            for name in names
        }
        missed = {
            name: sorted(frozenset[str]().union(*(run.urls for run in each)) - ours[-1].urls)
            for name, each in runs.items()
            if not name.startswith("dlweb")
        }
    return {"figures": figures, "processes": processes, "missed": missed}


def result(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return all sites, with the ratios to each peer and the targets."""
    targets: dict[str, dict[str, Any]] = {}
    for site, each in found.items():
        figures = each["figures"]
        for peer, wanted in TARGETS.items():
            if OURS in figures and peer in figures:
                what = "resources_per_processor_second"
                ratio = round(figures[OURS][what] / figures[peer][what], 3)
                name = f"{site}: {OURS} vs {peer}"
                targets[name] = {"ratio": ratio, "wanted": wanted, "met": ratio >= wanted}
        missed = sorted(set().union(*each["missed"].values())) if each["missed"] else []
        targets[f"{site}: missed"] = {"ratio": len(missed), "wanted": 0, "met": not missed}
    return {"sites": found, "targets": targets}


def print_site(site: str, found: dict[str, Any]) -> None:
    """Print the tables of one site."""
    print(f"{site:15}{'found':>8}{'seconds':>10}{'a second':>10}{'CPU s':>10}{'a CPU second':>14}")
    for name, figures in found["figures"].items():
        resources, seconds, rate, processor, thrift = figures.values()
        print(
            f"{name:15}{resources:8.0f}{seconds:10.2f}{rate:10.1f}{processor:10.2f}{thrift:14.1f}"
        )
    for name, seconds in found["processes"].items():
        print(f"    {name:22}{seconds:8.2f} CPU s")
    for peer, urls in found["missed"].items():
        if urls:
            print(f"    {peer} found {len(urls)} that dlweb missed: {urls[:MISSED_SHOWN]}")
    for name, target in result({site: found})["targets"].items():
        words = "met" if target["met"] else "not met"
        print(f"    {name:40}{target['ratio']:8.2f}, wanted {target['wanted']}: {words}")
    print(flush=True)


def versions() -> dict[str, str]:
    """Return what was compared."""

    def said(*command: str | Path) -> str:
        if shutil.which(command[0]) is None:
            return "none"
        done = subprocess.run(command, capture_output=True, text=True)
        return ((done.stdout or done.stderr).splitlines() or ["none"])[0].strip()

    return {
        "dlweb": said(BIN / "dlweb", "--version").split()[-1],
        "scrapy": said(sys.executable, "-c", "import scrapy; print(scrapy.__version__)"),
        "wget": said("wget", "--version").split()[2],
        "httrack": said("httrack", "--version").split()[-1],
        "nginx": said("nginx", "-v").rpartition("/")[2],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
