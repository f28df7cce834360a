"""One end of a link, sans I/O: bytes in as messages, messages out as bytes.

GREETING --the peer's greeting--> OPEN --goodbye, either way--> CLOSED
GREETING, OPEN --nonsense, a limit passed--> CLOSED (by ProtocolError)
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from hip.codecs import YAML, Codec
from hip.errors import ProtocolError
from hip.greeting import Greeting, choose_codec
from hip.limits import Limits
from hip.messages import Frame, Goodbye, Single
from hip.outbox import Outbox
from hip.wire import Framer, frame


class State(Enum):
    """Where a session stands; the table is in the module's docstring."""

    GREETING = auto()
    OPEN = auto()
    CLOSED = auto()


_OPEN, _CLOSED = State.OPEN, State.CLOSED  # looked up once: asked for every frame


class Session:
    """The state machine of one end.

    Attributes:
        state: where it stands.
        peer: what the other end said of itself, once OPEN.
        codec: the serializer that both chose, once OPEN.
        outbox: what waits to be sent; messages are added while OPEN.
    """

    __slots__ = (
        "_framer",
        "_greeting",
        "_is_master",
        "_limits",
        "_read",
        "codec",
        "outbox",
        "peer",
        "state",
    )

    def __init__(self, greeting: Greeting, limits: Limits, is_master: bool) -> None:
        self.state = State.GREETING
        self.peer: Greeting | None = None
        self.codec: Codec | None = None
        self.outbox = Outbox(YAML, limit=0)  # another takes its place with the greeting
        self._greeting = greeting
        self._limits = limits
        self._is_master = is_master
        self._framer = Framer(limits.greeting)
        self._read: Callable[[memoryview], Any] | None = None  # once OPEN

    def start(self) -> bytes:
        """Return the bytes to begin with: our greeting."""
        return frame(self._greeting.encode())

    # In

    @property
    def held(self) -> int:
        """Bytes that came and have not been read by `next`."""
        return len(self._framer)

    @property
    def size(self) -> int:
        """Bytes of the frame that `next` read last."""
        return self._framer.size

    def end(self) -> None:
        """Take and say nothing more; what came and what waits to be sent is dropped."""
        self.state = State.CLOSED
        self._framer, self.outbox = Framer(0), Outbox(YAML, limit=0)

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        if self.state is not State.CLOSED:
            self._framer.feed(data)

    def next(self) -> Greeting | Frame | None:
        """Return what the next bytes say, first the greeting; None when they say nothing whole.

        Raises:
            ProtocolError: they say nothing that HIP knows; the session is closed, and what
                waits to be sent ends with a goodbye that says so.
        """
        if self.state is _CLOSED or self._framer.is_empty:
            return None
        try:
            payload = self._framer.next()
            if payload is None:
                return None
            if self._read is None:
                return self._be_greeted(payload)
            said: Frame = self._read(payload)
        except ProtocolError as error:
            if self.state is State.OPEN:
                self.say(Goodbye(str(error)[:100]))
            self.state = _CLOSED
            raise
        if isinstance(said, Goodbye):
            self.state = State.CLOSED
        return said

    def _be_greeted(self, payload: memoryview) -> Greeting:
        self.peer = Greeting.decode(payload)
        pair = (self._greeting, self.peer)
        self.codec = choose_codec(*(pair if self._is_master else reversed(pair)))
        self.outbox = Outbox(self.codec, self.peer.frame)
        self._read = self.codec.reader(Frame)
        self._framer.limit = self._limits.frame
        self.state = State.OPEN
        return self.peer

    # Out; see also `outbox`

    def say(self, single: Single) -> None:
        """Write what travels in a frame of its own.

        Raises:
            TooLarge: it cannot be said; nothing is.
            ProtocolError: the session is not open.
        """
        if self.state is not State.OPEN:
            raise ProtocolError("the session is not open")
        self.outbox.say(single)
        if isinstance(single, Goodbye):
            self.state = State.CLOSED
