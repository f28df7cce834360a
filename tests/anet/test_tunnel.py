"""CONNECT through an HTTP proxy: the words, the proxy's answers, lies and silence."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from anet.address import Address
from anet.errors import (
    ConnectionBroken,
    HttpError,
    InvalidAddress,
    MalformedMessage,
    TimedOut,
    TunnelRefused,
)
from anet.tunnel import HEAD_LIMIT, Proxy, Tunnel, TunnelProtocol

PROXY = Proxy.parse("http://proxy.example:3128")
MASTER = Address("master.example", 443)


def test_what_is_asked():
    """The master's name goes to the proxy, which looks it up."""
    assert Tunnel(PROXY, MASTER).request == (
        b"CONNECT master.example:443 HTTP/1.1\r\nHost: master.example:443\r\n\r\n"
    )
    assert Tunnel(PROXY, Address("::1", 443)).request.startswith(b"CONNECT [::1]:443 ")


def test_credentials_are_sent_and_never_shown():
    """User and password may hold any printable character, percent-encoded."""
    proxy = Proxy.parse("http://us%40er:p%3Ass%C3%A9@proxy.example:3128")
    assert b"Proxy-Authorization: Basic dXNAZXI6cDpzc8Op\r\n" in Tunnel(proxy, MASTER).request
    assert "@er" not in repr(proxy) + str(proxy)
    with pytest.raises(InvalidAddress) as caught:
        Proxy.parse("http://user:password@proxy.example")
    assert "http://user:password@host:port" in str(caught.value)
    assert "proxy.example" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["", "proxy:3128", "https://proxy:3128", "http://proxy", "http://proxy:0", "http://proxy:1/x"]
    + ["http://a%0d%0aX:y@proxy:1", "http://proxy:99999", "http://[::1:1"],
)
def test_what_is_no_proxy(url):
    """Other schemes, a missing port, a path, and line ends in credentials are refused."""
    with pytest.raises(InvalidAddress):
        Proxy.parse(url)


@given(st.text(), st.text())
def test_any_url_is_a_proxy_or_an_error(user, rest):
    """No text raises anything but the documented error."""
    for url in (rest, f"http://{user}@{rest}", f"http://{user}:x@proxy:1"):
        with suppress(InvalidAddress):
            assert Tunnel(Proxy.parse(url), MASTER).request.count(b"\n") <= 4


@given(st.integers(1, 30), st.sampled_from([b"", b"\x16\x03\x03", b"\r\n"]))
def test_an_answer_in_any_pieces(size, beyond):
    """The tunnel is there once the head is whole; what comes after it is from beyond."""
    answer = b"HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n" + beyond
    tunnel, got = Tunnel(PROXY, MASTER), None
    for start in range(0, len(answer), size):
        piece = answer[start : start + size]
        if got is None:
            got = tunnel.receive(piece)
        else:
            got += piece
    assert got == beyond


@pytest.mark.parametrize(
    ("proxy", "answer", "status", "words"),
    [
        (PROXY, b"407 Proxy Authentication Required", 407, "wants credentials"),
        (Proxy(PROXY.address, "u:p"), b"407 No", 407, "refuses the user name and password"),
        (PROXY, b"403 Forbidden", 403, "only lead to port 443"),
        (PROXY, b"502", 502, "it answers 502"),
        (PROXY, b"302 Found", 302, "it answers 302"),
    ],
)
def test_a_proxy_that_refuses(proxy, answer, status, words):
    """The error holds the status, and says what to do."""
    with pytest.raises(TunnelRefused, match=words) as caught:
        Tunnel(proxy, MASTER).receive(b"HTTP/1.1 " + answer + b"\r\n\r\n")
    assert caught.value.status == status


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-x", b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 20\r\n\r\n", b"HTTP/1.1 2000 x\r\n\r\n"]
    + [b"HTTP/1.1 200 OK\r\nX: " + b"x" * HEAD_LIMIT, b"\0"],
)
def test_a_proxy_that_talks_nonsense(answer):
    """It is found out at the first byte that cannot be, or at the limit."""
    with pytest.raises(MalformedMessage):
        Tunnel(PROXY, MASTER).receive(answer)


@given(st.lists(st.binary(max_size=200) | st.just(b"HTTP/1.1 ") | st.just(b"\r\n\r\n")))
def test_any_answer_is_a_tunnel_or_an_error(pieces):
    """No bytes raise anything but the documented errors, or are kept without end."""
    tunnel = Tunnel(PROXY, MASTER)
    with suppress(HttpError):
        for piece in pieces:
            if tunnel.receive(piece) is not None:
                break


class Beyond(Protocol):
    """What talks through the tunnel."""

    def __init__(self) -> None:
        self.said = b""

    def dataReceived(self, data: bytes) -> None:
        """Keep it."""
        self.said += data


def protocol_of(clock: Clock, seconds: float = 20.0):
    """Return a protocol, its transport, what talks beyond, and the errors."""
    beyond, errors = Beyond(), []
    tunnel = TunnelProtocol(clock, Tunnel(PROXY, MASTER), lambda: beyond, errors.append, seconds)
    transport = StringTransport()
    transport.protocol = tunnel
    tunnel.makeConnection(transport)
    return tunnel, transport, beyond, errors


def test_the_transport_goes_to_who_talks_beyond():
    """It gets the first bytes, and from then on all of them."""
    clock = Clock()
    tunnel, transport, beyond, errors = protocol_of(clock)
    tunnel.dataReceived(b"HTTP/1.1 200 OK\r\n\r\nfirst")
    assert (transport.protocol, beyond.transport, beyond.said) == (beyond, transport, b"first")
    assert (errors, clock.getDelayedCalls()) == ([], [])


def test_a_proxy_that_is_silent_drips_or_goes():
    """Each way of giving no tunnel is one error, and closes the connection."""
    clock = Clock()
    tunnel, transport, _, errors = protocol_of(clock)
    for _ in range(19):
        clock.advance(1)
        tunnel.dataReceived(b"HTTP/1.1 200 OK\r\n"[:1] if not _ else b"")
    clock.advance(1)
    assert isinstance(errors[0], TimedOut)
    assert transport.disconnected
    tunnel, _, _, errors = protocol_of(clock)
    tunnel.connectionLost()
    tunnel.dataReceived(b"HTTP/1.1 200 OK\r\n\r\n")
    assert [type(error) for error in errors] == [ConnectionBroken]
    assert clock.getDelayedCalls() == []
