"""One end of a link, sans I/O: bytes in as messages, messages out as bytes.

GREETING --the peer's greeting--> OPEN --goodbye, either way--> CLOSED
GREETING, OPEN --nonsense, a limit passed--> CLOSED (by ProtocolError)
"""

from enum import Enum, auto

from hip.codecs import Codec
from hip.errors import ProtocolError, TooLarge
from hip.greeting import Greeting, choose_codec
from hip.limits import Limits
from hip.messages import Goodbye, Message, from_wire
from hip.wire import Framer, frame


class State(Enum):
    """Where a session stands; the table is in the module's docstring."""

    GREETING = auto()
    OPEN = auto()
    CLOSED = auto()


class Session:
    """The state machine of one end.

    Attributes:
        state: where it stands.
        peer: what the other end said of itself, once OPEN.
        codec: the serializer that both chose, once OPEN.
    """

    def __init__(self, greeting: Greeting, limits: Limits, is_master: bool) -> None:
        self.state = State.GREETING
        self.peer: Greeting | None = None
        self.codec: Codec | None = None
        self._greeting = greeting
        self._limits = limits
        self._is_master = is_master
        self._framer = Framer(limits.greeting)

    def start(self) -> bytes:
        """Return the bytes to begin with: our greeting."""
        return frame(self._greeting.encode())

    def receive(self, data: bytes) -> list[Greeting | Message]:
        """Return what the bytes say: first the greeting, then messages.

        Raises:
            ProtocolError: they say nothing that HIP knows; the session is closed.
        """
        if self.state is State.CLOSED:
            return []
        said: list[Greeting | Message] = []
        self._framer.feed(data)
        try:
            while (payload := self._framer.next()) is not None:
                said.append(self._take(payload))
                if isinstance(said[-1], Goodbye):
                    break
        except ProtocolError:
            self.state = State.CLOSED
            raise
        return said

    def _take(self, payload: bytes) -> Greeting | Message:
        if self.state is State.GREETING:
            self.peer = Greeting.decode(payload)
            pair = (self._greeting, self.peer)
            self.codec = choose_codec(*(pair if self._is_master else reversed(pair)))
            self._framer.limit = self._limits.frame
            self.state = State.OPEN
            return self.peer
        assert self.codec is not None
        message = from_wire(self.codec.decode(payload))
        if isinstance(message, Goodbye):
            self.state = State.CLOSED
        return message

    def send(self, message: Message) -> bytes:
        """Return the bytes of a message.

        Raises:
            TooLarge: the peer accepts no frame of that size; nothing is sent.
            ProtocolError: the session is not open.
        """
        if self.state is not State.OPEN or self.codec is None or self.peer is None:
            raise ProtocolError("the session is not open")
        payload = self.codec.encode(message.to_wire())
        if len(payload) > self.peer.frame:
            raise TooLarge(
                f"a {message.NAME} of {len(payload)} bytes; "
                f"{self.peer.name} accepts {self.peer.frame}: send it in parts, or over HTTP"
            )
        if isinstance(message, Goodbye):
            self.state = State.CLOSED
        return frame(payload)
