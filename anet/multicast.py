"""Questions to many at once, "who has this key?", answered by those who know (*INA §2.3.2*).

There are 256 groups, one for each first byte of a key, in one range of addresses
(239.192.77.0 to 239.192.77.255). Who holds a key joins its group; who looks for one asks the
group, and takes the answers that come within a short time. Datagrams are small and bounded; one
that is not ours is dropped.

    question: "MQ1?" number(8) length(1) kind length(1) key
    answer:   "MQ1!" number(8) rank(8) length(2) place

The groups are in the administratively scoped range, and the default time to live of 0 keeps
datagrams on this machine.
"""

import ipaddress
import os
import socket
import struct
from collections.abc import Callable, Iterable
from typing import Any

from attrs import field, frozen, validators
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import DatagramProtocol
from twisted.logger import Logger

from anet.errors import AnetError, Overloaded
from anet.tasks import sleep

GROUPS = 256
MEMBERSHIPS = 20  # groups a socket may join, by the default of Linux
KIND_LIMIT = 32  # bytes
KEY_LIMIT = 64
PLACE_LIMIT = 300
WAITING_LIMIT = 10_000  # questions of one asker without an answer yet
GATHER = 0.002  # seconds that other answers are waited for after the first
_REPEATS = 3  # times a question is sent within its time-out, since datagrams get lost
_QUESTION = b"MQ1?"
_ANSWER = b"MQ1!"
_IP_MULTICAST_ALL = 49  # Linux: give a socket the groups of all sockets, or its own only

_log = Logger()


class MalformedDatagram(AnetError):
    """The bytes are neither question nor answer."""


def _is_base(_: object, __: object, value: str) -> None:
    try:
        right = ipaddress.IPv4Address(value).is_multicast and value.endswith(".0")
    except ValueError:
        right = False
    if not right:
        raise ValueError("the first of 256 multicast addresses, 239.192.77.0")


@frozen
class Groups:
    """Where questions are asked.

    Attributes:
        port: UDP port of all groups.
        base: the group of keys that begin with byte 0; the others follow.
        interface: IP address of the network card that carries them.
        ttl: routers a datagram may pass, plus one; 0 stays on this machine.
    """

    port: int
    base: str = field(default="239.192.77.0", validator=_is_base)
    interface: str = "127.0.0.1"
    ttl: int = field(default=0, validator=[validators.ge(0), validators.le(255)])

    def address(self, first: int) -> str:
        """Return the group of keys that begin with a byte."""
        return str(ipaddress.IPv4Address(self.base) + first)


@frozen
class Question:
    """Who has this key?

    Attributes:
        number: tells answers to different questions apart; eight random bytes.
        kind: what is looked for.
        key: which one.
    """

    number: bytes
    kind: str
    key: bytes

    def encode(self) -> bytes:
        """Return the datagram."""
        kind = self.kind.encode("ascii")
        return b"".join(
            (_QUESTION, self.number, bytes([len(kind)]), kind, bytes([len(self.key)]), self.key)
        )

    @classmethod
    def decode(cls, data: bytes) -> "Question":
        """Read a datagram.

        Raises:
            MalformedDatagram: it is no question.
        """
        if data[:4] != _QUESTION or not 14 < len(data) <= 14 + KIND_LIMIT + KEY_LIMIT:
            raise MalformedDatagram("not a question")
        end = 13 + data[12]
        kind = data[13:end]
        if end >= len(data) or len(data) != end + 1 + data[end]:
            raise MalformedDatagram("a question of another length than it says")
        if not kind.isascii() or not 1 <= data[end] <= KEY_LIMIT or len(kind) > KIND_LIMIT:
            raise MalformedDatagram("a question about nothing")
        return cls(data[4:12], kind.decode("ascii"), data[end + 1 :])


@frozen
class Answer:
    """It is here.

    Attributes:
        number: of the question.
        place: where; a base URL.
        rank: how good this one is; of several the highest is the best.
    """

    number: bytes
    place: str
    rank: int = 0

    def encode(self) -> bytes:
        """Return the datagram."""
        place = self.place.encode("ascii")
        return _ANSWER + self.number + struct.pack("!QH", self.rank, len(place)) + place

    @classmethod
    def decode(cls, data: bytes) -> "Answer":
        """Read a datagram.

        Raises:
            MalformedDatagram: it is no answer.
        """
        if data[:4] != _ANSWER or not 22 < len(data) <= 22 + PLACE_LIMIT:
            raise MalformedDatagram("not an answer")
        rank, length = struct.unpack("!QH", data[12:22])
        place = data[22:]
        if len(place) != length or not place.isascii():
            raise MalformedDatagram("an answer of another length than it says")
        return cls(data[4:12], place.decode("ascii"), rank)


Know = Callable[[str, bytes], tuple[str, int] | None]


class GroupListener(Service):
    """Answers the questions of the groups it has joined.

    Args:
        reactor: with UDP.
        groups: which range of groups.
        know: says for kind and key where it is and its rank, or None; it must be quick.

    Attributes:
        joined: first bytes of the keys whose groups it has joined.
        questions: how many came.
        answers: how many of them it knew.
    """

    def __init__(self, reactor: Any, groups: Groups, know: Know) -> None:
        self.joined: set[int] = set()
        self.questions = self.answers = 0
        self._reactor, self._groups, self._know = reactor, groups, know
        self._sockets: list[Any] = []

    async def join(self, firsts: Iterable[int]) -> None:
        """Join the groups of keys that begin with these bytes; opens sockets as they are needed.

        Raises:
            OSError: the network does not carry multicast.
            anet.errors.AnetError: the port is taken by something that does not share it.
        """
        for first in sorted(set(firsts) - self.joined):
            if len(self.joined) >= MEMBERSHIPS * len(self._sockets):
                self._sockets.append(self._open())
            address = self._groups.address(first)
            await self._sockets[-1].joinGroup(address, self._groups.interface)
            self.joined.add(first)

    def _open(self) -> Any:
        protocol = _Listening(self._hear)
        try:
            opened = self._reactor.listenMulticast(self._groups.port, protocol, listenMultiple=True)
        except CannotListenError as error:
            raise AnetError(f"multicast: UDP port {self._groups.port}: {error}") from None
        opened.socket.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
        return opened

    def _hear(self, data: bytes, reply: Callable[[bytes], None]) -> None:
        try:
            question = Question.decode(data)
        except MalformedDatagram:
            return
        self.questions += 1
        known = self._know(question.kind, question.key)
        if known is not None:
            self.answers += 1
            reply(Answer(question.number, *known).encode())

    async def stopService(self) -> None:
        """Leave all groups."""
        super().stopService()
        self.joined.clear()
        while self._sockets:
            await self._sockets.pop().stopListening()


class _Listening(DatagramProtocol):
    """Gives each datagram on, with a way to reply to its sender."""

    transport: Any

    def __init__(self, hear: Callable[[bytes, Callable[[bytes], None]], None]) -> None:
        self._hear = hear

    def datagramReceived(self, datagram: bytes, addr: Any) -> None:
        try:
            self._hear(datagram, lambda data: self._send(data, addr))
        except Exception:
            _log.failure("a datagram was not understood")

    def _send(self, data: bytes, address: Any) -> None:
        try:
            self.transport.write(data, address)
        except OSError as error:
            _log.info("no reply to {address}: {error}", address=address, error=error)


class MulticastLocator(Service):
    """Asks the groups; start it before the first question.

    Args:
        reactor: with UDP.
        groups: which range of groups.
        gather: seconds that other answers are waited for after the first.
    """

    def __init__(self, reactor: Any, groups: Groups, gather: float = GATHER) -> None:
        self._reactor, self._groups, self._gather = reactor, groups, gather
        self._socket: Any = None
        self._asked: dict[bytes, _Asked] = {}

    def startService(self) -> None:
        """Open a socket to ask from.

        Raises:
            OSError: the network does not carry multicast.
        """
        super().startService()
        self._socket = self._reactor.listenMulticast(
            0, _Listening(lambda data, _: self._hear(data))
        )
        self._socket.setTTL(self._groups.ttl)
        self._socket.setLoopbackMode(True)
        self._socket.socket.setsockopt(
            socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(self._groups.interface)
        )

    async def find(self, kind: str, key: bytes, timeout: float) -> list[str]:
        """Return the places that hold a key, the best first; none when nobody answered in time.

        Raises:
            OSError: the network does not carry multicast.
            Overloaded: too many questions wait for an answer.
        """
        if len(self._asked) >= WAITING_LIMIT:
            raise Overloaded(f"multicast: {WAITING_LIMIT} questions wait for an answer")
        question = Question(os.urandom(8), kind, key)
        asked = self._asked[question.number] = _Asked()
        try:
            await self._ask(question, asked, timeout)
            if asked.ranks:
                await sleep(self._reactor, self._gather)
        finally:
            del self._asked[question.number]
        return sorted(asked.ranks, key=lambda place: -asked.ranks[place])

    async def _ask(self, question: Question, asked: "_Asked", timeout: float) -> None:
        """Send a question, again while nobody answers, and return at the first answer."""
        group = (self._groups.address(question.key[0]), self._groups.port)
        for _ in range(_REPEATS):
            self._socket.write(question.encode(), group)
            asked.first = Deferred()
            asked.first.addTimeout(timeout / _REPEATS, self._reactor, lambda *_: None)
            await asked.first
            if asked.ranks:
                return

    def _hear(self, data: bytes) -> None:
        try:
            answer = Answer.decode(data)
        except MalformedDatagram:
            return
        asked = self._asked.get(answer.number)
        if asked is not None:
            asked.take(answer)

    async def stopService(self) -> None:
        """Close the socket; questions under way end without answers."""
        super().stopService()
        if self._socket is not None:
            await self._socket.stopListening()


class _Asked:
    """A question that waits: the places that answered, with their ranks."""

    def __init__(self) -> None:
        self.ranks: dict[str, int] = {}
        self.first: Deferred[None] | None = None

    def take(self, answer: Answer) -> None:
        """Take an answer; the first ends the wait."""
        if len(self.ranks) < GROUPS:
            self.ranks[answer.place] = answer.rank
        first, self.first = self.first, None
        if first is not None:
            first.callback(None)


async def probe(reactor: Any, groups: Groups, timeout: float = 0.5) -> bool:
    """Tell whether multicast works here: ask ourselves something that only we know."""
    secret = os.urandom(16)
    listener = GroupListener(
        reactor, groups, lambda _, key: ("probe", 0) if key == secret else None
    )
    locator = MulticastLocator(reactor, groups)
    try:
        locator.startService()
        await listener.join([secret[0]])
        return bool(await locator.find("probe", secret, timeout))
    except Exception as error:  # of the system, or one of Twisted's own for joining a group
        _log.info("multicast does not work here: {error}", error=error)
        return False
    finally:
        await listener.stopService()
        await locator.stopService()
