"""Bodies of feeds as archived contents: each that changed is a capture.

They go into directories like those of crawls (docs/reference/crawl-directory.md), one after
another; each is given to the scheduler when it has been filled for long enough, and deposited like
any crawl. What a killed process left is finished by the next, up to the last whole line.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from attrs import asdict, define, field

from agents import dates
from agents.bundle import CONTENT_LIMIT
from agents.capture import HEAD_LIMIT
from agents.feed import CollectedFeeds
from agents.feeds.fetching import Answer
from agents.feeds.finishing import SITE, finish
from agents.order import Order
from agents.structure_line import StructureLine
from anet.clock import wall
from anet.durable import sync_path
from anet.workers import Workers

_encode = msgspec.json.Encoder().encode


@define
class _Open:
    """A directory that is being filled; only the thread of the workers touches it."""

    path: Path
    pack: BinaryIO
    structure: BinaryIO
    begun: float
    size: int = 0
    met: set[bytes] = field(factory=set)


class Captures:
    """Writes the directories.

    Args:
        reactor: which reactor.
        workers: one thread that does all of it, in order.
        crawls: the folder of crawls.
        agent: the name of this agent, which also tells its directories from others'.
        period: seconds after which a directory is finished.
        size: bytes of contents after which it is, too.

    Attributes:
        kept: bodies kept since the start.
        on_whole: called with a directory that is finished.
    """

    def __init__(
        self, reactor: Any, workers: Workers, crawls: Path, agent: str, period: float, size: int
    ) -> None:
        self.kept = 0
        self.on_whole: Callable[[CollectedFeeds], None] = lambda _: None
        self._reactor = reactor
        self._workers = workers
        self._crawls = crawls
        self._agent = agent
        self._period = period
        self._size = size
        self._open: _Open | None = None

    async def keep(self, url: str, answer: Answer) -> None:
        """Write an answer; it is durable after the next `sync`.

        Raises:
            OSError: it cannot be written.
        """
        await self._workers.run(self._keep, url, answer, wall(self._reactor))
        self.kept += 1

    async def sync(self) -> None:
        """Make all that was kept durable, and finish a directory that is filled for long enough.

        Raises:
            OSError: the disk refuses.
        """
        whole = await self._workers.run(self._sync, wall(self._reactor))
        if whole is not None:
            self.on_whole(whole)

    async def recover(self) -> list[CollectedFeeds]:
        """Return all finished directories of this agent, after finishing what others left.

        Raises:
            OSError: the disk refuses.
        """
        return await self._workers.run(self._recover)

    # In the thread

    def _keep(self, url: str, answer: Answer, now: float) -> None:
        opened = self._open
        if opened is None:
            opened = self._open = self._begin(now)
        digest = sha256(answer.body).digest()
        key = digest.hex()
        try:
            place = None if digest in opened.met else _write(opened, key, answer.body)
            line = self._line(opened, url, answer, key, place)
            opened.structure.write(_encode(line) + b"\n")
            opened.structure.flush()
        except OSError:
            self._open = None  # what is whole of it is found at the next start
            raise
        opened.met.add(digest)
        opened.size += len(answer.body)

    def _line(
        self, opened: _Open, url: str, answer: Answer, key: str, place: int | None
    ) -> StructureLine:
        return StructureLine(
            url=url,
            date=dates.from_timestamp(answer.date),
            content=key,
            size=len(answer.body),
            status=answer.head.status,
            head=answer.head.raw[:HEAD_LIMIT].decode("latin-1"),
            origin=f"crawl: {opened.path.name}\nsite: {SITE}\nagent: {self._agent}\n"
            f"address: {answer.address}\n",
            depth=0,
            kind="page",
            new=bytes.fromhex(key) not in opened.met,
            change="changed",
            place=place,
        )

    def _begin(self, now: float) -> _Open:
        path = self._crawls / f"{self._agent}-{dates.from_timestamp(now)}"
        path.mkdir(parents=True)
        order = Order(crawl=path.name, site=SITE, start_url="", accept="")
        (path / "order.json").write_bytes(_encode(asdict(order)) + b"\n")
        return _Open(path, (path / "pack").open("wb"), (path / "structure").open("wb"), now)

    def _sync(self, now: float) -> CollectedFeeds | None:
        opened = self._open
        if opened is None:
            return None
        os.fsync(opened.pack.fileno())
        os.fsync(opened.structure.fileno())
        if now < opened.begun + self._period and opened.size < self._size:
            return None
        self._open = None
        opened.pack.close()
        opened.structure.close()
        return finish(opened.path)

    def _recover(self) -> list[CollectedFeeds]:
        own = sorted(self._crawls.glob(f"{self._agent}-{'[0-9]' * dates.DIGITS}"))
        left = [path for path in own if self._open is None or path != self._open.path]
        return [finish(path) for path in left]


def _write(opened: _Open, key: str, body: bytes) -> int | None:
    """Write a content; return its place in the pack, or None when it has a file of its own."""
    if len(body) > CONTENT_LIMIT:
        file = _own_file(opened.path, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as own:
            own.write(body)
            own.flush()
            os.fsync(own.fileno())
        sync_path(file.parent)
        sync_path(file.parent.parent)
        return None
    place = opened.pack.tell()
    opened.pack.write(body)
    opened.pack.flush()
    return place


def _own_file(path: Path, key: str) -> Path:
    return path / "contents" / key[:2] / key
