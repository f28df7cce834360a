"""Asks nurseries for more crawlers, and to end some (*INA §1.5*)."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from attrs import define, evolve
from twisted.internet.interfaces import IReactorTime

from agents.machines import NurseryRoom
from agents.scheduler.journal import Journal
from agents.scheduler.policy import shares
from agents.scheduler.pool import Peer
from anet.tasks import Tasks
from hip import HipError, convert

_PATIENCE = 30.0  # seconds for a crawler that was asked for to join


@define
class _Nursery:
    peer: Peer
    room: NurseryRoom


class Nurseries:
    """The nurseries linked to the scheduler, and the crawlers asked of them."""

    def __init__(self, clock: IReactorTime, tasks: Tasks, journal: Journal) -> None:
        self._clock, self._tasks, self._journal = clock, tasks, journal
        self._nurseries: dict[str, _Nursery] = {}
        self._asked: list[float] = []

    async def join(self, peer: Peer) -> str | None:
        """Take a nursery whose link is up; return its machine, or none when it does not say."""
        try:
            room = convert(await peer.call("room"), NurseryRoom)
        except (HipError, TypeError) as error:
            self._journal.add(f"{peer.name} does not say what it keeps: {error}")
            return None
        self._nurseries[peer.name] = _Nursery(peer, room)
        return room.machine

    def leave(self, peer: Peer) -> None:
        """Let a nursery go whose link closed."""
        nursery = self._nurseries.get(peer.name)
        if nursery is not None and nursery.peer is peer:
            del self._nurseries[peer.name]

    def maximum(self, machine: str) -> int:
        """Return how many crawlers the nurseries of a machine will keep."""
        return sum(
            one.room.maximum for one in self._nurseries.values() if one.room.machine == machine
        )

    def on(self, machine: str) -> list[str]:
        """Return the names of a machine's nurseries."""
        return [name for name, one in self._nurseries.items() if one.room.machine == machine]

    @property
    def expected(self) -> int:
        """How many crawlers were asked for and have not joined yet."""
        oldest = self._clock.seconds() - _PATIENCE
        self._asked = [asked for asked in self._asked if asked > oldest]
        return len(self._asked)

    def crawler_joined(self) -> None:
        """Take note that one more crawler is there."""
        if self._asked:
            self._asked.pop(0)

    def ask(self, count: int, works: Callable[[str], bool]) -> None:
        """Ask the nurseries that have most room for crawlers, on machines that get work.

        Without effect as far as there is no room.
        """
        if count <= 0:
            return
        rooms = {
            name: one.room.left for name, one in self._nurseries.items() if works(one.room.machine)
        }
        for name, number in shares(count, rooms).items():
            self._asked += [self._clock.seconds()] * number
            nursery = self._nurseries[name]
            # What is asked for counts at once; the answer corrects it.
            expected = [f"{name} {one}" for one in range(number)]
            before = nursery.room
            nursery.room = evolve(before, crawlers=before.crawlers + expected)
            self._tasks.start(self._fork(nursery, number), f"asking {name} for crawlers")

    def retire(self, machine: str, crawlers: Sequence[str]) -> list[str]:
        """Ask the nurseries of a machine to end crawlers; return those that they keep."""
        kept = []
        for nursery in self._nurseries.values():
            theirs = [name for name in crawlers if name in nursery.room.crawlers]
            if nursery.room.machine == machine and theirs:
                kept += theirs
                self._tasks.start(self._retire(nursery, theirs), f"ending {len(theirs)} crawlers")
        return kept

    async def _fork(self, nursery: _Nursery, count: int) -> None:
        try:
            await nursery.peer.call("fork", count=count)
        except HipError as error:
            del self._asked[len(self._asked) - min(count, len(self._asked)) :]
            self._journal.add(f"{nursery.peer.name} forks no crawler: {error}")
        await self._look(nursery)

    async def _retire(self, nursery: _Nursery, crawlers: Sequence[str]) -> None:
        try:
            await nursery.peer.call("retire", crawlers=crawlers)
        except HipError as error:
            self._journal.add(f"{nursery.peer.name} ends no crawler: {error}")
        await self._look(nursery)

    async def _look(self, nursery: _Nursery) -> None:
        """Learn anew what a nursery keeps."""
        with suppress(HipError, TypeError):  # else it says so when it joins again
            nursery.room = convert(await nursery.peer.call("room"), NurseryRoom)
