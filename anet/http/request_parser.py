"""Reading requests from bytes, within limits. Sans I/O; the grammar is llhttp's, and strict.

A server takes no liberties: two readings of one request are how proxies are abused.
"""

from collections.abc import Callable

import httptools
from attrs import frozen

from anet.http.message import Headers


class BadRequest(Exception):
    """The bytes are no request.

    Attributes:
        status: what to answer.
    """

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@frozen
class RequestHead:
    """What a request says before its body.

    Attributes:
        method: in capitals.
        target: as received.
        version: `1.1` or `1.0`.
        headers: its fields.
        keep_alive: whether the client would send another request on the connection.
    """

    method: str
    target: str
    version: str
    headers: Headers
    keep_alive: bool

    def has_body(self) -> bool:
        """Tell whether a body follows (RFC 9112 §6.3)."""
        length = self.headers.get(b"content-length")
        return length not in (None, b"0") or b"transfer-encoding" in self.headers

    def expects_continue(self) -> bool:
        """Tell whether the client waits to be asked for the body (RFC 9110 §10.1.1)."""
        expectation = (self.headers.get(b"expect") or b"").lower()
        return expectation == b"100-continue" and self.version == "1.1"


class RequestParser:
    """Tells what requests a client sends; methods named on_… are called by llhttp.

    Attributes:
        is_between: whether no request has begun that has not come whole.
    """

    def __init__(
        self,
        limit: int,
        on_head: Callable[[RequestHead], None],
        on_body: Callable[[bytes], None],
        on_end: Callable[[], None],
    ) -> None:
        """Call `on_head`, then `on_body` with each piece, then `on_end`, for each request.

        Args:
            limit: bytes of a head, and of what is between the pieces of a body in chunks.
            on_head: called when a head is complete.
            on_body: called with each piece of its body.
            on_end: called when its body is complete.
        """
        self.is_between = True
        self._limit = limit
        self._on_head, self._on_body, self._on_end = on_head, on_body, on_end
        self._fruitless = 0  # bytes since llhttp last had something to tell
        self._in_head = False
        self._too_large = False
        self._url = b""
        self._pairs: list[tuple[bytes, bytes]] = []
        self._size = 0
        self._parser = httptools.HttpRequestParser(self)

    def feed(self, data: bytes) -> bytes | None:
        """Read bytes; if the client wants to speak another protocol, return what follows its wish.

        Raises:
            BadRequest: they are no request, or pass a limit; nothing more can be read.
        """
        self._fruitless += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            return data[upgrade.args[0] :]
        except httptools.HttpParserError as error:
            if self._too_large:
                raise BadRequest(431, "the head is too large") from None
            raise BadRequest(400, str(error)[:200]) from None
        if self._fruitless > self._limit:  # llhttp would keep a field that never ends
            raise BadRequest(431, "the head is too large")
        return None

    def on_message_begin(self) -> None:
        """Forget the request before, and any fields that came after its body."""
        self._in_head = True
        self.is_between = False
        self._url, self._pairs, self._size = b"", [], 0

    def on_url(self, url: bytes) -> None:
        """Take a part of the target."""
        self._count(len(url))
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field; those after a body (trailers) may not pass for fields of a head."""
        self._count(len(name) + len(value))
        if self._in_head:
            self._pairs.append((name, value))

    def on_headers_complete(self) -> None:
        """Tell of the head."""
        self._fruitless = 0
        self._in_head = False
        head = RequestHead(
            method=self._parser.get_method().decode("latin-1"),
            target=self._url.decode("latin-1"),
            version=self._parser.get_http_version(),
            headers=Headers(self._pairs),
            keep_alive=self._parser.should_keep_alive(),
        )
        self._on_head(head)

    def on_body(self, piece: bytes) -> None:
        """Tell of a piece of the body."""
        self._fruitless = 0
        self._on_body(piece)

    def on_message_complete(self) -> None:
        """Tell of the end."""
        self._fruitless = 0
        self.is_between = True
        self._on_end()

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            self._too_large = True
            raise ValueError("the head is too large")
