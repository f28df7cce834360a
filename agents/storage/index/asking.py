"""Asks storage nodes themselves who holds a key, when no index node is sure."""

from typing import NoReturn

from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.interfaces import IReactorTime

from agents.storage.disk.layout import Kind
from agents.storage.index.siblings import Known
from agents.storage.index.view import ClusterView
from agents.storage.policy import Holding
from agents.storage.status import NodeState
from anet.errors import AnetError, ConnectionBroken, TimedOut
from anet.http import HttpClient
from anet.together import together

_AT_ONCE = 64  # requests, of all that are being asked for
_TIMEOUT = 5.0  # seconds that a node may take
_ANSWER_LIMIT = 64 * 1024


class Asking:
    """Sends HEAD to all nodes that are up.

    Attributes:
        asked: keys asked about.
    """

    def __init__(self, clock: IReactorTime, client: HttpClient, view: ClusterView) -> None:
        self._clock, self._client, self._view = clock, client, view
        self._requests = DeferredSemaphore(_AT_ONCE)
        self.asked = 0

    async def holders(self, kind: Kind, key: str) -> Known:
        """Return the nodes that hold a key; it is sure when all nodes have answered, up or not."""
        self.asked += 1
        nodes = self._view.nodes
        up = [node for node in nodes if node.up]
        answers = await together(self._has(node, kind, key) for node in up)
        found = [node.name for node, has in zip(up, answers, strict=True) if has is True]
        for answer in answers:
            if isinstance(answer, Exception) and not isinstance(answer, AnetError):
                raise answer
        sure = 0 < len(up) == len(nodes) and all(isinstance(has, bool) for has in answers)
        return Known([Holding(name, 0) for name in found], sure)

    async def _has(self, node: NodeState, kind: Kind, key: str) -> bool:
        url = f"{node.status.url.rstrip('/')}/{kind}/{key}"
        status = await self._requests.run(self._head, url)
        if status not in (200, 404):
            raise ConnectionBroken(f"{node.name} answers {status}")
        return bool(status == 200)

    def _head(self, url: str) -> Deferred[int]:
        asking = Deferred.fromCoroutine(self._status(url))
        return asking.addTimeout(_TIMEOUT, self._clock, _timed_out)

    async def _status(self, url: str) -> int:
        response = await self._client.request("HEAD", url)
        await response.read(_ANSWER_LIMIT)
        return response.head.status


def _timed_out(_: object, seconds: float) -> NoReturn:
    raise TimedOut(f"no answer in {seconds:g} seconds")
