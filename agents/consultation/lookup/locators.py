"""Where a structure file or a content lies: by multicast, by index node, or whichever works.

All three answer the same question (*INA §2.3.2* steps 1, 2, 5 and 6), so the rest of the room
does not know which is used.
"""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, TypeAlias

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.consultation.errors import LookupFailed, NodesFailed
from anet.errors import AnetError
from anet.multicast import MulticastLocator as Multicast
from anet.tasks import Tasks

Kind: TypeAlias = Literal["contents", "structures"]
Find: TypeAlias = Callable[[Kind, str], Awaitable[list[str]]]

SILENCES_BEFORE_INDEX = 3
SECONDS_BETWEEN_TRIALS = 300.0

_log = Logger()


class Locator(Protocol):
    """Finds the storage nodes that hold a file.

    Attributes:
        lookup: `multicast`, `index`, or `auto` while neither has answered: what is used now.
    """

    @property
    def lookup(self) -> str:
        """What is used now."""

    async def locate(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the nodes that hold it; none when the archive lacks it.

        Raises:
            LookupFailed: nobody who knows could be asked.
            NodesFailed: the archive has it, and none of its nodes can be reached.
        """


class IndexLocator:
    """Asks an index node over HIP."""

    lookup = "index"

    def __init__(self, find: Find) -> None:
        """Ask by `find`, which raises as `locate` does."""
        self._find = find

    async def locate(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the nodes that hold it."""
        return await self._find(kind, key)


class MulticastLocator:
    """Asks all storage nodes of a group at once; silence means that none holds it."""

    lookup = "multicast"

    def __init__(self, groups: Multicast, timeout: float) -> None:
        """Wait `timeout` seconds for an answer."""
        self._groups = groups
        self._timeout = timeout

    async def locate(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the nodes that answered.

        Raises:
            LookupFailed: the question could not be sent.
        """
        try:
            return await self._groups.find(kind, bytes.fromhex(key), self._timeout)
        except (OSError, AnetError) as error:
            raise LookupFailed(f"multicast: {error}") from error


class AutoLocator:
    """Uses multicast where it answers, and the index node otherwise.

    The index node answers first. Beside lookups of files that exist, multicast is tried too; once
    it answers it is used, backed by the index node since a datagram may be lost. While the index
    node is in use multicast is tried again every few minutes.

    auto --multicast answers--> multicast
    auto --multicast is silent three times--> index
    multicast --only the index answers, three times running--> index
    index --a later trial is answered--> multicast
    """

    def __init__(
        self, clock: IReactorTime, tasks: Tasks, multicast: Locator, index: Locator
    ) -> None:
        """Run trials of multicast as `tasks`."""
        self._clock = clock
        self._tasks = tasks
        self._multicast = multicast
        self._index = index
        self._silences = 0
        self._trying = False
        self._try_again_at = 0.0
        self.lookup = "auto"

    async def locate(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the nodes that hold it.

        Raises:
            LookupFailed: multicast found nothing, and no index node could be asked.
            NodesFailed: nor do nodes answer of which an index node knows.
        """
        if self.lookup == "multicast":
            nodes = await self._ask_multicast(kind, key)
            return nodes or await self._ask_index_too(kind, key)
        try:
            nodes = await self._index.locate(kind, key)
        except (LookupFailed, NodesFailed):
            nodes = await self._ask_multicast(kind, key)
            if not nodes:
                raise
            return nodes
        if nodes and not self._trying and self._clock.seconds() >= self._try_again_at:
            self._trying = True
            self._tasks.start(self._try(kind, key), "trial of multicast")
        return nodes

    async def _try(self, kind: Kind, key: str) -> None:
        """Ask by multicast for a file that is known to exist."""
        try:
            if not await self._ask_multicast(kind, key):
                self._note_silence()
        finally:
            self._trying = False

    async def _ask_multicast(self, kind: Kind, key: str) -> list[str]:
        """Ask by multicast; that it cannot be sent here is the same as no answer."""
        try:
            nodes = await self._multicast.locate(kind, key)
        except LookupFailed:
            nodes = []
        if nodes:
            self._silences = 0
            self._use("multicast", "storage nodes answer on this network")
        return nodes

    async def _ask_index_too(self, kind: Kind, key: str) -> list[str]:
        nodes = await self._index.locate(kind, key)
        if nodes:
            self._note_silence()
        return nodes

    def _note_silence(self) -> None:
        self._silences += 1
        if self._silences >= SILENCES_BEFORE_INDEX or self.lookup == "index":
            self._try_again_at = self._clock.seconds() + SECONDS_BETWEEN_TRIALS
            self._use("index", "no storage node answers multicast on this network")

    def _use(self, lookup: str, reason: str) -> None:
        if self.lookup != lookup:
            self.lookup = lookup
            _log.info("lookup by {lookup}: {reason}", lookup=lookup, reason=reason)
