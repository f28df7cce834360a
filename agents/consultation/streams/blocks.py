"""Bytes of contents, fetched block by block: no storage node waits while a listener listens."""

from agents.capture import Capture
from agents.consultation.lookup.retrieval import Retrieval

BLOCK = 256 * 1024  # bytes held for one listener: 16 seconds at 128 kbit/s


class Blocks:
    """Gives bytes of contents that are read from front to back.

    Args:
        retrieval: opens contents.
        url: of the stream, for who is told that a content is missing.
    """

    def __init__(self, retrieval: Retrieval, url: str) -> None:
        self._retrieval, self._url = retrieval, url
        self._content = ""
        self._begin = 0
        self._held = b""

    async def read(self, content: str, size: int, start: int, stop: int) -> bytes:
        """Return bytes of a content from one on: at least one, and none from `stop` on.

        Raises:
            Faulted: no node gives it (500).
        """
        if content != self._content or not self._begin <= start < self._begin + len(self._held):
            await self._fetch(content, size, start)
        begin = start - self._begin
        return self._held[begin : begin + stop - start]

    async def _fetch(self, content: str, size: int, start: int) -> None:
        span = (start, min(size, start + BLOCK))
        capture = Capture(self._url, "", content, size, 200, b"")
        opened = await self._retrieval.open(capture, span)
        pieces = [piece async for piece in opened] if opened is not None else []
        self._content, self._begin, self._held = content, start, b"".join(pieces)
