"""A real scheduler and two real streaming agents: who listens to a radio changes, and none misses
anything of it.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.configuration import load
from agents.scheduler.database import Database, NewSite, StreamRow
from agents.scheduler.scheduler import Scheduler
from agents.scheduler.service import make_service
from agents.scheduler.streams.streaming import NoAgent
from agents.streaming.service import StreamingService
from agents.streaming.service import make_service as make_agent
from anet.tasks import sleep
from tests.agents.streaming.tree import Radio

SITE = NewSite("radio.example", "http://radio.example/", "//radio.example", "", 5, "radio.example")
ONE, TWO = "streaming-1", "streaming-2"


class Counting(Radio):
    """A radio that counts for ever: each number has ten digits."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()

    def _play(self) -> None:
        self.playing = b"".join(b"%010d" % next(self._numbers) for _ in range(100))
        super()._play()


class Archive:
    """The scheduler, its agents by name, and the folder of each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        service = self._made(make_service, "scheduler", "{address: '127.0.0.1:0', %s}", _STREAMS)
        self.services: dict[str, Any] = {"scheduler": service}
        [self.scheduler] = [each for each in service.services if isinstance(each, Scheduler)]

    def start(self, name: str) -> StreamingService:
        """Start a streaming agent."""
        where = f"scheduler: '{self.services['scheduler'].listener.address}'"
        agent = self._made(make_agent, name, "{names: system, log_interval: 0.5, %s}", where)
        self.services[name] = agent
        return agent

    async def stop(self, *names: str) -> None:
        """Stop agents, or all there are."""
        for name in names or [ONE, TWO, "scheduler"]:
            if service := self.services.pop(name, None):
                await service.stopService()

    async def stream(self, url: str) -> StreamRow:
        """Return how a stream is kept."""
        row = await self.scheduler.means.store.look(Database.stream, url)
        assert row is not None
        return row

    async def until(self, holds: Callable[[StreamRow], bool], url: str) -> None:
        """Wait until something holds of a stream."""
        for _ in range(200):
            if holds(await self.stream(url)):
                return
            await sleep(reactor, 0.1)
        raise AssertionError(f"{await self.stream(url)}: {self.scheduler.means.journal.lines()}")

    def heard(self, name: str) -> tuple[int, int]:
        """Return the first and the last number that an agent kept."""
        contents = [
            path.read_bytes()
            for path in self._folder.glob(f"{name}/crawls/**/*")
            if path.is_file() and re.match(rb"\d{100}", path.read_bytes()[:100])
        ]
        numbers = [int(number) for body in contents for number in re.findall(rb"\d{10}", body)]
        return min(numbers), max(numbers)

    def _made(self, make: Any, name: str, section: str, values: str) -> Any:
        kind = name.partition("-")[0]
        file = self._folder / f"{name}.yaml"
        file.write_text(f"{kind}: {section % values}".replace("{", "{pages: '127.0.0.1:0', ", 1))
        configuration = load(file, directory=str(self._folder / name), base_port=None)
        service = make(reactor, configuration, name)
        service.startService()
        return service


_STREAMS = "streams: {absence: 1.0, overlap: 10.0}"


@async_yield_fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    """A scheduler with one streaming agent."""
    archive = Archive(tmp_path)
    yield archive
    await archive.stop()


async def move(archive: Archive, url: str) -> str:
    """Move a stream to the second agent, as soon as that is there; return the agent it has then."""
    with suppress(NoAgent):
        await archive.scheduler.streaming.move(url, TWO, "Ada", "maintenance")
    return (await archive.stream(url)).agent


@pytest.mark.slow
@ensureDeferred
async def test_a_stream_changes_hands_without_a_gap(archive: Archive) -> None:
    """Moved by hand, its agents overlap; when its agent goes, another takes it over."""
    radio, scheduler = Counting(), archive.scheduler
    url = radio.start() + "/live"
    one = archive.start(ONE)
    means = scheduler.means
    await means.store.run(Database.order, [SITE], True, means.now())
    await scheduler.streaming.add(SITE.site, url, "Ada", "our radio")
    await archive.until(lambda row: (row.agent, row.phase) == (ONE, "receiving"), url)
    two = archive.start(TWO)
    while TWO not in await move(archive, url):
        await sleep(reactor, 0.1)
    await archive.until(lambda row: row.phase == "receiving" and not row.leaving, url)
    while len(one.streams):
        await sleep(reactor, 0.1)
    assert len(two.streams) == 1
    await archive.stop(TWO)
    (first, last), (begin, _) = archive.heard(ONE), archive.heard(TWO)
    assert first < begin <= last + 1
    await archive.until(lambda row: (row.agent, row.phase) == (ONE, "receiving"), url)
    await archive.stop()
    await radio.stop()
