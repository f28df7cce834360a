"""Requests of a peer that does not read: they wait until it does, for nobody would take answers."""

from collections import deque
from collections.abc import Iterable, Iterator

from hip.messages import Cancellation, Request


class Backlog:
    """Requests in the order in which they came; iterating takes them out.

    Args:
        limit: bytes that may wait.
        cancellations: of requests that wait, how many are kept; a request beyond is run in vain.

    Attributes:
        size: bytes of the frames that wait.
    """

    __slots__ = ("_cancellations", "_frames", "_limit", "_unwanted", "size")

    def __init__(self, limit: int, cancellations: int) -> None:
        self.size = 0
        self._limit = limit
        self._cancellations = cancellations
        self._frames: deque[tuple[Iterator[Request], int]] = deque()
        self._unwanted: set[int] = set()

    def add(self, requests: Iterator[Request], size: int) -> bool:
        """Keep what is left of a frame of `size` bytes; tell whether there was room."""
        if self.size + size > self._limit:
            return False
        self._frames.append((requests, size))
        self.size += size
        return True

    def cancel(self, cancellations: Iterable[Cancellation]) -> None:
        """Leave out requests that are no longer wanted."""
        for cancellation in cancellations:
            if len(self._unwanted) < self._cancellations:
                self._unwanted.add(cancellation.number)

    def __iter__(self) -> Iterator[Request]:
        return self

    def __next__(self) -> Request:
        while self._frames:
            requests, size = self._frames[0]
            for request in requests:
                if request.number not in self._unwanted:
                    return request
            self._frames.popleft()
            self.size -= size
        raise StopIteration
