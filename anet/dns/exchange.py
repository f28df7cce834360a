"""One question to one server: by UDP, and again by TCP when the answer was cut short."""

from typing import Any

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.protocol import connectionDone
from twisted.names import dns
from twisted.protocols.basic import Int16StringReceiver
from twisted.python.failure import Failure

from anet.dns.datagram import by_udp
from anet.dns.question import Question
from anet.dns.system import Server
from anet.errors import ConnectFailed, TimedOut
from anet.factories import factory_of


async def ask(reactor: Any, server: Server, question: Question, timeout: float) -> dns.Message:
    """Return a server's answer to a question.

    Raises (the messages tell of the server what it did):
        ConnectFailed: the server does not run, or cannot be reached, or breaks off.
        TimedOut: it did not answer within `timeout` seconds.
    """
    asking = Deferred.fromCoroutine(_ask(reactor, server, question))
    try:
        return await asking.addTimeout(timeout, reactor)
    except TimeoutError:
        raise TimedOut("is silent") from None
    except (ConnectError, OSError) as error:
        raise ConnectFailed(f"cannot be asked: {error}") from None


async def _ask(reactor: Any, server: Server, question: Question) -> dns.Message:
    message = await by_udp(reactor, server, question)
    return await _by_tcp(reactor, server, question) if message.trunc else message


class _Stream(Int16StringReceiver):
    """Asks, and takes the first message for the answer: nobody else speaks on a connection."""

    def __init__(self, question: Question) -> None:
        self.answered: Deferred[dns.Message] = Deferred()
        self._question = question

    def connectionMade(self) -> None:
        self.sendString(self._question.to_bytes())

    def stringReceived(self, string: bytes) -> None:
        if self.answered.called:
            return
        message = self._question.answer(string)
        if message is None:
            self.answered.errback(ConnectFailed("answers another question"))
        else:
            self.answered.callback(message)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self.answered.called:
            self.answered.errback(ConnectFailed("breaks off"))


async def _by_tcp(reactor: Any, server: Server, question: Question) -> dns.Message:
    kind = TCP6ClientEndpoint if ":" in server.ip else TCP4ClientEndpoint
    endpoint: Any = kind(reactor, server.ip, server.port)
    try:
        protocol = await endpoint.connect(factory_of(lambda: _Stream(question)))
    except ConnectingCancelledError:
        raise CancelledError from None  # as every other wait does
    try:
        message: dns.Message = await protocol.answered
        return message
    finally:
        protocol.transport.abortConnection()
