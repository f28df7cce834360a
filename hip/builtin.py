"""What every agent answers: who it is, what it can do, and the tree below it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen
from twisted.internet.defer import Deferred, gatherResults

from hip.errors import UNREACHABLE, CallRefused, HipError
from hip.methods import MASTER, convert, exposed
from hip.security.roles import CONSOLE, OPERATOR
from hip.version import VERSION

if TYPE_CHECKING:
    from hip.agent import Agent
    from hip.peer import Peer

TREE_PATIENCE = 5.0  # seconds to wait for each slave's part of the tree


@frozen
class Information:
    """What an agent says of itself.

    Attributes:
        kind: what it is.
        name: which one.
        version: of its software.
        pid: its process.
        uptime: seconds.
        memory: bytes resident.
        in_flight: calls under way over all its links.
        slaves: how many agents are linked below it.
    """

    kind: str
    name: str
    version: str
    pid: int
    uptime: float
    memory: int
    in_flight: int
    slaves: int


@frozen
class Described:
    """A remote method: its signature and its documentation."""

    signature: str
    words: str


@frozen
class Branch:
    """What must be in an agent's answer to `hip.tree`, whoever wrote the agent."""

    version: str
    pid: int
    uptime: float
    memory: int
    in_flight: int
    slaves: list[dict[str, Any]]


class Builtin:
    """The methods whose names begin with `hip.`."""

    def __init__(self, agent: "Agent", reactor: Any) -> None:
        self._agent = agent
        self._reactor = reactor

    @exposed
    def info(self) -> Information:
        """Tell who this agent is and how it is."""
        agent = self._agent
        peers = [*agent.slaves.values(), *(link.peer for link in agent.links if link.peer)]
        return Information(
            kind=agent.kind,
            name=agent.agent_name,
            version=VERSION,
            pid=os.getpid(),
            uptime=self._reactor.seconds() - agent.started,
            memory=resident_memory(),
            in_flight=sum(peer.in_flight for peer in peers),
            slaves=len(agent.slaves),
        )

    @exposed
    def methods(self) -> list[Described]:
        """List the methods that this agent answers."""
        return [Described(method.signature, method.words) for method in self._agent.methods]

    @exposed
    async def tree(self) -> dict[str, Any]:
        """Show this agent and all below it; one that does not answer is marked."""
        slaves = [peer for peer in self._agent.slaves.values() if peer.kind != CONSOLE]  # a person
        below = [Deferred.fromCoroutine(_branch(peer)) for peer in slaves]
        branches = await gatherResults(below, consumeErrors=True)
        own = self.info()
        return {
            "kind": own.kind,
            "name": own.name,
            "version": own.version,
            "pid": own.pid,
            "uptime": own.uptime,
            "memory": own.memory,
            "in_flight": own.in_flight,
            "slaves": sorted(branches, key=lambda branch: str(branch["name"])),
        }

    # Routing lends the router's own rights: the descendant sees its master call, whoever asked.
    @exposed(roles=(OPERATOR, MASTER))
    async def route(
        self, path: list[str], method: str, arguments: dict[str, Any], patience: float = 60.0
    ) -> Any:
        """Call a method of a descendant, reached by the names on the way to it."""
        if not path or len(path) > 32:
            raise CallRefused(UNREACHABLE, "a path has from 1 to 32 names")
        peer = self._agent.slaves.get(path[0])
        if peer is None:
            names = ", ".join(sorted(self._agent.slaves)) or "none"
            words = f"{self._agent.agent_name} has no slave {path[0][:80]!r}; it has: {names}"
            raise CallRefused(UNREACHABLE, words)
        if len(path) == 1:
            return await peer.call(method, timeout=patience, **arguments)
        return await peer.call(
            "hip.route",
            timeout=patience,
            patience=patience,
            path=path[1:],
            method=method,
            arguments=arguments,
        )


async def _branch(peer: "Peer") -> dict[str, Any]:
    try:
        branch = await peer.call("hip.tree", timeout=TREE_PATIENCE)
        convert(branch, Branch)
    except (HipError, TypeError) as error:
        return {"kind": peer.kind, "name": peer.name, "error": str(error), "slaves": []}
    return {**branch, "kind": peer.kind, "name": peer.name, "latency": peer.latency}


def resident_memory() -> int:
    """Return the bytes of memory that this process occupies."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
