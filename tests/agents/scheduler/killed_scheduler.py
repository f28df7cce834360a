"""A scheduler that is killed at a moment of its life: a process that forks one for each line.

    python killed_scheduler.py archive.yaml folder

A line of standard input is JSON: [region, what, state, event, moment], such as
["crawl", "a.example", "collecting", "lost", "before"]; null kills none. The process imports
everything once, so that a scheduler is there within a fraction of a second. It tells "ready PID"
and, when that one has ended, "ended STATUS".
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL
from typing import Any

from agents.configuration import load
from agents.scheduler import service
from agents.scheduler.database import Database
from agents.scheduler.database.changes import Changes
from agents.scheduler.database.decisions import Decisions
from agents.scheduler.database.machines import Machines
from agents.scheduler.database.orders import Orders
from agents.scheduler.database.sqlite import SqliteEngine
from agents.scheduler.life import MachineEvent, MachineState, Standing, StandingEvent
from agents.scheduler.orders import sites_of
from hip import exposed

OPERATOR = "archivist"


class Probe:
    """Methods by which a test makes decisions that no agent makes."""

    def __init__(self, means: Any) -> None:
        self._means = means

    @exposed
    async def decide(self, site: str, event: StandingEvent) -> None:
        """Move a site's standing."""
        await self._means.store.run(
            Database.decide, site, event, self._means.now(), OPERATOR, "for the test"
        )

    @exposed
    async def discover(self, site: str) -> None:
        """Make a site known."""
        found = sites_of([f"http://{site}/"], 1)
        await self._means.store.run(Database.discover, found, self._means.now())

    @exposed
    async def happen(self, machine: str, event: MachineEvent) -> None:
        """Move a machine."""
        if event is MachineEvent.FORGOTTEN:
            await self._means.store.run(Database.forget, machine, self._means.now())
        else:
            await self._means.store.run(Database.happen, machine, event, self._means.now())


def arm(target: list[str], moment: str) -> None:
    """Kill this process right before or after the transaction in which something happens."""
    happened: list[list[str]] = []

    def note(kind: type, name: str, told: Callable[..., list[str]]) -> None:
        """Let a method take note of what it does."""
        method = getattr(kind, name)

        def noting(self: Any, *args: Any, **kwargs: Any) -> Any:
            found = told(self, *args, **kwargs)
            result = method(self, *args, **kwargs)
            if name != "_register" or result:
                happened.append([str(one) for one in found])
            return result

        setattr(kind, name, noting)

    commit = SqliteEngine.commit

    def committing(self: SqliteEngine) -> None:
        hit = target in happened
        happened.clear()
        if hit and moment == "before":
            os.kill(os.getpid(), SIGKILL)
        commit(self)
        if hit:
            os.kill(os.getpid(), SIGKILL)

    note(Changes, "_move", _moved)
    note(Decisions, "_decide", _decided)
    note(Orders, "_make_due", _made_due)
    note(Orders, "_register", _registered)
    note(Machines, "happen", _happened)
    note(Machines, "forget", lambda self, machine, *_: _happened(self, machine, "forgotten"))
    SqliteEngine.commit = committing  # type: ignore[method-assign]


def _moved(_self: Changes, crawl: Any, event: str, *_: Any, **__: Any) -> list[str]:
    return ["crawl", crawl.site, crawl.state, event]


def _decided(_self: Decisions, row: Any, event: str, *_: Any) -> list[str]:
    return ["standing", row["site"], row["standing"], event]


def _made_due(_self: Orders, row: Any, *_: Any) -> list[str]:
    return ["site", row["site"], row["state"], "ordered"]


def _registered(_self: Orders, site: Any, standing: Standing, *_: Any) -> list[str]:
    event = "discovered" if standing is Standing.DISCOVERED else "ordered"
    return ["standing", site.site, Standing.UNKNOWN, event]


def _happened(self: Machines, machine: str, event: str, *_: Any) -> list[str]:
    return ["machine", machine, self.machines().get(machine, MachineState.UNKNOWN), event]


def run(configuration: Any, wanted: Any) -> None:
    """Be the scheduler until killed."""
    if wanted is not None:
        *target, moment = wanted
        arm(target, moment)
    from twisted.internet import reactor

    running = service.make_service(reactor, configuration, "scheduler")
    running.agent.methods.add(Probe(_means(running)), prefix="test.")
    running.startService()
    print(f"ready {os.getpid()}", flush=True)
    reactor.run(installSignalHandlers=False)  # type: ignore[attr-defined]


def _means(running: Any) -> Any:
    return next(one.means for one in running.services if hasattr(one, "means"))


def main() -> None:
    """Fork a scheduler for each line of standard input."""
    configuration = load(Path(sys.argv[1]), directory=sys.argv[2], base_port=None)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                run(configuration, json.loads(line))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(f"ended {status}", flush=True)


if __name__ == "__main__":
    main()
