"""Masters reached through an HTTP proxy: a real one, and ones that lie."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.protocol import Protocol

from anet.factories import factory_of
from anet.tunnel import Proxy
from hip import Security
from hip.security import connecting
from tests.hip.security.conftest import until

_TINYPROXY = shutil.which("tinyproxy") or "/usr/bin/tinyproxy"


@pytest.fixture(autouse=True)
def _no_loopback(monkeypatch):
    """Go through the proxy to masters on loopback too: there is no other network here."""
    monkeypatch.setattr(connecting, "is_loopback", lambda _: False)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def tinyproxy(tmp_path: Path) -> Iterator[Callable[[int], int]]:
    """Return what starts a proxy that wants credentials and leads to one port; gives its port."""
    children = []

    def start(leads_to: int) -> int:
        port = free_port()
        configuration = tmp_path / "tinyproxy.conf"
        configuration.write_text(
            f"Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 10\n"
            f"BasicAuth anna s3cret\nConnectPort {leads_to}\nLogLevel Critical\n"
        )
        children.append(subprocess.Popen([_TINYPROXY, "-d", "-c", str(configuration)]))
        for _ in range(200):
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return port
            time.sleep(0.02)
        raise AssertionError("tinyproxy does not start")

    yield start
    for child in children:
        child.terminate()
        child.wait(10)


def through(net, name: str, proxy: str) -> Security:
    """Return the security of a slave that goes out through a proxy."""
    folder = net.folder / "certs" / name
    if not folder.exists():
        net.certify(name, host="")
    return Security.of_folder(folder, proxy=Proxy.parse(proxy))


@ensureDeferred
async def test_through_a_real_proxy(net, tinyproxy):
    """TLS goes from end to end through the tunnel, the master's host checked as ever."""
    listener = net.master(net.certify("master", host="localhost"))
    proxy = tinyproxy(listener.port)
    security = through(net, "slave", f"http://anna:s3cret@127.0.0.1:{proxy}")
    link = net.slave(security, f"localhost:{listener.port}")
    assert await link.call("greet", name="you") == "hello you"
    assert link.peer.transport.getPeer().port == proxy
    for end, port in [("127.0.0.1", listener.port), ("localhost", free_port())]:
        link = net.slave(security, f"{end}:{port}", name=f"slave-{port}")
        why = "is not for 127.0.0.1" if end == "127.0.0.1" else "only lead to port 443"
        await until(lambda link=link, why=why: why in link.state)


@ensureDeferred
async def test_a_real_proxy_that_wants_credentials(net, tinyproxy):
    """Without them, or with wrong ones, the slave says so; no password is shown."""
    listener = net.master(net.certify("master", host="localhost"))
    proxy = tinyproxy(listener.port)
    to = f"localhost:{listener.port}"
    link = net.slave(through(net, "slave", f"http://127.0.0.1:{proxy}"), to)
    await until(lambda: "wants credentials" in link.state)
    wrong = net.slave(through(net, "slave", f"http://anna:wr0ng@127.0.0.1:{proxy}"), to)
    await until(lambda: "does not let us through" in wrong.state)
    assert "wr0ng" not in wrong.state + repr(wrong._guard.security)


class Liar(Protocol):
    """A proxy that gives one answer to everything, and keeps or closes the connection."""

    answer = b""
    closes = False

    def dataReceived(self, _data: bytes) -> None:
        """Answer."""
        self.transport.write(self.answer)
        if self.closes:
            self.transport.loseConnection()


@pytest.mark.parametrize(
    ("answer", "closes", "why"),
    [
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", False, "it answers 403"),
        (b"\x16\x03\x03garbage", False, "does not answer in HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000, False, "has no end"),
        (b"", True, "closed the connection instead of an answer"),
        (b"HTTP/1.1 200 OK\r\n\r\nI am your master", False, "does not speak TLS"),
        (b"HTTP/1.1 200 OK\r\n\r\n", True, "no TLS handshake"),
    ],
)
@ensureDeferred
async def test_a_proxy_that_lies(net, answer, closes, why):
    """Whatever a proxy says, there is no link, and the state says why."""
    net.certify("master")
    liar = type("It", (Liar,), {"answer": answer, "closes": closes})
    port = reactor.listenTCP(0, factory_of(liar), interface="127.0.0.1")
    proxy = f"http://127.0.0.1:{port.getHost().port}"
    link = net.slave(through(net, "slave", proxy), "master.example:443")
    await until(lambda: why in link.state)
    assert link.peer is None
    await port.stopListening()


@ensureDeferred
async def test_plaintext_does_not_go_through_a_proxy(net):
    """Who has no certificate stays on loopback, proxy or not."""
    security = Security(proxy=Proxy.parse("http://127.0.0.1:9"))
    link = net.slave(security, "master.example:443")
    await until(lambda: "would not be encrypted" in link.state)
