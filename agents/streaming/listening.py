"""One stream, listened to for as long as it is wanted."""

from collections.abc import Callable

from agents.stream import OrderedStream, StreamNews, StreamStatus
from agents.streaming.history import History


class Listening:
    """Listens to a stream.

    Args:
        ordered: which one.
        on_news: called with what becomes of it.

    Attributes:
        ordered: as given.
        history: its last day.
    """

    def __init__(self, ordered: OrderedStream, on_news: Callable[[StreamNews], None]) -> None:
        self.ordered = ordered
        self.history = History()
        self._on_news = on_news

    def start(self) -> None:
        """Begin to listen."""

    async def stop(self) -> None:
        """Listen no more; when it returns, what was heard is kept."""

    def status(self) -> StreamStatus:
        """Return how the stream stands."""
        return StreamStatus(self.ordered.stream, self.ordered.site, "waiting", self.ordered.state)
