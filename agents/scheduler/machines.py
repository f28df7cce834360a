"""The machines that crawlers run on: which of them get work, and how one is drained and removed.

UNKNOWN --an agent says that it runs there--> ACTIVE --drained--> DRAINING --forgotten--> UNKNOWN
ACTIVE <--undrained-- DRAINING (agents/scheduler/life.py)

A draining machine gets no new work. Its crawlers go on with what they have; those that are free
are ended by their nursery. What they collected is deposited as ever.
"""

from collections.abc import Callable

from agents.machines import MachineStatus
from agents.scheduler.database import Database, Queries
from agents.scheduler.life import MachineEvent, MachineState, machine_after
from agents.scheduler.means import Means
from agents.scheduler.nurseries import Nurseries
from agents.scheduler.pool import Crawler, Pool


class StillThere(Exception):
    """A machine cannot be forgotten while agents run there; the message names them."""


class Machines:
    """Which machines get work."""

    def __init__(
        self,
        means: Means,
        pool: Pool,
        nurseries: Nurseries,
        serving: Callable[[str], list[str]],
        ring: Callable[[], None],
    ) -> None:
        """Look after the machines of a pool.

        Args:
            means: the scheduler's.
            pool: its crawlers.
            nurseries: its nurseries.
            serving: gives the connectivity agents that reach the crawls of a machine.
            ring: called when there may be other work to give.
        """
        self._means, self._pool, self._nurseries = means, pool, nurseries
        self._serving, self._ring = serving, ring
        self._states: dict[str, MachineState] = {}

    async def load(self) -> None:
        """Learn what the database keeps."""
        self._states = await self._means.store.run(Database.machines) | self._states

    def works(self, machine: str) -> bool:
        """Tell whether a machine may get work; so may crawlers that do not say where they run."""
        return not machine or self._states.get(machine) is MachineState.ACTIVE

    def knows(self, machine: str) -> bool:
        """Tell whether a machine need not be met; as one without a name cannot be."""
        return not machine or machine in self._states

    async def meet(self, machine: str) -> None:
        """Hear that an agent runs on a machine."""
        if not self.knows(machine):
            state = await self._happen(machine, MachineEvent.MET)
            self._means.journal.tell(f"{machine} has come, and is {state}")

    async def drain(self, machine: str) -> None:
        """Give a machine no more work.

        Raises:
            NoSuchTransition: there is no such machine.
        """
        await self._happen(machine, MachineEvent.DRAINED)

    async def undrain(self, machine: str) -> None:
        """Give a machine work again.

        Raises:
            NoSuchTransition: there is no such machine.
        """
        await self._happen(machine, MachineEvent.UNDRAINED)

    async def forget(self, machine: str, lost: bool = False) -> list[str]:
        """Forget a machine that was drained and whose agents are stopped.

        Args:
            machine: its name.
            lost: whether what lies there, not yet deposited, is to be collected again.

        Returns:
            The crawls that are made again.

        Raises:
            StillThere: agents run there.
            MachineInUse: crawls lie there that are not `lost`.
            NoSuchTransition: it was not drained.
        """
        machine_after(self._states.get(machine, MachineState.UNKNOWN), MachineEvent.FORGOTTEN)
        there = [one.name for one in self._pool.on(machine)]
        there += self._nurseries.on(machine) + self._serving(machine)
        if there:
            raise StillThere(
                f"on {machine} there are still {', '.join(there[:5])}; stop its agents first"
            )
        again = await self._means.store.run(Database.forget, machine, self._means.now(), lost)
        self._states.pop(machine, None)
        self._ring()
        return again

    def retire(self) -> None:
        """Have the free crawlers of draining machines ended."""
        for machine, state in self._states.items():
            if state is MachineState.DRAINING:
                free = [one.name for one in self._pool.on(machine) if self._pool.is_free(one.name)]
                for name in self._nurseries.retire(machine, free):
                    self._pool.distrust(name, self._means.clock.seconds())

    def working(self) -> list[Crawler]:
        """Return the crawlers of machines that get work."""
        return [one for one in self._pool.crawlers() if self.works(one.machine)]

    async def status(self) -> list[MachineStatus]:
        """Return everything about each machine, those without a name left out."""
        lying = await self._means.store.look(Queries.lying)
        return [
            self._status(machine, state, *lying.get(machine, (0, 0)))
            for machine, state in sorted(self._states.items())
        ]

    def _status(
        self, machine: str, state: MachineState, undeposited: int, folders: int
    ) -> MachineStatus:
        crawlers, serving = self._pool.on(machine), self._serving(machine)
        problem = ""
        if undeposited and not serving:
            problem = (
                f"{undeposited} crawls on {machine} wait for their deposit, and no connectivity "
                "agent serves that machine: start one there"
            )
        return MachineStatus(
            machine=machine,
            state=state,
            crawlers=len(crawlers),
            busy=sum(one.work is not None for one in crawlers),
            maximum=self._nurseries.maximum(machine),
            undeposited=undeposited,
            folders=folders,
            connectivity=serving,
            problem=problem,
        )

    async def _happen(self, machine: str, event: MachineEvent) -> MachineState:
        state = await self._means.store.run(Database.happen, machine, event, self._means.now())
        self._states[machine] = state
        self._ring()
        return state
