"""Live streams over RTSP, with all packets inside its one connection.

What is kept is what the server sent over the connection, byte for byte, from its description on:
replies, and the packets of all tracks. So nothing has to be known of an encoding to keep it.
`TrackReader` gives a track of it to players.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from zope.interface import implementer

from anet.errors import ConnectFailed
from anet.http.connect import Permit, Way, permit_all, reach
from anet.media.errors import NotAStream, StreamBroken, StreamEnded, StreamRefused
from anet.media.interface import Described, Heard, ILiveSource, Media
from anet.media.live_http import Answer, refused
from anet.media.rtsp.connection import RtspConnection
from anet.media.rtsp.presentation import Presentation, is_description
from anet.media.rtsp.reading import Found, Frame, Reply
from anet.media.rtsp.rtp import Bye, reports_in
from anet.media.rtsp.tracks import INTERLEAVED
from anet.tasks import sleep

PORT = 554
SESSION_TIMEOUT = 60.0  # seconds after which servers forget a client that says nothing (RFC 2326)
_SHORTEST = 5.0  # seconds
_ABSOLUTE = re.compile(r"(?i:rtsp)://[!-~]{1,2000}")  # nothing that would end the line of a request
_SESSION = re.compile(r"[!-~]{1,1000}")  # nothing that would end its line
_NO_TRANSPORT, _NO_SESSION = 461, 454


async def open_rtsp(
    reactor: Any,
    url: str,
    *,
    user_agent: str,
    timeout: float = 10.0,
    silence: float = 30.0,
    permit: Permit = permit_all,
) -> "LiveRtsp | Answer":
    """Ask for a presentation; return it as it comes in, or a redirection.

    Args:
        reactor: which reactor.
        url: with `rtsp`, in ASCII.
        user_agent: how we name ourselves.
        timeout: seconds for the name, and again for each of its addresses.
        silence: seconds without a packet, or for a reply, after which the server is given up.
        permit: tells of each IP address whether it may be connected to.

    Raises:
        HttpError: there is nobody, or no reply.
        StreamRefused: the server does not give it, or not over this connection.
        NotAStream: it has neither sound nor pictures, or is a recording.
    """
    host, port = _place(url)
    connection = await reach(
        reactor,
        Way(host, port, timeout=timeout),
        lambda _: RtspConnection(reactor, user_agent, silence),
        permit=permit,
    )
    try:
        opened = await _open(reactor, url, connection, silence)
        await sleep(reactor, 0)  # what came with the last reply may not be overtaken
    except BaseException:
        connection.close()
        raise
    return opened


def _place(url: str) -> tuple[str, int]:
    """Return host and port.

    Raises:
        ConnectFailed: it is no URL of RTSP.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConnectFailed(f"{url[:80]!r} is not a URL: {error}") from None
    if not parts.hostname or not _is_absolute(url):
        raise ConnectFailed(f"{url[:80]!r} is not an rtsp URL in ASCII")
    return parts.hostname, port or PORT


async def _open(
    reactor: Any, url: str, connection: RtspConnection, silence: float
) -> "LiveRtsp | Answer":
    options, _ = await connection.ask("OPTIONS", url)
    connection.forget()
    live = LiveRtsp(reactor, url, connection, silence)
    described, request = await connection.ask("DESCRIBE", url, (b"Accept", b"application/sdp"))
    head = described.head
    if 300 <= head.status < 400:
        connection.close()
        return Answer(head, described.body, connection.address, request)
    if head.status >= 400:
        raise refused(head)
    live.describe(described, request, options)
    await live.set_up()
    return live


@implementer(ILiveSource)
class LiveRtsp:
    """A live stream over RTSP.

    Args:
        reactor: which reactor.
        url: where it comes from.
        connection: over which it comes; it is this stream's own.
        silence: seconds without a packet of media after which it has broken off.
    """

    described: Described

    def __init__(self, reactor: Any, url: str, connection: RtspConnection, silence: float) -> None:
        self._url, self._base, self._control = url, url, url
        self._connection, self._clock, self._silence = connection, reactor, silence
        self._presentation = Presentation()
        self._session = b""
        self._alive = "OPTIONS"  # what is asked so that the session is not forgotten
        self._asked = self._heard = reactor.seconds()
        self._period = SESSION_TIMEOUT / 2
        self._gone: set[int] = set()  # channels whose sources said goodbye
        connection.on_found = self._hear

    # Opening

    def describe(self, reply: Reply, request: bytes, options: Reply) -> None:
        """Learn what the presentation is.

        Raises:
            NotAStream: it has neither sound nor pictures, or is a recording.
        """
        description = self._presentation.description
        if description is None or not is_description(reply) or not description.tracks:
            raise NotAStream(f"{self._url} has neither sound nor pictures")
        if description.is_recorded:
            raise NotAStream(f"{self._url} is a recording, which has an end")
        headers = reply.head.headers
        base = headers.text(b"content-base") or headers.text(b"content-location")
        self._base = base if _is_absolute(base) else self._url
        self._control = _joined(self._base, description.control)
        if "GET_PARAMETER" in options.head.headers.text(b"public"):
            self._alive = "GET_PARAMETER"
        self.described = Described(
            url=self._url,
            protocol="rtsp",
            head=reply.head.raw,
            media_type=INTERLEAVED,
            address=self._connection.address,
            name=description.name,
            description=description.about,
            homepage=description.homepage,
            bitrate=description.bitrate,
            request=request,
        )

    async def set_up(self) -> None:
        """Ask for all tracks, and that they be sent.

        Raises:
            HttpError: there is no reply.
            StreamRefused: the server gives none of them over its connection.
        """
        description = self._presentation.description
        assert description is not None
        refusal: StreamRefused | None = None
        for number, track in enumerate(description.tracks):
            channels = b"RTP/AVP/TCP;unicast;interleaved=%d-%d" % (2 * number, 2 * number + 1)
            control = _joined(self._base, track.control)
            reply = await self._ask("SETUP", control, (b"Transport", channels))
            if reply.head.status < 300:
                self._learn_session(reply)
            else:
                refusal = refusal or _refusal(reply)
        if not self._presentation.tracks:
            raise refusal or StreamRefused("the server sends over no channel of its connection")
        reply = await self._ask("PLAY", self._control)
        if reply.head.status >= 300:
            raise _refusal(reply)
        self._heard = self._asked = self._clock.seconds()
        self._connection.flow()

    async def _ask(self, method: str, url: str, *fields: tuple[bytes, bytes]) -> Reply:
        reply, _ = await self._connection.ask(method, url, *self._in_session(), *fields)
        return reply

    def _in_session(self) -> list[tuple[bytes, bytes]]:
        return [(b"Session", self._session)] if self._session else []

    def _learn_session(self, reply: Reply) -> None:
        session, _, parameters = reply.head.headers.text(b"session").partition(";")
        if _SESSION.fullmatch(session.strip()):
            self._session = self._session or session.strip().encode("ascii")
        timeout = parameters.partition("timeout=")[2].partition(";")[0].strip()
        if timeout.isascii() and timeout.isdigit() and len(timeout) < 7:
            self._period = max(_SHORTEST, float(timeout)) / 2

    # Receiving

    def take(self) -> Sequence[Heard]:
        """Return what came since the last call, and let more come in.

        Raises:
            StreamEnded: all was taken, and the server, or the source of each track, said goodbye.
            StreamBroken: all was taken, and the server closed, fell silent, or spoke nonsense.
        """
        data = self._connection.take()
        now = self._clock.seconds()
        if self._connection.end is None and now - self._heard > self._silence:
            self._connection.fail(StreamBroken(f"nothing came for {self._silence:g} seconds"))
        if self._connection.end is None:
            self._stay(now)
        elif not data:
            raise self._connection.end
        return [Media(data)] if data else ()

    def close(self) -> None:
        """Let go of the server; nothing is taken any more."""
        if self._connection.end is None and self._session:
            self._connection.send("TEARDOWN", self._control, self._in_session())
        self._connection.close()
        self._connection.drop()

    def _stay(self, now: float) -> None:
        """Say now and then that we still listen."""
        if now - self._asked >= self._period:
            self._asked = now
            self._connection.send(self._alive, self._control, self._in_session())

    def _hear(self, found: Found) -> None:
        if isinstance(found, Reply):
            self._presentation.take(found)
            if found.head.status == _NO_SESSION:
                self._connection.fail(StreamBroken("the server forgot the session"))
        elif isinstance(found, Frame):
            if found.channel in self._presentation.tracks:
                self._heard = self._clock.seconds()
            elif found.channel in self._presentation.reports:
                self._hear_report(found)

    def _hear_report(self, frame: Frame) -> None:
        if any(isinstance(report, Bye) for report in reports_in(frame.data)):
            self._gone.add(self._presentation.reports[frame.channel])
            if self._gone >= self._presentation.tracks.keys():
                self._connection.fail(StreamEnded("its source said goodbye"))


def _refusal(reply: Reply) -> StreamRefused:
    if reply.head.status == _NO_TRANSPORT:
        return StreamRefused("the server sends over UDP only")
    return refused(reply.head)


def _is_absolute(url: str) -> bool:
    return bool(_ABSOLUTE.fullmatch(url))


def _joined(base: str, control: str) -> str:
    """Return the URL that a description gives, as servers understand it: by appending."""
    if not control or control == "*":
        return base
    if _is_absolute(control):
        return control
    return base + ("" if base.endswith("/") else "/") + control
