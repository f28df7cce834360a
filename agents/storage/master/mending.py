"""Mends what lacks a replica or has copies that differ, at a bounded rate.

Two ways lead here: an addition is looked at once it has settled, and sweeps count everything
after a node has come or gone, and now and then, and then mend what they have counted: first what
only one node has. Both ask the catalogue, which knows only what nodes have logged as durable; so
a repair that fails, or a master that is killed, is begun again.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.interfaces import IReactorTime

from agents.storage.catalogue import Catalogue
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.master.hands import Hands, Pace
from agents.storage.master.judging import Judge, Plan, Stored
from agents.storage.master.progress import Census, Part, Progress
from agents.storage.master.survey import page, short
from agents.storage.policy import Repair
from anet.tasks import Tasks, every, sleep
from anet.together import together

FIRST_BYTES = 256
_SUSPECTS_LIMIT = 200_000  # additions that wait to settle; past it a sweep looks at all
_PORTION = 500  # things looked at together
_PARTS_AT_ONCE = 8
_TICK = 0.1  # seconds
_PLANS = 3  # for one key, before others get their turn
_RETRY = 15.0  # seconds until a sweep is repeated after a repair that failed; doubled each time


class Mending:
    """Finds what must be mended, and has the nodes mend it.

    Args:
        clock: for all waiting.
        catalogue: who holds what.
        judge: makes a judge of the nodes as they are now.
        hands: copies.
        settle: see below.
        sweep_every: seconds between two sweeps.
        rate: repairs a second.
        at_once: repairs under way at one time.

    Attributes:
        settle: seconds after an addition before it is looked at.
        progress: how it stands.
        sweeping: whether everything is being counted and mended.
        on_better: given what would be better elsewhere, or is one too many.
    """

    def __init__(
        self,
        clock: IReactorTime,
        catalogue: Catalogue,
        judge: Callable[[], Judge],
        hands: Hands,
        *,
        settle: float,
        sweep_every: float,
        rate: float,
        at_once: int,
    ) -> None:
        self._clock, self._catalogue, self._judge, self._hands = clock, catalogue, judge, hands
        self.settle, self._sweep_every = settle, sweep_every
        self._pace, self._at_once = Pace(clock, rate), at_once
        self._places = DeferredSemaphore(at_once)
        self._suspects: OrderedDict[tuple[Kind, str], float] = OrderedDict()
        self._sweeps: set[float] = set()  # when everything is to be counted, for some reason
        self._regular = clock.seconds() + sweep_every  # and when without any
        self._retry = _RETRY
        self._tasks = Tasks()
        self.progress = Progress()
        self.sweeping = False
        self.on_better: Callable[[Stored], None] = lambda stored: None
        self._forgotten = True  # disks, by an earlier run, perhaps

    @property
    def waiting(self) -> int:
        """Additions that wait to settle."""
        return len(self._suspects)

    def start(self) -> None:
        """Begin."""
        looking = every(self._clock, _TICK, self._look_at_suspects)
        self._tasks.start(looking, "looking at additions")
        self._tasks.start(every(self._clock, _TICK, self._sweep_if_due), "counting replicas")

    async def stop(self) -> None:
        """Mend nothing more."""
        await self._tasks.stop()

    def look_at(self, entries: Iterable[Entry]) -> None:
        """Have additions, and what is gone, looked at once they have settled."""
        due = self._clock.seconds() + self.settle
        for entry in entries:
            place = (entry.kind, entry.key)
            self._suspects[place] = due
            self._suspects.move_to_end(place)
        while len(self._suspects) > _SUSPECTS_LIMIT:
            self._suspects.popitem(last=False)
            self.sweep_in(self.settle)

    def sweep_in(self, seconds: float) -> None:
        """Have everything counted `seconds` from now, whatever is counted before."""
        ticks = math.ceil((self._clock.seconds() + seconds) / _TICK)  # so that they are not many
        self._sweeps.add(ticks * _TICK)

    def forget_disks(self) -> None:
        """Take note that disks were forgotten, whose holdings are to be cleared away."""
        self._forgotten = True
        self.doubt_drains()

    def doubt_drains(self) -> None:
        """Have what drains hold counted again: what seemed safe elsewhere may be so no more."""
        self.progress.doubt_drains()
        if self._judge().is_draining:
            self._sweep_soon()

    def doubt(self) -> None:
        """Have all counted again: a log has been read that was not known, or must be."""
        self.progress.doubt()
        self._sweep_soon()

    def _sweep_soon(self) -> None:
        """Have everything counted within the time in which additions settle."""
        latest = self._clock.seconds() + self.settle
        if not any(when <= latest for when in self._sweeps):
            self.sweep_in(self.settle)

    # Additions

    async def _look_at_suspects(self) -> None:
        while due := self._due():
            well = False
            try:
                judge = self._judge()
                shorts = await short(self._catalogue, due, judge)
                if any(map(judge.drained, shorts)):
                    self.doubt_drains()
                well = await self._mend_all(judge, shorts)
            finally:
                if not well:
                    self._try_again()

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

    # Sweeps

    async def _sweep_if_due(self) -> None:
        if not self._is_sweep_due():
            return
        well, self.sweeping = False, True
        try:
            well = await self._sweep()
        finally:
            self.sweeping = False
            if well:
                self._retry = _RETRY
            else:
                self._try_again()

    def _is_sweep_due(self) -> bool:
        """Tell whether everything is to be counted now; what was due until now is then forgotten.

        What is due later stays: a node whose grace is not over yet counts as there until then.
        """
        now = self._clock.seconds()
        due = {when for when in self._sweeps if when <= now}
        if not due and now < self._regular:
            return False
        self._sweeps -= due
        self._regular = now + self._sweep_every
        return True

    def _try_again(self) -> None:
        self.sweep_in(self._retry)
        self._retry = min(2 * self._retry, max(_RETRY, self._sweep_every))

    async def _sweep(self) -> bool:
        """Count all replicas, and mend; return whether all could be mended."""
        try:
            census = await self._count()
        finally:
            self.progress.counting = None
        before = self.progress.mended
        well = await self._mend_parts(census.last, is_last=True)
        well &= await self._mend_parts(census.short)
        if self.progress.is_draining:  # it ends when a count has found nothing left
            if self.progress.mended == before:
                return False
            self.sweep_in(self.settle)
        return well

    async def _count(self) -> Census:
        await self._clear()
        census, judge, doubts = Census(), self._judge(), self.progress.doubts
        for number, kind in enumerate(KINDS):
            after: str | None = ""
            while after is not None:
                done = int(after[:2] or "0", 16) / FIRST_BYTES
                self.progress.counting = (number + done) / len(KINDS)
                after = await self._count_page(kind, after, judge, census)
        self.progress.counted(census, judge.drains, self._clock.seconds(), doubts)
        return census

    async def _count_page(self, kind: Kind, after: str, judge: Judge, census: Census) -> str | None:
        """Count the next keys; return the last, or None when there are none any more."""
        found = await page(self._catalogue, kind, after, judge)
        census.looked += found.looked
        for stored, verdict in found.found:
            census.take(stored, verdict, judge.drained(stored), judge.is_last(stored))
            if verdict in ("ample", "astray"):
                self.on_better(stored)
        return found.last or None

    async def _clear(self) -> None:
        """Clear away what forgotten disks held."""
        if self._forgotten:
            self._forgotten = False
            for first in range(FIRST_BYTES):
                await self._catalogue.clear(first)

    async def _mend_parts(self, counts: Counter[Part], is_last: bool = False) -> bool:
        """Mend the parts in which something is left, some at once: most have little."""
        left = iter([part for part in list(counts) if counts[part] > 0])
        well = True
        while group := list(islice(left, _PARTS_AT_ONCE)):
            for outcome in await together(self._mend_part(*part, is_last) for part in group):
                if isinstance(outcome, Exception):
                    raise outcome
                well &= outcome
        return well

    async def _mend_part(self, kind: Kind, first: int, is_last: bool) -> bool:
        """Mend what is short of the keys with a first byte, each by the nodes as they are then.

        Args:
            kind: contents or structures.
            first: the first byte.
            is_last: mend only what one node has, and no other that is up.
        """
        prefix = after = f"{first:02x}"
        well = True
        while after.startswith(prefix):
            judge = self._judge()
            found = await page(self._catalogue, kind, after, judge)
            ours = [each for each, verdict in found.found if verdict == "short"]
            ours = [each for each in ours if each.key.startswith(prefix)]
            if is_last:
                ours = [each for each in ours if judge.is_last(each)]
            well &= await self._mend_all(judge, ours)
            after = found.last
        return well

    # Mending

    async def _mend_all(self, judge: Judge, shorts: Sequence[Stored]) -> bool:
        """Mend what can be, some at once; return whether all of that went well."""
        well = True
        for start in range(0, len(shorts), self._at_once):
            plans = [judge.plan(stored) for stored in shorts[start : start + self._at_once]]
            outcomes = await together(self._in_turn(judge, plan) for plan in plans if plan.steps)
            well &= all(outcome is True for outcome in outcomes)
            await sleep(self._clock, 0)  # where nothing can be done, others get their turn
        return well

    async def _in_turn(self, judge: Judge, plan: Plan) -> bool:
        """Carry out a plan once fewer than `at_once` are being carried out."""
        return await self._places.run(lambda: Deferred.fromCoroutine(self._mend(judge, plan)))

    async def _mend(self, judge: Judge, plan: Plan) -> bool:
        """Carry out a plan, with other nodes in place of those that cannot."""
        stored, unable = plan.stored, set[str]()
        for _ in range(_PLANS):
            failed = {step.target for step in plan.steps if not await self._copy(stored, step)}
            if not failed:
                if plan.whole:
                    self.progress.has_mended(stored, judge.drained(stored))
                return plan.whole or not unable
            unable |= failed
            plan = judge.plan(stored, unable)
        return False

    async def _copy(self, stored: Stored, step: Repair) -> bool:
        """Have a node take something; a copy of a content that is bad is passed over."""
        sources = [step.source]
        if stored.kind == "contents":
            sources += sorted({each.node for each in stored.holdings} - {step.source, step.target})
        for source in sources:
            await self._pace.turn()
            if await self._hands.copy(stored.kind, stored.key, step.target, source):
                return True
        return False
