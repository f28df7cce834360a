"""Mends what lacks a replica or has copies that differ, at a bounded rate.

Two ways lead here: an addition is looked at once it has settled, and sweeps count everything
after a node has come or gone, and now and then. Both ask the catalogue, which knows only what
nodes have logged as durable; so a repair that fails, or a master that is killed, is begun again.
"""

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage import policy
from agents.storage.catalogue import Catalogue, Short
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import Kind
from agents.storage.master.registry import Registry
from anet.tasks import Tasks, sleep
from anet.together import together
from hip import HipError

FIRST_BYTES = 256  # a sweep takes the keys of one first byte after the other
_SUSPECTS_LIMIT = 200_000  # additions that wait to settle; past it a sweep looks at all
_PORTION = 500  # things looked at together
_TICK = 0.5  # seconds
_REPAIR_TIMEOUT = 600.0
_RETRY = 15.0  # seconds until a sweep is repeated after a repair that failed

_log = Logger()


class Mending:
    """Finds what must be mended, and has the nodes mend it.

    Attributes:
        settle: seconds after an addition before it is looked at.
        mended: repairs done.
        failed: repairs that failed, and will be tried again.
        sweeping: how much of a sweep is done, from 0 to 1; None when there is none.
    """

    def __init__(
        self,
        clock: IReactorTime,
        catalogue: Catalogue,
        registry: Registry,
        *,
        settle: float,
        sweep_every: float,
        rate: float,
        at_once: int,
    ) -> None:
        self._clock, self._catalogue, self._registry = clock, catalogue, registry
        self.settle, self._sweep_every = settle, sweep_every
        self._pause, self._at_once = at_once / rate, at_once
        self._suspects: OrderedDict[tuple[Kind, str], float] = OrderedDict()
        self._sweep_at = clock.seconds()
        self._tasks = Tasks()
        self.mended = self.failed = 0
        self.sweeping: float | None = None

    @property
    def waiting(self) -> int:
        """Additions that wait to settle."""
        return len(self._suspects)

    def start(self) -> None:
        """Begin."""
        self._tasks.start(self._look_at_suspects(), "looking at additions")
        self._tasks.start(self._sweep_now_and_then(), "counting replicas")

    async def stop(self) -> None:
        """Mend nothing more."""
        await self._tasks.stop()

    def look_at(self, entries: Iterable[Entry]) -> None:
        """Have additions looked at, once they have settled."""
        due = self._clock.seconds() + self.settle
        for entry in entries:
            place = (entry.kind, entry.key)
            self._suspects[place] = due
            self._suspects.move_to_end(place)
        while len(self._suspects) > _SUSPECTS_LIMIT:
            self._suspects.popitem(last=False)
            self.sweep_in(self.settle)

    def sweep_in(self, seconds: float) -> None:
        """Have everything counted, `seconds` from now at the latest."""
        self._sweep_at = min(self._sweep_at, self._clock.seconds() + seconds)

    # Finding

    async def _look_at_suspects(self) -> None:
        while True:
            due = self._due()
            if not due:
                await sleep(self._clock, _TICK)
                continue
            held = await self._catalogue.holders(due)
            shorts = [Short(kind, key, held[key]) for kind, key in due]
            if not await self._mend_all(shorts):
                self.sweep_in(_RETRY)

    def _due(self) -> list[tuple[Kind, str]]:
        now = self._clock.seconds()
        due: list[tuple[Kind, str]] = []
        while self._suspects and len(due) < _PORTION:
            place, when = next(iter(self._suspects.items()))
            if when > now:
                break
            del self._suspects[place]
            due.append(place)
        return due

    async def _sweep_now_and_then(self) -> None:
        while True:
            if self._clock.seconds() < self._sweep_at:
                await sleep(self._clock, _TICK)
                continue
            self._sweep_at = self._clock.seconds() + self._sweep_every
            if not await self._sweep():
                self.sweep_in(_RETRY)

    async def _sweep(self) -> bool:
        """Count all replicas and mend; return whether all could be mended."""
        well = True
        try:
            for first in range(FIRST_BYTES):
                self.sweeping = first / FIRST_BYTES
                well &= await self._sweep_part(first)
        finally:
            self.sweeping = None
        return well

    async def _sweep_part(self, first: int) -> bool:
        up, waited_for = self._registry.up, self._registry.waited_for
        replicas = min(math.ceil(self._registry.rules.replicas), len(up | waited_for))
        if len(up) < 2:
            return True  # nobody to copy from or to; whoever comes starts a sweep
        shorts = await self._catalogue.short_of(first, up, waited_for, replicas, _PORTION)
        well = await self._mend_all(shorts)
        if len(shorts) == _PORTION:
            self.sweep_in(self.settle)  # there is more than one look takes
        return well

    # Mending

    async def _mend_all(self, shorts: Sequence[Short]) -> bool:
        """Mend what needs it, some at once; return whether all went well."""
        well = True
        plans = [plan for plan in map(self._plan, shorts) if plan[1]]
        for start in range(0, len(plans), self._at_once):
            portion = plans[start : start + self._at_once]
            outcomes = await together(self._mend(*plan) for plan in portion)
            well &= all(outcome is True for outcome in outcomes)
            await sleep(self._clock, self._pause)
        return well

    def _plan(self, short: Short) -> tuple[Short, list[policy.Repair]]:
        steps = policy.repairs(
            short.kind,
            short.key,
            short.holdings,
            self._registry.nodes,
            self._registry.rules.wanted_of(short.kind, short.holdings[0].size),
            self._registry.waited_for,
        )
        return short, steps

    async def _mend(self, short: Short, steps: Sequence[policy.Repair]) -> bool:
        for step in steps:
            target = self._registry.peer(step.target)
            if target is None:
                return False
            try:
                await target.call(
                    "replicate",
                    timeout=_REPAIR_TIMEOUT,
                    kind=short.kind,
                    key=short.key,
                    source=self._registry.url(step.source),
                )
            except HipError as error:
                self.failed += 1
                _log.warn(
                    "{key} was not copied from {source} to {target}: {error}",
                    key=short.key,
                    source=step.source,
                    target=step.target,
                    error=error,
                )
                return False
            self.mended += 1
        return True
