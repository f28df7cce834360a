"""Whether the expansion finds the sites of a topic, from two of them, on a web of documentation.

    python benchmarks/expansion.py [--folder PATH]

The web is that of `tests/system/many_sites.py`: two dozen sites of Debian's documentation, in five
languages and of several topics, served by nginx under names of their own, which a DNS server on
loopback knows; documentation also names hundreds of hosts that are not there. An archive of
processes of its own, configured as `docs/how-to/find-a-portion.md` tells, is given two sites on
databases. What becomes of each site is told, and why if it fails. Precision is the share of the
members that are of the topic, recall the share of the topic's sites that are members. The last line
is JSON. Needs the packages of `.ci/run`.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "system"))

from conftest import Archive  # noqa: E402
from finding import Finding, configuration  # noqa: E402
from many_sites import Web  # noqa: E402

TARGET = 0.9  # of precision and of recall


def main() -> None:
    """Find the topic, print what was found, and end with status 1 below the target."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="where all is written (default: /tmp)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        result = measure(folder)
    finally:
        shutil.rmtree(folder)
    print(json.dumps(result))
    sys.exit(min(result["precision"], result["recall"]) < TARGET)


def measure(folder: Path) -> dict[str, Any]:
    """Return how well the topic was found, and at what cost."""
    (folder / "web").mkdir()
    web = Web(folder / "web")
    archive = Archive(folder / "archive", configuration(web))
    try:
        archive.wait_until_whole()
        finding = Finding(archive, web)
        began = time.monotonic()
        finding.search()
        seconds = time.monotonic() - began
        show(finding)
        scores = finding.scores()
        return {
            "precision": round(scores.precision, 3),
            "recall": round(scores.recall, 3),
            "wrong": scores.wrong,
            "missed": scores.missed,
            "sites": len(finding.lines()),
            "requests": len(web.requests()),
            "seconds": round(seconds, 1),
        }
    finally:
        archive.stop()
        web.stop()


def show(finding: Finding) -> None:
    """Print what became of each site of the web."""
    for name, line in sorted(finding.named().items(), key=lambda each: -each[1]["relevance"]):
        told = next(
            (words.strip() for words in finding.details(name)["judgement"] if "  fails" in words),
            "",
        )
        print(f"{name:18} {line['standing']:12} {line['relevance']:.2f}  {told}")


if __name__ == "__main__":
    main()
