"""Answering questions of the groups of what one holds."""

import socket
from collections.abc import Callable, Iterable
from typing import Any

from twisted.application.service import Service
from twisted.internet.error import CannotListenError

from anet.errors import AnetError
from anet.multicast.datagrams import Answer, MalformedDatagram, Question
from anet.multicast.groups import MEMBERSHIPS, Groups
from anet.multicast.seal import Seal
from anet.multicast.transport import Listening

_IP_MULTICAST_ALL = 49  # Linux: give a socket the groups of all sockets, or its own only

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
        self._seal = Seal(groups.secret)
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
        protocol = Listening(self._hear)
        try:
            opened = self._reactor.listenMulticast(self._groups.port, protocol, listenMultiple=True)
        except CannotListenError as error:
            raise AnetError(f"multicast: UDP port {self._groups.port}: {error}") from None
        opened.socket.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
        return opened

    def _hear(self, data: bytes, reply: Callable[[bytes], None]) -> None:
        try:
            question = Question.decode(self._seal.open(data))
        except MalformedDatagram:
            return
        self.questions += 1
        known = self._know(question.kind, question.key)
        if known is not None:
            self.answers += 1
            reply(self._seal.close(Answer(question.number, *known).encode()))

    async def stopService(self) -> None:
        """Leave all groups."""
        super().stopService()
        self.joined.clear()
        while self._sockets:
            await self._sockets.pop().stopListening()
