"""Answers multicast questions about what a node holds (*INA §2.3.2*)."""

from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.layout import KINDS, Kind
from agents.storage.disk.lines import SIZE
from agents.storage.disk.node_store import NodeStore
from anet.multicast import GroupListener, Groups
from anet.tasks import Tasks, every

_KEY_BYTES = 32
_JOIN_EVERY = 1.0  # seconds

_log = Logger()


class Lookup:
    """Joins the groups of what the disks hold, and tells who asks where the node is.

    Attributes:
        state: in a few words, for pages.
        listener: the groups joined, and how much was asked.
    """

    def __init__(
        self, reactor: Any, groups: Groups, store: NodeStore, url: str, all_groups: bool
    ) -> None:
        self._clock: IReactorTime = reactor
        self._store, self._url, self._all = store, url, all_groups
        self._tasks = Tasks()
        self.listener = GroupListener(reactor, groups, self._know)
        self.state = "not started"

    def start(self) -> None:
        """Begin to join groups, and go on as what is held grows."""
        self._tasks.start(self._run(), "joining multicast groups")

    async def stop(self) -> None:
        """Leave all groups."""
        await self._tasks.stop()
        await self.listener.stopService()

    @property
    def groups(self) -> str:
        """The groups joined, 256 bits in hexadecimal."""
        return f"{sum(1 << group for group in self.listener.joined):x}"

    async def _run(self) -> None:
        try:
            await self._join()
            await every(self._clock, _JOIN_EVERY, self._join)
        except Exception as error:  # the network's, or Twisted's own for joining a group
            self.state = f"does not work here: {error}"
            _log.info("multicast {state}", state=self.state)

    async def _join(self) -> None:
        wanted = range(256) if self._all else self._store.groups
        if not self.listener.joined.issuperset(wanted):
            await self.listener.join(wanted)
        self.state = f"{len(self.listener.joined)} of 256 groups"

    def _know(self, kind: str, key: bytes) -> tuple[str, int] | None:
        """Return this node's address and, for structure files, how many captures it has."""
        if kind not in KINDS or len(key) != _KEY_BYTES:
            return None
        name: Kind = "contents" if kind == "contents" else "structures"
        text = key.hex()
        found = self._store.find(name, text)
        if found is None:
            return None
        _, size = found
        return self._url, size // SIZE if name == "structures" else 0
