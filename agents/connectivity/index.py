"""The index node, as a depositor calls it (*INA §2.3.1*)."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.capture import Capture
from agents.connectivity.patience import Patience
from agents.deposit import ContentSize, Placement
from hip import CallTimedOut, ConnectionLost, Link, NotConnected, Peer, RemoteError, convert

INDEX_NODE = "index-node"
INVALID = "invalid-capture"  # this batch will be refused however often it is sent


class Index:
    """Calls over the link to the storage master, which leads to an index node."""

    def __init__(self, link: Link, timeout: float) -> None:
        """Use `link`; an answer may take `timeout` seconds."""
        self._link, self._timeout = link, timeout
        link.on_connect = _wait_for_redirection

    @property
    def state(self) -> str:
        """In a few words, which index node it is or why there is none."""
        return self._link.state

    async def place(
        self, contents: Sequence[ContentSize], patience: Patience, avoid: Sequence[str] = ()
    ) -> list[Placement]:
        """Ask where contents go; insist.

        Args:
            contents: which.
            patience: of the deposit.
            avoid: base URLs of nodes that have just not taken them, for which others stand in.

        Raises:
            Stalled: no index node has answered for too long.
        """

        async def ask() -> list[Placement]:
            avoiding = {"avoid": list(avoid)} if avoid else {}
            answer = await self._call("place", contents=list(contents), **avoiding)
            return convert(answer, list[Placement])

        return await patience.insist(ask, passes)

    async def record(
        self,
        captures: Sequence[Capture],
        stored: Mapping[str, Sequence[str]],
        patience: Patience,
    ) -> int:
        """Record captures durably; insist. Return how many.

        Raises:
            Stalled: they were not acknowledged for too long.
            RemoteError: one of them is invalid; its code is `INVALID`.
        """
        named = {key: list(nodes) for key, nodes in stored.items()}

        async def ask() -> int:
            answer = await self._call("record", captures=list(captures), stored=named)
            return convert(answer, int)

        return await patience.insist(ask, passes)

    async def _call(self, method: str, **arguments: Any) -> Any:
        return await self._link.call(method, timeout=self._timeout, **arguments)


def passes(error: Exception) -> bool:
    """Tell whether an error may pass by itself: agents and links come back, disks are emptied."""
    if isinstance(error, RemoteError):
        return error.code != INVALID
    return isinstance(error, CallTimedOut | ConnectionLost | NotConnected)


async def _wait_for_redirection(peer: Peer) -> None:
    """Hold calls back while linked to the master itself, who places nothing."""
    if peer.kind != INDEX_NODE:
        await peer.closed
