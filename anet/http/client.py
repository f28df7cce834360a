"""An HTTP client that keeps connections, for agents that talk to agents."""

from collections import deque
from collections.abc import Sequence
from typing import Any, NoReturn

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from anet.errors import ConnectionBroken, Overloaded, Stopped, TimedOut
from anet.http.connect import Creators, Permit, connect, permit_all
from anet.http.connection import HttpConnection
from anet.http.exchange import ClientResponse, State
from anet.http.file_body import FileBody
from anet.http.place import Place, read_url


def _timed_out(_: Any, seconds: float) -> NoReturn:
    raise TimedOut(f"no answer in {seconds:g} seconds")


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

    Args:
        reactor: which reactor.
        connections: to one place at once.
        waiting_limit: requests that may wait for a connection to one place.
        connect_timeout: seconds for a name, and again for each address it leads to.
        idle_timeout: seconds for which a connection is kept.
        response_timeout: seconds without a byte after which an exchange is given up.
        permit: tells of each IP address whether it may be connected to.
        permit_plain: tells the same for connections without TLS; without it `permit` does.
        tls: makes the TLS connections to a host; without it any server is taken whose certificate
            is good by the system's authorities.
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
        permit_plain: Permit | None = None,
        tls: Creators | None = None,
    ) -> None:
        self._reactor = reactor
        self._connections = connections
        self._waiting_limit = waiting_limit
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._response_timeout = response_timeout
        self._permit = permit
        self._permit_plain = permit_plain or permit
        self._tls = tls
        self._pools: dict[Place, _Pool] = {}
        self._open: set[HttpConnection] = set()
        self._closing: dict[HttpConnection, IDelayedCall] = {}  # those idle, by when they go
        self._ended: list[Deferred[None]] = []
        self._stopped = False

    async def request(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[bytes, bytes]] = (),
        body: bytes | FileBody = b"",
        *,
        patience: float | None = None,
    ) -> ClientResponse:
        """Ask, and return the answer once its head is here; its body must be taken or abandoned.

        Args:
            method: of the request.
            url: absolute.
            headers: fields besides `Host`, and those that frame the body.
            body: what is sent.
            patience: seconds until the head is here, with all waiting; None for no such limit.

        Raises:
            TimedOut: the server was silent, or `patience` was at its end.
            HttpError: no answer.
            OSError: the body's file cannot be opened.
            Stopped: the client was stopped.
            Overloaded: `waiting_limit` requests wait for a connection to that place already.
        """
        asking = self._request(method, url, headers, body)
        if patience is None:
            return await asking
        timed = Deferred.fromCoroutine(asking).addTimeout(patience, self._reactor, _timed_out)
        return await timed

    async def _request(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[bytes, bytes]],
        body: bytes | FileBody,
    ) -> ClientResponse:
        place, target = read_url(url)
        fields = [(b"Host", place.authority), *headers]
        while True:
            connection = await self._acquire(place)
            kept = connection.exchanges > 0
            try:
                return await connection.request(method, target, fields, body)
            except ConnectionBroken:
                if not kept or connection.heard:
                    raise
            finally:
                if connection.state is State.IDLE and connection not in self._closing:
                    connection.close()  # nothing was asked over it

    async def _acquire(self, place: Place) -> HttpConnection:
        if self._stopped:
            raise Stopped("this HTTP client was stopped")
        pool = self._pools.setdefault(place, _Pool())
        if pool.in_use >= self._connections:
            if len(pool.waiting) >= self._waiting_limit:
                raise Overloaded(f"{len(pool.waiting)} requests wait for {place.host}:{place.port}")
            turn: Deferred[None] = Deferred(lambda waiter: pool.waiting.remove(waiter))
            pool.waiting.append(turn)
            await turn  # whoever lets go hands its turn over, so in_use stays
        else:
            pool.in_use += 1
        while pool.idle:
            connection = pool.idle.pop()
            self._closing.pop(connection).cancel()
            if connection.state is State.IDLE:
                return connection
            pool.in_use += 1  # it is closing, and lets go of a turn when it is closed
        try:
            return await self._connect(place, pool)
        except BaseException:
            self._let_go(place, pool)
            raise

    async def _connect(self, place: Place, pool: _Pool) -> HttpConnection:
        if self._stopped:
            raise Stopped("this HTTP client was stopped")
        connection = await connect(
            self._reactor,
            place.host,
            place.port,
            tls=place.tls,
            timeout=self._connect_timeout,
            silence=self._response_timeout,
            permit=self._permit if place.tls else self._permit_plain,
            creators=self._tls,
        )
        self._open.add(connection)
        connection.on_idle = lambda _: self._keep(place, pool, connection)
        connection.on_close = lambda _: self._lost(place, pool, connection)
        return connection

    def _keep(self, place: Place, pool: _Pool, connection: HttpConnection) -> None:
        pool.idle.append(connection)
        self._closing[connection] = self._reactor.callLater(
            self._idle_timeout, self._drop, pool, connection
        )
        self._let_go(place, pool)

    def _drop(self, pool: _Pool, connection: HttpConnection) -> None:
        """Close a connection that nobody used for a while."""
        pool.idle.remove(connection)
        pool.in_use += 1  # until it is closed
        del self._closing[connection]
        connection.close()

    def _lost(self, place: Place, pool: _Pool, connection: HttpConnection) -> None:
        self._open.discard(connection)
        closing = self._closing.pop(connection, None)
        if closing is not None:  # it was idle, and nobody's turn
            closing.cancel()
            pool.idle.remove(connection)
            pool.in_use += 1
        self._let_go(place, pool)
        if not self._open:
            while self._ended:
                self._ended.pop().callback(None)

    def _let_go(self, place: Place, pool: _Pool) -> None:
        """Hand a turn to who waits longest."""
        if pool.waiting:
            pool.waiting.popleft().callback(None)
            return
        pool.in_use -= 1
        if not pool.in_use and not pool.idle and self._pools.get(place) is pool:
            del self._pools[place]

    async def stopService(self) -> None:
        """Close every connection and wait until they are closed; requests under way fail."""
        super().stopService()
        self._stopped = True
        for pool in list(self._pools.values()):
            while pool.waiting:
                pool.waiting.popleft().errback(Stopped("this HTTP client was stopped"))
        for connection in list(self._open):
            connection.close()
        if self._open:
            ended: Deferred[None] = Deferred()
            self._ended.append(ended)
            await ended
