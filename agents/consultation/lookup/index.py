"""The index node, asked over HIP: where files lie, and which storage nodes there are."""

from typing import Any, TypeVar

from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.lookup.locators import Kind
from agents.consultation.lookup.structures import Nodes
from anet.tasks import sleep
from hip import ConnectionLost, HipError, Link, NotConnected, RemoteError, convert

_Result = TypeVar("_Result")

ATTEMPTS = 4
PAUSE = 0.25  # seconds between attempts
OF_THE_MASTER = ("unknown-method", "no-index")  # its answers before it redirects us
HOLDERS_DOWN = "holders-down"  # the archive has it, on nodes that are all away
NOT_SURE = "not-sure"  # it may be on a node that is away


@frozen
class _Status:
    url: str


@frozen
class _Node:
    status: _Status
    up: bool


@frozen
class _Cluster:
    """What is read of an index node's answer to `nodes`."""

    nodes: list[_Node]


class IndexNode:
    """Calls the index node that the storage master redirects us to.

    Calls that meet a link in the middle of its redirection, or of a reconnection, are repeated a
    few times.
    """

    def __init__(self, clock: IReactorTime, link: Link, timeout: float) -> None:
        """Wait `timeout` seconds for each answer."""
        self._clock = clock
        self._link = link
        self._timeout = timeout

    @property
    def state(self) -> str:
        """How the link is, in a few words."""
        return self._link.state

    async def find(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the storage nodes that hold a file.

        Raises:
            LookupFailed: no index node answers, or none can be sure.
            NodesFailed: all that hold the file are down.
        """
        return await self._call(list[str], "find", kind=kind, key=key)

    async def nodes(self) -> Nodes:
        """Return the storage nodes.

        Raises:
            LookupFailed: no index node answers.
        """
        cluster = await self._call(_Cluster, "nodes")
        up = [node.status.url for node in cluster.nodes if node.up]
        return Nodes(up, down=len(cluster.nodes) - len(up))

    async def _call(self, shape: type[_Result], method: str, **arguments: Any) -> _Result:
        for attempt in range(ATTEMPTS):
            if attempt:
                await sleep(self._clock, PAUSE)
            try:
                answer = await self._link.call(method, timeout=self._timeout, **arguments)
                return convert(answer, shape)
            except (ConnectionLost, NotConnected) as error:
                failure: Exception = error
            except RemoteError as error:
                failure = error
                if error.code == HOLDERS_DOWN:
                    raise NodesFailed(error.message) from None
                if error.code == NOT_SURE:
                    raise LookupFailed(error.message) from None
                if error.code not in OF_THE_MASTER:
                    break
            except (HipError, TypeError) as error:
                failure = error
                break
        raise LookupFailed(f"no index node answers ({failure})") from failure
