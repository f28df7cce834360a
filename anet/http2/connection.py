"""One HTTP/2 connection to a server: one exchange at a time, like `anet.http.connection`.

IDLE --request--> HEAD --head complete--> BODY --body complete--> IDLE or CLOSED
any state --connection lost, time out, nonsense--> CLOSED
"""

from collections.abc import Sequence
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    InformationalResponseReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from anet.deadline import Deadline
from anet.errors import ConnectionBroken, HttpError, MalformedMessage, TimedOut
from anet.http.exchange import HEAD_LIMIT, INTERIM_LIMIT, ClientResponse, State
from anet.http.incoming import IncomingBody
from anet.http.message import ResponseHead, request_head
from anet.http2.frames import FrameSplitter, last_stream
from anet.http2.heads import asked, request_written_out, written_out
from anet.tls import TlsSession

PROTOCOL = b"h2"  # its name in TLS (ALPN)
WINDOW = 2**20  # bytes of a body that may come before they are taken
FRUITLESS_LIMIT = 2**20  # bytes without a head or a piece of a body: settings, pings, padding


class Http2Connection(Protocol):
    """A connection to one server, used for one exchange after another.

    Args:
        clock: for the time limit.
        timeout: seconds without progress after which an exchange is given up.
        tls: what was agreed upon with the server.

    Attributes:
        address: `ip:port` of the server, once connected.
        state: where the connection stands.
        exchanges: how many answers came whole.
        tls: as given.
    """

    transport: Any

    def __init__(self, clock: IReactorTime, timeout: float, tls: TlsSession | None = None) -> None:
        self.address = ""
        self.state = State.IDLE
        self.exchanges = 0
        self.tls = tls
        self._timeout = timeout
        self._deadline = Deadline(clock, self._late)
        self._frames = _frames()
        self._splitter = FrameSplitter()
        self._stream = 0
        self._keep = True
        self._interim = self._fruitless = 0
        self._held = False
        self._untaken = 0
        self._waiting: Deferred[ResponseHead] | None = None
        self._body = IncomingBody()

    def connectionMade(self) -> None:
        """Note who the server is, and say what we take."""
        peer = self.transport.getPeer()
        host, port = getattr(peer, "host", ""), getattr(peer, "port", 0)
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._frames.initiate_connection()
        self._frames.increment_flow_control_window(WINDOW)
        self._send()

    # Asking

    async def request(
        self, method: str, target: str, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> ClientResponse:
        """Ask, and return the answer as soon as its head is here.

        Args:
            method: of a request without a body, in capitals.
            target: path and query.
            headers: fields, `Host` among them.

        Raises:
            UnsafeMessage: the method, the target or a field cannot be part of a head.
            HttpError: no head came; the connection is closed.
        """
        if self.state is not State.IDLE:
            raise ConnectionBroken(f"the connection to {self.address} is {self.state.name.lower()}")
        request_head(method, target, headers, None)  # for what it refuses
        waiting: Deferred[ResponseHead] = Deferred(lambda _: self.close())
        self.state, self._waiting = State.HEAD, waiting
        self._interim = self._fruitless = self._untaken = 0
        self._held = False
        self._body = body = IncomingBody()
        self._deadline.set(self._timeout)
        try:
            self._stream = self._frames.get_next_available_stream_id()
            fields = asked(method, target, self.tls is not None, headers)
            self._frames.send_headers(self._stream, fields, end_stream=True)
            self._send()
        except H2Error as error:
            self._fail(ConnectionBroken(f"{self.address} takes no request: {_words(error)}"))
        return ClientResponse(await waiting, self, body, request_written_out(fields))

    # Hearing

    def dataReceived(self, data: bytes) -> None:
        """Take frames."""
        if self.state is State.CLOSED:
            return
        self._fruitless += len(data)
        try:
            for frame in self._splitter.feed(data):
                last = last_stream(frame)
                if last is not None:
                    self._take_goodbye(last)
                    continue
                for event in self._frames.receive_data(frame):
                    self._take(event)
            self._send()
        except H2Error as error:
            self._fail(MalformedMessage(f"{self.address}: HTTP/2: {_words(error)}"))
        except HttpError as error:
            self._fail(error)
        if self._fruitless > FRUITLESS_LIMIT:
            self._fail(MalformedMessage(f"{self.address} sends frames that hold nothing"))

    def _take(self, event: Event) -> None:
        if isinstance(event, ConnectionTerminated):
            code = event.error_code
            self._fail(ConnectionBroken(f"{self.address} closes the connection (code {code})"))
        elif self.state is State.CLOSED or getattr(event, "stream_id", None) != self._stream:
            return
        elif isinstance(event, DataReceived):
            self._take_data(event)
        elif isinstance(event, ResponseReceived):
            self._begin_body(written_out(event.headers or ()))
        elif isinstance(event, StreamEnded):
            self._deadline.lift()
            self._body.end()
        elif isinstance(event, StreamReset):
            self._fail(ConnectionBroken(f"{self.address} breaks off (code {event.error_code})"))
        elif isinstance(event, InformationalResponseReceived):
            self._interim += 1
            if self._interim > INTERIM_LIMIT:
                raise MalformedMessage(f"{self.address}: {self._interim} heads of status 1xx")

    def _take_goodbye(self, last: int) -> None:
        """Ask no more; what was asked is answered, if the server got that far."""
        self._keep = False
        if last < self._stream or self.state is State.IDLE:
            self._fail(ConnectionBroken(f"{self.address} closes the connection"))

    def _begin_body(self, head: ResponseHead) -> None:
        self.state, self._fruitless = State.BODY, 0
        body = self._body
        body.on_hold = self._hold
        body.on_taken = self._finish
        body.on_refused = self.abandon
        self._deadline.set(self._timeout)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(head)  # usually asks for the body before it returns

    def _take_data(self, event: DataReceived) -> None:
        self._untaken += event.flow_controlled_length or 0
        if event.data:
            self._fruitless = 0
            self._deadline.set(self._timeout)
            self._body.take(event.data)
        if not self._held:
            self._allow_more()

    def _hold(self, hold: bool) -> None:
        """Let no more come than the window while the body is not taken."""
        self._held = hold
        if self.state is not State.BODY:
            return
        if hold:
            self._deadline.lift()
        else:
            self._deadline.set(self._timeout)
            self._allow_more()
            self._send()

    def _allow_more(self) -> None:
        untaken, self._untaken = self._untaken, 0
        if untaken and self.state is State.BODY:
            self._frames.acknowledge_received_data(untaken, self._stream)

    def _finish(self) -> None:
        """Be ready for another exchange, once a body is taken."""
        self.exchanges += 1
        self._deadline.lift()
        if self._keep and self.state is State.BODY:
            self._allow_more()
            self.state = State.IDLE
        else:
            self.close()

    def _send(self) -> None:
        data = self._frames.data_to_send()
        if data and self.state is not State.CLOSED:
            self.transport.write(data)

    # Ending

    def _late(self) -> None:
        self._fail(TimedOut(f"{self.address} said nothing for {self._timeout:g} seconds"))

    def abandon(self, body: IncomingBody) -> None:
        """Close if `body` is the one that is being taken."""
        if body is self._body and self.state is State.BODY:
            self.close()

    def close(self) -> None:
        """Close now; what waits for an answer fails."""
        if self.state is not State.CLOSED:
            self.state = State.CLOSED
            self._deadline.lift()
            self.transport.abortConnection()
            self._body.fail(ConnectionBroken(f"the connection to {self.address} was closed"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever waits; a body without its end is never whole."""
        self._deadline.stop()
        self.state = State.CLOSED
        error = ConnectionBroken(f"{self.address} closed the connection")
        self._body.fail(error)
        self._tell(error)

    def _fail(self, error: HttpError) -> None:
        self._body.fail(error)
        self.close()
        self._tell(error)

    def _tell(self, error: HttpError) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.called:
            waiting.errback(error)


def _frames() -> H2Connection:
    """Return what reads and writes frames, within our limits."""
    frames = H2Connection(H2Configuration(client_side=True, header_encoding=None))
    settings = {
        SettingCodes.ENABLE_PUSH: 0,
        SettingCodes.INITIAL_WINDOW_SIZE: WINDOW,
        SettingCodes.MAX_HEADER_LIST_SIZE: HEAD_LIMIT,
    }
    frames.local_settings = Settings(client=True, initial_values=settings)
    frames.decoder.max_header_list_size = HEAD_LIMIT
    return frames


def _words(error: H2Error) -> str:
    return " ".join(str(error).split()) or type(error).__name__
