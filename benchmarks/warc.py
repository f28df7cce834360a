"""How quickly files of web archives are read, written, imported and exported, beside the libraries.

    python benchmarks/warc.py [--quick] [--runs N] [--folder FOLDER]

A gzip WARC of 250 MB (uncompressed) is made of manuals that Debian brings, request and response of
each page. FastWARC, warcio and our reader read it, with and without verifying its digests, one
process each; `dlweb import` brings it into an empty archive on FOLDER (default: /dev/shm), which is
deduplicated, indexed and durable when it ends; `dlweb export` gives it out again, and FastWARC and
warcio write the same pages. Every file that is written must pass `warcio check`. A MB is 10^6 bytes
of the uncompressed file. Of commands, what they take for a single page is taken off: loading
Python's modules and starting processes. Rates are by the clock, and by processor time of all
processes. The last line is JSON.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from crawl_tools import timed
from warc_tools import READERS, WRITERS, pages

BIN = Path(sys.executable).parent
TOOLS = Path(__file__).parent / "warc_tools.py"
SIZE, QUICK = 250_000_000, 40_000_000
PACKAGES = ("dlweb", "fastwarc", "warcio", "isal")
TARGETS = {
    "import_to_fastwarc_digest": 0.3,
    "import_to_warcio_read": 1.0,
    "export_to_fastwarc_write": 1.0,
    "export_size_ratio": 1.0,
}
_SIZE_ALLOWED = 1.17  # times FastWARC's


class Run(NamedTuple):
    """One thing done once.

    Attributes:
        seconds: of the clock.
        processor: seconds of all processes.
        size: bytes of the file that was written.
    """

    seconds: float
    processor: float
    size: int = 0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="with a file of 40 MB")
    parser.add_argument("--runs", type=int, default=3, help="of each (default: 3)")
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"), help="for all files")
    options = parser.parse_args()
    size = QUICK if options.quick else SIZE
    with tempfile.TemporaryDirectory(prefix="dlweb-warc-", dir=options.folder) as name:
        work = Path(name)
        found = list(pages(size))
        mean = sum(len(page.response) for page in found) / len(found)
        print(f"{len(found)} pages of {mean / 1000:.1f} kB on average", file=sys.stderr)
        library("write_fastwarc", work / "many.warc.gz", work, size)
        library("write_fastwarc", work / "one.warc.gz", work, 1)
        runs = measure(work, size, options.runs)
        megabytes = unpacked(work / "many.warc.gz") / 1e6
    report(runs, megabytes, len(found), mean)


def measure(work: Path, size: int, count: int) -> dict[str, list[Run]]:
    """Do everything in turn, so that a busy moment of the machine meets all of them."""
    runs: dict[str, list[Run]] = {}
    for number in range(1, count + 1):
        done = {action: library(action, work / "many.warc.gz", work) for action in READERS}
        for action in WRITERS:
            done[action] = library(action, work / "written.warc.gz", work, size)
            check([work / "written.warc.gz"])
        done["import_dlweb"], done["export_dlweb"] = commands(work)
        for action, run in done.items():
            runs.setdefault(action, []).append(run)
            print(
                f"{number}/{count} {action}: {run.seconds:.2f} s, {run.processor:.2f} s of CPU",
                file=sys.stderr,
            )
    return runs


def library(action: str, file: Path, work: Path, size: int = 0) -> Run:
    """Have a library read or write a file in a process of its own."""
    command: list[str | Path] = [sys.executable, TOOLS, action, file, str(size)]
    timed(command, work)
    took = json.loads((work / "output").read_text())
    return Run(took["seconds"], took["processor"], file.stat().st_size)


def commands(work: Path) -> tuple[Run, Run]:
    """Import the file into an empty archive, and export that; less what that takes for a page."""
    one, _ = imported(work, "one"), shutil.rmtree(work / "archive")
    imports = imported(work, "many")
    exports = exported(work, "many")
    shutil.rmtree(work / "archive")
    imported(work, "one")
    small = exported(work, "one")
    shutil.rmtree(work / "archive")
    return less(imports, one), less(exports, small)


def imported(work: Path, name: str) -> Run:
    """Import a file into an empty archive."""
    command = [BIN / "dlweb", "import", "--archive", work / "archive", "--json"]
    run = timed([*command, work / f"{name}.warc.gz"], work)
    told = json.loads((work / "output").read_text())
    assert told["well"] and told["captures"], told
    return Run(run.seconds, run.processor)


def exported(work: Path, name: str) -> Run:
    """Export an archive; the files must be sound, and hold what was imported."""
    command = [BIN / "dlweb", "export", "--archive", work / "archive", "--json"]
    folder = work / "archive" / f"export-{name}"
    run = timed([*command, "--output", folder], work)
    told = json.loads((work / "output").read_text())
    assert told["well"] and told["captures"], told
    files = sorted(folder.glob("*.warc.gz"))
    check(files)
    return Run(run.seconds, run.processor, sum(file.stat().st_size for file in files))


def less(run: Run, start: Run) -> Run:
    """Return a run without what starting takes."""
    return Run(run.seconds - start.seconds, run.processor - start.processor, run.size)


def check(files: Sequence[Path]) -> None:
    """End with a message if warcio finds fault with a file."""
    done = subprocess.run([BIN / "warcio", "check", *files], capture_output=True, text=True)
    if done.returncode or done.stdout:
        sys.exit(f"warcio check: {files}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def unpacked(file: Path) -> int:
    """Return the bytes of a file of gzip members, uncompressed."""
    done = subprocess.run(f"gzip -dc '{file}' | wc -c", shell=True, capture_output=True)
    return int(done.stdout)


def report(runs: dict[str, list[Run]], megabytes: float, count: int, mean: float) -> None:
    """Print a table of medians, and the line of JSON."""
    print(f"{'':20}{'MB/s':>10}{'MB/s of CPU':>14}{'file, MB':>11}")
    figures: dict[str, Any] = {
        "file": {"megabytes": round(megabytes, 1), "pages": count, "mean_bytes": round(mean)}
    }
    for action, found in runs.items():
        seconds, processor, size = map(statistics.median, zip(*found, strict=True))
        figures[action] = shown = {
            "mb_per_second": round(megabytes / seconds, 1),
            "mb_per_cpu_second": round(megabytes / processor, 1),
            "file_mb": round(size / 1e6, 1),
        }
        print("{:20}{:10.1f}{:14.1f}{:11.1f}".format(action.replace("_", " "), *shown.values()))
    result = {
        "benchmark": "warc",
        "versions": {name: version(name) for name in PACKAGES},
        "figures": figures,
        "ratios": ratios(figures),
        "targets": TARGETS,
    }
    print(json.dumps(result))


def ratios(figures: dict[str, Any]) -> dict[str, float]:
    """Compare: above 1, ours is the better.

    With FastWARC's a core's work is compared; whether an import is quicker than warcio by the
    clock, with all the cores that it uses, and beside it, a core's work too.
    """

    def ratio(ours: str, theirs: str, by: str) -> float:
        return round(float(figures[ours][by] / figures[theirs][by]), 3)

    clock, core = "mb_per_second", "mb_per_cpu_second"
    size = _SIZE_ALLOWED * figures["write_fastwarc"]["file_mb"] / figures["export_dlweb"]["file_mb"]
    return {
        "import_to_fastwarc_digest": ratio("import_dlweb", "digest_fastwarc", core),
        "import_to_warcio_read": ratio("import_dlweb", "read_warcio", clock),
        "import_to_warcio_read_per_core": ratio("import_dlweb", "read_warcio", core),
        "export_to_fastwarc_write": ratio("export_dlweb", "write_fastwarc", clock),
        "export_to_fastwarc_write_per_core": ratio("export_dlweb", "write_fastwarc", core),
        "export_size_ratio": round(size, 3),
        "read_to_fastwarc_per_core": ratio("read_dlweb", "read_fastwarc", core),
        "read_with_digests_to_fastwarc_per_core": ratio("digest_dlweb", "digest_fastwarc", core),
    }


if __name__ == "__main__":
    main()
