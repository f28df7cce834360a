"""How thriftily links are read out of pages: dlweb's parsers and the fastest others in turn.

    python benchmarks/extraction.py [--quick] [--runs N]

The pages are all the HTML documentation that Debian's packages put on this machine, at least that
of python3.11-doc. Each tool has one job: the URLs that a page's elements link to, each once and
without its fragment (a, area, link, img, script, iframe, frame, source with its srcset, video,
audio, track, embed, input, and the sheets of style). The others take a page whole; dlweb takes it
in chunks of 32 KiB, and also tells pages from requisites and reads scripts and lazy attributes.
Processor time is the median of the runs. The last line is JSON.
"""

import argparse
import importlib.metadata
import json
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lxml import html as libxml2
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

from agents.parsers import Link, Parser, Source
from agents.parsers.html import HtmlParser
from agents.parsers.html_c import FastHtmlParser
from agents.parsers.srcset import candidates

DOCUMENTATION = Path("/usr/share/doc")
CHUNK = 32 * 1024
LONGEST = 4_000_000  # bytes of a page
QUICK_PAGES = 300
TARGETS = {"lxml": 1.0, "selectolax": 1.0, "resiliparse": 1.0}  # times the peer's thrift
FAST_TARGET = 2.0  # times the thrift of the exact parser

SOURCES = {
    "a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "iframe": "src",
    "frame": "src", "source": "src", "video": "src", "audio": "src", "track": "src",
    "embed": "src", "input": "src",
}  # fmt: skip
WITH_CANDIDATES = ("img", "source")
SELECTOR = ",".join([*(f"{tag}[{name}]" for tag, name in SOURCES.items()),
                     *(f"{tag}[srcset]" for tag in WITH_CANDIDATES), "style"])  # fmt: skip
SHEET_URL = re.compile(r"""url\(\s*["']?([^"')]+)""")

Extract = Callable[[bytes], set[str]]


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--quick", action="store_true", help="some of the pages")
    options.add_argument("--runs", type=int, default=3, help="of each tool (default: 3)")
    chosen = options.parse_args()
    pages = corpus(QUICK_PAGES if chosen.quick else None)
    print(f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.1f} MB")
    seconds = measure(pages, chosen.runs)
    print(json.dumps(told(pages, seconds)))


def corpus(count: int | None) -> list[bytes]:
    """Return the pages; evenly chosen ones if only a number of them is wanted."""
    paths = sorted({path.resolve() for path in DOCUMENTATION.rglob("*.html") if path.is_file()})
    paths = [path for path in paths if path.stat().st_size < LONGEST]
    if len(paths) < QUICK_PAGES:
        sys.exit("install Debian's packages first: apt-get install python3.11-doc")
    return [path.read_bytes() for path in paths[:: max(1, len(paths) // count) if count else 1]]


def measure(pages: list[bytes], runs: int) -> dict[str, float]:
    """Return the processor time of each tool, run in turn so that a busy moment meets all."""
    times: dict[str, list[float]] = {name: [] for name in TOOLS}
    for _ in range(runs):
        for name, extract in TOOLS.items():
            start = time.process_time()
            for page in pages:
                extract(page)
            times[name].append(time.process_time() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}


def told(pages: list[bytes], seconds: Mapping[str, float]) -> dict[str, Any]:
    """Print the table, and return what the last line tells."""
    found = {name: [extract(page) for page in pages] for name, extract in TOOLS.items()}
    size = sum(map(len, pages)) / 1e6
    print(f"{'':14}{'CPU s':>8}{'MB a CPU second':>18}{'links':>10}{'missed by dlweb':>18}")
    for name, taken in seconds.items():
        pairs = zip(found[name], found["dlweb"], strict=True)
        lost = sum(len(links(theirs) - ours) for theirs, ours in pairs)
        count = sum(map(len, found[name]))
        print(f"{name:14}{taken:8.2f}{size / taken:18.1f}{count:10}{lost:18}")
    targets = {
        f"thrift against {peer}": target(seconds[peer] / seconds["dlweb"], wanted)
        for peer, wanted in TARGETS.items()
    }
    targets["thrift of html-fast against html"] = target(
        seconds["dlweb"] / seconds["dlweb fast"], FAST_TARGET
    )
    for name, one in targets.items():
        print(f"    {name:40}{one['ratio']:8.2f}, wanted {one['wanted']}")
    figures = {name: {"cpu_seconds": round(taken, 3)} for name, taken in seconds.items()}
    return {"benchmark": "extraction", "versions": versions(), "pages": len(pages),
            "megabytes": round(size, 1), "figures": figures, "targets": targets}  # fmt: skip


def links(urls: Iterable[str]) -> set[str]:
    """Return what of these can be collected."""
    return {
        url for url in urls if url.strip() and not url.lower().startswith(("javascript:", "data:"))
    }


def target(ratio: float, wanted: float) -> dict[str, Any]:
    """Return a ratio, above 1 if dlweb does better, with what is wanted of it."""
    return {"ratio": round(ratio, 2), "wanted": wanted, "met": ratio >= wanted}


def versions() -> dict[str, str]:
    """Return what was compared."""
    names = ("dlweb", "lxml", "selectolax", "resiliparse")
    found = {name: importlib.metadata.version(name) for name in names}
    return found | {"python": platform.python_version()}


def chunked(make: Callable[[Source], Parser]) -> Extract:
    """Return the job done by a parser of ours."""

    def extract(page: bytes) -> set[str]:
        parser = make(Source())
        found = []
        for start in range(0, len(page), CHUNK):
            found += parser.feed(page[start : start + CHUNK])
        found += parser.close()
        return {one.url for one in found if one.__class__ is Link}  # type: ignore[union-attr]

    return extract


def _plain(url: str | None) -> str:
    return (url or "").partition("#")[0]


def lxml(page: bytes) -> set[str]:
    """Do the job with libxml2."""
    urls = set()
    for element in libxml2.document_fromstring(page).iter(*SOURCES, "style"):
        tag = element.tag
        if tag == "style":
            urls.update(SHEET_URL.findall(element.text or ""))
            continue
        urls.add(_plain(element.get(SOURCES[tag])))
        if tag in WITH_CANDIDATES:
            urls.update(candidates(element.get("srcset", "")))
    return urls


def selectolax(page: bytes) -> set[str]:
    """Do the job with lexbor."""
    urls = set()
    for node in LexborHTMLParser(page).css(SELECTOR):
        tag, attributes = node.tag, node.attributes
        if tag == "style":
            urls.update(SHEET_URL.findall(node.text()))
            continue
        urls.add(_plain(attributes.get(SOURCES[tag])))
        if tag in WITH_CANDIDATES:
            urls.update(candidates(attributes.get("srcset") or ""))
    return urls


def resiliparse(page: bytes) -> set[str]:
    """Do the job with Resiliparse."""
    urls = set()
    for element in HTMLTree.parse_from_bytes(page).document.query_selector_all(SELECTOR)[:]:
        tag = element.tag
        if tag == "style":
            urls.update(SHEET_URL.findall(element.text))
            continue
        urls.add(_plain(element.getattr(SOURCES[tag])))
        if tag in WITH_CANDIDATES:
            urls.update(candidates(element.getattr("srcset") or ""))
    return urls


TOOLS: dict[str, Extract] = {
    "dlweb": chunked(HtmlParser),
    "dlweb fast": chunked(FastHtmlParser),
    "lxml": lxml,
    "selectolax": selectolax,
    "resiliparse": resiliparse,
}

if __name__ == "__main__":
    main()
