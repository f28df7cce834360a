"""A socket that asks one name server one question by UDP.

Twisted's own UDP ports write two lines into the log for each socket, a burden with a socket for
each question.
"""

import socket
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReadDescriptor
from twisted.names import dns
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.dns.question import Question
from anet.dns.system import Server
from anet.errors import ConnectFailed

_LARGEST = 65_535  # bytes of a datagram
_AT_ONCE = 16  # datagrams read before the reactor has its turn


async def by_udp(reactor: Any, server: Server, question: Question) -> dns.Message:
    """Return a server's answer to a question, however long it takes.

    The kernel chooses the port at random, and passes over what comes from elsewhere than the
    server; datagrams that are no answer to the question are passed over here.

    Raises:
        ConnectFailed: no server runs there.
        OSError: there is no way to it, or no socket left.
    """
    asking = _Asking(reactor, server, question)
    try:
        return await asking.answered
    finally:
        asking.close()


@implementer(IReadDescriptor)
class _Asking:
    """The socket, from the question to the answer."""

    def __init__(self, reactor: Any, server: Server, question: Question) -> None:
        self.answered: Deferred[dns.Message] = Deferred()
        self._reactor = reactor
        self._question = question
        family = socket.AF_INET6 if ":" in server.ip else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.connect((server.ip, server.port))
            self._socket.send(question.to_bytes())
        except BaseException:
            self._socket.close()
            raise
        reactor.addReader(self)

    def fileno(self) -> int:
        """Return the socket's number, by which the reactor watches it."""
        return self._socket.fileno()

    def logPrefix(self) -> str:
        """Return what the log calls it."""
        return "DNS"

    def doRead(self) -> None:
        """Look among the datagrams that came for the answer."""
        for _ in range(_AT_ONCE):
            try:
                data = self._socket.recv(_LARGEST)
            except BlockingIOError:
                return
            except OSError:
                self._refused()
                return
            message = self._question.answer(data)
            if message is not None:
                self._reactor.removeReader(self)
                self.answered.callback(message)
                return

    def connectionLost(self, reason: Failure) -> None:
        """Hear of an error of the socket, as some reactors tell of it."""
        self._refused()

    def close(self) -> None:
        """Close the socket."""
        self._reactor.removeReader(self)
        self._socket.close()

    def _refused(self) -> None:
        self._reactor.removeReader(self)
        if not self.answered.called:
            self.answered.errback(ConnectFailed("does not run"))
