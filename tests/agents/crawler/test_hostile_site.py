"""One site that tries everything (tests/websites/hostile) is crawled to its end.

`docs/explanation/hostile-web.md` tells each attack, and the limit that ends it.
"""

import gc
import re
import runpy
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from attrs import define, field
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import LogLevel, globalLogPublisher

from agents.crawler import crawl as crawl_module
from agents.crawler.crawl import Crawl
from agents.crawler.crawler import PARSER_MEMORY
from agents.crawler.limits import Limits
from agents.crawler.network import health
from agents.crawler.reading.heavy import BODY_LIMIT
from agents.crawler.strategy import traps
from agents.parsers import header_links, registry
from anet.address import is_public
from anet.garbage import settle
from anet.processes import Processes

SITE = Path(__file__).parents[2] / "websites/hostile"
LEFT = ["analysis", "contents", "order.json", "pack", "report.xml", "signatures",
        "structure"]  # fmt: skip
DIRECTORY_LIMIT, SCRIPT_LIMIT = 100, 100
LIMITS = Limits(connect_timeout=2.0, silence=1.5, longest_exchange=25.0, longest_rest=0.2)
MIB = 2**20
BODY = 160 * MIB  # taken of an answer without end: more than the crawl may need of memory


def work() -> float:
    """Return the seconds that a piece of work like that of parsers takes: 3 ms on a good machine.

    Of three tries the best counts.
    """
    text = "<a href=/one title='two three'>four</a> five &amp; " * 800
    seconds = []
    for _ in range(3):
        begun = time.thread_time()
        for found in re.finditer(r"<([a-z]+)((?:\s+[a-z]+=[^>\s]+)*)", text):
            str(sorted({name: (name, len(name)) for name in found[0].split()}.items()))
        seconds.append(time.thread_time() - begun)
    return min(seconds)


@define
class Turns:
    """How long the reactor was kept by one thing, in seconds of this thread's own time."""

    lengths: list[float] = field(factory=list)
    last: float = 0.0

    def begin(self) -> None:
        self.lengths.clear()
        self.last = time.thread_time()

    def tick(self) -> None:
        now = time.thread_time()
        self.lengths.append(now - self.last)
        self.last = now


@pytest.fixture
def turns() -> Iterator[Turns]:
    """Measure the turns of the reactor, in a process that is prepared as crawlers are."""
    registry()
    thresholds = gc.get_threshold()
    gc.collect()  # what other tests left
    settle()
    measured = Turns(last=time.thread_time())
    call = LoopingCall(measured.tick)
    call.start(0.005)
    yield measured
    call.stop()
    gc.set_threshold(*thresholds)
    gc.unfreeze()


@define
class Site:
    """The server."""

    url: str
    hits: Path

    def asked(self) -> Counter[str]:
        """Return how often each attack was asked for something."""
        lines = self.hits.read_text("utf-8", "replace").splitlines()
        return Counter(re.split("[/?;]", line[1:])[0] for line in lines)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve the site, in a process of its own."""
    hits = tmp_path / "hits"
    process = subprocess.Popen(
        [sys.executable, str(SITE / "serve.py"), str(hits)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Site(process.stdout.readline().strip(), hits)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Worker processes as a crawler has them, in less time."""
    pool = Processes(
        reactor,
        2,
        memory=PARSER_MEMORY,
        time=10.0,
        value_limit=BODY_LIMIT + MIB,
        preload=["agents.parsers.worker", "agents.analysis.worker"],
        name="parsers",
    )
    pool.startService()
    yield pool
    pytest_twisted.blockon(Deferred.fromCoroutine(pool.stopService()))


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """Collect what the log tells of errors that nobody handled."""
    met: list[str] = []

    def observe(event: Any) -> None:
        if event["log_level"] in (LogLevel.error, LogLevel.critical):
            met.append(str(event.get("log_failure") or event))

    globalLogPublisher.addObserver(observe)
    yield met
    globalLogPublisher.removeObserver(observe)


def memory(name: str) -> int:
    """Return what the kernel tells of this process's memory, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


@pytest.mark.slow
@ensureDeferred
async def test_a_site_that_tries_everything(
    site: Site,
    new_crawl: Any,
    processes: Processes,
    turns: Turns,
    errors: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The crawl ends, within its memory, never busy for long; the well part is there, whole."""
    monkeypatch.setattr(crawl_module, "is_public", lambda ip: ip == "127.0.0.1" or is_public(ip))
    monkeypatch.setattr(health, "LONGEST", 0.2)
    monkeypatch.setattr(header_links, "LINK_LIMIT", 100)
    monkeypatch.syspath_prepend(SITE)  # its modules import each other
    crawl = new_crawl(
        site.url,
        processes=processes,
        private_networks=False,
        maximum_depth=40,
        strategy={
            "sitemaps": True,
            "dynamic_depth": 20,
            "directory_limit": DIRECTORY_LIMIT,
            "script_limit": SCRIPT_LIMIT,
        },
        limits=LIMITS,
        content_limit=BODY,
    )
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins anew
    before, begun, unit = memory("VmRSS"), time.monotonic(), work()
    turns.begin()
    figures = await crawl.run()
    grown, longest = memory("VmHWM") - before, sorted(turns.lengths)
    unit = max(unit, work())
    print(f"{time.monotonic() - begun:.0f} s, {grown // MIB} MiB, {longest[-5:]}, {unit}")
    print(site.asked().most_common(), dict(crawl.findings.trap_kinds), figures)
    _well_part_is_whole(crawl, site)
    _traps_are_told(crawl, site)
    assert site.asked().total() < 20_000
    assert grown < 120 * MIB < BODY
    assert longest[-1] < 60 * unit and longest[-5] < 30 * unit
    assert errors == []
    assert sorted(path.name for path in crawl.path.iterdir()) == LEFT


def _well_part_is_whole(crawl: Crawl, site: Site) -> None:
    """Find every page of the well part as the server has it."""
    well = runpy.run_path(str(SITE / "serve.py"))["WELL"]
    found = {}
    with (crawl.path / "structure").open("rb") as lines:
        for line in map(msgspec.json.decode, lines):
            if line["url"].startswith(site.url + "well/"):
                found["/" + line["url"].removeprefix(site.url)] = line["content"]
    expected = {target: sha256(body).hexdigest() for target, (_, body) in well.items()}
    assert found == expected
    brought = {}
    with (crawl.path / "structure").open("rb") as lines, (crawl.path / "pack").open("rb") as pack:
        for line in map(msgspec.json.decode, lines):
            if "place" in line:
                pack.seek(line["place"])
                brought[line["content"]] = sha256(pack.read(line["size"])).hexdigest()
    assert all(brought[key] == key for key in expected.values())


def _traps_are_told(crawl: Crawl, site: Site) -> None:
    """Find each trap in the report, and what failed with a reason."""
    findings = crawl.findings
    assert set(findings.trap_kinds) >= {
        traps.REPEATED, traps.DEEP, traps.DIRECTORY, traps.SCRIPT, traps.CHAINED,
        traps.TRUNCATED, traps.ENDLESS,
    }  # fmt: skip
    assert findings.trap_kinds[traps.DIRECTORY] > 75_000
    assert findings.traps.entries[site.url + "robots.txt"] == traps.TRUNCATED
    assert len(findings.sessions) > 0
    assert len(findings.streams) >= 5
    assert list(findings.excluded.entries) == [site.url + "forbidden/leak.html"]
    assert all(findings.failures.entries.values())
    forbidden = [url for url, why in findings.failures.entries.items() if "public" in why]
    assert len(forbidden) == 9
