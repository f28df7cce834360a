"""Live streams over HTTP: radio as SHOUTcast and Icecast send it, and whatever else has no end."""

import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any

from attrs import field, frozen
from twisted.internet.defer import Deferred, TimeoutError
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.errors import BodyTooLarge, MalformedMessage, TimedOut
from anet.http.body import UntilCloseDecoder, decoder_for
from anet.http.connect import Permit, connect, permit_all
from anet.http.connection import HttpConnection
from anet.http.exchange import ClientResponse
from anet.http.message import ResponseHead
from anet.http.place import read_url
from anet.media.errors import MediaError, NotAStream, StreamBroken, StreamEnded, StreamRefused
from anet.media.icy import IcyDemux, interval_of, text_of
from anet.media.interface import Described, Heard, ILiveSource
from anet.media.kinds import EVENTS, WINDOWS_MEDIA, is_live_stream, kind_of
from anet.media.tidal import Tidal
from anet.tasks import sleep
from anet.tls import TlsSession

BODY_LIMIT = 1024 * 1024  # bytes; playlists and manifests are smaller
_TEXT_LIMIT = 1000  # characters of what a server says of its station
_REST_LIMIT = 86400.0  # seconds; a server that asks for more is asked once a day all the same


@frozen
class Answer:
    """What a server answered that is no live stream itself, and may lead to one.

    Attributes:
        head: its head; it may say that another URL is to be asked (3xx).
        body: whole; empty where the head alone says how to go on.
        address: `ip:port` of the server.
        request: the head of the request as sent.
        tls: what was agreed upon over TLS.
    """

    head: ResponseHead
    body: bytes = field(repr=False)
    address: str
    request: bytes = b""
    tls: TlsSession | None = None


async def open_http(
    reactor: Any,
    url: str,
    *,
    user_agent: str,
    timeout: float = 10.0,
    silence: float = 30.0,
    permit: Permit = permit_all,
) -> "LiveHttp | Answer":
    """Ask for a URL; return the live stream that is there, or else the answer.

    Args:
        reactor: which reactor.
        url: with `http` or `https`, in ASCII. Certificates may be bad.
        user_agent: how we name ourselves.
        timeout: seconds for the name, and again for each of its addresses.
        silence: seconds without a byte after which the server is given up.
        permit: tells of each IP address whether it may be connected to.

    Raises:
        HttpError: there is nobody, or no answer.
        StreamRefused: the server does not give it.
        NotAStream: it is a file, or endless without being sound or pictures.
    """
    place, target = read_url(url)
    # Who takes says when it is too silent: after a stop of the whole process, what is in the kernel
    # is taken first.
    connection = await connect(
        reactor, place.host, place.port,
        tls=place.tls, verify=False, timeout=timeout, silence=inf, permit=permit,
    )  # fmt: skip
    fields = [
        (b"Host", place.authority),
        (b"User-Agent", user_agent.encode("latin-1", "replace")),
        (b"Accept", b"*/*"),
        (b"Icy-MetaData", b"1"),
    ]
    try:
        asking = Deferred.fromCoroutine(connection.request("GET", target, fields))
        response = await _in_time(reactor, asking, silence, connection.address)
        _check(response.head)
        if is_live_stream(response.head):
            live = LiveHttp(reactor, url, connection, response, silence)
            await sleep(reactor, 0)  # the bytes that came with the head may not be overtaken
            return live
        answer = await _answer(reactor, response, silence)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return answer


async def _in_time(reactor: Any, waiting: Deferred[Any], seconds: float, who: str) -> Any:
    try:
        return await waiting.addTimeout(seconds, reactor)
    except TimeoutError:
        raise TimedOut(f"{who} took more than {seconds:g} seconds to answer") from None


def _check(head: ResponseHead) -> None:
    """Pass what may be live, or lead to what is.

    Radio servers answer 404 for a station that is off the air now, so that this is no farewell.
    """
    if head.status >= 400:
        raise refused(head)
    if is_live_stream(head) and kind_of(head) == EVENTS:
        raise NotAStream("it is a stream of events, without sound or pictures")


def refused(head: ResponseHead) -> StreamRefused:
    """Return what an answer of status 400 or more says to who wants to listen."""
    words = head.reason.decode("latin-1")[:80]
    return StreamRefused(
        f"the server answered {head.status} {words}".rstrip(),
        gone=head.status == 410,
        rest=_rest(head.headers.text(b"retry-after")),
    )


def _rest(retry_after: str) -> float:
    """Return the seconds for which a server asks to be left alone (`Retry-After`), or 0."""
    if retry_after.isascii() and retry_after.isdigit():
        return min(float(retry_after[:9]), _REST_LIMIT)
    try:
        until = parsedate_to_datetime(retry_after).timestamp()
        return min(max(0.0, until - time.time()), _REST_LIMIT)
    except (ValueError, OverflowError):
        return 0.0


async def _answer(reactor: Any, response: ClientResponse, silence: float) -> Answer:
    head = response.head
    body = b""
    if not 300 <= head.status < 400 and kind_of(head) not in WINDOWS_MEDIA:
        reading = Deferred.fromCoroutine(response.read(BODY_LIMIT))
        try:
            body = await _in_time(reactor, reading, silence, response.address)
        except BodyTooLarge:
            raise NotAStream(f"it is a file of more than {BODY_LIMIT} bytes") from None
    return Answer(head, body, response.address, response.sent, response.tls)


@implementer(ILiveSource)
class LiveHttp:
    """A live stream over HTTP.

    Args:
        reactor: which reactor.
        url: where it comes from.
        connection: over which it comes; it is this stream's own.
        response: whose body is the stream, not asked for yet.
        silence: seconds without a byte after which it has broken off.

    Raises:
        NotAStream: where the titles are in it makes no sense.
    """

    def __init__(
        self,
        reactor: Any,
        url: str,
        connection: HttpConnection,
        response: ClientResponse,
        silence: float,
    ) -> None:
        self.described = _described(url, response)
        try:
            self._demux = IcyDemux(interval_of(response.head))
        except MalformedMessage as error:
            raise NotAStream(str(error)) from None
        self._clock = reactor
        self._silence = silence
        self._heard = reactor.seconds()
        self._connection = connection
        self._until_close = isinstance(decoder_for("GET", response.head), UntilCloseDecoder)
        self._pieces: list[bytes] = []
        self._size = 0
        self._end: MediaError | None = None
        self._tidal = Tidal(connection.transport, lambda: self._size)
        response.deliver(self._keep).addCallbacks(self._over, self._broke)

    def take(self) -> Sequence[Heard]:
        """Return what came since the last call, in its order, and let more come in.

        Raises:
            StreamEnded: all was taken, and the server said that this is the end.
            StreamBroken: all was taken, and the server closed, fell silent, or spoke nonsense.
        """
        if self._end is None:
            self._tidal.draw()
        if self._size:
            self._heard = self._clock.seconds()
            pieces, self._pieces, self._size = self._pieces, [], 0
            return self._demux.feed(pieces[0] if len(pieces) == 1 else b"".join(pieces))
        if self._end is None and self._clock.seconds() - self._heard > self._silence:
            self._end = StreamBroken(f"nothing came for {self._silence:g} seconds")
            self._connection.close()
        if self._end is not None:
            raise self._end
        return ()

    def close(self) -> None:
        """Let go of the server; nothing is taken any more."""
        self._pieces, self._size = [], 0
        self._end = self._end or StreamBroken("it was closed")
        self._connection.close()

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        self._tidal.keep()

    def _over(self, _: int) -> None:
        if self._until_close:  # that a server closes does not say why
            self._end = self._end or StreamBroken("the server closed")
        self._end = self._end or StreamEnded("the server ended it")

    def _broke(self, failure: Failure) -> None:
        self._end = self._end or StreamBroken(failure.getErrorMessage())


def _described(url: str, response: ClientResponse) -> Described:
    headers = response.head.headers

    def said(name: bytes) -> str:
        return text_of((headers.by_name.get(name) or [b""])[0])[:_TEXT_LIMIT].strip()

    by_name = headers.by_name
    icy = response.head.raw.startswith(b"ICY ") or any(n.startswith(b"icy-") for n in by_name)
    bitrate = said(b"icy-br").partition(",")[0].strip()
    return Described(
        url=url,
        protocol="icy" if icy else "http",
        head=response.head.raw,
        media_type=kind_of(response.head),
        address=response.address,
        name=said(b"icy-name"),
        description=said(b"icy-description"),
        genre=said(b"icy-genre"),
        homepage=said(b"icy-url"),
        bitrate=int(bitrate) if bitrate.isascii() and bitrate.isdigit() and len(bitrate) < 7 else 0,
        request=response.sent,
        tls=response.tls,
    )
