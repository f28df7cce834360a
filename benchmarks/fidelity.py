"""How faithful archived pages are, live and archived side by side, beside pywb's proxy.

    python benchmarks/fidelity.py --engine FILE [--quick] [--runs N]

Five sites of different make (`tests/replay_sites`) are served by nginx, collected by dlweb's
crawler, looked at by headless Chromium, and switched off. Each page is then opened from the
archive: through dlweb's proxy, under `/web/` without a proxy, and through pywb in proxy mode over
the same captures, exported as WARC. Counted are the requests made live and of the archive, those
lost, those that failed, errors on the console, and pixels that differ. What is below a page is what
went wrong with it. Seconds are those of opening all pages, with the waiting for silence, which is
the same for all. --quick is one run. The last line is JSON.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one
sys.path.append(str(ROOT / "tests/replay_sites"))

from chromium import chromium
from comparing import Compared, table
from fidelity_of_pages import NAMES, SPAN, by_proxy, by_replay, collected, free_ports
from replay_archives import pywb, version_of_pywb

PEER = "pywb's proxy"
TARGETS = {"proxy": 1.0, "replay": 1.0}  # pages that are faithful, to those of pywb


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turn (default: 3)")
    parser.add_argument("--engine", required=True, help="file sw.js of wabac.js")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dlweb-fidelity-", dir=shared_memory()) as name:
        report(*measure(Path(name), 1 if options.quick else options.runs, options.engine))


def shared_memory() -> Path | None:
    """Return where files need no disk, if there is such a place."""
    place = Path("/dev/shm")
    return place if place.is_dir() else None


def measure(
    work: Path, runs: int, engine: str
) -> tuple[str, dict[str, list[Compared]], dict[str, list[float]]]:
    """Return the browser's version, all pages seen each way, and how long each run took."""
    base = free_ports(SPAN + 2)
    pages: dict[str, list[Compared]] = {}
    seconds: dict[str, list[float]] = {}
    with chromium(NAMES) as browser, collected(work, browser, base, engine) as (ours, live, trap):
        warc = work / "sites.warc.gz"
        script = ROOT / "benchmarks/as_warc.py"
        subprocess.run([sys.executable, script, ours.folder, warc], check=True)
        theirs = work / "pywb"
        theirs.mkdir()
        with pywb(theirs, 1, warc) as peer:
            ways: dict[str, Callable[[], list[Compared]]] = {
                "dlweb's proxy": lambda: by_proxy(browser, live, ours.proxy),
                "dlweb without a proxy": lambda: by_replay(browser, live, ours.replay),
                PEER: lambda: by_proxy(browser, live, f"127.0.0.1:{peer.ports[0]}"),
            }
            for _ in range(runs):
                for name, way in ways.items():
                    begun = time.monotonic()
                    pages.setdefault(name, []).extend(way())
                    seconds.setdefault(name, []).append(time.monotonic() - begun)
        if trap.caught():
            sys.exit("a request escaped the archive")
        return browser.version, pages, seconds


def report(browser: str, pages: dict[str, list[Compared]], seconds: dict[str, list[float]]) -> None:
    """Print the tables, and the line of JSON."""
    figures: dict[str, dict[str, Any]] = {}
    for name, compared in pages.items():
        print(table(name, compared) + "\n")
        figures[name] = {
            "pages": len(compared),
            "faithful": sum(one.faithful for one in compared),
            "requests": sum(one.archived for one in compared),
            "lost": sum(len(one.lost) for one in compared),
            "failed": sum(len(one.failed) for one in compared),
            "errors": sum(len(one.errors) for one in compared),
            "pixels": sum(one.pixels for one in compared),
            "seconds": round(statistics.median(seconds[name]), 1),
        }
    for name, figure in figures.items():
        print(f"{name:24}" + ", ".join(f"{key} {value}" for key, value in figure.items()))
    of_peer = max(1, figures[PEER]["faithful"])
    ratios = {
        "proxy": round(figures["dlweb's proxy"]["faithful"] / of_peer, 3),
        "replay": round(figures["dlweb without a proxy"]["faithful"] / of_peer, 3),
    }
    versions = {
        "python": platform.python_version(), "dlweb": version("dlweb"), "pywb": version_of_pywb(),
        "browser": browser,
    }  # fmt: skip
    said = {"benchmark": "fidelity", "versions": versions, "figures": figures, "ratios": ratios}
    print(json.dumps({**said, "targets": TARGETS}))


if __name__ == "__main__":
    main()
