"""An HTTP client that keeps connections, for agents that talk to agents."""

from collections import deque
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from anet.errors import ConnectFailed, ConnectionBroken, Overloaded
from anet.http.connect import Permit, connect, permit_all
from anet.http.connection import ClientResponse, HttpConnection
from anet.http.file_body import FileBody

_Place = tuple[str, int, bool]  # host, port, TLS


@define
class _Pool:
    """The connections to one place: those in use, those idle, and who waits for one."""

    in_use: int = 0
    idle: deque[HttpConnection] = field(factory=deque)
    waiting: deque[Deferred[None]] = field(factory=deque)


class HttpClient(Service):
    """Requests over kept connections, at most `connections` to one place.

    A request that finds its kept connection closed by the server before any byte of an answer
    is sent once more on a new one.
    """

    def __init__(
        self,
        reactor: Any,
        *,
        connections: int = 8,
        waiting_limit: int = 1000,
        connect_timeout: float = 10.0,
        idle_timeout: float = 15.0,
        response_timeout: float = 60.0,
        permit: Permit = permit_all,
    ) -> None:
        self._reactor = reactor
        self._connections = connections
        self._waiting_limit = waiting_limit
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._response_timeout = response_timeout
        self._permit = permit
        self._pools: dict[_Place, _Pool] = {}
        self._open: set[HttpConnection] = set()
        self._closing: dict[HttpConnection, IDelayedCall] = {}

    async def request(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[bytes, bytes]] = (),
        body: bytes | FileBody = b"",
    ) -> ClientResponse:
        """Ask, and return the answer once its head is here; its body must be taken or abandoned.

        Raises:
            HttpError: no answer.
            Overloaded: `waiting_limit` requests wait for a connection to that place already.
        """
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConnectFailed(f"{url[:80]!r} is not an http URL")
        place = (parts.hostname, parts.port or (443 if tls else 80), tls)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        fields = [(b"Host", parts.netloc.rpartition("@")[2].encode("latin-1")), *headers]
        while True:
            connection = await self._acquire(place)
            kept = connection.exchanges > 0
            try:
                return await connection.request(method, target, fields, body)
            except ConnectionBroken:
                if not kept:
                    raise

    async def _acquire(self, place: _Place) -> HttpConnection:
        pool = self._pools.setdefault(place, _Pool())
        if pool.in_use >= self._connections:
            if len(pool.waiting) >= self._waiting_limit:
                raise Overloaded(f"{len(pool.waiting)} requests wait for {place[0]}:{place[1]}")
            turn: Deferred[None] = Deferred(lambda waiter: pool.waiting.remove(waiter))
            pool.waiting.append(turn)
            await turn  # whoever lets go hands its place over, so in_use stays
        else:
            pool.in_use += 1
        while pool.idle:
            connection = pool.idle.pop()
            self._closing.pop(connection).cancel()
            return connection
        try:
            return await self._connect(place, pool)
        except BaseException:
            self._let_go(pool)
            raise

    async def _connect(self, place: _Place, pool: _Pool) -> HttpConnection:
        host, port, tls = place
        connection = await connect(
            self._reactor,
            host,
            port,
            tls=tls,
            timeout=self._connect_timeout,
            silence=self._response_timeout,
            permit=self._permit,
        )
        self._open.add(connection)
        connection.on_idle = lambda _: self._keep(pool, connection)
        connection.on_close = lambda _: self._lost(pool, connection)
        return connection

    def _keep(self, pool: _Pool, connection: HttpConnection) -> None:
        pool.idle.append(connection)
        self._closing[connection] = self._reactor.callLater(self._idle_timeout, connection.close)
        self._let_go(pool)

    def _lost(self, pool: _Pool, connection: HttpConnection) -> None:
        self._open.discard(connection)
        closing = self._closing.pop(connection, None)
        if closing is None:
            self._let_go(pool)  # it was in use
            return
        pool.idle.remove(connection)
        if closing.active():
            closing.cancel()

    @staticmethod
    def _let_go(pool: _Pool) -> None:
        if pool.waiting:
            pool.waiting.popleft().callback(None)
        else:
            pool.in_use -= 1

    async def stopService(self) -> None:
        """Close every connection; requests under way fail."""
        super().stopService()
        for connection in list(self._open):
            connection.close()
