"""What a crawl remembers costs, in bytes and in time, and what judging a link costs.

    python benchmarks/frontier.py [--quick] [--only PART] [--urls N…] [--pages FOLDER]

Three parts, each measurement in a process of its own, in processor time. `seen`: ways to remember
which URLs have been met. `crawl`: everything that a crawl keeps of URLs (judge, queues, seen-sets,
counts, stories), while each page links to its neighbours, its folder and a few others, without
network or parsers. `links`: a page's links resolved, normalised and tested, over real pages. The
last line is JSON.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agents.compact import HashSet
from agents.crawler.findings import Findings
from agents.crawler.reading.heavy import Extract
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.judge import Judge
from agents.crawler.strategy.stories import Stories
from agents.delimitation import Delimitation
from agents.parsers import PAGE, Link, Source, registry

PAGES = Path("/usr/share/doc/python3.11/html")
URLS = (1_000_000, 5_000_000)
QUICK = (50_000,)
BLOOM_ERROR = 1e-6  # chance that a new URL is taken for one met before, and so is missed
PIECE = 10_000  # URLs made, then timed

Figures = dict[str, float]
Adder = Callable[[str], bool]  # remembers a URL; tells whether it was new


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def hash_set() -> Adder:
    """Return dlweb's set of 64-bit hashes."""
    keys = HashSet()
    return lambda url: keys.add(hash(url))


def bloom() -> Adder:
    """Return pybloom-live's Bloom filter that grows."""
    from pybloom_live import ScalableBloomFilter

    keys = ScalableBloomFilter(
        initial_capacity=100_000,
        error_rate=BLOOM_ERROR,
        mode=ScalableBloomFilter.LARGE_SET_GROWTH,
    )
    return lambda url: not keys.add(url)


def plain_set() -> Adder:
    """Return a set of URLs."""
    keys: set[str] = set()

    def add(url: str) -> bool:
        if url in keys:
            return False
        keys.add(url)
        return True

    return add


def hashes_in_set() -> Adder:
    """Return a set of hashes."""
    keys: set[int] = set()

    def add(url: str) -> bool:
        key = hash(url)
        if key in keys:
            return False
        keys.add(key)
        return True

    return add


SEEN = {
    "HashSet": hash_set,
    "ScalableBloomFilter": bloom,
    "set of hashes": hashes_in_set,
    "set of URLs": plain_set,
}


def seen(name: str, count: int) -> Figures:
    """Measure one way to remember URLs."""
    add = SEEN[name]()
    before, missed, seconds = resident(), 0, []
    for start in range(0, count, PIECE):
        urls = [
            f"https://www.example.org/some/folder/{n}.html" for n in range(start, start + PIECE)
        ]
        began = time.process_time()
        missed += PIECE - sum(map(add, urls))
        seconds.append(time.process_time() - began)
    tenth = max(1, len(seconds) // 10)
    return {
        "bytes_a_url": (resident() - before) / count,
        "us_a_url": sum(seconds) / count * 1e6,
        "us_first": sum(seconds[:tenth]) / tenth / PIECE * 1e6,
        "us_last": sum(seconds[-tenth:]) / tenth / PIECE * 1e6,
        "missed": missed,
    }


def links_of_page(number: int, count: int) -> Iterator[Link]:
    """Yield the links of a synthetic page: one new page, known ones, a menu, one outside.

    The first page lists a tenth of all, so that ten levels of the same size follow one another
    and each page finds as much that is new as the last.
    """
    tenth = count // 10
    for new in range(1, tenth + 1) if number == 0 else [number + tenth]:
        if new < count:
            yield Link(path_of(new), PAGE, False)
    for other in (number - 1, number + 1, number // 2, number * 7):
        yield Link(path_of(other % count), PAGE, False)
    for place in range(10):
        yield Link(f"/menu/{place}.html", PAGE, False)
    yield Link(f"http://other{number % 3000}.test/{number}", PAGE, False)


def path_of(number: int) -> str:
    """Return the path of a page; each seventh looks dynamic."""
    query = f"?id={number}" if number % 7 == 0 else ""
    return f"/{number // 1000}/{number}.html{query}"


def crawl(count: int) -> Figures:
    """Measure all that a crawl of so many URLs keeps of them."""
    with tempfile.TemporaryDirectory() as folder:
        before, began = resident(), time.process_time()
        frontier, stories = Frontier(Path(folder), 10 * count), Stories(Path(folder) / "stories")
        judge = Judge(Delimitation.parse("//site.test"), 150, frontier, Findings(), None, stories)
        frontier.start("http://site.test/0/0.html")
        marks = [began]
        taken = 0
        while (task := frontier.next()) is not None:
            document = judge.document(task, task.url, Extract())
            document.begin()
            name = task.url.partition("?")[0].rpartition("/")[2].partition(".")[0]
            for link in links_of_page(int(name), count):
                document.take(link)
            document.end()
            stories.became(task.url, "200 text/html 20260101000000000000")
            taken += 1
            if taken % (count // 10) == 0:
                marks.append(time.process_time())
        spent = [late - early for early, late in zip(marks, marks[1:], strict=False)]
        bytes_a_url = (resident() - before) / frontier.met
        met = frontier.met
        size = stories.path.stat().st_size
        stories.close()
        frontier.close()
    return {
        "urls": met,
        "bytes_a_url": bytes_a_url,
        "us_a_page": (marks[-1] - began) / taken * 1e6,
        "us_second_tenth": spent[1] / (count // 10) * 1e6,
        "us_ninth_tenth": spent[8] / (count // 10) * 1e6,
        "stories_bytes_a_url": size / met,
    }


def links(pages: Path) -> Figures:
    """Measure judging the links of real pages, the parser's time left out."""
    documents: list[tuple[str, Any, list[Link]]] = []
    chosen = registry().by_type["text/html"]
    for path in sorted(pages.rglob("*.html")):
        url = f"http://docs.test/{path.relative_to(pages)}"
        parser = chosen(Source(url, "utf-8"))
        found = [*parser.feed(path.read_bytes()), *parser.close()]
        documents.append((url, parser, [one for one in found if isinstance(one, Link)]))
    number = sum(len(found) for _, _, found in documents)
    best = min(_judging(documents) for _ in range(5))
    return {"pages": len(documents), "links": number, "us_a_link": best / number * 1e6}


def _judging(documents: list[tuple[str, Any, list[Link]]]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        frontier = Frontier(Path(folder), 10_000_000)
        stories = Stories(Path(folder) / "stories")
        judge = Judge(Delimitation.parse("//docs.test"), 150, frontier, Findings(), None, stories)
        began = time.process_time()
        for url, parser, found in documents:
            document = judge.document(Task(url, PAGE, False, 1), url, parser)
            document.begin()
            for link in found:
                document.take(link)
            document.end()
        spent = time.process_time() - began
        stories.close()
        frontier.close()
        return spent


def in_a_process(*arguments: object) -> Figures:
    """Return what a measurement gives in a process of its own."""
    command = [sys.executable, __file__, "--measure", json.dumps(arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=1800)
    figures: Figures = json.loads(done.stdout)
    return figures


def measure(part: str, *arguments: Any) -> Figures:
    """Carry out one measurement in this process."""
    if part == "links":
        return links(Path(*arguments))
    return seen(*arguments) if part == "seen" else crawl(*arguments)


def show(title: str, figures: Figures) -> None:
    """Print the figures of one measurement."""
    told = ", ".join(f"{name} {value:,.2f}".removesuffix(".00") for name, value in figures.items())
    print(f"{title:34} {told}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few URLs, for a trial")
    parser.add_argument("--only", choices=["seen", "crawl", "links"])
    parser.add_argument("--urls", type=int, nargs="+", help="how many")
    parser.add_argument("--pages", type=Path, default=PAGES, help="folder of real pages")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(*json.loads(given.measure))))
        return
    counts = given.urls or (QUICK if given.quick else URLS)
    works: list[tuple[object, ...]] = []
    works += [("seen", name, count) for count in counts for name in SEEN]
    works += [("crawl", count) for count in counts]
    works += [("links", str(given.pages))]
    results = {}
    for work in works:
        if given.only in (None, work[0]):
            title = " ".join(f"{one:,}" if isinstance(one, int) else str(one) for one in work)
            results[title] = in_a_process(*work)
            show(title, results[title])
    print(json.dumps(results))


if __name__ == "__main__":
    main()
