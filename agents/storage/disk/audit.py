"""Reads again all that a disk holds, slowly and for ever, and has taken away what is damaged.

RESTING --it is time, or somebody asks--> READING structures, contents, the log --> RESTING

The place where it reads is kept on the disk, in `audit`, so that a restart goes on there.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from attrs import define, evolve
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.examining import Step, examine, missing
from agents.storage.disk.idle import be_idle
from agents.storage.disk.layout import Kind
from agents.storage.disk.store import DiskStore
from agents.storage.errors import StorageError
from anet.errors import AnetError
from anet.tasks import sleep
from anet.workers import Workers

Phase = Literal["structures", "contents", "log"]

_NEXT: dict[Phase, Phase | None] = {"structures": "contents", "contents": "log", "log": None}
_BEGINS: dict[Phase, float] = {"structures": 0.0, "contents": 0.1, "log": 0.98}  # of the whole
_PORTION = 1024 * 1024  # bytes between two looks at the clock
_KEEP_EVERY = 30.0  # seconds
_TICK = 1.0  # seconds

_AFTER = re.compile("[0-9a-f]{0,64}")

_log = Logger()


@define
class Place:
    """How far an audit is.

    Attributes:
        phase: what it reads; null while it rests.
        after: the last key that was read, or where in the log it is.
        began: seconds since the epoch; 0 for never.
        ended: when the last whole audit ended; 0 for never.
    """

    phase: Phase | None = None
    after: str = ""
    began: float = 0.0
    ended: float = 0.0

    @property
    def fraction(self) -> float | None:
        """How much is done, from 0 to 1; None while it rests."""
        if self.phase is None:
            return None
        following = _NEXT[self.phase]
        begin, end = _BEGINS[self.phase], _BEGINS[following] if following else 1.0
        share = int(self.after[:4].ljust(4, "0"), 16) / 65536 if self.phase != "log" else 0.0
        return begin + (end - begin) * share


class Audit:
    """The audit of one disk.

    Args:
        clock: for the rate.
        disk: what is read.
        workers: a thread for it, which nothing waits for.
        rate: bytes a second; 0 for none but those that are asked for.
        interval: seconds from the beginning of one audit to the beginning of the next.

    Attributes:
        place: how far it is.
        found: damaged or missing things that it found since the start of the node.
        on_structure: given the key of each structure file that was read.
    """

    def __init__(
        self, clock: IReactorTime, disk: DiskStore, workers: Workers, rate: float, interval: float
    ) -> None:
        self._clock, self._disk, self._workers = clock, disk, workers
        self._rate, self._interval = rate, interval
        self._hurry = False
        self._kept = 0.0
        self.place = Place()
        self.found = 0
        self.on_structure: Callable[[str], None] = lambda key: None

    def hurry(self) -> None:
        """Begin anew now, and read as fast as the disk gives."""
        self._hurry = True
        self.place = evolve(self.place, phase="structures", after="", began=time.time())

    async def run(self) -> None:
        """Audit for ever."""
        self.place = await self._workers.run(self._load)
        while not self._disk.health.gone:
            if self.place.phase is None and not self._is_due():
                await sleep(self._clock, _TICK)
                continue
            try:
                await self._read()
            except (StorageError, AnetError, OSError) as error:
                self._disk.health.note(error)
                await sleep(self._clock, 60 * _TICK)

    def _is_due(self) -> bool:
        age = time.time() - self.place.began  # below 0 when the clock was wrong then
        return self._rate > 0 and not 0 <= age < self._interval

    async def _read(self) -> None:
        """Read one phase from where it is to its end."""
        if self.place.phase is None:
            self.place = evolve(self.place, phase="structures", after="", began=time.time())
        place, phase = self.place, self.place.phase
        if phase == "log":
            await self._read_log()
        elif phase is not None:
            await self._read_files(phase)
        if self.place.began != place.began or phase is None:
            return  # somebody has asked for another
        following = _NEXT[phase]
        ended = self.place.ended if following else time.time()
        self.place = evolve(self.place, phase=following, after="", ended=ended)
        self._hurry = self._hurry and following is not None
        await self._keep()

    async def _read_files(self, kind: Kind) -> None:
        began = self.place.began
        steps = examine(self._disk.layout, kind, self.place.after, self._disk.depot)
        while portion := await self._workers.run(_take, steps, self._portion):
            for step in portion:
                if step.damaged:
                    await self._quarantine(kind, step.key)
                if kind == "structures":
                    self.on_structure(step.key)
            if self.place.began != began:
                return
            self.place = evolve(self.place, after=portion[-1].key)
            await self._pause(sum(step.size for step in portion))

    @property
    def _portion(self) -> float:
        """Bytes between two looks at the clock, about a second's at most."""
        return _PORTION if self._hurry else min(_PORTION, max(self._rate, 1.0))

    async def _read_log(self) -> None:
        additions = self._disk.additions
        position = 0
        while position < additions.position:
            before = position
            lost, position = await self._workers.run(
                missing, self._disk.layout, additions, position, self._disk.depot
            )
            for kind, key in lost:
                if self._disk.holdings.may_hold(kind, key):
                    await self._quarantine(kind, key)
            if position <= before:
                return
            await self._pause(position - before)

    async def _quarantine(self, kind: Kind, key: str) -> None:
        try:
            found = await self._disk.quarantine(kind, key)
        except StorageError as error:  # no room, or it cannot be written any more
            _log.error("{key} is damaged, and stays: {error}", key=f"{kind} {key}", error=error)
            return
        if found:
            self.found += 1
            _log.error(
                "{key} on the disk {disk} is damaged or missing, and goes to quarantine",
                key=f"{kind} {key}",
                disk=self._disk.name,
            )

    async def _pause(self, size: int) -> None:
        """Wait as long as `size` bytes take, and keep the place now and then."""
        if self._clock.seconds() - self._kept > _KEEP_EVERY:
            await self._keep()
        if not self._hurry:
            await sleep(self._clock, size / max(self._rate, 1.0))

    async def _keep(self) -> None:
        self._kept = self._clock.seconds()
        try:
            await self._workers.run(self._save, msgspec.json.encode(self.place))
        except OSError as error:  # then a restart goes on from an older place
            self._disk.health.note(error)

    def _load(self) -> Place:
        be_idle()
        with suppress(OSError, msgspec.MsgspecError):
            place = msgspec.json.decode(self._path.read_bytes(), type=Place)
            if _AFTER.fullmatch(place.after):
                return place
        return Place()

    def _save(self, data: bytes) -> None:
        draft = self._path.with_name("audit.new")
        draft.write_bytes(data)
        draft.rename(self._path)

    @property
    def _path(self) -> Path:
        return self._disk.layout.root / "audit"


def _take(steps: Iterator[Step], limit: float) -> list[Step]:
    """Take the next steps, until enough was read."""
    taken: list[Step] = []
    size = 0
    for step in steps:
        taken.append(step)
        size += step.size + 1000  # opening a file costs too
        if size >= limit:
            break
    return taken
