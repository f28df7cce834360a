"""Which addresses are one's own network's, in any disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.address import is_loopback, is_public


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
     "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "192.0.2.1", "::1", "::",
     "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::1", "::127.0.0.1", "::10.0.0.1",
     "64:ff9b::10.0.0.1", "64:ff9b::224.0.0.1", "::ffff:0:127.0.0.1", "2001:0:7f00:1::",
     "fd00::1", "fec0::1", "ff0e::1", "2001:db8::1", "", "localhost", "2130706433", "0x7f.1",
     "127.1"],
)  # fmt: skip
def test_which_addresses_are_ones_own(address: str) -> None:
    """Loopback, private, link-local, shared, reserved, multicast, and IPv6 that leads there."""
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "93.184.216.34",
        "2606:2800:220:1::1",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
        "2002:808:808::1",
    ],
)
def test_which_addresses_are_public(address: str) -> None:
    """The Internet's."""
    assert is_public(address)


@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_any_text(address: str) -> None:
    """Nothing raises."""
    is_public(address)


def test_what_loopback_is():
    """Names and addresses of this machine."""
    assert all(map(is_loopback, ("localhost", "127.3.2.1", "::1", "a.localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "example.org", "10.0.0.1")))
