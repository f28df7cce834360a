"""Many small GETs at once over few connections (RFC 9112 §9.3.2), of servers that answer quickly.

What is asked in one turn of the reactor leaves in one write, and the answers that arrive together
are read together, so that a GET costs a fraction of a system call. Answers come in the order of
the questions; one that is slow keeps those behind it waiting, so this is for agents of one's own
that have their answers at hand. Whatever is not as expected ends a connection with a typed error,
and a GET may be repeated: by `HttpClient`, which takes answers of any kind.
"""

import re
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from math import inf
from typing import Any, NoReturn

from attrs import define, field, frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from anet.deadline import Deadline
from anet.errors import (
    AnetError,
    ConnectionBroken,
    MalformedMessage,
    Overloaded,
    Stopped,
    TimedOut,
)
from anet.gathering import Turn, send_now
from anet.http.connect import Creators, Permit, Way, permit_all, reach
from anet.http.place import Place, read_url

HEAD_LIMIT = 8 * 1024  # bytes of the head of an answer
BODY_LIMIT = 1024 * 1024  # bytes of its body
_HEAD = re.compile(rb"HTTP/1\.1 ([2-5]\d\d)[ \r]")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d{1,7})\r\n", re.IGNORECASE)
_ODD = re.compile(rb"\r\n(transfer-encoding:|connection: *close)", re.IGNORECASE)


@frozen
class SmallAnswer:
    """An answer, whole.

    Attributes:
        status: 200 to 599.
        body: at most 1 MiB.
    """

    status: int
    body: bytes


class Pipeline(Protocol):
    """One connection: questions in a row, answers in the same order.

    Attributes:
        on_close: called once, when the connection is gone.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, clock: IReactorTime, turn: Turn, silence: float) -> None:
        self.on_close: Callable[[], None] = lambda: None
        self._turn, self._silence = turn, silence
        self._deadline = Deadline(clock, self._late)
        self._clock, self._impatient = clock, Deadline(clock, self._tell_impatient)
        self._asked: deque[tuple[Deferred[SmallAnswer], float]] = deque()  # each until when
        self._hurried = False  # whether somebody waits who has a limit
        self._unsent: list[bytes] = []
        self._heard = b""
        self._lost: AnetError | None = None

    @property
    def waiting(self) -> int:
        """How many answers are on their way."""
        return len(self._asked)

    def ask(self, request: bytes, patience: float | None = None) -> "Deferred[SmallAnswer]":
        """Ask by the bytes of a GET that has no body; fires with the answer.

        Args:
            request: its bytes.
            patience: seconds for this answer; None for as long as the server says anything.

        Raises (as a failure):
            HttpError: no whole answer came, or none that is small.
        """
        answer: Deferred[SmallAnswer] = Deferred()
        if self._lost is not None:
            answer.errback(_another(self._lost))
            return answer
        if not self._asked:
            self._deadline.set(self._silence)
        if not self._unsent:
            self._turn.at_end(self._send)
        self._asked.append((answer, self._until(patience)))
        self._unsent.append(request)
        return answer

    def _until(self, patience: float | None) -> float:
        if patience is None:
            return inf
        if not self._hurried:
            self._hurried = True
            self._impatient.set(patience)
        return self._clock.seconds() + patience

    def _tell_impatient(self) -> None:
        """Tell those who waited long enough; one timer for all costs next to nothing."""
        now = self._clock.seconds()
        for asked, until in list(self._asked):
            if until <= now and not asked.called:
                asked.errback(TimedOut("the server said nothing in time"))
        nearest = min((until for asked, until in self._asked if not asked.called), default=inf)
        self._hurried = nearest < inf
        if self._hurried:
            self._impatient.set(max(nearest - now, 0.001))

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self._lost is None:
            send_now(self.transport, b"".join(unsent))

    def dataReceived(self, data: bytes) -> None:
        """Take answers."""
        self._heard += data
        try:
            while self._asked and (answer := self._next()) is not None:
                self._deadline.set(self._silence)
                asked, _ = self._asked.popleft()
                if not asked.called:  # its asker may have given up
                    asked.callback(answer)
        except MalformedMessage as error:
            self.fail(error)
            return
        if not self._asked:
            self._deadline.lift()
            if self._heard:
                self.fail(MalformedMessage("the server spoke without being asked"))

    def _next(self) -> SmallAnswer | None:
        """Return the next answer that is whole here.

        Raises:
            MalformedMessage: what is here is no answer, or none that is small.
        """
        heard = self._heard
        end = heard.find(b"\r\n\r\n", 0, HEAD_LIMIT) + 4
        if end < 4:
            if len(heard) >= HEAD_LIMIT:
                raise MalformedMessage(f"the head passes {HEAD_LIMIT} bytes")
            return None
        status, length = _HEAD.match(heard), _LENGTH.search(heard, 0, end)
        if status is None or length is None or _ODD.search(heard, 0, end):
            raise MalformedMessage(f"not a small answer: {heard[:60]!r}")
        whole = end + int(length[1])
        if whole > end + BODY_LIMIT:
            raise MalformedMessage(f"the body passes {BODY_LIMIT} bytes")
        if len(heard) < whole:
            return None
        self._heard = heard[whole:]
        return SmallAnswer(int(status[1]), heard[end:whole])

    def _late(self) -> None:
        self.fail(TimedOut(f"the server said nothing for {self._silence:g} seconds"))

    def fail(self, error: AnetError) -> None:
        """Close, and tell all who wait why."""
        if self._lost is None:
            self._lost = error
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell all who wait."""
        self._deadline.stop()
        self._impatient.stop()
        error = self._lost = self._lost or ConnectionBroken("the server closed the connection")
        self.on_close()
        while self._asked:
            asked, _ = self._asked.popleft()
            if not asked.called:
                asked.errback(_another(error))


def _another(error: AnetError) -> AnetError:
    """Return the same error for somebody else, who adds where it was met."""
    return type(error)(str(error))


def _timed_out(_: Any, seconds: float) -> NoReturn:
    raise TimedOut(f"the server said nothing for {seconds:g} seconds")


@define
class _Lines:
    """The connections to one place, those being made, and who waits for the first of them."""

    open: list[Pipeline] = field(factory=list)
    next: int = 0
    opening: int = 0
    waiting: list[Deferred[None]] = field(factory=list)


@lru_cache(maxsize=1000)
def _place(base: str) -> Place:
    return read_url(base)[0]


class PipelinedClient(Service):
    """GETs of small answers, from servers of one's own.

    Args:
        reactor: which reactor.
        lines: connections to one place.
        depth: answers that one connection may be waiting for.
        connect_timeout: seconds for a name, and again for each address it leads to.
        silence: seconds without an answer after which a connection is given up.
        permit: tells of each IP address whether it may be connected to over TLS.
        permit_plain: tells the same for connections in the clear.
        tls: makes the TLS connections to a host.
    """

    def __init__(
        self,
        reactor: Any,
        *,
        lines: int = 4,
        depth: int = 500,
        connect_timeout: float = 10.0,
        silence: float = 15.0,
        permit: Permit = permit_all,
        permit_plain: Permit | None = None,
        tls: Creators | None = None,
    ) -> None:
        self._reactor, self._turn = reactor, Turn(reactor)
        self._most, self._depth = lines, depth
        self._connect_timeout, self._silence = connect_timeout, silence
        self._permit, self._permit_plain, self._tls = permit, permit_plain or permit, tls
        self._places: dict[Place, _Lines] = {}
        self._stopped = False

    async def get(self, base: str, target: str, patience: float | None = None) -> SmallAnswer:
        """Ask a server for a path.

        Args:
            base: URL of the server, without a path.
            target: path and query, in ASCII without spaces.
            patience: seconds for this answer; what comes later is for nobody, and others who
                wait for the same server go on waiting.

        Raises:
            HttpError: no whole answer, or none that is small.
            Overloaded: too many answers are waited for already.
            Stopped: the client was stopped.
        """
        place = _place(base)
        line = self._line(place)
        if line is None:
            connecting = Deferred.fromCoroutine(self._another(place))
            if patience is not None:
                connecting.addTimeout(patience, self._reactor, _timed_out)
            line = await connecting
        if line.waiting >= self._depth:
            raise Overloaded(f"{line.waiting} answers of {base} are waited for")
        request = b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target.encode(), place.authority)
        return await line.ask(request, patience)

    def _line(self, place: Place) -> Pipeline | None:
        """Return the connection whose turn it is; None when another is to be made."""
        lines = self._places.get(place)
        if lines is None or not lines.open:
            return None
        if len(lines.open) + lines.opening < self._most and all(it.waiting for it in lines.open):
            return None
        lines.next = (lines.next + 1) % len(lines.open)
        return lines.open[lines.next]

    async def _another(self, place: Place) -> Pipeline:
        """Return a new connection, or the first of those that are being made."""
        if self._stopped:
            raise Stopped("this HTTP client was stopped")
        lines = self._places.setdefault(place, _Lines())
        if lines.opening < self._most:
            return await self._connect(place, lines)
        if len(lines.waiting) >= self._depth:
            raise Overloaded(f"{len(lines.waiting)} wait for a connection to {place.host}")
        opened: Deferred[None] = Deferred(lines.waiting.remove)
        lines.waiting.append(opened)
        await opened
        return self._line(place) or await self._another(place)

    async def _connect(self, place: Place, lines: _Lines) -> Pipeline:
        way = Way(
            place.host, place.port, place.tls, timeout=self._connect_timeout, creators=self._tls
        )
        permit = self._permit if place.tls else self._permit_plain
        lines.opening += 1
        error: AnetError | None = None
        try:
            line: Pipeline = await reach(self._reactor, way, self._build, permit=permit)
            if self._stopped:
                line.fail(Stopped("this HTTP client was stopped"))
                raise Stopped("this HTTP client was stopped")
            lines.open.append(line)
            line.on_close = lambda: self._closed(place, lines, line)
            return line
        except AnetError as failure:
            error = failure
            raise
        finally:  # also when who asked gave up: then the first of those who wait connects
            lines.opening -= 1
            self._opened(lines, error)

    def _opened(self, lines: _Lines, error: AnetError | None) -> None:
        """Let all who wait for a connection go on, or fail by the same error."""
        waiting, lines.waiting = lines.waiting, []
        for opened in waiting:
            if error is None:
                opened.callback(None)
            else:
                opened.errback(_another(error))

    def _build(self, _: object) -> Pipeline:
        return Pipeline(self._reactor, self._turn, self._silence)

    def _closed(self, place: Place, lines: _Lines, line: Pipeline) -> None:
        lines.open.remove(line)
        if not lines.open and not lines.opening and self._places.get(place) is lines:
            del self._places[place]

    def stopService(self) -> None:
        """Close every connection; what is waited for fails."""
        super().stopService()
        self._stopped = True
        for lines in list(self._places.values()):
            for line in list(lines.open):
                line.fail(Stopped("this HTTP client was stopped"))
