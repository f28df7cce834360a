"""Whether a crawl of a large site stays small, and as quick at its end as at its beginning.

    python benchmarks/large_site.py [--quick] [--pages N] [--folder PATH]

A synthetic site is served on loopback: pages of one to two kilobytes, each different, with a dozen
links each: to a page that is new, to known ones, to the menu and out of the site; one page in ten
has an image of its own. The first pages are lists, so that a fifth of the site waits until its
end. A crawl in a process of its own collects it at full speed and stores everything. Every half
second it notes how far it is, and what memory and processor time it has taken; a fixed piece of
work tells how busy the machine is with other things, for costs to be compared. The first 20,000
answers warm it up; what memory it takes for each URL is told from there on, and all in all, and
what an answer costs for each tenth of the crawl. A small site tells little: what a crawl keeps a
bounded number of is still being filled. The last line is JSON.
"""

import argparse
import json
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

PAGES = 1_000_000
QUICK = 30_000
WARM_UP = 20_000  # answers; fewer of a small site
LISTS = 100  # pages that together list a fifth of all
EVERY = 0.5  # seconds between samples
TENTHS = 10
BYTES = 60.0  # of memory for a URL
STEEPEST = 1.1  # what an answer of the last tenth costs, in proportion to one of the second

_MENU = "".join(f'<li><a href="/0/{place}.html">Part {place}</a></li>' for place in range(8, 12))
_WORDS = "every page that was ever published is kept for those who come after us " * 10
_WORK = 50_000  # steps of the fixed piece of work


class Sample(NamedTuple):
    """How far the crawl is, and what it has taken until then.

    Attributes:
        answers: recorded.
        met: URLs taken or waiting.
        memory: bytes resident.
        processor: seconds.
        seconds: since its start.
        work: seconds of processor that a fixed piece of work takes.
    """

    answers: int
    met: int
    memory: int
    processor: float
    seconds: float
    work: float


class Site:
    """A synthetic site of so many pages."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._listed = pages // 5

    def answer(self, target: str) -> bytes:
        """Return the answer to a request."""
        name, _, kind = target.partition("?")[0].rpartition("/")[2].partition(".")
        if kind == "png":
            return _answer(b"image/png", b"\x89PNG\r\n\x1a\n" + name.encode() * 200)
        if target == "/" or (name.isdigit() and kind == "html"):
            return _answer(b"text/html; charset=utf-8", self._page(int(name or 0)).encode())
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

    def _page(self, number: int) -> str:
        links = "\n".join(
            f'<p>{number} <a href="{path_of(other)}">page {other}</a></p>'
            for other in [*self._known(number), *self._new(number)]
        )
        image = f'<img src="/images/{number // 1000}/{number}.png">' if number % 10 == 0 else ""
        return (
            f"<!DOCTYPE html><html><head><title>Page {number}</title></head><body>{_MENU}{image}"
            f'{links}<a href="http://other{number % 3000}.test/{number}">elsewhere</a>'
            f"<p>{number} {_WORDS}</p></body></html>"
        )

    def _new(self, number: int) -> range:
        """Return the pages that are linked here first: the first page and the lists name many."""
        if number < LISTS:
            each = self._listed // LISTS
            return range(LISTS + number * each, LISTS + (number + 1) * each)
        new = number + self._listed
        return range(new, min(new + 1, self._pages))

    @staticmethod
    def _known(number: int) -> range | list[int]:
        if number < LISTS:
            return range(1, 0 if number else LISTS)
        return [number - 1, number // 2, number // 3, number // 5, number // 7]


def _answer(kind: bytes, body: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nServer: synthetic\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (kind, len(body), body)
    )


def path_of(number: int) -> str:
    """Return where a page lies; each seventh looks dynamic."""
    query = f"?id={number}" if number % 7 == 0 else ""
    return f"/{number // 1000}/{number}.html{query}"


def serve(pages: int) -> None:
    """Serve the site for ever; print the port first. Requests come one by one, in one piece."""
    site = Site(pages)

    def talk(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, suppress(ConnectionError):
            while request := connection.recv(65536):
                connection.sendall(site.answer(request.split(b" ", 2)[1].decode("ascii")))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=talk, args=(listener.accept()[0],), daemon=True).start()


@contextmanager
def served(pages: int) -> Iterator[str]:
    """Serve the site from another process for as long as the context lasts; gives its URL."""
    command = [sys.executable, __file__, "--serve", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.terminate()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def crawl(url: str, folder: str) -> None:
    """Collect the site in this process; print samples as JSON, one a line."""
    from twisted.internet import reactor, task
    from twisted.internet.defer import ensureDeferred

    from agents.crawler.crawl import Crawl
    from agents.crawler.limits import Limits
    from agents.crawler.parts import Means
    from agents.delimitation import guess
    from agents.order import Analysis, Order, Politeness, Strategy
    from anet.workers import Workers

    accept, reject = guess(url)
    order = Order(
        crawl="large",
        site="synthetic",
        start_url=url,
        accept=accept,
        reject=reject,
        politeness=Politeness(delay=0, slow_down=0),
        strategy=Strategy(scripts=False, sitemaps=False),
        analysis=Analysis(enabled=False),
        maximum_depth=10_000,
        private_networks=True,
    )
    clock: Any = reactor
    workers = Workers(clock, 2)
    means = Means(clock, workers, None, "crawler-1", Limits())
    collecting = Crawl(means, order, Path(folder) / "crawl")
    began, working = time.monotonic(), 0.0

    def sample() -> None:
        nonlocal working
        before = time.process_time()
        sum(number * number % 7 for number in range(_WORK))
        work = time.process_time() - before
        figures = collecting.figures()
        values = Sample(
            figures.captures,
            figures.captures + figures.queued,
            resident(),
            before - working,
            time.monotonic() - began,
            work,
        )
        print(json.dumps(values), flush=True)
        working += time.process_time() - before

    async def run(_: Any) -> None:
        workers.startService()
        task.LoopingCall(sample).start(EVERY)
        await collecting.run()
        sample()
        await workers.stopService()

    task.react(lambda reactor: ensureDeferred(run(reactor)))


def measure(pages: int, folder: Path) -> list[Sample]:
    """Have the site collected by another process; return the samples, telling of them meanwhile."""
    samples: list[Sample] = []
    with served(pages) as url:
        command = [sys.executable, __file__, "--collect", url, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                samples.append(Sample(*json.loads(line)))
                if len(samples) % 60 == 0:
                    print(_told(samples[-1]), file=sys.stderr, flush=True)
        if child.returncode:
            sys.exit("the crawl failed")
    return samples


def _told(sample: Sample) -> str:
    return (
        f"{sample.seconds:6.0f} s: {sample.answers:9,} answers, {sample.met:9,} URLs met, "
        f"{sample.memory / 1e6:6.1f} MB, {sample.processor:7.1f} s of processor"
    )


def result(pages: int, samples: list[Sample]) -> dict[str, Any]:
    """Return what the samples tell, with the targets.

    What the report takes at the end does not depend on the size of the site, and is told apart.
    """
    first, last = samples[0], samples[-1]
    warm = next(one for one in samples if one.answers >= min(WARM_UP, last.answers // 5))
    late = [warm, *(one for one in samples if warm.answers < one.answers < last.answers)][-1]
    grown = (late.memory - warm.memory) / max(1, late.answers - warm.answers)
    costs = tenths(samples)
    steepest = costs[-1] / costs[1]
    return {
        "pages": pages,
        "answers": last.answers,
        "waiting": max(one.met - one.answers for one in samples),
        "seconds": round(last.seconds, 1),
        "processor_seconds": round(last.processor, 1),
        "megabytes": {
            "first": round(first.memory / 1e6, 1),
            "warm": round(warm.memory / 1e6, 1),
            "collected": round(late.memory / 1e6, 1),
            "reported": round(last.memory / 1e6, 1),
        },
        "bytes_a_url": round(grown, 1),
        "bytes_a_url_all_in_all": round((last.memory - first.memory) / last.met, 1),
        "us_an_answer": [round(cost * 1e6) for cost in costs],
        "python": platform.python_version(),
        "targets": {
            "bytes a URL": {"ratio": round(grown, 1), "wanted": BYTES, "met": grown <= BYTES},
            "last tenth to second": {
                "ratio": round(steepest, 3), "wanted": STEEPEST, "met": steepest <= STEEPEST,
            },
        },
    }  # fmt: skip


def tenths(samples: list[Sample]) -> list[float]:
    """Return what an answer costs in each tenth of the crawl, in seconds of processor.

    Each is in proportion to what the fixed piece of work took in the same tenth.
    """
    usual = statistics.median(one.work for one in samples)
    size = samples[-1].answers / TENTHS
    costs = []
    for begin, end in pairwise(size * tenth for tenth in range(TENTHS + 1)):
        during = samples[_after(samples, begin) : _after(samples, end) + 1]
        work = statistics.median(one.work for one in during)
        spent = _processor(samples, end) - _processor(samples, begin)
        costs.append(spent / size * usual / work)
    return costs


def _after(samples: list[Sample], answers: float) -> int:
    """Return the place of the first sample with so many answers."""
    return bisect_left(samples, answers, key=lambda one: one.answers)


def _processor(samples: list[Sample], answers: float) -> float:
    """Return the seconds of processor taken until so many answers."""
    place = _after(samples, answers)
    early, late = samples[max(0, place - 1)], samples[place]
    share = (answers - early.answers) / max(1, late.answers - early.answers)
    return early.processor + share * (late.processor - early.processor)


def show(found: dict[str, Any]) -> None:
    """Print the result for people."""
    memory = ", ".join(f"{one} MB {when}" for when, one in found["megabytes"].items())
    costs = ", ".join(map(str, found["us_an_answer"]))
    print(f"{found['answers']:,} answers, at most {found['waiting']:,} URLs waiting")
    print(f"memory: {memory}")
    print(f"µs of processor an answer, by tenth: {costs}")
    for name, target in found["targets"].items():
        words = "met" if target["met"] else "not met"
        print(f"    {name:24}{target['ratio']:8.2f}, wanted {target['wanted']}: {words}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} pages, for a trial")
    parser.add_argument("--pages", type=int, default=PAGES, help="of the site, 1,000 at least")
    parser.add_argument("--folder", help="where the crawl is stored; 5 KB a page")
    parser.add_argument("--samples", type=Path, help="a file for the samples, too")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--collect", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
    if given.collect:
        crawl(*given.collect)
        return
    pages = QUICK if given.quick else given.pages
    folder = Path(tempfile.mkdtemp("", "dlweb-benchmark-", given.folder))
    try:
        samples = measure(pages, folder)
    finally:
        shutil.rmtree(folder)
    if given.samples:
        given.samples.write_text("".join(f"{json.dumps(sample)}\n" for sample in samples))
    found = result(pages, samples)
    show(found)
    print(json.dumps({"benchmark": "large site", **found}))


if __name__ == "__main__":
    main()
