"""Asking the groups who has a key."""

import os
import socket
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred

from anet.errors import Overloaded
from anet.multicast.datagrams import Answer, MalformedDatagram, Question
from anet.multicast.groups import GROUPS, Groups
from anet.multicast.seal import Seal
from anet.multicast.transport import Listening
from anet.tasks import sleep

WAITING_LIMIT = 10_000  # questions of one asker without an answer yet
GATHER = 0.002  # seconds that other answers are waited for after the first
_REPEATS = 3  # times a question is sent within its time-out, since datagrams get lost


class MulticastLocator(Service):
    """Asks the groups; start it before the first question.

    Args:
        reactor: with UDP.
        groups: which range of groups.
        gather: seconds that other answers are waited for after the first.
    """

    def __init__(self, reactor: Any, groups: Groups, gather: float = GATHER) -> None:
        self._reactor, self._groups, self._gather = reactor, groups, gather
        self._seal = Seal(groups.secret)
        self._socket: Any = None
        self._asked: dict[bytes, _Asked] = {}

    def startService(self) -> None:
        """Open a socket to ask from.

        Raises:
            OSError: the network does not carry multicast.
        """
        super().startService()
        self._socket = self._reactor.listenMulticast(0, Listening(lambda data, _: self._hear(data)))
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
        datagram = self._seal.close(question.encode())
        for _ in range(_REPEATS):
            self._socket.write(datagram, group)
            asked.first = Deferred()
            asked.first.addTimeout(timeout / _REPEATS, self._reactor, lambda *_: None)
            await asked.first
            if asked.ranks:
                return

    def _hear(self, data: bytes) -> None:
        try:
            answer = Answer.decode(self._seal.open(data))
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
