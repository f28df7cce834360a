"""What CONNECT may name, and what becomes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.errors import Faulted
from agents.consultation.proxy.tunnels import Tunnels, is_websocket, tunnel_to
from agents.urls import canonical
from anet.address import Address
from anet.http import Headers, Request


@pytest.mark.parametrize(
    ("target", "host", "port"),
    [
        ("example.org:443", "example.org", 443),
        ("WWW.Example.ORG:8443", "www.example.org", 8443),
        ("xn--bcher-kva.example:443", "xn--bcher-kva.example", 443),
        ("192.0.2.1:80", "192.0.2.1", 80),
        ("[2001:DB8::1]:443", "2001:db8::1", 443),
        ("0x7f.1:443", "127.0.0.1", 443),
    ],
)
def test_a_host_and_a_port(target, host, port):
    """They are read as in a canonical URL."""
    assert tunnel_to(target) == Address(host, port)


@pytest.mark.parametrize(
    "target",
    [
        "", "example.org", ":443", "example.org:", "example.org:0", "example.org:65536",
        "https://example.org:443", "a/b:443", "a?b:443", "a#b:443", "a\\b:443", "u@a:443",
        "a:443/", "a:443:443", "[::1:443", "::1:443", "a b:443", "%61.example:443", "é:443", "*",
    ],
)  # fmt: skip
def test_nonsense_is_no_place(target):
    """It is answered with 400."""
    with pytest.raises(Faulted) as caught:
        tunnel_to(target)
    assert caught.value.fault.status == 400


@given(st.text(st.characters(max_codepoint=255), max_size=40) | st.from_regex(r"[!-~]{1,20}:\d+"))
def test_whatever_is_named_a_canonical_url_leads_there_or_nowhere(target):
    """No text means one host here and another to those who read the URL."""
    try:
        place = tunnel_to(target)
    except Faulted as error:
        assert error.fault.status == 400
        return
    url = canonical(f"https://{place}/page")
    assert url is not None and url.endswith("/page")
    assert url == f"https://{str(place).removesuffix(':443')}/page"
    assert tunnel_to(str(place)) == place


def test_without_an_authority_there_is_no_tunnel():
    """Where the operator has turned https:// off, the answer says so."""
    with pytest.raises(Faulted) as caught:
        Tunnels().answer(Request("CONNECT", "example.org:443", Headers()))
    assert caught.value.fault.status == 501


def test_websockets_are_told_from_other_requests():
    """By the field Upgrade, whatever else is in it."""
    for value, told in ((b"WebSocket", True), (b"h2c, websocket", True), (b"h2c", False)):
        assert is_websocket(Request("GET", "/", Headers([(b"Upgrade", value)]))) is told
    assert not is_websocket(Request("GET", "/", Headers()))
