"""Streams in segments that are followed, and what is kept of them."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from attrs import define, evolve, field
from pytest_twisted import async_yield_fixture
from twisted.internet import reactor

from agents.capture import Capture
from agents.collected import Captures
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.structure import read_batch
from agents.stream import OrderedStream, StreamNews
from agents.stream_log import LogLine, read_log
from agents.streaming.following import Fetcher, Following, Manifests, Manners, Means, Rules
from agents.streaming.recording import Beginning, OpenLog
from anet.tasks import sleep
from anet.workers import Workers

LONG = 60.0  # seconds that a test waits for what must come
QUICK = Rules(log_interval=1.0, retry_first=0.1, retry_longest=0.5, renew=3600.0)


class Plenty:
    """Memory without end."""

    def take(self, size: int) -> bool:
        return True


@define
class Logs:
    """Takes the logs of streams, in memory."""

    begun: list[OpenLog] = field(factory=list)

    def begin_log(self, beginning: Beginning) -> OpenLog:
        self.begun.append(OpenLog(beginning, Plenty()))
        return self.begun[-1]

    def lines(self) -> list[LogLine]:
        """Return what was logged of all streams since this was called last."""
        taken = [changes for log in self.begun if (changes := log.taken()) is not None]
        return [line for changes in taken for line in read_log(b"".join(changes.lines))]


@define
class House:
    """What streams are followed with.

    Attributes:
        crawls: the folder into which captures go.
        news: what was told of the streams.
    """

    crawls: Path
    workers: Workers
    manifests: Manifests
    captures: Captures
    fetcher: Fetcher
    logs: Logs = field(factory=Logs)
    news: list[StreamNews] = field(factory=list)
    followed: list[Following] = field(factory=list)

    def follow(
        self, url: str, rules: Rules = QUICK, recorder: Any = None, **of_order: Any
    ) -> Following:
        """Follow a stream."""
        means = Means(reactor, self.fetcher, recorder or self.logs, self.manifests, rules)
        ordered = OrderedStream(url, "site", **{"private_networks": True, **of_order})
        kind = "dash" if ".mpd" in url else "hls"
        following = Following(means, ordered, kind, url, self.news.append)
        self.followed.append(following)
        following.start()
        return following

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds."""
        for _ in range(int(LONG / 0.02)):
            if condition():
                return
            await sleep(reactor, 0.02)
        raise AssertionError(f"it does not come; told was {self.news}")

    async def heard(self, outcome: str) -> StreamNews:
        """Wait until something was told."""
        await self.until(lambda: any(news.outcome == outcome for news in self.news))
        return next(news for news in self.news if news.outcome == outcome)

    async def kept(self) -> list[tuple[Capture, bytes]]:
        """Return all that was kept so far, with the contents, in the order of dates."""
        await self.captures.sync()
        found = [pair for path in sorted(self.crawls.glob("tv-*[0-9]")) for pair in _in(path)]
        return sorted(found, key=lambda pair: pair[0].date)


def _in(path: Path) -> list[tuple[Capture, bytes]]:
    batch = read_batch(path / "structure", 0, 100_000, 10**8)
    assert not batch.damaged
    folder = CrawlFolder(path, batch.packed)
    by_key = dict(folder.read({capture.content for capture in batch.captures}))
    for key in {each.content for each in batch.captures} - set(batch.packed):
        by_key[key] = Path(folder.content(key)).read_bytes()
    return [(capture, by_key[capture.content]) for capture in batch.captures]


@async_yield_fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """What streams are followed with; what is still followed at the end is left."""
    crawls = tmp_path / "crawls"
    crawls.mkdir()
    workers = Workers(reactor, 1)
    workers.startService()
    captures = Captures(reactor, workers, crawls, "tv", "streams", 1e9, 10**12)
    fetcher = Fetcher(reactor, Manners("tests", silence=5.0), captures)
    manifests = Manifests(reactor, 4 * 2**20)
    manifests.startService()
    house = House(crawls, workers, manifests, captures, fetcher)
    yield house
    for following in house.followed:
        await following.stop()
    await fetcher.stopService()
    await manifests.stopService()
    await workers.stopService()


def evolved(**changes: Any) -> Rules:
    """Return quick rules with changes."""
    return evolve(QUICK, **changes)
