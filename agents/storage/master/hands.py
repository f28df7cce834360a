"""Has storage nodes copy, merge and remove, at a bounded rate; no byte goes through the master."""

from collections.abc import Iterable

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.layout import Kind
from agents.storage.master.registry import Registry
from anet.tasks import sleep
from hip import HipError

_COPY_TIMEOUT = 600.0  # seconds; a large content takes its time
_REMOVE_TIMEOUT = 60.0

_log = Logger()


class Pace:
    """Lets so many through a second, and none at once with another."""

    def __init__(self, clock: IReactorTime, rate: float) -> None:
        self._clock, self._interval, self._next = clock, 1.0 / rate, 0.0

    async def turn(self) -> None:
        """Wait for one's turn."""
        now = self._clock.seconds()
        self._next = max(self._next + self._interval, now)
        if self._next > now:
            await sleep(self._clock, self._next - now)


class Hands:
    """What the master has nodes do.

    Attributes:
        copied: copies and merges that nodes made.
        removed: replicas that nodes removed.
        failed: what nodes could not do; it is found again, and tried again.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.copied = self.removed = self.failed = 0

    async def copy(self, kind: Kind, key: str, target: str, source: str) -> bool:
        """Have a node take what it lacks of a key from another; return whether it has it now.

        A node that has the content already reads and hashes it, and takes it anew if it is
        damaged. So this also makes sure that a replica is there and sound.
        """
        url = self._registry.url(source)
        new = await self._call(target, "replicate", _COPY_TIMEOUT, kind=kind, key=key, source=url)
        self.copied += new is True
        return new is not None

    async def remove(self, kind: Kind, key: str, node: str, mark: str) -> bool:
        """Have a node remove its replica; return whether it has.

        Args:
            kind: contents or structures.
            key: which.
            node: whose.
            mark: what the replica of a structure file must be, or the node refuses: somebody
                may have recorded a capture in it just now, and nowhere else.
        """
        only = {"mark": mark} if kind == "structures" else {}
        done = await self._call(node, "remove", _REMOVE_TIMEOUT, kind=kind, key=key, **only)
        self.removed += done is True
        return done is not None

    def rest(self, node: str, disks: Iterable[str]) -> None:
        """Tell a node, if it is up, which of its disks are being emptied."""
        peer = self._registry.peer(node)
        if peer is not None:
            peer.notify("rest", disks=sorted(disks))

    async def _call(
        self, node: str, method: str, timeout: float, **arguments: str
    ) -> object | None:
        """Return what a node answers; None when it does not."""
        peer = self._registry.peer(node)
        if peer is None:
            return None
        try:
            answer: object = await peer.call(method, timeout=timeout, **arguments)
            return answer
        except HipError as error:
            self.failed += 1
            _log.warn(
                "{node} could not {method} {key}: {error}",
                node=node,
                method=method,
                key=arguments["key"],
                error=error,
            )
            return None
