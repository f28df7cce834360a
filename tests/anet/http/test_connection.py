"""One connection to a server, without a network."""

from math import inf

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from anet.http import HttpConnection
from anet.http.exchange import State


@pytest.mark.parametrize(
    "framed",
    [b"Content-Length: 2\r\n\r\nab", b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"],
)
def test_a_short_body_is_there_with_its_head(framed: bytes) -> None:
    """Who asks for it need not wait, and the connection was never held back."""
    transport = StringTransport()
    connection = HttpConnection(Clock(), 10.0)
    connection.makeConnection(transport)
    asked = Deferred.fromCoroutine(connection.request("GET", "/"))
    pieces: list[bytes] = []
    at_once: list[bool] = []
    asked.addCallback(lambda answer: at_once.append(answer.deliver(pieces.append).called))
    connection.dataReceived(b"HTTP/1.1 200 OK\r\n" + framed)
    assert at_once == [True]
    assert b"".join(pieces) == b"ab"
    assert connection.state is State.IDLE
    assert transport.producerState == "producing"


def test_an_endless_body_is_never_given_up() -> None:
    """With infinite patience there is not even a timer."""
    clock = Clock()
    connection = HttpConnection(clock, inf)
    connection.makeConnection(StringTransport())
    asked = Deferred.fromCoroutine(connection.request("GET", "/"))
    pieces: list[bytes] = []
    asked.addCallback(lambda answer: answer.deliver(pieces.append))
    connection.dataReceived(b"HTTP/1.1 200 OK\r\n\r\nab")
    assert clock.getDelayedCalls() == []
    clock.advance(1e9)
    connection.dataReceived(b"cd")
    assert b"".join(pieces) == b"abcd"
