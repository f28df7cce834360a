"""Live streams of Windows Media over HTTP, as players of their time asked for them (MS-WMSP).

A player asks twice: for the header, which says what streams there are; then for all of these to be
played. What is kept is the file in ASF that comes.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from twisted.internet.defer import Deferred, TimeoutError
from zope.interface import implementer

from anet.errors import ConnectFailed, TimedOut
from anet.http.connect import Permit, connect, permit_all
from anet.http.connection import HttpConnection
from anet.http.exchange import ClientResponse
from anet.http.message import ResponseHead
from anet.http.place import read_url
from anet.media.errors import NotAStream, StreamBroken
from anet.media.interface import Described, Heard, ILiveSource, Media
from anet.media.kinds import WINDOWS_MEDIA, kind_of
from anet.media.live_http import Answer, LiveHttp, refused
from anet.media.mms.chunks import Unframing
from anet.media.mms.header import Header
from anet.tasks import sleep

_PLAYER = "NSPlayer/9.0.0.2980"  # what servers speak this protocol to; who we are follows
_OLD_PORT = 1755  # of a protocol that was not over HTTP
_DAY = 86400.0


async def open_mms(
    reactor: Any,
    url: str,
    *,
    user_agent: str,
    timeout: float = 10.0,
    silence: float = 30.0,
    permit: Permit = permit_all,
) -> "LiveMms | Answer":
    """Ask a server of Windows Media for a stream; return it, or a redirection.

    Args:
        reactor: which reactor.
        url: with `mms`, `mmsh` or `http`, in ASCII.
        user_agent: how we name ourselves.
        timeout: seconds for the name, and again for each of its addresses.
        silence: seconds without a byte after which the server is given up.
        permit: tells of each IP address whether it may be connected to.

    Raises:
        HttpError: there is nobody, or no answer.
        StreamRefused: the server does not give it.
        NotAStream: it is a recording, or nothing of Windows Media.
    """
    asking = _Asking(reactor, _over_http(url), user_agent, timeout, silence, permit)
    connection, response = await asking.ask([])
    try:
        if found := _led_elsewhere(response):
            return found
        header = await _header(reactor, response, silence)
    finally:
        connection.close()
    entries = " ".join(f"ffff:{number}:0" for number in header.streams)
    choice = f"stream-switch-count={len(header.streams)}", f"stream-switch-entry={entries}"
    connection, response = await asking.ask(["xPlayStrm=1", *choice])
    try:
        if found := _led_elsewhere(response):
            connection.close()
            return found
        live = LiveMms(reactor, url, connection, response, silence, header)
        await sleep(reactor, 0)  # the bytes that came with the head may not be overtaken
    except BaseException:
        connection.close()
        raise
    return live


def _over_http(url: str) -> str:
    """Return the URL at which this is asked for over HTTP.

    Raises:
        ConnectFailed: it is no URL.
    """
    try:
        parts = urlsplit(url)
        place = parts.netloc
        if parts.port == _OLD_PORT:
            place = place.rpartition(":")[0]
    except ValueError as error:
        raise ConnectFailed(f"{url[:80]!r} is not a URL: {error}") from None
    if parts.scheme not in ("mms", "mmsh", "http"):
        raise ConnectFailed(f"{url[:80]!r} is not an mms URL")
    return urlunsplit(("http", place, parts.path or "/", parts.query, ""))


class _Asking:
    """Asks for one URL, each time over a connection of its own."""

    def __init__(
        self,
        reactor: Any,
        url: str,
        user_agent: str,
        timeout: float,
        silence: float,
        permit: Permit,
    ) -> None:
        self._reactor, self._timeout, self._silence = reactor, timeout, silence
        self._permit = permit
        self._place, self._target = read_url(url)
        self._agent = f"{_PLAYER} {user_agent}".encode("latin-1", "replace")
        self._guid = f"xClientGUID={{{uuid4()}}}"
        self._context = 0

    async def ask(self, pragmas: Sequence[str]) -> tuple[HttpConnection, ClientResponse]:
        place = self._place
        connection = await connect(
            self._reactor, place.host, place.port,
            timeout=self._timeout, silence=_DAY, permit=self._permit,
        )  # fmt: skip
        self._context += 1
        usual = f"no-cache,rate=1.000000,request-context={self._context}"
        fields = [
            (b"Host", place.authority),
            (b"User-Agent", self._agent),
            (b"Accept", b"*/*"),
            *((b"Pragma", pragma.encode()) for pragma in (usual, self._guid, *pragmas)),
            (b"Connection", b"close"),
        ]
        asking = Deferred.fromCoroutine(connection.request("GET", self._target, fields))
        return connection, await _in_time(self._reactor, asking, self._silence, connection)


async def _in_time(
    reactor: Any, waiting: Deferred[Any], seconds: float, connection: HttpConnection
) -> Any:
    try:
        return await waiting.addTimeout(seconds, reactor)
    except TimeoutError:
        connection.close()
        late = f"{connection.address} took more than {seconds:g} seconds to answer"
        raise TimedOut(late) from None


def _led_elsewhere(response: ClientResponse) -> Answer | None:
    """Return an answer that is a redirection; None for the stream.

    Raises:
        StreamRefused: the server does not give it.
        NotAStream: it is a recording, or nothing of Windows Media.
    """
    head = response.head
    if 300 <= head.status < 400:
        return Answer(head, b"", response.address, response.sent)
    if head.status >= 400:
        raise refused(head)
    if kind_of(head) not in {*WINDOWS_MEDIA, "application/octet-stream"}:
        raise NotAStream(f"it is {kind_of(head) or 'something'}, and no Windows Media")
    if _is_recorded(head):
        raise NotAStream("it is a recording, which has an end")
    return None


def _is_recorded(head: ResponseHead) -> bool:
    said = b",".join(head.headers.get_all(b"pragma")).lower()
    features = said.partition(b'features="')[2].partition(b'"')[0]
    return b"seekable" in features and b"broadcast" not in features


async def _header(reactor: Any, response: ClientResponse, silence: float) -> Header:
    """Return the header with which an answer begins; some servers go on behind it."""
    unframing = Unframing()
    told: Deferred[None] = Deferred()

    def keep(piece: bytes) -> None:
        unframing.feed(piece)
        if unframing.header is not None or unframing.end is not None:
            tell(None)

    def tell(_: object) -> None:
        if not told.called:
            told.callback(None)

    response.deliver(keep).addBoth(tell)
    try:
        await told.addTimeout(silence, reactor)
    except TimeoutError:
        raise TimedOut(f"{response.address}: no header in {silence:g} seconds") from None
    if unframing.header is None:
        raise NotAStream("the server sent no header of Windows Media")
    return unframing.header


@implementer(ILiveSource)
class LiveMms:
    """A live stream of Windows Media.

    Args:
        reactor: which reactor.
        url: where it comes from.
        connection: over which it comes; it is this stream's own.
        response: whose body is the stream, not asked for yet.
        silence: seconds without media after which it has broken off, whatever else is said.
        header: of the file that comes, as it was told before.
    """

    def __init__(
        self,
        reactor: Any,
        url: str,
        connection: HttpConnection,
        response: ClientResponse,
        silence: float,
        header: Header,
    ) -> None:
        self.described = Described(
            url=url,
            protocol="mms",
            head=response.head.raw,
            media_type=header.media_type,
            address=response.address,
            name=header.title,
            description=header.about,
            bitrate=header.bitrate,
            request=response.sent,
        )
        self._body = LiveHttp(reactor, url, connection, response, silence)
        self._unframing = Unframing()
        self._clock, self._silence, self._heard = reactor, silence, reactor.seconds()

    def take(self) -> Sequence[Heard]:
        """Return what came since the last call, in its order, and let more come in.

        Raises:
            StreamEnded: all was taken, and the server said that this is the end.
            StreamBroken: all was taken, and the server closed, fell silent, went on with another
                program, or spoke nonsense.
        """
        if self._unframing.end is not None:
            self._body.close()
            raise self._unframing.end
        came = b"".join(each.data for each in self._body.take() if isinstance(each, Media))
        data = self._unframing.feed(came) if came else b""
        now = self._clock.seconds()
        if data:
            self._heard = now
        elif self._unframing.end is None and now - self._heard > self._silence:
            self._unframing.end = StreamBroken(f"nothing came for {self._silence:g} seconds")
        return [Media(data)] if data else ()

    def close(self) -> None:
        """Let go of the server; nothing is taken any more."""
        self._unframing.end = self._unframing.end or StreamBroken("it was closed")
        self._body.close()
