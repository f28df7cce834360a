"""Writing a response to a client: its head, and a body of the length that the head says."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from attrs import frozen

from anet.errors import ConnectionBroken
from anet.http.file_body import FileBody, FilePart
from anet.http.request import Request
from anet.http.response import Response
from anet.http.sending import PacedWriter


@frozen
class Answer:
    """A response that is ready to be sent, so that what can fail has not failed half-way.

    Attributes:
        response: what the handler gave.
        head: its head, as it goes out.
        keep_alive: whether another answer may follow.
        chunked: whether its body goes in chunks.
        part: its body, when that is an open file.
    """

    response: Response
    head: bytes
    keep_alive: bool
    chunked: bool
    part: FilePart | None

    @classmethod
    def prepare(cls, request: Request, response: Response, keep_alive: bool) -> "Answer":
        """Make a response ready.

        Raises:
            OSError: its file cannot be opened.
            ValueError: a header field would end its line, and begin another.
        """
        bodiless = request.method == "HEAD" or response.bodiless()
        has_length = response.bodiless() or response.body_length() is not None
        chunked = not has_length and request.version == "1.1"
        keep_alive = keep_alive and (has_length or chunked)
        head = response.head(keep_alive, chunked)
        is_file = isinstance(response.body, FileBody) and not bodiless
        part = response.body.open() if is_file else None  # type: ignore[union-attr]
        return cls(response, head, keep_alive, chunked and not bodiless, part)

    async def send(self, writer: PacedWriter, bodiless: bool) -> None:
        """Write it, at the client's pace.

        Raises:
            ConnectionBroken: the client went away, or the body has not the length it should.
        """
        body = self.response.body
        if self.part is not None:
            await writer.send_file(self.head, self.part)
        elif isinstance(body, bytes):
            await writer.send(self.head if bodiless else self.head + body)
        else:
            writer.write(self.head)
            if not bodiless and not isinstance(body, FileBody):
                await self._send_pieces(writer, body)
            await writer.drain()

    async def _send_pieces(self, writer: PacedWriter, pieces: AsyncIterator[bytes]) -> None:
        size = 0
        async for piece in pieces:
            size += len(piece)
            self._check(size, at_end=False)
            if piece:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if self.chunked else piece)
                await writer.drain()
        self._check(size, at_end=True)
        if self.chunked:
            writer.write(b"0\r\n\r\n")

    def _check(self, size: int, at_end: bool) -> None:
        """Refuse a body that is not as long as its head says; its end would be misread."""
        length = self.response.length
        if length is not None and (size > length or (at_end and size < length)):
            raise ConnectionBroken(f"a body of {length} bytes came as {size}")


async def let_go(response: Response) -> None:
    """End a body that comes in pieces, so that it lets go of what it holds."""
    close: Callable[[], Coroutine[Any, Any, None]] | None
    close = getattr(response.body, "aclose", None)
    if close is not None:
        await close()
