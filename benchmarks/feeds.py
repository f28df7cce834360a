"""What tens of thousands of feeds cost one feed aggregator.

    python benchmarks/feeds.py [--quick] [--feeds N]

A web server on loopback has so many feeds of twenty entries, each at an address of its own
(127.0.0.0/8), for an aggregator asks an address for one thing at a time. The aggregator is a
process of its own, its scheduler is this one. First all feeds are new: robots.txt and the feed are
asked for, the feed is read, its pages are told, its body is kept. Then nothing has changed, and the
server says so (304). At last one feed in ten has a new entry. Told are the processor time of the
aggregator for each look, its looks a second, and its memory for each feed: what it has grown by
since it had none, once all is at rest. Where feedparser and requests are installed, the same first
look is done with them, one after another. The last line is JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import react

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

FEEDS = 20_000
QUICK = 500
PEER = 500  # feeds that the peer looks at
ENTRIES = 20
MEMORY = 4096.0  # bytes for a feed that are the aim
_TICK = os.sysconf("SC_CLK_TCK")
_AT_ONCE = 500  # feeds given with one call


def body(number: int, newest: int) -> bytes:
    """Return a feed of which `newest` is the last entry."""
    items = "".join(
        f"<item><title>Entry {entry} of {number}</title><link>/{number}/{entry}.html</link>"
        f'<guid isPermaLink="false">{number}-{entry}</guid>'
        f"<pubDate>Fri, 20 Nov 2026 {entry % 24:02d}:00:00 GMT</pubDate>"
        f"<description>&lt;p&gt;{'Words of this entry. ' * 15}&lt;/p&gt;</description></item>"
        for entry in range(newest, newest - ENTRIES, -1)
    )
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed {number}</title>'
        f"<link>/</link><ttl>60</ttl>{items}</channel></rss>"
    ).encode()


def url_of(number: int, port: int) -> str:
    """Return where a feed is: each at an address of its own."""
    return f"http://127.{1 + number // 62500}.{number // 250 % 250}.{1 + number % 250}:{port}/feed"


def serve() -> None:
    """Serve feeds for ever; print the port first. `/round/N` changes one feed in ten."""
    from twisted.internet import reactor

    from anet.http import HttpServer, Request, Response

    changes = 0

    async def answer(request: Request) -> Response:
        nonlocal changes
        if request.target == "/robots.txt":
            return Response.text(200, "User-agent: *\nDisallow: /private/\n")
        if request.target == "/change":
            changes += 1
            return Response.text(200, "")
        a, b, c = (int(part) for part in request.headers.text(b"host").split(":")[0].split(".")[1:])
        number = (a - 1) * 62500 + b * 250 + c - 1
        newest = ENTRIES + (changes if number % 10 == 0 else 0)
        etag = f'"{newest}"'.encode()
        if request.headers.get(b"if-none-match") == etag:
            return Response(304, [(b"ETag", etag)])
        fields = [(b"Content-Type", b"application/rss+xml"), (b"ETag", etag)]
        return Response(200, fields, body(number, newest))

    server = HttpServer(reactor, "0.0.0.0:0", answer, name="feeds")  # noqa: S104 - loopback's all
    server.startService()
    print(server.port, flush=True)
    reactor.run()  # type: ignore[attr-defined]


class Scheduler:
    """Hears of feeds, and counts."""

    def __init__(self) -> None:
        self.left = 0
        self.pages = 0
        self.done: Deferred[None] = Deferred()

    def methods(self) -> Any:
        """Return what the aggregator calls."""
        from agents.feed import CollectedFeeds, FeedNews
        from hip import exposed

        scheduler = self

        class Methods:
            @exposed
            def feeds_heard(self, news: list[FeedNews]) -> None:
                "Hear what came of feeds."
                for each in news:
                    assert each.outcome in ("changed", "unchanged"), each.state.problem
                    scheduler.pages += len(each.new)
                scheduler.left -= len(news)
                if scheduler.left == 0:
                    scheduler.done.callback(None)

            @exposed
            def feeds_collected(self, collected: CollectedFeeds) -> bool:
                "Hear of what was kept."
                return True

        return Methods()


def used(pid: int) -> tuple[float, int]:
    """Return the processor seconds and the resident bytes of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    resident = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return (int(fields[11]) + int(fields[12])) / _TICK, int(resident) * os.sysconf("SC_PAGE_SIZE")


async def measure(reactor: Any, feeds: int, folder: Path, port: int) -> dict[str, Any]:
    """Run the aggregator through its rounds."""
    from agents.feed import FollowedFeed
    from anet.tasks import sleep
    from hip import Agent

    scheduler = Scheduler()
    joined: Deferred[Any] = Deferred()
    agent = Agent(reactor, kind="scheduler", name="scheduler")
    agent.methods.add(scheduler.methods())
    agent.on_join = joined.callback
    listener = agent.listen("127.0.0.1:0")
    agent.startService()
    configuration = folder / "dlweb.yaml"
    configuration.write_text(
        f"feed-aggregator:\n  scheduler: 127.0.0.1:{listener.port}\n  pages: 127.0.0.1:0\n"
        "  pause: 0.0\n  gather: 1.0\n  names: system\n"
    )
    command = [sys.executable, "-m", "twisted", "--log-level", "warn", "feed-aggregator"]
    command += ["--config", str(configuration), "--archive", str(folder / "archive")]
    figures: dict[str, Any] = {"feeds": feeds}
    with subprocess.Popen(command) as process:
        try:
            peer = await joined.addTimeout(60, reactor)
            await sleep(reactor, 1.0)
            _, idle = used(process.pid)
            for name in ("new", "unchanged", "one in ten changed"):
                if name == "one in ten changed":
                    await change(reactor, port)
                scheduler.left, scheduler.done, scheduler.pages = feeds, Deferred(), 0
                (before, _), begun = used(process.pid), time.monotonic()
                for start in range(0, feeds, _AT_ONCE):
                    numbers = range(start, min(start + _AT_ONCE, feeds))
                    part = [url_of(number, port) for number in numbers]
                    if name == "new":
                        given = [FollowedFeed(url, private_networks=True) for url in part]
                        await peer.call("follow", feeds=given)
                    else:
                        await gatherResults([peer.call("look", feed=url) for url in part])
                await scheduler.done.addTimeout(600, reactor)
                (after, memory), seconds = used(process.pid), time.monotonic() - begun
                figures[name] = {
                    "cpu_ms_a_look": round(1000 * (after - before) / feeds, 3),
                    "looks_per_second": round(feeds / seconds),
                    "pages_told": scheduler.pages,
                }
            await sleep(reactor, 20.0)  # until connections are closed
            _, memory = used(process.pid)
            figures["bytes_a_feed"] = round((memory - idle) / feeds)
            figures["resident_mb"] = round(memory / 2**20, 1)
        finally:
            process.terminate()
    await agent.stopService()
    return figures


async def change(reactor: Any, port: int) -> None:
    """Have one feed in ten get a new entry."""
    from anet.http import HttpClient

    client = HttpClient(reactor)
    await (await client.request("GET", f"http://127.0.0.1:{port}/change")).read(100)
    await client.stopService()


def measure_peer(port: int) -> float | None:
    """Return the processor milliseconds that requests and feedparser take for a first look."""
    if find_spec("feedparser") is None or find_spec("requests") is None:
        return None
    import feedparser  # type: ignore[import-not-found, unused-ignore]
    import requests  # type: ignore[import-untyped, unused-ignore]

    begun = time.process_time()
    for number in range(PEER):
        answer = requests.get(url_of(number, port), timeout=60)
        assert len(feedparser.parse(answer.content).entries) == ENTRIES
    return round(1000 * (time.process_time() - begun) / PEER, 3)


def main() -> None:
    """Measure, print a table, and last a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} feeds")
    parser.add_argument("--feeds", type=int, default=FEEDS, metavar="N")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    feeds = QUICK if options.quick else options.feeds
    figures: dict[str, Any] = {}
    command = [sys.executable, __file__, "--serve"]
    with (
        tempfile.TemporaryDirectory(prefix="dlweb-feeds-") as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            port = int(server.stdout.readline())
            figures["peer_cpu_ms_a_look"] = measure_peer(port)

            async def run(reactor: Any) -> None:
                figures.update(await measure(reactor, feeds, Path(folder), port))

            react(lambda reactor: Deferred.fromCoroutine(run(reactor)), [])
        except SystemExit:
            pass  # `react` ends so
        finally:
            server.terminate()
    for name in ("new", "unchanged", "one in ten changed"):
        print(f"{name:20} {figures[name]}")
    print(f"memory: {figures['bytes_a_feed']} bytes a feed (aim: at most {MEMORY:.0f})")
    print(f"requests and feedparser: {figures['peer_cpu_ms_a_look']} ms a first look")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
