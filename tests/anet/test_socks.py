"""The words with SOCKS proxies, right and wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.address import Address
from anet.errors import HttpError, InvalidAddress, MalformedMessage, TunnelRefused
from anet.socks import SocksProxy, SocksTunnel

OPEN = SocksProxy.parse("socks5://proxy.example:1080")
CLOSED = SocksProxy.parse("socks5://us%40er:p%3Ass@proxy.example:1080")
THERE = b"\x05\x00\x00\x01\x7f\x00\x00\x01\x1f\x90"
TO = Address("site.example", 80)


def talk(tunnel: SocksTunnel, answers: bytes, step: int = 100) -> tuple[bytes, bytes | None]:
    """Give answers; return all that was said, and what came through."""
    said, through = tunnel.request, None
    for at in range(0, len(answers), step):
        piece = answers[at : at + step]
        if through is not None:
            through += piece
            continue
        through = tunnel.receive(piece)
        said += tunnel.reply()
    return said, through


@pytest.mark.parametrize("step", [1, 2, 100])
def test_without_a_password(step: int) -> None:
    """The name goes to the proxy; what follows its answer comes from beyond."""
    said, through = talk(SocksTunnel(OPEN, TO), b"\x05\x00", 2)
    assert through is None
    assert said == b"\x05\x01\x00" + b"\x05\x01\x00\x03\x0csite.example\x00P"
    tunnel = SocksTunnel(OPEN, TO)
    assert talk(tunnel, b"\x05\x00", step)[1] is None
    assert talk(tunnel, THERE + b"hello", step)[1] == b"hello"


def test_with_a_password() -> None:
    """It is sent only to a proxy that asks for it."""
    tunnel = SocksTunnel(CLOSED, TO)
    assert tunnel.request == b"\x05\x02\x00\x02"
    assert tunnel.receive(b"\x05\x02") is None
    assert tunnel.reply() == b"\x01\x05us@er\x04p:ss"
    assert tunnel.receive(b"\x01\x00") is None
    assert tunnel.reply().startswith(b"\x05\x01\x00\x03")
    assert tunnel.receive(THERE) == b""
    assert "p:ss" not in repr(CLOSED) + str(CLOSED)


@pytest.mark.parametrize(
    ("proxy", "answers", "words"),
    [
        (OPEN, b"\x05\xff", "wants to know who asks"),
        (OPEN, b"\x05\x02", "wants to know who asks"),
        (CLOSED, b"\x05\x02|\x01\x01", "refuses the user name and password"),
        (OPEN, b"\x05\x00|\x05\x05\x00\x01", "refuses the connection"),
        (OPEN, b"\x05\x00|\x05\x02\x00\x01", "forbid"),
        (OPEN, b"\x05\x00|\x05\x63\x00\x01", "answers 99"),
    ],
)
def test_refusals(proxy: SocksProxy, answers: bytes, words: str) -> None:
    """Each says what the proxy meant."""
    tunnel = SocksTunnel(proxy, TO)
    with pytest.raises(TunnelRefused, match=words):
        for answer in answers.split(b"|"):
            tunnel.receive(answer)


def test_what_is_no_socks() -> None:
    """An HTTP proxy, for one."""
    with pytest.raises(MalformedMessage, match="SOCKS 5"):
        SocksTunnel(OPEN, TO).receive(b"HTTP/1.1 400 Bad Request\r\n")
    with pytest.raises(MalformedMessage, match="no address"):
        talk(SocksTunnel(OPEN, TO), b"\x05\x00" + b"\x05\x00\x00\x09aaaaaaaa", 2)


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=5), st.sampled_from([OPEN, CLOSED]))
def test_any_bytes(pieces: list[bytes], proxy: SocksProxy) -> None:
    """Whatever a proxy says is taken or refused by an error of ours."""
    tunnel = SocksTunnel(proxy, TO)
    try:
        for piece in pieces:
            if tunnel.receive(piece) is not None:
                return
    except HttpError:
        return


@pytest.mark.parametrize(
    "url",
    ["socks4://a:1", "socks5://a", "socks5://a:0", "socks5://a:1/x", "http://a:1", "socks5://",
     "socks5://" + "u" * 300 + ":p@a:1", "socks5://[::1:1"],
)  # fmt: skip
def test_what_names_no_proxy(url: str) -> None:
    """The message never repeats what may hold a password."""
    with pytest.raises(InvalidAddress) as caught:
        SocksProxy.parse(url)
    assert "socks5://host:port" in str(caught.value)


@pytest.mark.parametrize(
    ("host", "coded"),
    [("192.0.2.1", b"\x01\xc0\x00\x02\x01"), ("::1", b"\x04" + bytes(15) + b"\x01"),
     ("bücher.example", b"\x03\x16xn--bcher-kva.example")],
)  # fmt: skip
def test_addresses(host: str, coded: bytes) -> None:
    """Names as the DNS knows them, addresses as numbers."""
    tunnel = SocksTunnel(OPEN, Address(host, 80))
    tunnel.receive(b"\x05\x00")
    assert tunnel.reply() == b"\x05\x01\x00" + coded.replace(b"\x16", b"\x15") + b"\x00P"
