"""resolv.conf and hosts files, and small files that change."""

from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from anet.dns.system import Server, Settings, parse_hosts, parse_resolv
from anet.dns.tables import reserved
from anet.dns.watched import Watched

LINES = st.lists(
    st.lists(
        st.sampled_from(["nameserver", "search", "options", "timeout:9", "attempts:99", "127.0.0.1",
                         "::1", "a.test", "#", ";", "timeout:²", "domain", "."])
        | st.text(max_size=8)
    ).map(" ".join)
).map("\n".join)  # fmt: skip


def test_resolv_conf() -> None:
    """Three servers at most, the last search list, and the options that we know."""
    text = f"""
    # comment
    nameserver 192.0.2.1 ; the first
    nameserver 2001:db8::1
    nameserver not-an-address
    nameserver 192.0.2.3
    nameserver 192.0.2.4
    domain old.test
    search A.test. b.test bad..test ä.test {"x" * 64}.test
    options rotate timeout:3 attempts:4 ndots:2
    """
    servers = (Server("192.0.2.1"), Server("2001:db8::1"), Server("192.0.2.3"))
    assert parse_resolv(text) == Settings(servers, ("a.test", "b.test", "xn--4ca.test"), 3.0, 4)


def test_an_empty_resolv_conf() -> None:
    """The server of this machine is asked, as the C library does."""
    assert parse_resolv("") == Settings((Server("127.0.0.1"),), (), 5.0, 2)


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.1", Server("192.0.2.1")),
        ("192.0.2.1:5353", Server("192.0.2.1", 5353)),
        ("2001:db8::1", Server("2001:db8::1")),
        ("[2001:db8::1]:5353", Server("2001:db8::1", 5353)),
    ],
)
def test_servers(text: str, server: Server) -> None:
    """A server is an IP address, with or without a port."""
    assert Server.parse(text) == server


@given(st.text() | st.from_regex(r"[0-9.:\[\]]{0,20}"))
def test_any_server(text: str) -> None:
    """What comes is an address and a port, or nothing."""
    try:
        server = Server.parse(text)
    except ValueError:
        return
    ip_address(server.ip)
    assert 0 < server.port < 65536


@given(LINES)
def test_any_resolv_conf(text: str) -> None:
    """Whatever it says, there are servers, and the waits have bounds."""
    settings = parse_resolv(text)
    assert 1 <= len(settings.servers) <= 3 and len(settings.search) <= 6
    assert 1 <= settings.timeout <= 30 and 1 <= settings.attempts <= 5


def test_hosts() -> None:
    """A name may have several addresses, and an address several names."""
    text = (
        "127.0.0.1 localhost\n::1 LocalHost ip6-localhost # comment\n#192.0.2.1 no\n1.2 no\n::1\n"
    )
    assert parse_hosts(text) == {
        "localhost": ("127.0.0.1", "::1"),
        "ip6-localhost": ("::1",),
    }


@given(st.text() | LINES)
def test_any_hosts(text: str) -> None:
    """Whatever it says, each name has addresses, and none twice."""
    for addresses in parse_hosts(text).values():
        assert addresses and len(set(addresses)) == len(addresses)


@given(st.dictionaries(st.just("localhost"), st.lists(st.ip_addresses().map(str)).map(tuple)))
def test_localhost_is_loopback(hosts: dict[str, tuple[str, ...]]) -> None:
    """No hosts file makes it anything else."""
    for name in ("localhost", "a.localhost"):
        addresses = reserved(name, hosts)
        assert addresses and all(ip == "::1" or ip.startswith("127.") for ip in addresses)
    assert reserved("localhost.test", hosts) is None


@pytest.mark.parametrize("replaced", [True, False])
def test_a_changed_file_is_read_again(tmp_path: Path, replaced: bool) -> None:
    """After a second at most; unchanged it gives the same object, missing it is empty."""
    clock, path = Clock(), tmp_path / "file"
    watched = Watched(clock, path, str.split)
    assert watched.value() == []
    path.write_text("a b")
    assert watched.value() == []
    clock.advance(1)
    first = watched.value()
    assert first == ["a", "b"]
    clock.advance(1)
    assert watched.value() is first
    if replaced:
        (tmp_path / "new").write_text("c d")
        (tmp_path / "new").replace(path)
    else:
        path.write_text("c")
    clock.advance(1)
    assert watched.value()[0] == "c"
    path.unlink()
    clock.advance(1)
    assert watched.value() == []


def test_what_is_no_text(tmp_path: Path) -> None:
    """Bytes of another encoding, a folder, and a file without end raise nothing."""
    path = tmp_path / "file"
    path.write_bytes(b"127.0.0.1 caf\xe9 ok\n")
    assert Watched(Clock(), path, parse_hosts).value()["ok"] == ("127.0.0.1",)
    assert Watched(Clock(), tmp_path, parse_hosts).value() == {}
    assert len(Watched(Clock(), Path("/dev/zero"), str).value()) == 1_000_000
