"""Fetching one URL at a time, politely (*INA §1.4.4*)."""

from collections.abc import Callable
from typing import Any

from attrs import frozen
from twisted.internet.defer import Deferred, TimeoutError

from agents import urls
from agents.crawler.connections import Connections, Place
from agents.crawler.errors import FetchFailed
from agents.crawler.politeness import Account, Accounts, rest_asked
from agents.order import Politeness
from anet.errors import ConnectionBroken, ForbiddenAddress, HttpError, MalformedMessage
from anet.http import ClientResponse, HttpConnection, ResponseHead

LONGEST_DELAY = 60.0  # seconds between two requests that a robots.txt may ask for
SUFFERING = frozenset([429, 503])  # statuses of a server that asks to be left alone

Sink = Callable[[bytes], Deferred[Any] | None]
Receiver = Callable[[ResponseHead], Sink]


@frozen
class Answer:
    """What a URL answered, its body having been received.

    Attributes:
        head: as received.
        address: `ip:port` of the server.
        begun: when the answer's head was here, in seconds since the epoch.
        asked: when it was asked for, likewise.
    """

    head: ResponseHead
    address: str
    begun: float
    asked: float


class Fetcher:
    """Fetches for one crawl, one URL after another.

    Args:
        reactor: which reactor.
        connections: to the servers.
        politeness: how gently.
        longest_rest: seconds that a server may ask to be left alone.
        longest_exchange: seconds that one answer may take in all.
        wait: waits so many seconds, for such a reason, which is shown to people.

    Attributes:
        requests: how many were made.
    """

    def __init__(
        self,
        reactor: Any,
        connections: Connections,
        politeness: Politeness,
        *,
        longest_rest: float,
        longest_exchange: float,
        wait: Callable[[float, str], Deferred[None]],
    ) -> None:
        self.requests = 0
        self._reactor = reactor
        self._connections = connections
        self._politeness = politeness
        self._longest_rest = longest_rest
        self._longest_exchange = longest_exchange
        self._wait = wait
        self._accounts = Accounts()
        self._fields = [
            (b"User-Agent", politeness.user_agent.encode("latin-1", "replace")),
            (b"Accept", b"*/*"),
            (b"Accept-Encoding", b"identity"),
        ]

    async def fetch(
        self, url: str, receiver: Receiver, delay: float = 0.0, attempt: int = 0
    ) -> Answer:
        """Fetch a URL.

        Args:
            url: canonical.
            receiver: given the head, returns what takes the chunks of the body.
            delay: seconds that the server's robots.txt asks for between requests.
            attempt: earlier attempts that failed.

        Raises:
            FetchFailed: no whole answer came. Errors of the receiver pass through.
        """
        tls, host, port = urls.endpoint(url)
        try:
            await self._leave_alone(self._accounts.of(urls.authority(url)), host)
            place = await self._connections.place(tls, host, port)
            account = self._accounts.of(place.server)
            await self._leave_alone(account, host)
            account.begin(self._reactor.seconds())
            return await self._exchange(place, account, url, receiver, delay, attempt)
        except (HttpError, TimeoutError) as error:
            lasting = isinstance(error, ForbiddenAddress | MalformedMessage)
            raise FetchFailed(str(error) or "no whole answer in time", not lasting) from error

    def rest(self, url: str, seconds: float) -> None:
        """Leave the server of a URL alone for some time, because it does not answer."""
        self._accounts.of(urls.authority(url)).rest(self._reactor.seconds(), seconds)

    async def _leave_alone(self, account: Account, host: str) -> None:
        seconds = account.wait(self._reactor.seconds())
        if seconds:
            await self._wait(seconds, f"{host} is left alone for {seconds:.0f} s")

    async def _exchange(
        self,
        place: Place,
        account: Account,
        url: str,
        receiver: Receiver,
        delay: float,
        attempt: int,
    ) -> Answer:
        asked = self._reactor.seconds()
        connection, response = await self._ask(place, url)
        self.requests += 1
        head, begun = response.head, self._reactor.seconds()
        try:
            await response.deliver(receiver(head)).addTimeout(self._longest_exchange, self._reactor)
        finally:
            reusable = self._connections.keep(place, connection)
            now = self._reactor.seconds()
            delay = max(self._politeness.delay, min(delay, LONGEST_DELAY))
            if account.end(now, delay, self._politeness.group, not reusable):
                self._connections.close(place)
        if head.status in SUFFERING:
            wanted = head.headers.text(b"retry-after")
            account.rest(now, rest_asked(wanted, now, attempt, self._longest_rest))
            self._connections.close(place)
        return Answer(head, response.address, begun, asked)

    async def _ask(self, place: Place, url: str) -> tuple[HttpConnection, ClientResponse]:
        """Ask over the kept connection; once more on a new one if the server closed it."""
        fields = [(b"Host", urls.authority(url).encode("ascii")), *self._fields]
        while True:
            connection = await self._connections.obtain(place)
            kept = connection.exchanges > 0
            try:
                return connection, await connection.request("GET", urls.target(url), fields)
            except ConnectionBroken:
                if not kept:
                    raise
