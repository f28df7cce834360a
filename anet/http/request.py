"""A request as a server's handler sees it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, unquote

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from anet.errors import BodyTooLarge, ConnectionBroken
from anet.http.message import Headers


@define(eq=False)
class Request:
    """A request whose head is here and whose body may still be on its way.

    Attributes:
        method: in capitals.
        target: as received: a path and query, or an absolute URL from a client of a proxy.
        headers: its fields.
        client: IP address of who asks.
        version: `1.1` or `1.0`.
        path: path of the target, percent-decoded; for absolute targets too.
        query: parameters of the target; the last of a name counts.
    """

    method: str
    target: str
    headers: Headers
    client: str = ""
    version: str = "1.1"
    _held: list[bytes] = field(factory=list, init=False)
    _whole: bool = field(default=False, init=False)
    _sink: Callable[[bytes], "Deferred[Any] | None"] | None = field(default=None, init=False)
    _done: Deferred[int] | None = field(default=None, init=False)
    _size: int = field(default=0, init=False)
    _pausing: bool = field(default=False, init=False)
    _gone: bool = field(default=False, init=False)
    _hold_client: Callable[[bool], None] = field(default=lambda _: None, init=False)

    @property
    def path(self) -> str:
        """The path, percent-decoded."""
        return unquote(self._local().partition("?")[0])

    @property
    def query(self) -> dict[str, str]:
        """The parameters; at most a hundred are read."""
        text = self._local().partition("?")[2]
        try:
            return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
        except ValueError:
            return {}

    def _local(self) -> str:
        if "://" not in self.target.partition("?")[0]:
            return self.target
        rest = self.target.partition("://")[2]
        return rest[rest.find("/") :] if "/" in rest else "/"

    async def read(self, limit: int) -> bytes:
        """Return the body.

        Raises:
            BodyTooLarge: it has more than `limit` bytes.
            ConnectionBroken: it did not come whole.
        """
        pieces: list[bytes] = []

        def collect(piece: bytes) -> None:
            if self._size > limit:
                raise BodyTooLarge(f"the body passes {limit} bytes")
            pieces.append(piece)

        await self.deliver(collect)
        return b"".join(pieces)

    def deliver(self, sink: Callable[[bytes], "Deferred[Any] | None"]) -> Deferred[int]:
        """Give the body to `sink`, piece by piece, as it arrives.

        Args:
            sink: takes each piece; a Deferred it returns holds the client back until it fires.

        Returns:
            Fires with the size of the body in bytes.

        Raises:
            ConnectionBroken: the client went away before the end.
        """
        self._done = Deferred()
        self._sink = sink
        if self._gone and not self._whole:
            self._done.errback(ConnectionBroken("the client went away"))
            return self._done
        done = self._done
        self._pump()
        return done

    def discard(self) -> None:
        """Let the rest of the body pass unread."""
        self._held.clear()
        self._sink = lambda _: None

    # What the connection tells

    def _take(self, piece: bytes) -> None:
        self._held.append(piece)
        self._pump()
        if self._sink is None:
            self._hold_client(True)

    def _end(self) -> None:
        self._whole = True
        self._pump()

    def _lose(self) -> None:
        self._gone = True
        if not self._whole:
            self._fail(ConnectionBroken("the client went away before the end of the body"))

    def _pump(self) -> None:
        while self._held and self._sink is not None and not self._pausing:
            piece = self._held.pop(0)
            self._size += len(piece)
            try:
                pause = self._sink(piece)
            except Exception as error:
                self._fail(error)
                return
            if pause is None or (pause.called and not isinstance(pause.result, Failure)):
                continue
            self._pausing = True
            self._hold_client(True)
            pause.addCallbacks(self._resume, lambda failure: self._fail(failure.value))
        if self._sink is not None and not self._pausing and not self._held:
            self._hold_client(False)
            if self._whole and self._done is not None:
                done, self._done = self._done, None
                done.callback(self._size)

    def _resume(self, _: object) -> None:
        self._pausing = False
        self._pump()

    def _fail(self, error: BaseException) -> None:
        done, self._done = self._done, None
        self.discard()
        self._pausing = False
        self._hold_client(False)
        if done is not None:
            done.errback(error)
