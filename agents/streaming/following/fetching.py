"""Asking servers for manifests and segments, and keeping what they answer."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from attrs import frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError

from agents.collected import Captures, Exchange, Recording
from agents.streaming.following.answers import check, decoded, exchange_of, redirection
from agents.streaming.following.errors import NotFetched
from anet.address import is_public
from anet.clock import wall
from anet.errors import AnetError
from anet.http import HttpClient, permit_all
from anet.http.exchange import ClientResponse
from anet.media.segments import Resource
from anet.names import ascii_name
from anet.tls import client_creator

REDIRECTS = 5
REDIRECT_LIMIT = 64 * 1024  # bytes of the body of a redirection, or of an error
_REMEMBERED = 10_000  # URLs of manifests and redirections whose last answer is known

Sink = Callable[[bytes], None]
_Came = TypeVar("_Came")


@frozen
class Manners:
    """How servers are spoken to.

    Attributes:
        user_agent: how the agent names itself.
        connections: to one server at once.
        connect_timeout: seconds for a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        manifest_limit: bytes of a manifest.
        segment_limit: bytes of a segment.
    """

    user_agent: str
    connections: int = 4
    connect_timeout: float = 10.0
    silence: float = 30.0
    longest_exchange: float = 120.0
    manifest_limit: int = 4 * 2**20
    segment_limit: int = 256 * 2**20


@frozen
class Read:
    """A manifest as it was read.

    Attributes:
        url: that gave it, behind redirections.
        body: without content coding.
        changed: whether it is another one than the last time.
        address: `ip:port` of the server.
        head: of the answer, as received.
        date: when it came, in seconds since the epoch.
    """

    url: str
    body: bytes
    changed: bool
    address: str
    head: bytes
    date: float


@frozen
class Kept:
    """Something that was fetched and kept.

    Attributes:
        size: bytes of its body.
        media_type: as the server says.
        date: when it began to come, in seconds since the epoch.
    """

    size: int
    media_type: str
    date: float


class Fetcher(Service):
    """Asks servers; shared by all streams of the agent.

    Args:
        reactor: which reactor.
        manners: how.
        captures: where answers are kept.
    """

    def __init__(self, reactor: Any, manners: Manners, captures: Captures) -> None:
        self._reactor, self._manners, self._captures = reactor, manners, captures
        self._clients = {private: self._client(private) for private in (False, True)}
        self._last: OrderedDict[str, bytes] = OrderedDict()  # digests of answers
        self._fields = [(b"User-Agent", manners.user_agent.encode("latin-1", "replace"))]

    async def stopService(self) -> None:
        """Close all connections; what is under way fails."""
        super().stopService()
        for client in self._clients.values():
            await client.stopService()

    async def read(self, url: str, site: str, private: bool, asked: str = "") -> Read:
        """Return a manifest; it is kept if it is another one than the last time.

        Args:
            url: of the manifest, canonical: its name in the archive.
            site: the site to which it belongs.
            private: whether it may lie on a private network.
            asked: what to ask for in its place, to be answered only once there is news.

        Raises:
            NotFetched: there is none, or it cannot be kept.
        """
        fields = [(b"Accept-Encoding", b"gzip")]
        limit = self._manners.manifest_limit
        for _ in range(REDIRECTS + 1):
            response, date = await self._ask(asked or url, fields, private)
            body = await self._whole(response, limit)
            exchange = exchange_of(url, response, date, site)
            changed = await self._keep_changed(exchange, body)
            target = redirection(response, url)
            if target is None:
                check(response)
                text = decoded(response, body, limit)
                return Read(url, text, changed, response.address, response.head.raw, date)
            url, asked = target, ""
        raise NotFetched(f"more than {REDIRECTS} redirections")

    async def keep(
        self,
        resource: Resource,
        site: str,
        private: bool,
        sink: Sink | None = None,
        limit: int | None = None,
    ) -> Kept:
        """Fetch a segment, a key or an initialisation, and keep it.

        Args:
            resource: its URL, canonical, and which bytes of it.
            site: the site to which it belongs.
            private: whether it may lie on a private network.
            sink: is given its bytes as they come.
            limit: bytes that it may have; that of segments without it.

        Raises:
            NotFetched: it did not come whole, or cannot be kept.
        """
        fields = [(b"Range", resource.range)] if resource.range else []
        url = resource.url
        for _ in range(REDIRECTS + 1):
            response, date = await self._ask(url, fields, private)
            target = redirection(response, url)
            if target is None:
                return await self._keep_whole(url, response, date, site, sink, limit)
            body = await self._whole(response, REDIRECT_LIMIT)
            await self._keep_changed(exchange_of(url, response, date, site), body)
            url = target
        raise NotFetched(f"more than {REDIRECTS} redirections")

    async def _keep_whole(
        self,
        url: str,
        response: ClientResponse,
        date: float,
        site: str,
        sink: Sink | None,
        limit: int | None,
    ) -> Kept:
        try:
            check(response)
        except NotFetched:
            response.abandon()
            raise
        recording = self._captures.recording()
        try:
            size = await self._record(response, recording, sink, limit)
            await self._captures.keep(exchange_of(url, response, date, site), recording)
        except OSError as error:
            raise NotFetched(f"{url} cannot be kept: {error}") from None
        finally:
            recording.release()
        kind = response.head.headers.text(b"content-type").partition(";")[0].strip().lower()
        return Kept(size, kind, date)

    async def _record(
        self,
        response: ClientResponse,
        recording: Recording,
        sink: Sink | None,
        limit: int | None,
    ) -> int:
        most = limit or self._manners.segment_limit

        def take(piece: bytes) -> None:
            if recording.size + len(piece) > most:
                raise NotFetched(f"it is longer than {most} bytes", 413)
            recording.write(piece)
            if sink is not None:
                sink(piece)

        size = await self._timed(response.deliver(take))
        if recording.problem:
            raise OSError(recording.problem)
        return size

    async def _ask(
        self, url: str, fields: list[tuple[bytes, bytes]], private: bool
    ) -> tuple[ClientResponse, float]:
        """Ask; return the answer with its head, and when that came."""
        client = self._clients[private]
        try:
            response = await client.request(
                "GET", url, [*self._fields, *fields], patience=self._manners.longest_exchange
            )
        except AnetError as error:
            raise NotFetched(str(error)) from None
        return response, wall(self._reactor)

    async def _whole(self, response: ClientResponse, limit: int) -> bytes:
        return await self._timed(Deferred.fromCoroutine(response.read(limit)))

    async def _timed(self, coming: Deferred[_Came]) -> _Came:
        try:
            return await coming.addTimeout(self._manners.longest_exchange, self._reactor)
        except TimeoutError:
            raise NotFetched("the answer takes too long") from None
        except AnetError as error:
            raise NotFetched(str(error)) from None

    async def _keep_changed(self, exchange: Exchange, body: bytes) -> bool:
        """Keep an answer unless it is that of the last time; tell whether it was kept."""
        said = exchange.head.headers.text(b"location")
        digest = sha256(f"{exchange.head.status} {said}\n".encode() + body).digest()
        if self._last.get(exchange.url) == digest:
            self._last.move_to_end(exchange.url)
            return False
        try:
            await self._captures.keep(exchange, body)
        except OSError as error:
            raise NotFetched(f"{exchange.url} cannot be kept: {error}") from None
        self._last[exchange.url] = digest
        self._last.move_to_end(exchange.url)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        return True

    def _client(self, private: bool) -> HttpClient:
        manners = self._manners
        return HttpClient(
            self._reactor,
            connections=manners.connections,
            connect_timeout=manners.connect_timeout,
            response_timeout=manners.silence,
            permit=permit_all if private else is_public,
            # The web is archived as it is, bad certificates too.
            tls=lambda host: client_creator(ascii_name(host), False, ()),
        )
