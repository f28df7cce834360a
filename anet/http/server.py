"""An HTTP/1.1 server for agents: streamed both ways, bounded, one request at a time a client.

Requests are parsed by llhttp, strictly, since two readings of one request are how proxies are
abused. A pipelined request waits until the one before it is answered.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import httptools
from attrs import frozen
from twisted.application.service import Service
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.protocols.policies import TimeoutMixin
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.address import Address
from anet.errors import AddressInUse, BodyTooLarge, ConnectionBroken, PermissionRefused
from anet.factories import factory_of
from anet.http.file_body import FileBody
from anet.http.message import Headers
from anet.http.request import Request
from anet.http.response import Response

Handler = Callable[[Request], Awaitable[Response]]

_log = Logger()
_TEXT = (b"Content-Type", b"text/plain; charset=utf-8")
_PIECE = 64 * 1024  # bytes read from a file at once


@frozen
class Limits:
    """What a server accepts.

    Attributes:
        head: bytes of a request's head; more is answered with 431.
        connections: clients at once; one more is closed.
        silence: seconds a client may say or read nothing.
        pipeline: requests of one client that may wait; past it the client is not read.
    """

    head: int = 64 * 1024
    connections: int = 2000
    silence: float = 60.0
    pipeline: int = 16


class HttpServer(Service):
    """Serves one handler at one address.

    Attributes:
        port: where it listens once started; the real one when 0 was asked for.
        requests: how many were answered.
    """

    def __init__(
        self,
        reactor: Any,
        address: str,
        handler: Handler,
        *,
        name: str,
        limits: Limits | None = None,
    ) -> None:
        self.name: str = name
        self.port = Address.parse(address).port
        self.requests = 0
        self._reactor = reactor
        self._address = Address.parse(address)
        self._handler = handler
        self._limits = limits or Limits()
        self._listening: Any = None
        self._connections: set[_ServerConnection] = set()

    @property
    def address(self) -> str:
        """`host:port` where it listens."""
        return str(Address(self._address.host, self.port))

    def startService(self) -> None:
        """Listen.

        Raises:
            AddressInUse: another process listens there.
            PermissionRefused: this user may not listen there.
        """
        super().startService()
        factory = factory_of(self._accept)
        self._listening = listen(self._reactor, self._address, factory, self.name)
        self.port = self._listening.getHost().port

    def _accept(self) -> "_ServerConnection":
        return _ServerConnection(self, self._reactor, self._limits)

    async def stopService(self) -> None:
        """Stop listening, let requests under way end for a few seconds, then close."""
        super().stopService()
        listening, self._listening = self._listening, None
        if listening is not None:
            await listening.stopListening()
        ended = [connection.finish() for connection in list(self._connections)]
        if ended:
            waiting = DeferredList(ended)
            waiting.addTimeout(5.0, self._reactor, lambda *_: None)
            await waiting
        for connection in list(self._connections):
            connection.abort()


def listen(reactor: Any, address: Address, factory: Any, name: str) -> Any:
    """Listen at a TCP address and return the listening port.

    Raises:
        AddressInUse: another process listens there.
        PermissionRefused: this user may not listen there.
    """
    try:
        return reactor.listenTCP(address.port, factory, interface=address.host, backlog=512)
    except CannotListenError as error:
        code = getattr(error.socketError, "errno", None)
        if code == 13:
            raise PermissionRefused(
                f"{name} may not listen at {address}: ports below 1024 need rights; "
                "choose another in the configuration"
            ) from None
        raise AddressInUse(
            f"{name} cannot listen at {address}: {error.socketError}; end the process that "
            "listens there, or choose another port (--base-port, or the address in the "
            "configuration)"
        ) from None


@implementer(IPushProducer)
class _ServerConnection(Protocol, TimeoutMixin):
    """One client; callbacks named on_… come from llhttp."""

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, server: HttpServer, reactor: Any, limits: Limits) -> None:
        self.callLater = reactor.callLater  # type: ignore[method-assign]
        self._server = server
        self._limits = limits
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: deque[tuple[Request, bool]] = deque()
        self._reading: Request | None = None
        self._working: Deferred[None] | None = None
        self._finishing = False
        self._lost = False
        self._drained: Deferred[None] | None = None
        self._ended: list[Deferred[None]] = []
        self._begin_head()

    # The connection

    def connectionMade(self) -> None:
        if len(self._server._connections) >= self._limits.connections:
            self._lost = True
            self.transport.abortConnection()
            return
        self._server._connections.add(self)
        self.transport.setTcpNoDelay(True)
        self.transport.registerProducer(self, True)
        self.setTimeout(self._limits.silence)

    def dataReceived(self, data: bytes) -> None:
        self.resetTimeout()
        if self._finishing:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._finishing = True  # the request is answered; its other protocol is not spoken
        except httptools.HttpParserError as error:
            self._refuse(431 if self._too_large else 400, error)
            return
        if len(self._waiting) >= self._limits.pipeline:
            self.transport.pauseProducing()

    def _refuse(self, status: int, error: Exception) -> None:
        """Answer what is not a request; nothing more is read from this client."""
        self._finishing = True
        words = "the head is too large" if self._too_large else str(error)[:200]
        if self._working is None:
            body = f"Not a request: {words}\n".encode()
            self.transport.write(Response(status, [_TEXT], body).head(False, False) + body)
            self._close()

    def timeoutConnection(self) -> None:
        self.abort()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._lost = True
        self.setTimeout(None)
        self._server._connections.discard(self)
        if self._reading is not None:
            self._reading._lose()
        if self._working is not None:
            self._working.cancel()
        self.resumeProducing()
        self._waiting.clear()
        for ended in self._ended:
            ended.callback(None)
        self._ended.clear()

    def finish(self) -> Deferred[None]:
        """Close once the request under way is answered; fires when closed."""
        ended: Deferred[None] = Deferred(lambda _: None)
        self._ended.append(ended)
        self._finishing = True
        if self._working is None:
            self._close()
        return ended

    def abort(self) -> None:
        """Close at once."""
        if not self._lost:
            self.transport.abortConnection()

    def _close(self) -> None:
        if not self._lost:
            self.transport.unregisterProducer()
            self.transport.loseConnection()

    # Parsing

    def _begin_head(self) -> None:
        self._url = b""
        self._pairs: list[tuple[bytes, bytes]] = []
        self._head_size = 0
        self._too_large = False

    def _count(self, size: int) -> None:
        self._head_size += size
        if self._head_size > self._limits.head:
            self._too_large = True
            raise ValueError("the head is too large")

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        self._pairs.append((name, value))

    def on_headers_complete(self) -> None:
        request = Request(
            method=self._parser.get_method().decode("latin-1"),
            target=self._url.decode("latin-1"),
            headers=Headers(self._pairs),
            client=getattr(self.transport.getPeer(), "host", ""),
            version=self._parser.get_http_version(),
        )
        request._hold_client = self._hold_client
        request._whole = not _has_body(request.headers)
        keep_alive = self._parser.should_keep_alive() and request.method != "CONNECT"
        self._begin_head()
        self._reading = request
        if (request.headers.get(b"expect") or b"").lower() == b"100-continue":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._waiting.append((request, keep_alive))
        self._work()

    def on_body(self, piece: bytes) -> None:
        if self._reading is not None:
            self._reading._take(piece)

    def on_message_complete(self) -> None:
        if self._reading is not None:
            reading, self._reading = self._reading, None
            reading._end()

    def _hold_client(self, hold: bool) -> None:
        if self._lost:
            return
        if hold:
            self.setTimeout(None)
            self.transport.pauseProducing()
        else:
            self.setTimeout(self._limits.silence)
            self.transport.resumeProducing()

    # Answering

    def _work(self) -> None:
        if self._working is None and self._waiting and not self._lost:
            request, keep_alive = self._waiting.popleft()
            self._working = working = Deferred.fromCoroutine(self._answer(request, keep_alive))
            working.addBoth(self._answered)
            if working.called:
                self._working = None

    def _answered(self, result: object) -> None:
        self._working = None
        if isinstance(result, Failure) and not result.check(CancelledError, ConnectionBroken):
            _log.failure("an answer broke off", failure=result)
        if isinstance(result, Failure):
            self.abort()
        elif self._finishing and not self._waiting:
            self._close()
        elif not self._lost:
            if len(self._waiting) < self._limits.pipeline:
                self.transport.resumeProducing()
            self._work()

    async def _answer(self, request: Request, keep_alive: bool) -> None:
        self.setTimeout(None)
        response = await self._ask(request)
        whole = request._whole
        request.discard()
        keep_alive = keep_alive and whole and not self._finishing
        if not keep_alive:
            self._finishing = True
        self._server.requests += 1
        self.setTimeout(self._limits.silence)
        await self._send(request, response, keep_alive)

    async def _ask(self, request: Request) -> Response:
        try:
            return await self._server._handler(request)
        except BodyTooLarge as error:
            return Response.text(413, f"{error}\n")
        except (CancelledError, ConnectionBroken):
            raise
        except Exception:
            _log.failure(
                "{name}: no answer to {target}", name=self._server.name, target=request.target
            )
            return Response.text(500, "This agent made a mistake; its log says which.\n")

    async def _send(self, request: Request, response: Response, keep_alive: bool) -> None:
        bodiless = request.method == "HEAD" or response.bodiless()
        chunked = response.body_length() is None and request.version == "1.1"
        keep_alive = keep_alive and (chunked or response.body_length() is not None)
        if not keep_alive:
            self._finishing = True
        head = response.head(keep_alive, chunked)
        body = response.body
        if bodiless:
            self.transport.write(head)
            if not isinstance(body, bytes | FileBody):
                await _close_pieces(body)
        elif isinstance(body, bytes):
            self.transport.write(head + body)
        elif isinstance(body, FileBody):
            await self._send_file(head, body)
        else:
            self.transport.write(head)
            await self._send_pieces(body, chunked)
        await self._drain()

    async def _send_file(self, head: bytes, body: FileBody) -> None:
        file = body.open()
        try:
            self.transport.write(head + file.read(_PIECE))
            while piece := file.read(_PIECE):
                await self._drain()
                self.transport.write(piece)
        finally:
            file.close()

    async def _send_pieces(self, pieces: Any, chunked: bool) -> None:
        try:
            async for piece in pieces:
                if piece:
                    framed = b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece
                    self.transport.write(framed)
                    await self._drain()
        finally:
            await _close_pieces(pieces)
        if chunked:
            self.transport.write(b"0\r\n\r\n")

    async def _drain(self) -> None:
        """Wait until the client has taken what was written."""
        if self._drained is not None:
            await self._drained
        self.resetTimeout()
        if self._lost:
            raise ConnectionBroken("the client went away")

    def pauseProducing(self) -> None:
        """Stop writing: the client does not read."""
        if self._drained is None:
            self._drained = Deferred()

    def resumeProducing(self) -> None:
        """Write again."""
        drained, self._drained = self._drained, None
        if drained is not None:
            drained.callback(None)

    def stopProducing(self) -> None:
        """Stop for good; `connectionLost` follows."""


def _has_body(headers: Headers) -> bool:
    """Tell whether a body follows a request's head (RFC 9112 §6.3)."""
    length = headers.get(b"content-length")
    return b"transfer-encoding" in headers or length not in (None, b"0")


async def _close_pieces(pieces: Any) -> None:
    """End an iterator that will not be read, so that it lets go of what it holds."""
    close: Callable[[], Coroutine[Any, Any, None]] | None = getattr(pieces, "aclose", None)
    if close is not None:
        await close()
