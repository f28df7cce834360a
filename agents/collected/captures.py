"""Captures that no crawl made, as archived contents.

They go into directories like those of crawls (docs/reference/crawl-directory.md), one after
another; each is given to the scheduler when it has been filled for long enough, and deposited like
any crawl. What a killed process left is finished by the next, up to the last whole line.
"""

import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from attrs import asdict, define, field

from agents import dates, origin
from agents.capture import HEAD_LIMIT
from agents.certificates import Certificates
from agents.collected.exchange import Collected, Exchange
from agents.collected.finishing import ORDER, finish, recovered
from agents.collected.recording import Memory, Recording
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
    certificates: Certificates
    size: int = 0
    met: set[bytes] = field(factory=set)


class Captures:
    """Writes the directories.

    Args:
        reactor: which reactor.
        workers: one thread that does all of it, in order.
        crawls: the folder of crawls.
        agent: the name of this agent, which also tells its directories from others'.
        site: the name under which they are deposited, as "feeds".
        period: seconds after which a directory is finished.
        size: bytes of contents after which it is, too.

    Attributes:
        kept: answers kept since the start.
        on_whole: called with a directory that is finished.
    """

    def __init__(
        self,
        reactor: Any,
        workers: Workers,
        crawls: Path,
        agent: str,
        site: str,
        period: float,
        size: int,
    ) -> None:
        self.kept = 0
        self.on_whole: Callable[[Collected], None] = lambda _: None
        self._reactor, self._workers = reactor, workers
        self._crawls, self._agent, self._site = crawls, agent, site
        self._period, self._size = period, size
        self._memory = Memory()
        self._numbers = count()
        self._spool = crawls / f"{agent}.spool"
        self._open: _Open | None = None

    def recording(self) -> Recording:
        """Begin to record a body; it must be kept or released."""
        return Recording(self._workers, self._memory, self._spool / str(next(self._numbers)))

    async def keep(self, exchange: Exchange, body: bytes | Recording) -> None:
        """Write an answer; it is durable after the next `sync`.

        Raises:
            OSError: it cannot be written.
        """
        recording = body if isinstance(body, Recording) else self.recording()
        if isinstance(body, bytes):
            recording.write(body)
        try:
            await self._workers.run(self._keep, exchange, recording, wall(self._reactor))
        finally:
            recording.release()
        self.kept += 1

    async def sync(self) -> None:
        """Make all that was kept durable, and finish a directory that is filled for long enough.

        Raises:
            OSError: the disk refuses.
        """
        whole = await self._workers.run(self._sync, wall(self._reactor))
        if whole is not None:
            self.on_whole(whole)

    async def recover(self) -> list[Collected]:
        """Return all finished directories of this agent, after finishing what others left.

        Raises:
            OSError: the disk refuses.
        """
        return await self._workers.run(self._recover)

    # In the thread

    def _keep(self, exchange: Exchange, recording: Recording, now: float) -> None:
        opened = self._open
        if opened is None:
            opened = self._open = self._begin(now)
        digest, body = recording.seal()
        try:
            place = None
            if digest not in opened.met:
                place = _write(opened, digest.hex(), recording, body)
            line = self._line(opened, exchange, recording.size, digest, place)
            opened.structure.write(_encode(line) + b"\n")
            opened.structure.flush()
        except OSError:
            self._open = None  # what is whole of it is found at the next start
            if not opened.met:
                shutil.rmtree(opened.path, ignore_errors=True)
            raise
        opened.met.add(digest)
        opened.size += recording.size

    def _line(
        self, opened: _Open, exchange: Exchange, size: int, digest: bytes, place: int | None
    ) -> StructureLine:
        return StructureLine(
            url=exchange.url,
            date=dates.from_timestamp(exchange.date),
            content=digest.hex(),
            size=size,
            status=exchange.head.status,
            head=exchange.head.raw[:HEAD_LIMIT].decode("latin-1"),
            origin=self._origin(opened, exchange),
            depth=0,
            kind="page",
            new=digest not in opened.met,
            change="changed",
            place=place,
        )

    def _origin(self, opened: _Open, exchange: Exchange) -> str:
        tls = exchange.tls
        told = origin.composed(
            [
                ("crawl", opened.path.name),
                ("site", self._site),
                ("agent", self._agent),
                ("address", exchange.address),
                ("method", "" if exchange.method == "GET" else exchange.method),
                ("tls", "" if tls is None else opened.certificates.keep(tls)),
            ]
        )
        return told + exchange.request

    def _begin(self, now: float) -> _Open:
        path = self._crawls / f"{self._agent}-{dates.from_timestamp(now)}"
        path.mkdir(parents=True)
        try:
            order = Order(crawl=path.name, site=self._site, start_url="", accept="")
            (path / ORDER).write_bytes(_encode(asdict(order)) + b"\n")
            pack, structure = (path / "pack").open("wb"), (path / "structure").open("wb")
            for each in (path / ORDER, path, path.parent):
                sync_path(each)
        except OSError:  # a full disk: it would leave a directory for every answer
            shutil.rmtree(path, ignore_errors=True)
            raise
        return _Open(path, pack, structure, now, Certificates(path / "certificates"))

    def _sync(self, now: float) -> Collected | None:
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
        return finish(opened.path, self._site)

    def _recover(self) -> list[Collected]:
        if self._open is None:
            shutil.rmtree(self._spool, ignore_errors=True)
        own = sorted(self._crawls.glob(f"{self._agent}-{'[0-9]' * dates.DIGITS}"))
        left = [path for path in own if self._open is None or path != self._open.path]
        found = (recovered(path, self._site) for path in left)
        return [collected for collected in found if collected is not None]


def _write(opened: _Open, key: str, recording: Recording, body: bytes | None) -> int | None:
    """Write a content; return its place in the pack, or None when it has a file of its own."""
    if body is None:
        recording.move(opened.path / "contents" / key[:2] / key)
        return None
    place = opened.pack.tell()
    opened.pack.write(body)
    opened.pack.flush()
    return place
