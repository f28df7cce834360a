"""No address of the operator's own network, in any disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.permission import public


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
     "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "192.0.2.1", "::1", "::",
     "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::1", "::127.0.0.1", "::10.0.0.1",
     "64:ff9b::10.0.0.1", "2001:db8::1", "", "localhost"],
)  # fmt: skip
def test_private_addresses_are_refused(address: str) -> None:
    """Loopback, private, link-local, shared, reserved, multicast, and IPv6 that leads there."""
    assert not public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "64:ff9b::8.8.8.8"]
)
def test_public_addresses_are_permitted(address: str) -> None:
    """The Internet may be crawled."""
    assert public(address)


@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_any_text(address: str) -> None:
    """Nothing raises."""
    public(address)
