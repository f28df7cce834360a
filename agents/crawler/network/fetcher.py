"""Fetching one URL at a time, politely (*INA §1.4.4*)."""

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError

from agents import urls
from agents.crawler.errors import Enough, FetchFailed, LiveStream
from agents.crawler.network.authentication import Logins
from agents.crawler.network.connections import IDLE, Connections, Place
from agents.crawler.network.cookies import Cookies
from agents.crawler.network.download import Answer, Download, Receiver, Sink
from agents.crawler.network.pace import owed_for
from agents.crawler.network.politeness import Account, Accounts, rest_asked
from agents.crawler.network.proxies import proxy_fields
from agents.order import Access, Politeness
from anet.clock import wall
from anet.errors import (
    ConnectFailed,
    ConnectionBroken,
    ForbiddenAddress,
    HttpError,
    MalformedMessage,
    TimedOut,
    TunnelRefused,
)
from anet.http import ClientResponse
from anet.http.exchange import Connection
from anet.media.kinds import is_live_stream

__all__ = ["SUFFERING", "Answer", "Fetcher", "Fields", "Receiver", "Sink"]

LONGEST_DELAY = 60.0  # seconds between two requests that a robots.txt may ask for
SUFFERING = frozenset([429, 503])  # statuses of a server that asks to be left alone
_LOGINS = 2  # answers to one request that may ask who is there
_REFUSAL = 64 * 1024  # bytes of the body of such an answer that are passed over
_BREAK = 30.0  # seconds at most before a broken download is gone on with

Fields = Sequence[tuple[bytes, bytes]]


class Fetcher:
    """Fetches for one crawl, one URL after another.

    Args:
        reactor: which reactor.
        connections: to the servers.
        politeness: how gently.
        longest_rest: seconds that a server may ask to be left alone.
        longest_exchange: seconds that one answer may take in all.
        wait: waits so many seconds, for such a reason, which is shown to people.
        access: how servers are spoken to; its proxy is that of `connections`.
        archive_date: date at which the proxy, an archive's, is read; empty for the living web.

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
        access: Access | None = None,
        archive_date: str = "",
    ) -> None:
        access = access or Access()
        self._spares = not archive_date
        self.requests = 0
        self._reactor = reactor
        self._connections = connections
        self._politeness = politeness
        self._longest_rest = longest_rest
        self._longest_exchange = longest_exchange
        self._wait = wait
        self._accounts = Accounts(politeness)
        cookies = access.cookies or access.given_cookies
        self._cookies = Cookies(access.given_cookies, access.cookies) if cookies else None
        self._logins = Logins(access.credentials) if access.credentials else None
        self._proxy_fields = proxy_fields(connections.proxy)
        self._fields = [
            (b"User-Agent", politeness.user_agent.encode("latin-1", "replace")),
            (b"Accept", b"*/*"),
            (b"Accept-Encoding", ", ".join(access.codings).encode("ascii") or b"identity"),
        ]
        if archive_date:
            self._fields.append((b"Accept-Datetime", archive_date.encode("ascii")))

    async def fetch(
        self,
        url: str,
        receiver: Receiver,
        delay: float = 0.0,
        attempt: int = 0,
        *,
        last: bool = False,
        told: Fields = (),
    ) -> Answer:
        """Fetch a URL; a body that breaks off is gone on with where the server can.

        Args:
            url: canonical.
            receiver: given the head, returns what takes the chunks of the body.
            delay: seconds that the server's robots.txt asks for between requests.
            attempt: earlier attempts that failed.
            last: whether there will be no other, so that a part is better than nothing.
            told: further fields of the request: what it depends on, where the link was found.

        Raises:
            FetchFailed: no whole answer came. Errors of the receiver pass through, but for
                `Enough`, which ends the body.
        """
        download = Download(receiver)
        fields = told
        while True:
            try:
                answer = await self._ask_politely(url, download, fields, delay, attempt)
                if download.whole:
                    return answer
                error: Exception = ConnectionBroken("the end of the body is missing")
            except Enough:
                assert download.answer is not None
                return download.answer._replace(truncated="length")
            except (HttpError, TimeoutError) as failure:
                error = failure
            await download.settle()
            fields = download.missing()
            if not fields:
                return self._part(download, error, last)
            self.rest(url, min(_BREAK, 2.0 ** min(download.breaks, 16)))

    def rest(self, url: str, seconds: float) -> None:
        """Leave the server of a URL alone for some time, because it does not answer."""
        self._accounts.of(urls.authority(url)).rest(
            self._reactor.seconds(), seconds, "it did not answer as it should"
        )

    @staticmethod
    def _part(download: Download, error: Exception, last: bool) -> Answer:
        """Return what is here of a body whose rest will not come, if it is to be taken so.

        Raises:
            FetchFailed: it is not.
        """
        endless = isinstance(error, TimeoutError)  # the next attempt would take as long
        if (last or endless) and download.answer is not None and download.size:
            late = endless or isinstance(error, TimedOut)
            return download.answer._replace(truncated="time" if late else "disconnect")
        lasting = isinstance(error, ForbiddenAddress | MalformedMessage)
        words = str(error) or "no whole answer in time"
        reached = not isinstance(error, ConnectFailed)
        raise FetchFailed(words, again=not lasting, reached=reached) from error

    async def _ask_politely(
        self, url: str, download: Download, fields: Fields, delay: float, attempt: int
    ) -> Answer:
        """Ask when the server may be asked, and again if it wants to know who asks."""
        tls, host, port = urls.endpoint(url)
        named = urls.authority(url)
        for _ in range(_LOGINS + 1):
            await self._leave_alone(self._accounts.of(named), host)
            place = await self._connections.place(tls, host, port)
            account = self._accounts.of(place.server)
            await self._leave_alone(account, host)
            account.begin(self._reactor.seconds())
            answer = await self._exchange(place, account, url, download, fields, delay, attempt)
            if answer is not None:
                return answer
        raise FetchFailed(f"{host} does not stop asking who is there", again=False)

    async def _leave_alone(self, account: Account, host: str) -> None:
        now = self._reactor.seconds()
        seconds = account.wait(now)
        if not seconds:
            return
        if seconds >= IDLE:
            self._connections.stop()  # for as long no request will be made on any of them
        why = account.reason(now)
        await self._wait(seconds, f"{host} is left alone for {seconds:.0f} s: {why}")

    async def _exchange(
        self,
        place: Place,
        account: Account,
        url: str,
        download: Download,
        fields: Fields,
        delay: float,
        attempt: int,
    ) -> Answer | None:
        """Ask, and take the answer; None stands for one that wants to know who asks."""
        connection, response, asked = await self._ask(place, url, fields)
        self.requests += 1
        head, begun, before = response.head, self._reactor.seconds(), download.size
        date = wall(self._reactor, begun)
        answer = Answer(
            head, response.address, date, asked, connection.tls, place.proxy, sent=response.sent
        )
        delay = max(self._politeness.delay, min(delay, LONGEST_DELAY))
        delay += owed_for(account.pace.late(begun - asked), self._politeness.slow_down)
        delay = delay if self._spares else 0.0
        try:
            sink = self._taker(url, answer, download)
            if sink is None:
                await self._pass_over(response)
            else:
                taken = response.deliver(sink)
                if not taken.called:  # a short body is often here with its head
                    taken.addTimeout(self._longest_exchange, self._reactor)
                await taken
        finally:
            reusable = self._connections.keep(place, connection)
            now = self._reactor.seconds()
            account.note(now, download.size - before)
            if account.end(now, delay, self._politeness.group, not reusable):
                self._connections.close(place)
        if head.status in SUFFERING:
            retry_after = head.headers.text(b"retry-after")
            account.rest(
                now,
                rest_asked(retry_after, wall(self._reactor), attempt, self._longest_rest),
                f"it answered {head.status}",
            )
            self._connections.close(place)
        return None if sink is None else download.answer

    def _taker(self, url: str, answer: Answer, download: Download) -> Sink | None:
        """Return what takes the body of an answer; None if it only wants to know who asks.

        Raises:
            HttpError: it is not the answer that is wanted.
            LiveStream: it never ends.
        """
        head = answer.head
        if answer.proxy and head.status == 407:
            raise TunnelRefused(407, f"the proxy {answer.proxy} wants a user name and password")
        if self._cookies is not None:
            self._cookies.take(url, head)
        if self._logins is not None and self._logins.challenged(url, head):
            return None
        if is_live_stream(head):
            raise LiveStream
        sink = download.accept(answer)
        if sink is None:
            raise ConnectionBroken("the server does not go on with what broke off")
        return sink

    async def _pass_over(self, response: ClientResponse) -> None:
        taken = Deferred.fromCoroutine(response.read(_REFUSAL))
        await taken.addTimeout(self._longest_exchange, self._reactor)

    async def _ask(
        self, place: Place, url: str, fields: Fields
    ) -> tuple[Connection, ClientResponse, float]:
        """Ask over the kept connection; once more on a new one if the server closed it.

        A server that does not speak HTTP/1.1 at all is asked by HTTP/2.
        """
        target = url if place.absolute else urls.target(url)
        fields = [*self._who_asks(place, url), *fields]
        while True:
            connection = await self._connections.obtain(place)
            kept = connection.exchanges > 0
            asked = self._reactor.seconds()
            try:
                return connection, await connection.request("GET", target, fields), asked
            except (ConnectionBroken, MalformedMessage) as error:
                closed = kept and isinstance(error, ConnectionBroken)
                if not closed and not self._connections.suspect(place, connection.tls):
                    raise

    def _who_asks(self, place: Place, url: str) -> list[tuple[bytes, bytes]]:
        fields = [(b"Host", urls.authority(url).encode("ascii")), *self._fields]
        if self._cookies is not None and (cookie := self._cookies.field(url)):
            fields.append((b"Cookie", cookie))
        if self._logins is not None and (login := self._logins.field("GET", url)):
            fields.append((b"Authorization", login))
        return fields + self._proxy_fields if place.absolute else fields
