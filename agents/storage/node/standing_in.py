"""Begins structure files whole, where a node stands in for one that keeps them and is silent.

Without that its copy would have the newest captures only until the master merges it, and a reader
who meets it would be given a date that is not the nearest.
"""

from collections.abc import Mapping

from twisted.internet.defer import Deferred, DeferredSemaphore, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.capture import is_key
from agents.storage.disk.node_store import NodeStore
from agents.storage.errors import StorageError
from agents.storage.node.fetcher import Fetcher
from anet.errors import AnetError
from anet.together import together

WITHIN = 2.0  # seconds; who records waits, and the master merges the rest
_AT_ONCE = 8

_log = Logger()


class StandingIn:
    """Takes files from their holders before captures are recorded in them.

    Args:
        clock: for how long that may take.
        store: the disks.
        fetcher: takes.
    """

    def __init__(self, clock: IReactorTime, store: NodeStore, fetcher: Fetcher) -> None:
        self._clock, self._store, self._fetcher = clock, store, fetcher
        self._at_once = DeferredSemaphore(_AT_ONCE)

    async def begin(self, sources: Mapping[str, str]) -> None:
        """Take what the node lacks of structure files, as far as that goes in time.

        Args:
            sources: base URLs of nodes that hold them, by key.
        """
        lacking = [
            (key, source)
            for key, source in sources.items()
            if is_key(key) and not self._store.holds("structures", key)
        ]
        if not lacking:
            return
        taking = together(self._take(*each) for each in lacking)
        try:
            await Deferred.fromCoroutine(taking).addTimeout(WITHIN, self._clock)
        except TimeoutError:
            _log.info("some of {count} structure files wait for a merge", count=len(lacking))

    async def _take(self, key: str, source: str) -> None:
        def take() -> "Deferred[int]":
            return Deferred.fromCoroutine(self._fetcher.merge(key, source))

        try:
            await self._at_once.run(take)
        except (StorageError, AnetError, OSError) as error:
            _log.info(
                "{key} is begun without what {source} has: {why}", key=key, source=source, why=error
            )
