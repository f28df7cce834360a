"""The tree below an agent: what it looks like, and the ways to a descendant.

Each level gives the next a part of the time that it has itself. So an agent that does not answer,
however deep, is noticed by its own master before anybody further up has waited for too long.
"""

from collections.abc import Coroutine, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from attrs import asdict, evolve, field, frozen
from msgspec import Meta
from twisted.internet.interfaces import IReactorTime

from anet.tasks import sleep
from anet.together import together
from hip.deadlines import Deadline
from hip.errors import HipError
from hip.methods import convert
from hip.peer import Peer
from hip.security.roles import CONSOLE

_Value = TypeVar("_Value")

PATIENCE = 5.0  # seconds for a whole tree, if its caller does not want it sooner
AGENTS = 10_000  # shown of a tree; about 2 MB on the wire
LEVELS = 32  # of a tree, and names in a path; also what ends a tree that is a ring
_SHARE = 0.8  # of an agent's time that those below it have
_PATHS = 20  # to agents of one name
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # one that can be reckoned with
_AT_ONCE, _PACE = 50, 0.005  # slaves that are asked at once, and seconds until the next


@frozen
class _Told:
    """What an agent tells, of itself or of one below it.

    Attributes:
        kind: what it is.
        name: which one.
        version: of its software.
        pid: its process; nothing when it did not answer.
        uptime: seconds.
        memory: bytes resident.
        calls: requests that it has had since it started.
        in_flight: calls under way over all its links.
    """

    kind: str
    name: str
    version: str = ""
    pid: Count | None = None
    uptime: float = 0.0
    memory: Count = 0
    calls: Count = 0
    in_flight: Count = 0


@frozen
class Information(_Told):
    """What an agent says of itself.

    Attributes:
        slaves: how many agents are linked below it.
    """

    slaves: Count = 0


@frozen
class Branch(_Told):
    """An agent in the tree.

    Attributes:
        latency: seconds that its master waited for its answer just now.
        error: why nothing more is known of it and its slaves; nothing when all is well.
        slaves: those below it.
        left_out: how many of its slaves are not shown, because the tree is too large.
    """

    latency: float | None = None
    error: str = ""
    slaves: list["Branch"] = field(factory=list)
    left_out: Count = 0

    @classmethod
    def of(cls, own: Information, **others: Any) -> "Branch":
        """Return the branch of an agent that has said who it is."""
        return cls(**{**asdict(own), "slaves": [], **others})

    def __len__(self) -> int:
        """Count the agents: this one and those below it."""
        return 1 + sum(map(len, self.slaves))

    def __bool__(self) -> bool:
        return True


class _Room:
    """How many more agents may be shown."""

    def __init__(self, agents: int) -> None:
        self._left = max(0, agents)

    def take(self, count: int) -> int:
        """Take room for so many agents, or for as many as there is."""
        taken = min(count, self._left)
        self._left -= taken
        return taken

    def prune(self, branch: Branch) -> Branch:
        """Return a branch, which has its room, with no more below it than there is room for."""
        if len(branch) - 1 <= self._left:
            self.take(len(branch) - 1)
            return branch
        count = self.take(len(branch.slaves))
        kept = [self.prune(below) for below in branch.slaves[:count]]
        left_out = branch.left_out + len(branch.slaves) - count
        return evolve(branch, slaves=kept, left_out=left_out)


async def survey(
    clock: IReactorTime,
    own: Information,
    slaves: Sequence[Peer],
    patience: float,
    agents: int = AGENTS,
    levels: int = LEVELS,
) -> Branch:
    """Return the tree of an agent as it is now.

    Args:
        clock: tells the time.
        own: what the agent says of itself.
        slaves: those below it; consoles are not shown.
        patience: seconds; the tree is whole well before, with whoever is silent marked.
        agents: how many may be shown; direct slaves go before others.
        levels: how many may be shown, this agent's own among them.
    """
    asked = _below(slaves)
    room = _Room(agents - 1)
    count = room.take(len(asked)) if levels > 1 else 0
    deadline = Deadline(clock, _SHARE * min(patience, PATIENCE))

    async def branch(number: int, peer: Peer) -> Branch:
        # Asked all at once, thousands would measure how long they stand in line for us.
        if number >= _AT_ONCE:
            await sleep(clock, number // _AT_ONCE * _PACE)
        return room.prune(await _branch(clock, peer, deadline, agents, levels - 1))

    branches = await _all(branch(number, peer) for number, peer in enumerate(asked[:count]))
    return Branch.of(own, slaves=branches, left_out=len(asked) - count)


async def _branch(
    clock: IReactorTime, peer: Peer, deadline: Deadline, agents: int, levels: int
) -> Branch:
    """Ask a slave who it is, which tells the latency, and if it has slaves, for its tree."""
    branch = Branch(peer.kind, peer.name)
    begun = clock.seconds()
    try:
        own = convert(await peer.call("hip.info", timeout=deadline.left), Information)
        named: dict[str, Any] = {
            "kind": peer.kind,
            "name": peer.name,
            "latency": clock.seconds() - begun,
        }
        branch = Branch.of(own, **named)
        if not own.slaves:
            return branch
        answer = await peer.call("hip.tree", timeout=deadline.left, agents=agents, levels=levels)
        return evolve(convert(answer, Branch), **named)
    except (HipError, TypeError) as error:
        return evolve(branch, error=str(error))


async def find(
    clock: IReactorTime, name: str, slaves: Sequence[Peer], patience: float, levels: int = LEVELS
) -> list[list[str]]:
    """Return the ways to descendants of a name, each by the names on it, the shortest first.

    Who does not answer in time is passed over.
    """
    asked = _below(slaves) if levels > 1 else []
    deadline = Deadline(clock, _SHARE * min(patience, PATIENCE))

    async def below(peer: Peer) -> list[list[str]]:
        try:
            answer = await peer.call(
                "hip.find", timeout=deadline.left, name=name, levels=levels - 1
            )
            return [[peer.name, *path] for path in convert(answer, list[list[str]])]
        except (HipError, TypeError):
            return []

    found = [[peer.name] for peer in slaves if peer.name == name]
    found += [path for paths in await _all(map(below, asked)) for path in paths]
    return sorted(found, key=lambda path: (len(path), path))[:_PATHS]


def _below(slaves: Sequence[Peer]) -> list[Peer]:
    agents = [peer for peer in slaves if peer.kind != CONSOLE]  # which is a person
    return sorted(agents, key=lambda peer: peer.name)


async def _all(asking: Iterable[Coroutine[Any, Any, _Value]]) -> list[_Value]:
    """Run all at once; return what they give, in their order."""
    answers: list[_Value] = []
    for answer in await together(asking):
        if isinstance(answer, Exception):
            raise answer
        answers.append(answer)
    return answers
