"""How many listen at once: each holds a connection for hours, and a block of memory."""

from collections.abc import AsyncIterator

from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault


class Listeners:
    """Counts listeners.

    Args:
        limit: at once.

    Attributes:
        count: who listen now.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.count = 0

    def seat(self, sound: AsyncIterator[bytes]) -> "Seat":
        """Return the sound as the body of an answer; it takes a place until it ends.

        Raises:
            Faulted: all places are taken (503).
        """
        self.check()
        return Seat(self, sound)

    def check(self) -> None:
        """Check that there is a place.

        Raises:
            Faulted: there is none (503).
        """
        if self.count >= self._limit:
            raise Faulted(_full(self._limit))


class Seat:
    """What one listener gets; an asynchronous iterator that gives its place back at its end."""

    def __init__(self, listeners: Listeners, sound: AsyncIterator[bytes]) -> None:
        self._listeners, self._sound = listeners, sound
        self._taken = True
        listeners.count += 1

    def __aiter__(self) -> "Seat":
        return self

    async def __anext__(self) -> bytes:
        """Return what comes next."""
        try:
            return await self._sound.__anext__()
        except BaseException:
            self._leave()
            raise

    async def aclose(self) -> None:
        """Listen no more."""
        self._leave()
        close = getattr(self._sound, "aclose", None)
        if close is not None:
            await close()

    def _leave(self) -> None:
        if self._taken:
            self._taken = False
            self._listeners.count -= 1


def _full(limit: int) -> Fault:
    """Return the fault; it names no URL, for nothing is missing."""
    return Fault(
        503, "too-many-listeners", "Too many listen now",
        f"{limit} readers listen to archived streams at this moment, as many as are allowed. Try "
        "again later; the operator can allow more: listeners.",
    )  # fmt: skip
