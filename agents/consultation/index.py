"""The index node, asked over HIP: where files lie, and which storage nodes there are."""

from typing import Any, TypeVar

from twisted.internet.interfaces import IReactorTime

from agents.consultation.errors import LookupFailed
from agents.consultation.locators import Kind
from anet.tasks import sleep
from hip import ConnectionLost, HipError, Link, NotConnected, RemoteError, convert

_Result = TypeVar("_Result")

ATTEMPTS = 4
PAUSE = 0.25  # seconds between attempts
UNKNOWN_METHOD = "unknown-method"


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
            LookupFailed: no index node answers.
        """
        return await self._call(list[str], "find", kind=kind, key=key)

    async def nodes(self) -> list[str]:
        """Return the base URLs of all storage nodes that are up.

        Raises:
            LookupFailed: no index node answers.
        """
        return await self._call(list[str], "nodes")

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
                if error.code != UNKNOWN_METHOD:  # else the storage master, about to redirect us
                    break
            except (HipError, TypeError) as error:
                failure = error
                break
        raise LookupFailed(f"no index node answers ({failure})") from failure
