"""HTTP/2 with nginx and with servers that break its rules."""

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, WindowUpdated
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from anet.errors import ConnectionBroken, HttpError, MalformedMessage, TimedOut
from anet.http.connect import Way, reach
from anet.http.exchange import State
from anet.http2 import PROTOCOL, Http2Connection, written_out
from anet.http2.connection import FRUITLESS_LIMIT, WINDOW
from anet.tasks import sleep
from tests.anet.servers import certificate, free_port, listening

_NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
FIELDS = [(b"Host", b"site.example"), (b"User-Agent", b"test")]


class Far:
    """A server in memory, at the other end of a connection."""

    def __init__(self, clock: Any = None, timeout: float = 5.0) -> None:
        self.transport = StringTransport()
        self.transport.abortConnection = self.transport.loseConnection  # type: ignore[method-assign]
        self.near = Http2Connection(clock or Clock(), timeout)
        self.near.makeConnection(self.transport)
        self.frames = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        self.frames.initiate_connection()
        self.asked: list[RequestReceived] = []
        self.opened = 0
        self.hear()

    def hear(self) -> None:
        """Take what the client says."""
        for event in self.frames.receive_data(self.transport.value()):
            self.asked += [event] if isinstance(event, RequestReceived) else []
            self.opened += event.delta or 0 if isinstance(event, WindowUpdated) else 0
        self.transport.clear()

    def say(self) -> None:
        """Send what the server has to say, and take what comes back."""
        self.near.dataReceived(self.frames.data_to_send())
        if self.near.state is not State.CLOSED:
            self.hear()

    def ask(self) -> "Deferred[Any]":
        """Ask for `/x`."""
        asked = Deferred.fromCoroutine(self.near.request("GET", "/x", FIELDS))
        if self.near.state is not State.CLOSED:
            self.hear()
        return asked

    def answer(self, body: bytes = b"", *fields: tuple[bytes, bytes]) -> None:
        """Send a head and some of a body."""
        stream = self.asked[-1].stream_id
        assert stream is not None
        self.frames.send_headers(stream, [(b":status", b"200"), *fields])
        for at in range(0, len(body), 16384):
            self.frames.send_data(stream, body[at : at + 16384])
        self.say()

    def end(self) -> None:
        """End the answer."""
        self.frames.end_stream(self.asked[-1].stream_id or 0)
        self.say()


def test_one_exchange_after_another() -> None:
    """The head reads as HTTP/1 would write it; the connection serves the next request."""
    far = Far()
    for number in range(3):
        asked = far.ask()
        far.answer(b"body", (b"content-type", b"text/html"), (b"set-cookie", b"a=1"))
        response: Any = asked.result
        taken = Deferred.fromCoroutine(response.read(100))
        far.end()
        assert taken.result == b"body"
        assert response.head.raw == (
            b"HTTP/2 200\r\ncontent-type: text/html\r\nset-cookie: a=1\r\n\r\n"
        )
        assert response.sent == b"GET /x HTTP/2\r\nhost: site.example\r\nuser-agent: test\r\n\r\n"
        assert (far.near.state, far.near.exchanges) == (State.IDLE, number + 1)
    fields = dict(far.asked[0].headers or ())
    assert (fields[b":authority"], fields[b":path"]) == (b"site.example", b"/x")
    assert b"host" not in fields


def test_a_body_that_is_not_taken_holds_the_server_back() -> None:
    """No more comes than the window allows, until the sink has taken what came."""
    far = Far()
    asked = far.ask()
    far.answer()
    pause: Deferred[None] = Deferred()
    taken: list[bytes] = []

    def sink(piece: bytes) -> Deferred[None] | None:
        taken.append(piece)
        return pause if len(taken) == 1 else None

    response: Any = asked.result
    done = response.deliver(sink)
    far.opened = 0
    stream = far.asked[-1].stream_id or 0
    for _ in range(40):
        far.frames.send_data(stream, b"x" * 16384)
        far.say()
    assert (len(taken), far.opened) == (1, 0)
    pause.callback(None)
    far.hear()
    assert len(taken) == 40
    assert far.opened > 0
    far.end()
    assert done.result == 40 * 16384


def test_the_window_is_bounded() -> None:
    """A server may send one window ahead, and the client has said so."""
    far = Far()
    far.ask().addErrback(lambda _: None)
    stream = far.asked[-1].stream_id or 0
    assert far.frames.local_flow_control_window(stream) == WINDOW


@pytest.mark.parametrize("late", [False, True])
def test_broken_off(late: bool) -> None:
    """A reset stream is a broken answer, before its head and in its body."""
    far = Far()
    asked = far.ask()
    if late:
        far.answer(b"half")
        response: Any = asked.result
        asked = response.deliver(lambda _: None)
    far.frames.reset_stream(far.asked[-1].stream_id or 0, 2)
    far.say()
    asked.addErrback(lambda failure: failure.trap(ConnectionBroken))
    assert asked.result is ConnectionBroken
    assert far.near.state is State.CLOSED


def test_a_wrong_length_is_nonsense() -> None:
    """A body longer than its Content-Length breaks the protocol."""
    far = Far()
    asked = far.ask()
    far.answer(b"", (b"content-length", b"2"))
    response: Any = asked.result
    done = response.deliver(lambda _: None)
    far.frames.send_data(far.asked[-1].stream_id or 0, b"three")
    far.say()
    done.addErrback(lambda failure: failure.trap(MalformedMessage))
    assert done.result is MalformedMessage


def test_frames_that_hold_nothing() -> None:
    """Pings without end do not keep a crawl busy."""
    far = Far()
    asked = far.ask()
    for _ in range(FRUITLESS_LIMIT // 17 + 1):
        far.frames.ping(b"12345678")
        far.near.dataReceived(far.frames.data_to_send())
    asked.addErrback(lambda failure: failure.trap(MalformedMessage))
    assert asked.result is MalformedMessage


def test_silence() -> None:
    """Pings do not count as progress."""
    clock = Clock()
    far = Far(clock, 5.0)
    asked = far.ask()
    clock.advance(3)
    far.frames.ping(b"12345678")
    far.say()
    clock.advance(3)
    asked.addErrback(lambda failure: failure.trap(TimedOut))
    assert asked.result is TimedOut
    far.near.connectionLost()
    assert not clock.getDelayedCalls()


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes(pieces: list[bytes]) -> None:
    """Whatever comes, the answer is there or an error of ours."""
    far = Far()
    asked = far.ask()
    for piece in pieces:
        far.near.dataReceived(piece)
    far.near.connectionLost()
    asked.addErrback(lambda failure: failure.trap(HttpError))
    assert asked.called


@given(st.lists(st.tuples(st.binary(max_size=8), st.binary(max_size=8)), max_size=6))
def test_any_fields_written_out(fields: list[tuple[bytes, bytes]]) -> None:
    """A head holds a line for each field, and never one more."""
    try:
        head = written_out([(b":status", b"200"), *fields])
    except MalformedMessage:
        return
    shown = [name for name, _ in fields if not name.startswith(b":")]
    assert head.raw.count(b"\n") == len(shown) + 2


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve a file over HTTP/2 and TLS, three requests a connection; give the port."""
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "big").write_bytes(bytes(range(256)) * 20_000)
    key = certificate(folder, "localhost")
    port = free_port()
    temporary = "".join(
        f"{name}_temp_path {folder};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr;"
        f"events {{}} http {{ access_log off; ssl_protocols TLSv1.3; {temporary}"
        "keepalive_requests 3;"
        f"server {{ listen 127.0.0.1:{port} ssl http2; root {folder};"
        f"ssl_certificate {key}; ssl_certificate_key {key}; }} }}"
    )
    child = subprocess.Popen([_NGINX, "-c", str(folder / "nginx.conf")])
    listening(port)
    yield port
    child.terminate()
    child.wait()


@ensureDeferred
async def test_nginx(nginx: int) -> None:
    """A real server gives large bodies whole, and its goodbye ends the connection well."""
    way = Way("localhost", nginx, tls=True, verify=False, protocols=(PROTOCOL,))
    connection = await reach(
        reactor, way, lambda session: Http2Connection(reactor, 5.0, session), "127.0.0.1"
    )
    assert connection.tls is not None
    assert (connection.tls.protocol, connection.tls.version) == ("h2", "TLSv1.3")
    assert len(connection.tls.chain) == 1
    sizes = []
    while connection.state is State.IDLE:
        response = await connection.request("GET", "/big", FIELDS)
        body = await response.read(10**7)
        sizes.append(len(body))
        assert body == bytes(range(256)) * 20_000
        await sleep(reactor, 0)
    assert len(sizes) == 3
