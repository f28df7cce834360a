"""What every agent answers: who it is, what it can do, and the tree below it."""

import os
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from hip.deadlines import Deadline
from hip.errors import (
    AMBIGUOUS,
    BAD_ARGUMENTS,
    CANNOT_CARRY,
    OVERLOADED,
    TIMED_OUT,
    TOO_LARGE,
    UNREACHABLE,
    CallRefused,
    CallTimedOut,
    CannotCarry,
    HipError,
    Overloaded,
    RemoteError,
    TooLarge,
)
from hip.methods import MASTER, TIMEOUT, exposed
from hip.peer import Peer
from hip.security.roles import OPERATOR
from hip.tree import AGENTS, LEVELS, Branch, Information, find, survey
from hip.version import VERSION

if TYPE_CHECKING:
    from hip.agent import Agent

_CODES: dict[type[HipError], str] = {  # of what may happen on the way to a descendant
    CallTimedOut: TIMED_OUT,
    Overloaded: OVERLOADED,
    CannotCarry: CANNOT_CARRY,
    TooLarge: TOO_LARGE,
}


@frozen
class Described:
    """A remote method: its signature and its documentation."""

    signature: str
    words: str


class Builtin:
    """The methods whose names begin with `hip.`."""

    def __init__(self, agent: "Agent", reactor: Any) -> None:
        self._agent = agent
        self._reactor = reactor

    @exposed
    def info(self) -> Information:
        """Tell who this agent is and how it is."""
        agent = self._agent
        return Information(
            kind=agent.kind,
            name=agent.agent_name,
            version=VERSION,
            pid=os.getpid(),
            uptime=self._reactor.seconds() - agent.started,
            memory=resident_memory(),
            calls=agent.calls,
            in_flight=sum(peer.in_flight for peer in agent.peers),
            slaves=len(agent.slaves),
        )

    @exposed
    def methods(self) -> list[Described]:
        """List the methods that this agent answers."""
        methods = [method for _, method in sorted(self._agent.methods.items())]
        return [Described(method.signature, method.words) for method in methods]

    @exposed
    async def tree(self, deadline: Deadline, agents: int = AGENTS, levels: int = LEVELS) -> Branch:
        """Show this agent and all below it.

        It comes within 5 seconds, or sooner if the caller wants; who does not answer is marked.
        """
        slaves = list(self._agent.slaves.values())
        bounds = min(agents, AGENTS), min(levels, LEVELS)
        return await survey(self._reactor, self.info(), slaves, deadline.left, *bounds)

    @exposed
    async def find(self, name: str, deadline: Deadline, levels: int = LEVELS) -> list[list[str]]:
        """Show the ways to agents of a name below this one, each by the names on it."""
        slaves = list(self._agent.slaves.values())
        return await find(self._reactor, name, slaves, deadline.left, min(levels, LEVELS))

    # Routing lends the router's own rights: the descendant sees its master call, whoever asked.
    @exposed(roles=(OPERATOR, MASTER))
    async def route(
        self,
        path: list[str],
        method: str,
        arguments: dict[str, Any],
        peer: Peer,
        deadline: Deadline,
    ) -> Any:
        """Call a method of a descendant, reached by the names on the way to it.

        The way may begin with this agent's own name, or with any name that only one agent below
        has. The caller's patience goes with it.
        """
        if not path or len(path) > LEVELS:
            raise CallRefused(UNREACHABLE, f"a path has from 1 to {LEVELS} names")
        if TIMEOUT in arguments:
            raise CallRefused(BAD_ARGUMENTS, f"an argument cannot be named {TIMEOUT}")
        slave, rest = await self._way(path, deadline)
        if slave is None:
            return await self._call_own(method, arguments, peer, deadline)
        if rest:
            arguments = {"path": rest, "method": method, "arguments": arguments}
            method = "hip.route"
        try:
            return await slave.call(method, timeout=deadline.left, **arguments)
        except RemoteError:
            raise
        except HipError as error:
            code = _CODES.get(type(error), UNREACHABLE)
            raise CallRefused(code, f"{slave.name}: {error}") from None

    async def _way(self, path: list[str], deadline: Deadline) -> tuple[Peer | None, list[str]]:
        """Return the slave to turn to, or None for this agent itself, and the names after it.

        Raises:
            CallRefused: there is no such way, or more than one.
        """
        slaves, own = self._agent.slaves, self._agent.agent_name
        first, *rest = path
        if first in slaves:
            return slaves[first], rest
        if first == own:
            return await self._way(rest, deadline) if rest else (None, [])
        found = await self.find(first, deadline)
        if len(found) > 1:
            ways = ", ".join("/".join(way) for way in found)
            raise CallRefused(AMBIGUOUS, f"there are {len(found)} agents {first[:80]!r}: {ways}")
        if not found or found[0][0] not in slaves:
            raise CallRefused(UNREACHABLE, f"there is no {first[:80]!r} below {own}; see hip tree")
        way = found[0]
        return slaves[way[0]], way[1:] + rest

    async def _call_own(
        self, method: str, arguments: dict[str, Any], peer: Peer, deadline: Deadline
    ) -> Any:
        answer = self._agent.methods[method].call(peer, arguments, deadline.left)
        return await answer if isawaitable(answer) else answer


def resident_memory() -> int:
    """Return the bytes of memory that this process occupies."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
