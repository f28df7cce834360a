"""Captures that no crawl made, as archived contents.

They go into directories like those of crawls (docs/reference/crawl-directory.md), one after
another; each is given to the scheduler when it has been filled for long enough, and deposited like
any crawl. What a killed process left is finished by the next, up to the last whole line.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from attrs import asdict, define, field

from agents import dates, origin
from agents.capture import HEAD_LIMIT
from agents.certificates import Certificates
from agents.collected.exchange import Closed, Collected, Dated, Exchange
from agents.collected.finishing import ORDER, REPORT, cut_off, finish, read_lines, recovered
from agents.collected.recording import Memory, Recording
from agents.order import Order
from agents.structure_line import StructureLine
from anet.clock import wall
from anet.durable import sync_path
from anet.tls import TlsSession
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
        self._since = dates.now(reactor)  # tells recordings from those of a killed process
        self._open: _Open | None = None
        self._filled: list[Path] = []  # that are not finished yet

    def recording(self) -> Recording:
        """Begin to record a body; it must be kept or released."""
        name = f"{self._since}-{next(self._numbers)}"
        return Recording(self._workers, self._memory, self._spool / name)

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
        for whole in await self._workers.run(self._sync, wall(self._reactor)):
            self.on_whole(whole)

    async def recover(self) -> list[Collected]:
        """Return all finished directories of this agent, after finishing what others left.

        Raises:
            OSError: the disk refuses.
        """
        return await self._workers.run(self._recover)

    # In the thread

    def put(self, closed: Sequence[Closed]) -> None:
        """Take contents that lie in files, under other names too; nothing of it is durable yet.

        Whoever gives them lets their files go once the file system has been synced. Given again,
        because a process was killed before that, each capture is what it was.

        Raises:
            OSError: they cannot be taken; none was, and all may be given again.
        """
        if not closed:
            return
        opened = self._open or self._begin(wall(self._reactor))
        self._open = opened
        before = opened.structure.tell()
        try:
            lines = [line for each in closed for line in self._put(opened, each)]
            opened.structure.write(b"".join(lines))
            opened.structure.flush()
        except OSError:
            self._give_up(opened, before)
            raise
        opened.met.update(bytes.fromhex(each.content) for each in closed)
        self.kept += len(lines)

    def recorded(self, contents: Collection[str]) -> set[str]:
        """Return which of some contents have a capture in a directory of this agent.

        Raises:
            OSError: a directory cannot be read.
        """
        found: set[str] = set()
        for path in self._own() if contents else ():
            with suppress(FileNotFoundError):  # it had hardly begun
                lines, _ = read_lines(path)
                found.update(line.content for line in lines if line.content in contents)
        return found

    def forget(self, firsts: Collection[tuple[str, str]]) -> None:
        """Cut off what a killed process had written of contents that it was given.

        Args:
            firsts: URL and date of the first capture of each; what follows on the first of these
                in a directory was given with it, and is given again.

        Raises:
            OSError: a directory cannot be read, or written.
        """
        for path in self._own() if firsts else ():
            is_left = self._open is None or path != self._open.path
            if is_left and not (path / REPORT).exists():
                with suppress(FileNotFoundError):
                    cut_off(path, firsts)

    def _put(self, opened: _Open, closed: Closed) -> Iterator[bytes]:
        """Give a content another name; yield the lines of its captures."""
        place = opened.path / "contents" / closed.content[:2] / closed.content
        place.parent.mkdir(parents=True, exist_ok=True)
        new = bytes.fromhex(closed.content) not in opened.met
        with suppress(FileExistsError):
            place.hardlink_to(closed.file)
            opened.size += closed.size
        for each in closed.captures:
            yield _encode(self._line_of(opened, closed, each, new)) + b"\n"
            new = False

    def _line_of(self, opened: _Open, closed: Closed, dated: Dated, new: bool) -> StructureLine:
        return StructureLine(
            url=closed.url,
            date=dated.date,
            content=closed.content,
            size=closed.size,
            status=closed.status,
            head=closed.head[:HEAD_LIMIT].decode("latin-1"),
            origin=self._told(opened, closed.site, closed.address, dated.told, dated.tls)
            + dated.request,
            depth=0,
            kind="page",
            new=new,
            change="changed",
            metadata=dated.metadata,
        )

    def _give_up(self, opened: _Open, whole: int) -> None:
        """Write no more to a directory; of its structure, so many bytes are whole."""
        self._open = None
        for file in (opened.pack, opened.structure):
            with suppress(OSError):
                file.close()
        if not opened.met:
            shutil.rmtree(opened.path, ignore_errors=True)
            return
        with suppress(OSError):
            os.truncate(opened.path / "structure", whole)
        self._filled.append(opened.path)

    def _keep(self, exchange: Exchange, recording: Recording, now: float) -> None:
        opened = self._open
        if opened is None:
            opened = self._open = self._begin(now)
        digest, body = recording.seal()
        before = opened.structure.tell()
        try:
            place = None
            if digest not in opened.met:
                place = _write(opened, digest.hex(), recording, body)
            line = self._line(opened, exchange, recording.size, digest, place)
            opened.structure.write(_encode(line) + b"\n")
            opened.structure.flush()
        except OSError:
            self._give_up(opened, before)
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
        told = (("method", "" if exchange.method == "GET" else exchange.method), *exchange.told)
        return (
            self._told(opened, exchange.site, exchange.address, told, exchange.tls)
            + exchange.request
        )

    def _told(
        self,
        opened: _Open,
        site: str,
        address: str,
        told: Iterable[tuple[str, str]],
        tls: TlsSession | None,
    ) -> str:
        """Return an origin, but for what was sent."""
        return origin.composed(
            [
                ("crawl", opened.path.name),
                ("site", site or self._site),
                ("agent", self._agent),
                ("address", address),
                *told,
                ("tls", "" if tls is None else opened.certificates.keep(tls)),
            ]
        )

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

    def _sync(self, now: float) -> list[Collected]:
        opened = self._open
        if opened is not None:
            os.fsync(opened.pack.fileno())
            os.fsync(opened.structure.fileno())
            # The clock may have been put back, and then, too, it is closed.
            if abs(now - opened.begun) >= self._period or opened.size >= self._size:
                self._open = None
                opened.pack.close()
                opened.structure.close()
                self._filled.append(opened.path)
        whole = [finish(path, self._site) for path in self._filled]  # all again, should one fail
        self._filled = []
        return whole

    def _recover(self) -> list[Collected]:
        for path in self._spool.glob("*"):
            if not path.name.startswith(self._since):
                with suppress(OSError):  # it is in nobody's way
                    path.unlink()
        left = [path for path in self._own() if self._open is None or path != self._open.path]
        found = (recovered(path, self._site) for path in left)
        return [collected for collected in found if collected is not None]

    def _own(self) -> list[Path]:
        """Return the directories of this agent, in the order in which they were begun."""
        return sorted(self._crawls.glob(f"{self._agent}-{'[0-9]' * dates.DIGITS}"))


def _write(opened: _Open, key: str, recording: Recording, body: bytes | None) -> int | None:
    """Write a content; return its place in the pack, or None when it has a file of its own."""
    if body is None:
        recording.move(opened.path / "contents" / key[:2] / key)
        return None
    place = opened.pack.tell()
    opened.pack.write(body)
    opened.pack.flush()
    return place
