"""One download: a first answer, and what its connections bring of its body."""

from collections.abc import Callable
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred

from agents.crawler.network.resumption import goes_on, length_of, validator, wanted
from anet.http import ResponseHead
from anet.tls import TlsSession

RESUMPTIONS = 100  # of one download
FRUITLESS = 3  # of them in a row that bring nothing

Sink = Callable[[bytes], Deferred[Any] | None]
Receiver = Callable[[ResponseHead], Sink]


class Answer(NamedTuple):
    """What a URL answered, its body having been received.

    Attributes:
        head: as received, or written out if it came by HTTP/2.
        address: `ip:port` of the server, or of the proxy.
        begun: when the answer's head was here, in seconds since the epoch.
        asked: when it was asked for, by the reactor's clock.
        tls: what was agreed upon with the server, if TLS was spoken.
        proxy: the proxy that it came through, without its password; or empty.
        resumed: how often the body broke off and was gone on with.
        truncated: why the rest of the body is missing, in the words of WARC: `disconnect`,
            `time` or `length`; empty when it is whole.
        sent: the head of the request as it was sent, with all its secrets.
    """

    head: ResponseHead
    address: str
    begun: float
    asked: float
    tls: TlsSession | None = None
    proxy: str = ""
    resumed: int = 0
    truncated: str = ""
    sent: bytes = b""


class Download:
    """Takes the body of one answer, over more than one connection if they break.

    Args:
        receiver: given the head, returns what takes the chunks of the body.

    Attributes:
        answer: the first one, as long as there is one.
        size: bytes of the body that are here.
        breaks: how often it broke off.
    """

    __slots__ = (
        "_before",
        "_fruitless",
        "_pause",
        "_receiver",
        "_sink",
        "answer",
        "breaks",
        "size",
    )

    def __init__(self, receiver: Receiver) -> None:
        self.answer: Answer | None = None
        self.size = self.breaks = 0
        self._receiver = receiver
        self._sink: Sink | None = None
        self._pause: Deferred[Any] | None = None
        self._before = self._fruitless = 0

    def accept(self, answer: Answer) -> Sink | None:
        """Return what takes the body of an answer; None if it does not go on with the first."""
        if self.answer is None:
            self.answer = answer
            self._sink = self._receiver(answer.head)
        elif not goes_on(self.answer.head, self.size, answer.head):
            return None
        else:
            self.answer = self.answer._replace(resumed=self.answer.resumed + 1)
        return self

    def __call__(self, chunk: bytes) -> Deferred[Any] | None:
        """Take the next bytes; a Deferred asks to wait with more."""
        assert self._sink is not None
        self.size += len(chunk)
        self._pause = self._sink(chunk)
        return self._pause

    @property
    def whole(self) -> bool:
        """Whether all is here that the first head promised."""
        if self.answer is None:
            return False
        length = length_of(self.answer.head) if self.answer.resumed else None
        return length is None or self.size >= length

    def missing(self) -> list[tuple[bytes, bytes]]:
        """Return the fields that ask for the rest, or nothing when that can't be had."""
        self.breaks += 1
        name = None if self.answer is None or not self.size else validator(self.answer.head)
        if self.answer is None or name is None or self.breaks > RESUMPTIONS:
            return []
        self._fruitless = 0 if self.size > self._before else self._fruitless + 1
        self._before = self.size
        return [] if self._fruitless >= FRUITLESS else wanted(self.size, name)

    async def settle(self) -> None:
        """Wait until what came last has been read, after a connection broke."""
        pause = self._pause
        if pause is None or pause.called:
            return
        over: Deferred[None] = Deferred()

        def pass_on(result: Any) -> Any:
            over.callback(None)
            return result

        pause.addBoth(pass_on)
        await over
