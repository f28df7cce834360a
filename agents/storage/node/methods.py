"""What a storage node answers over HIP, to its master."""

from collections.abc import Callable

from agents.capture import is_key
from agents.storage.disk.emptying import Emptying
from agents.storage.disk.layout import Kind
from agents.storage.disk.node_store import NodeStore
from agents.storage.errors import Changed, StorageError
from agents.storage.node.auditing import Auditing
from agents.storage.node.fetcher import Fetcher
from agents.storage.status import NodeStatus
from anet.errors import AnetError
from hip import CallRefused, exposed

_LISTING_LIMIT = 10_000


class StorageNodeMethods:
    """The methods; see the docstring of each."""

    def __init__(
        self,
        store: NodeStore,
        fetcher: Fetcher,
        auditing: Auditing,
        emptying: Emptying,
        status: Callable[[], NodeStatus],
    ) -> None:
        self._store, self._fetcher = store, fetcher
        self._auditing, self._emptying, self._status = auditing, emptying, status

    @exposed(roles=("storage-master",))
    async def replicate(self, kind: Kind, key: str, source: str) -> bool:
        """Copy a content, or merge a structure file, from the node at the base URL `source`.

        Returns whether anything was new. Refuses "not-a-key", or "not-copied" with the reason.
        """
        if kind == "structures":
            return await self.merge(key, source) > 0
        _check(key)
        try:
            return await self._fetcher.replicate(key, source)
        except (StorageError, AnetError, OSError) as error:
            raise CallRefused("not-copied", str(error)) from None

    @exposed(roles=("storage-master",))
    async def merge(self, key: str, source: str) -> int:
        """Add the captures that the node at the base URL `source` has; return how many were new.

        Refuses "not-a-key", or "not-copied" with the reason.
        """
        _check(key)
        try:
            return await self._fetcher.merge(key, source)
        except (StorageError, AnetError, OSError) as error:
            raise CallRefused("not-copied", str(error)) from None

    @exposed(roles=("storage-master",))
    async def remove(self, kind: Kind, key: str, mark: str = "") -> bool:
        """Take away a replica for good; return whether there was one.

        A structure file must be of the mark given: nobody has recorded in it since it was seen.
        Refuses "not-a-key", "changed", or "not-removed" with the reason.
        """
        _check(key)
        try:
            return await self._store.remove(kind, key, mark)
        except Changed as error:
            raise CallRefused("changed", str(error)) from None
        except (StorageError, AnetError, OSError) as error:
            raise CallRefused("not-removed", str(error)) from None

    @exposed(roles=("storage-master",))
    async def rest(self, disks: list[str]) -> None:
        """Move what these disks hold, by name, to the node's others; leave all others again.

        Written to them is only what no other disk can take.
        """
        await self._emptying.rest(disks)

    @exposed(roles=("storage-master", "operator"))
    def audit(self) -> NodeStatus:
        """Read and hash all that the disks hold, from the beginning, as fast as they can.

        Return the status from before, by which an audit's end and finds are told.
        """
        before = self._status()
        self._auditing.hurry()
        return before

    @exposed(roles=("storage-master",))
    async def listing(self, kind: Kind, after: str = "", limit: int = 1000) -> list[str]:
        """Return the keys held after `after`, in order, at most `limit` (10,000)."""
        return await self._store.listing(kind, after, max(1, min(limit, _LISTING_LIMIT)))

    @exposed
    def status(self) -> NodeStatus:
        """Return name, address, free bytes, counts, and why it writes no more, if so."""
        return self._status()


def _check(key: str) -> None:
    if not is_key(key):
        raise CallRefused("not-a-key", "a key is a SHA-256 in 64 lower-case hexadecimal digits")
