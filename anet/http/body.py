"""Where the body of a response ends, and the decoders that find it (RFC 9112 §6).

Sans I/O: bytes in, pieces of the body out. Chunked framing is decoded by llhttp.
"""

from typing import Protocol

import httptools

from anet.errors import ConnectionBroken, MalformedMessage
from anet.http.message import ResponseHead

BETWEEN_LIMIT = 64 * 1024  # bytes between pieces: sizes with their extensions, trailers
_CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


class BodyDecoder(Protocol):
    """Takes what follows a head and gives the body.

    Attributes:
        complete: whether the body has ended.
        surplus: whether bytes came that belong to no body; the connection is then spoilt.
    """

    complete: bool
    surplus: bool

    def feed(self, data: bytes) -> list[bytes]:
        """Return the pieces of the body in `data`.

        Raises:
            MalformedMessage: the framing is broken.
        """

    def end(self) -> None:
        """Take note that the peer closed.

        Raises:
            ConnectionBroken: the body is not whole.
        """


class LengthDecoder:
    """A body of a length said before it."""

    def __init__(self, length: int) -> None:
        self._missing = length
        self.complete = length == 0
        self.surplus = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the part of `data` within the length."""
        if len(data) > self._missing:
            self.surplus = True
            data = data[: self._missing]
        self._missing -= len(data)
        self.complete = self._missing == 0
        return [data] if data else []

    def end(self) -> None:
        """Refuse a body that is too short."""
        if not self.complete:
            raise ConnectionBroken(f"the peer closed {self._missing} bytes before the end")


class UntilCloseDecoder:
    """A body that ends when the peer closes."""

    complete = False
    surplus = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return all of `data`."""
        return [data] if data else []

    def end(self) -> None:
        """Take the end as the end of the body."""
        self.complete = True


class ChunkedDecoder:
    """A body in chunks that each say their length."""

    def __init__(self) -> None:
        self.complete = False
        self.surplus = False
        self._pieces: list[bytes] = []
        self._fruitless = 0  # bytes since the last piece
        self._parser = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_optional_lf_after_cr=True, lenient_optional_cr_before_lf=True
        )
        self._parser.feed_data(_CHUNKED_HEAD)

    def on_body(self, piece: bytes) -> None:
        """Take a piece from llhttp."""
        self._fruitless = 0
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        """Take the end from llhttp."""
        self.complete = True

    def feed(self, data: bytes) -> list[bytes]:
        """Return the pieces of the body in `data`, without the framing."""
        self._fruitless += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self.complete:
                raise MalformedMessage(f"chunked body: {error}") from None
            self.surplus = True
        if self._fruitless > BETWEEN_LIMIT + len(data):
            raise MalformedMessage(f"{self._fruitless} bytes between two chunks")
        pieces, self._pieces = self._pieces, []
        return pieces

    def end(self) -> None:
        """Refuse a body without its last chunk."""
        if not self.complete:
            raise ConnectionBroken("the peer closed before the last chunk")


def decoder_for(method: str, head: ResponseHead) -> BodyDecoder:
    """Return what decodes the body that follows `head`.

    Raises:
        MalformedMessage: the length is nonsense.
    """
    if method == "HEAD" or head.status in (204, 304) or head.status < 200:
        return LengthDecoder(0)
    coding = head.headers.get(b"transfer-encoding")
    if coding is not None and coding.lower().rpartition(b",")[2].strip() == b"chunked":
        return ChunkedDecoder()
    lengths = {value.strip() for value in (head.headers.get(b"content-length") or b"").split(b",")}
    lengths.discard(b"")
    if not lengths or coding is not None:
        return UntilCloseDecoder()
    length = lengths.pop()
    if lengths or not length.isdigit() or len(length) > 18:
        raise MalformedMessage(f"Content-Length {length[:40]!r} is not one number")
    return LengthDecoder(int(length))
