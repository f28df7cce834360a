"""Addresses of agents, and where a master may send its slaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.address import Address
from anet.errors import InvalidAddress
from hip.address import SocketPath, parse, parse_redirection

HOME = Address("master.example", 7100)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("master.example:443", Address("master.example", 443)),
        (" [::1]:7100 ", Address("::1", 7100)),
        ("[fe80::1%eth0]:7100", Address("fe80::1%eth0", 7100)),
        ("unix:/run/hip/scheduler", SocketPath("/run/hip/scheduler")),
    ],
)
def test_addresses_are_read_and_written_the_same(text, address):
    """Each form is read, and written as it was."""
    assert parse(text) == address
    assert str(address) == text.strip()


@given(st.text() | st.text().map("unix:".__add__))
def test_any_text_is_an_address_or_an_error(text):
    """No text raises anything but the documented error."""
    try:
        assert parse(str(parse(text))) == parse(text)
    except InvalidAddress as error:
        assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    ["", "host", ":1", "::1:7100", "[host]:1", "[::1:1", "a b:1", "a:99999999", "a:²", "u@h:1"]
    + ["unix:", "unix:run/hip", "unix:/" + "x" * 107, "unix:/a\0b", "a:" + "9" * 5000],
)
def test_what_is_no_address(text):
    """Relative paths, bare IPv6, ports beyond all and the like are refused."""
    with pytest.raises(InvalidAddress):
        parse(text)


def test_a_redirection_stays_in_its_world():
    """Only a master on a UNIX socket may name another; nobody listens at port 0."""
    assert parse_redirection("[2001:db8::1]:7100", HOME) == Address("2001:db8::1", 7100)
    local = SocketPath("/run/a")
    assert parse_redirection("unix:/run/b", local) == SocketPath("/run/b")
    assert parse_redirection("b.example:1", local) == Address("b.example", 1)
    with pytest.raises(InvalidAddress, match="not on this machine"):
        parse_redirection("unix:/run/b", HOME)
    with pytest.raises(InvalidAddress, match="port 0"):
        parse_redirection("b.example:0", HOME)
