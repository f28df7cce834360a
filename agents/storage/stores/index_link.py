"""The index node that the storage master leads to, asked until it answers."""

from typing import Any, TypeVar

from agents.storage.errors import HoldersDown, InvalidCapture
from agents.storage.stores.errors import StoreRefused, StoreUnreachable
from anet.backoff import Backoff
from anet.tasks import sleep
from hip import (
    CallTimedOut,
    ConnectionLost,
    HipError,
    Link,
    NotConnected,
    Peer,
    RemoteError,
    convert,
)

_Result = TypeVar("_Result")

_TIMEOUT = 30.0  # seconds for one answer
PATIENCE = 60.0  # seconds for a call that may be repeated
FIRST_PATIENCE = 15.0  # seconds for the first, since a person may have named no archive that runs
_PASSING = frozenset(("no-index", "no-storage", "not-durable", "overloaded"))


class IndexLink:
    """Calls that are repeated while what keeps them from an answer may pass by itself."""

    def __init__(self, reactor: Any, link: Link) -> None:
        self._reactor, self._link = reactor, link
        link.on_connect = _wait_for_redirection

    async def call(
        self, shape: type[_Result], method: str, patience: float = PATIENCE, **arguments: Any
    ) -> _Result:
        """Call a method of the index node, for as many seconds as there is patience.

        Raises:
            InvalidCapture: one of the captures has no place in a structure file.
            HoldersDown: what is asked for is, or may be, on nodes that are all away.
            StoreRefused: the index node will not do it.
            StoreUnreachable: it has not answered for so long.
        """
        backoff = Backoff(0.25, 5.0)
        deadline, timeout = self._reactor.seconds() + patience, min(_TIMEOUT, patience)
        while True:
            try:
                answer = await self._link.call(method, timeout=timeout, **arguments)
                return convert(answer, shape)
            except RemoteError as error:
                if error.code not in _PASSING:
                    raise _typed(error) from None
                problem = str(error)
            except (CallTimedOut, ConnectionLost, NotConnected):
                problem = self._link.state
            except (HipError, TypeError) as error:
                raise StoreRefused(f"the index node cannot be asked: {error}") from None
            if self._reactor.seconds() > deadline:
                raise StoreUnreachable(
                    f"no index node answers ({problem}); is the archive running? `dlweb storage "
                    "status` asks its master"
                )
            await sleep(self._reactor, backoff.next())


def _typed(error: RemoteError) -> Exception:
    errors = {
        "invalid-capture": InvalidCapture,
        "holders-down": HoldersDown,
        "not-sure": HoldersDown,
    }
    return errors.get(error.code, StoreRefused)(error.message)


async def _wait_for_redirection(peer: Peer) -> None:
    """Hold calls back while linked to the master itself, who places nothing."""
    if peer.kind != "index-node":
        await peer.closed
