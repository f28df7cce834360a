"""What a streaming agent answers over HIP (*INA §1.6*)."""

from agents.stream import OrderedStream, StreamingReport, StreamStatus
from agents.streaming.errors import NotCanonical, TooMany
from agents.streaming.streams import Streams
from hip import CallRefused, exposed

AT_ONCE = 500  # streams of one call


class StreamingMethods:
    """Methods for the scheduler and for people."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams

    @exposed(roles=("scheduler",))
    def listen(self, streams: list[OrderedStream]) -> int:
        """Listen to up to 500 streams, each from what was told of it last; tell how many there are.

        Those that are listened to already go on, as they do while the link to the scheduler is
        down. What becomes of them is told by calls of `streams_heard`. Refused with "too-many",
        and with "bad-stream" when a URL is not canonical; then none is begun.
        """
        _bounded(len(streams))
        try:
            return self._streams.listen(streams)
        except TooMany as error:
            raise CallRefused("too-many", str(error)) from None
        except NotCanonical as error:
            raise CallRefused("bad-stream", str(error)) from None

    @exposed(roles=("scheduler",))
    async def leave(self, streams: list[str]) -> int:
        """Listen to up to 500 streams no more; tell how many are listened to still.

        When the answer is here, what was heard of them is kept.
        """
        _bounded(len(streams))
        return await self._streams.leave(streams)

    @exposed
    def streams(self, after: str = "", limit: int = 100) -> list[StreamStatus]:
        """List up to 500 streams in the order of their URLs, those beyond `after`."""
        return self._streams.statuses(after, max(1, min(limit, AT_ONCE)))

    @exposed
    def stream(self, stream: str) -> StreamStatus | None:
        """Tell how a stream stands; null when it is not listened to."""
        return self._streams.status(stream)

    @exposed
    def progress(self) -> StreamingReport:
        """Tell how many streams are listened to, and what was done since the start."""
        return self._streams.report()


def _bounded(count: int) -> None:
    if count > AT_ONCE:
        raise CallRefused("too-many", f"give up to {AT_ONCE} streams at once")
