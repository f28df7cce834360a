"""Whole crawls of servers that are broken, or mean harm: written on plain sockets."""

import gzip
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import define, field
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import LoopingCall

from agents.crawler.limits import Limits

Script = bytes | Callable[["Rude"], None]
QUICK = Limits(connect_timeout=1.0, silence=0.3, longest_exchange=1.0, longest_rest=0.1)
NO_ROBOTS = {"robots": False, "delay": 0.0}


class Rude(Protocol):
    """One connection to a server that answers by script, whatever is asked."""

    factory: Any
    transport: Any

    def connectionMade(self) -> None:
        self.factory.server.open.append(self)
        self.buffer = b""

    def dataReceived(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            request, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            target = request.split(b" ", 2)[1].decode()
            self.factory.server.hits.append(target)
            script = self.factory.server.scripts.get(target, NOT_FOUND)
            if isinstance(script, bytes):
                self.transport.write(script)
            else:
                script(self)


@define
class RudeServer:
    """A server of scripts by target: bytes to send, or what to do with the connection."""

    scripts: dict[str, Script]
    hits: list[str] = field(factory=list)
    open: list[Rude] = field(factory=list)
    port: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port.getHost().port}/"


def answer(body: bytes, *fields: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    """Return a whole, decent answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


NOT_FOUND = answer(b"no", status="404 Not Found")


@pytest.fixture
def rude() -> Iterator[RudeServer]:
    """Serve scripts on loopback."""
    server = RudeServer({})
    factory = Factory.forProtocol(Rude)
    factory.server = server  # type: ignore[attr-defined]
    factory.noisy = False
    server.port = reactor.listenTCP(0, factory, interface="127.0.0.1")  # type: ignore[attr-defined]
    yield server
    for connection in server.open:
        connection.transport.abortConnection()
    server.port.stopListening()


@define
class Turns:
    """Measures the longest time for which nothing else got a turn of the reactor."""

    last: float = 0.0
    longest: float = 0.0

    def begin(self) -> None:
        self.last, self.longest = time.perf_counter(), 0.0

    def tick(self) -> None:
        now = time.perf_counter()
        self.last, self.longest = now, max(self.longest, now - self.last)


@pytest.fixture
def turns() -> Iterator[Turns]:
    """Measure the turns of the reactor."""
    measured = Turns()
    call = LoopingCall(measured.tick)
    call.start(0)
    yield measured
    call.stop()


def close_after(data: bytes) -> Callable[[Rude], None]:
    """Send, and close."""

    def send(connection: Rude) -> None:
        connection.transport.write(data)
        connection.transport.loseConnection()

    return send


def endless(first: bytes, piece: bytes, pause: float = 0.0) -> Callable[[Rude], None]:
    """Send for ever."""

    def send(connection: Rude) -> None:
        connection.transport.write(first)

        def more() -> None:
            if connection.transport.connected:
                connection.transport.write(piece)
                reactor.callLater(pause, more)  # type: ignore[attr-defined]

        more()

    return send


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 5000 + b"\r\n"), id="head"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000), id="body"),
        pytest.param(
            endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 999),
            id="chunks",
        ),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.05), id="slow body"),
        pytest.param(endless(b"HTTP/1.1 2", b"0", 0.05), id="slow head"),
        pytest.param(endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), id="100 for ever"),
        pytest.param(lambda _: None, id="silence"),
        pytest.param(close_after(b""), id="closed at once"),
        pytest.param(close_after(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), id="short"),
        pytest.param(close_after(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), id="negative"),
        pytest.param(close_after(b"\0" * 1000), id="nonsense"),
        pytest.param(close_after(b"SSH-2.0-OpenSSH_9\r\n\r\n"), id="another protocol"),
        pytest.param(
            close_after(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            id="framing",
        ),
    ],
)
@pytest.mark.slow
@ensureDeferred
async def test_answers_that_do_not_end(rude: Any, crawl: Any, script: Script) -> None:
    """What is no whole answer is given up in time, told with a reason, and the crawl goes on."""
    rude.scripts = {
        "/": answer(b"<a href=bad><a href=good>"),
        "/bad": script,
        "/good": answer(b"good"),
    }
    result = await crawl(rude.url, limits=QUICK, politeness=NO_ROBOTS, content_limit=10**6)
    assert rude.url + "good" in result.urls
    assert result.found("failures/failure") == [rude.url + "bad"]
    assert result.found("failures/failure", "reason")[0]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(close_after(b"HTTP/1.0 200 OK\r\n\r\n<p><img src=i>"), id="HTTP/1.0"),
        pytest.param(answer(b"<img src=i>", "Connection: close"), id="lies about closing"),
        pytest.param(close_after(answer(b"<img src=i>")), id="closes after each"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"<img src=i>"), id="100-continue"),
        pytest.param(b"HTTP/1.1 103 Early Hints\r\n\r\n" + answer(b"<img src=i>"), id="hints"),
        pytest.param(answer(b"<img src=i>") + b"surplus", id="surplus"),
        pytest.param(
            answer(gzip.compress(b"<img src=i>"), "Content-Encoding: gzip"), id="gzip not asked for"
        ),
        pytest.param(answer(b"\0<\0img\0 src=\0i><img src=i>\0"), id="NULs"),
        pytest.param(answer(b"\xff<img src=i>\xfe", kind="text/html;charset=utf-8"), id="charset"),
        pytest.param(answer(b"<img src=i>", kind="text/html;charset=\xff\0"), id="bad charset"),
        pytest.param(answer(b"<html><img src=i>", kind=""), id="no type"),
        pytest.param(
            b"HTTP/1.1 200\nContent-Type: text/html\nContent-Length: 11\n\n<img src=i>",
            id="bare LF",
        ),
        pytest.param(
            answer(b"<img src=i>", "X-Folded: a\r\n b", "no colon", ": x"), id="odd fields"
        ),
    ],
)
@ensureDeferred
async def test_odd_answers(rude: Any, crawl: Any, script: Script) -> None:
    """What a browser can read, the crawler can, and follows."""
    rude.scripts = {"/": script, "/i": answer(b"image", kind="image/png")}
    result = await crawl(rude.url, limits=QUICK, politeness=NO_ROBOTS)
    assert rude.url + "i" in result.urls
    assert not result.found("failures/failure")


LINKS = 1_000_000
HEAVY = {
    "links": b"".join(b"<a href=//elsewhere.invalid/%d>" % number for number in range(LINKS)),
    "nesting": b"<div><font><b>" * 100_000 + b"<a href=deep>",
    "one tag": b"<a " + b"b " * 900_000 + b">",
    "tags that do not end": b"<a href='" * 300_000,
    "entities": b"<a href='" + b"&amp;" * 300_000 + b"'>",
    "candidates": b"<img srcset='" + b"x 1x," * 300_000 + b"'>",
    "style attribute": b"<p style='" + b"background:url(x);" * 100_000 + b"'>",
    "srcdoc": b"<iframe srcdoc='" + b"<img src=x>" * 90_000 + b"'>",
    "style": b"<style>" + b"a{b:url(x)}" * 500_000,
    "strings": b"<style>" + b"'' " * 500_000,
    "comment": b"<!--[if IE]>" + b"<img src=x>" * 90_000 + b"<![endif]-->",
    "script": b"<script>" + b"<!--<script></script>-->" * 100_000,
    "bare": b"<" * 2_000_000,
    "charset": b"<meta charset=gb18030>" + b"\x81\x30" * 1_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.parametrize("name", HEAVY)
@ensureDeferred
async def test_heavy_pages_do_not_stop_the_reactor(
    rude: Any, crawl: Any, turns: Turns, name: str, coding: str
) -> None:
    """Whatever a page holds, others get their turn within a moment."""
    body = HEAVY[name]
    page = answer(body) if coding == "identity" else answer(
        gzip.compress(body, 1), "Content-Encoding: gzip"
    )  # fmt: skip
    rude.scripts = {"/": page}
    turns.begin()
    result = await crawl(rude.url, politeness=NO_ROBOTS)
    assert turns.longest < 0.25
    print(f"{name} {coding}: {turns.longest * 1000:.0f} ms")
    assert rude.url in result.urls
    if name == "links":
        externals = result.report.find("external")
        assert len(externals) + int(externals.get("cut")) == LINKS
