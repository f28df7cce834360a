"""Asking servers: one request at a time to each address, over connections that are kept a while."""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen
from twisted.internet.defer import Deferred, DeferredSemaphore, TimeoutError

from agents import urls
from agents.feeds.errors import LookFailed, NotAFeed
from agents.feeds.lanes import Lanes
from anet.address import is_public
from anet.clock import wall
from anet.errors import ConnectionBroken, ForbiddenAddress, HttpError
from anet.http import HttpConnection, ResponseHead, connect, permit_all, resolve
from anet.http.exchange import State
from anet.tls import TlsSession

KEPT = 200  # connections kept at once
IDLE = 15.0  # seconds after which an unused connection is closed

Fields = Sequence[tuple[bytes, bytes]]


@frozen
class Manners:
    """How servers are spoken to.

    Attributes:
        user_agent: how the agent names itself.
        pause: seconds between two requests to one address.
        at_once: requests under way to all servers together.
        connect_timeout: seconds for a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        body_limit: bytes of a body, as sent and decoded.
    """

    user_agent: str
    pause: float = 1.0
    at_once: int = 100
    connect_timeout: float = 10.0
    silence: float = 30.0
    longest_exchange: float = 120.0
    body_limit: int = 8 * 2**20


@frozen
class Answer:
    """What a server answered.

    Attributes:
        head: its head.
        body: as sent, with its content coding.
        address: `ip:port` of the server.
        date: when the answer was here, in seconds since the epoch.
        tls: what was agreed upon over TLS.
        sent: the head of the request as it was sent.
    """

    head: ResponseHead
    body: bytes
    address: str
    date: float
    tls: TlsSession | None = None
    sent: bytes = b""

    def content(self, limit: int) -> bytes:
        """Return the body without its content coding.

        Raises:
            NotAFeed: it makes no sense, or is longer than `limit`.
        """
        if self.body[:2] != b"\x1f\x8b":
            return self.body
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            content = inflate.decompress(self.body, limit + 1)
        except zlib.error as error:
            raise NotAFeed(f"its gzip is damaged: {error}") from None
        if len(content) > limit:
            raise NotAFeed(f"it is longer than {limit} bytes")
        return content


_Key = tuple[str, int, str]  # address, port, and over TLS the host


class Fetcher:
    """Asks servers.

    Args:
        reactor: which reactor.
        manners: how.

    Attributes:
        requests: how many were made.
        lanes: who may ask which server when.
    """

    def __init__(self, reactor: Any, manners: Manners) -> None:
        self.requests = 0
        self.lanes = Lanes(reactor, manners.pause)
        self._reactor = reactor
        self._manners = manners
        self._slots = DeferredSemaphore(manners.at_once)
        self._kept: OrderedDict[_Key, tuple[HttpConnection, float]] = OrderedDict()
        self._fields = [
            (b"User-Agent", manners.user_agent.encode("latin-1", "replace")),
            (b"Accept-Encoding", b"gzip"),
        ]

    async def fetch(
        self,
        url: str,
        fields: Fields = (),
        *,
        private: bool = False,
        patient: bool = False,
        post: bytes | None = None,
        limit: int | None = None,
        rest: Callable[[Answer], float] = lambda _: 0.0,
        more: bool = False,
    ) -> Answer:
        """Ask for a canonical URL once it is its server's turn.

        Args:
            url: what to ask for.
            fields: further fields of the request.
            private: whether its address may be of a private network.
            patient: whether to wait for the turn however long it takes.
            post: a body to POST; GET without one.
            limit: bytes of the body that are enough: what is beyond fails.
            more: whether the same server is asked for more at once.
            rest: tells of an answer for how many seconds its server is to be left alone.

        Raises:
            Crowded: its turn does not come soon.
            LookFailed: no answer came.
        """
        tls, host, port = urls.endpoint(url)
        seconds = 0.0
        try:
            ip = await self._resolve(host, private)
            server, key = f"{ip}:{port}", (ip, port, host if tls else "")
            await self.lanes.enter(server, patient=patient)
            try:
                await self._slots.acquire()
                try:
                    asked = Deferred.fromCoroutine(self._ask(key, host, url, fields, post, limit))
                    answer = await asked.addTimeout(self._manners.longest_exchange, self._reactor)
                    seconds = rest(answer)
                    return answer
                finally:
                    self._slots.release()
            finally:
                if not more and not self.lanes.is_awaited(server):
                    self._close(key)
                self.lanes.leave(server, seconds)
        except TimeoutError:
            raise LookFailed("the answer takes too long") from None
        except HttpError as error:
            raise LookFailed(str(error)) from None

    async def _resolve(self, host: str, private: bool) -> str:
        found = await resolve(self._reactor, host, self._manners.connect_timeout)
        permit = permit_all if private else is_public
        for ip in found:
            if permit(ip):
                return ip
        raise ForbiddenAddress(f"{host} ({', '.join(found[:4])}) is not of the public Internet")

    async def _ask(
        self, key: _Key, host: str, url: str, fields: Fields, post: bytes | None, limit: int | None
    ) -> Answer:
        """Ask over the kept connection; once more on a new one if the server closed it."""
        asked = [(b"Host", urls.authority(url).encode("ascii")), *self._fields, *fields]
        method, target = ("GET" if post is None else "POST"), urls.target(url)
        while True:
            connection, kept = await self._obtain(key, host)
            self.requests += 1
            try:
                response = await connection.request(method, target, asked, post or b"")
            except ConnectionBroken:
                if not kept or connection.heard:
                    raise
                continue
            date = wall(self._reactor)
            try:
                body = await response.read(limit or self._manners.body_limit)
            finally:
                self._keep(key, connection)
            return Answer(
                response.head, body, response.address, date, connection.tls, response.sent
            )

    async def _obtain(self, key: _Key, host: str) -> tuple[HttpConnection, bool]:
        kept = self._kept.pop(key, None)
        if kept is not None and kept[0].state is State.IDLE:
            return kept[0], True
        made = await connect(
            self._reactor,
            host,
            key[1],
            tls=bool(key[2]),
            verify=False,  # the web is archived as it is, bad certificates too
            address=key[0],
            timeout=self._manners.connect_timeout,
            silence=self._manners.silence,
        )
        return made, False

    def _keep(self, key: _Key, connection: HttpConnection) -> None:
        if connection.state is not State.IDLE:
            connection.close()
            return
        self._kept[key] = (connection, self._reactor.seconds())
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)[1][0].close()

    def _close(self, key: _Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            kept[0].close()

    def sweep(self) -> None:
        """Close connections that nobody used for a while, and forget servers likewise."""
        oldest = self._reactor.seconds() - IDLE
        for key, (connection, used) in list(self._kept.items()):
            if used <= oldest or connection.state is not State.IDLE:
                connection.close()
                del self._kept[key]
        self.lanes.sweep()

    def close(self) -> None:
        """Close all connections that are kept."""
        for connection, _ in self._kept.values():
            connection.close()
        self._kept.clear()
