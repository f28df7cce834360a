"""Whole crawls of servers that are broken, or mean harm: written on plain sockets."""

import errno
import gc
import gzip
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import LoopingCall
from zope.interface import implementer

from agents.crawler import crawl as crawl_module
from agents.crawler import directory as directory_module
from agents.crawler import waiting
from agents.crawler.errors import CrawlFailed
from agents.crawler.limits import Limits
from agents.crawler.reading import reception
from anet.address import is_public

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
    """Measures the longest work after which something else got a turn of the reactor.

    It counts the processor time of the thread: other programs on the machine do not matter.
    """

    last: float = 0.0
    longest: float = 0.0

    def begin(self) -> None:
        self.last, self.longest = time.thread_time(), 0.0

    def tick(self) -> None:
        now = time.thread_time()
        self.last, self.longest = now, max(self.longest, now - self.last)


@pytest.fixture
def turns() -> Iterator[Turns]:
    """Measure the turns of the reactor, without what other tests have left to be collected."""
    gc.collect()
    gc.freeze()
    measured = Turns()
    call = LoopingCall(measured.tick)
    call.start(0)
    yield measured
    call.stop()
    gc.unfreeze()


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
    """What is no whole answer is given up in time, told with a reason, and the crawl goes on.

    Of a body that breaks off or does not end in time the beginning is kept, and marked.
    """
    rude.scripts = {
        "/": answer(b"<a href=bad><a href=good>"),
        "/bad": script,
        "/good": answer(b"good"),
    }
    result = await crawl(rude.url, limits=QUICK, politeness=NO_ROBOTS, content_limit=10**6)
    bad = rude.url + "bad"
    assert rude.url + "good" in result.urls
    kept = [line["origin"] for line in result.lines if line["url"] == bad]
    assert result.found("failures/failure") == ([] if kept else [bad])
    assert all("\ntruncated: " in origin for origin in kept)
    assert kept or result.found("failures/failure", "reason")[0]


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


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "data:text/html,<img src=/leak>",
        "javascript:location='/leak'",
        "gopher://127.0.0.1/",
        "http://",
        "http://[::1",
        "//",
        "\0",
        "/" + "x" * 70_000,
    ],
)
@ensureDeferred
async def test_redirections_to_nowhere(rude: Any, crawl: Any, target: str) -> None:
    """A redirection to what is not of the web is a capture, and leads nowhere."""
    moved = answer(b"", f"Location: {target}", f"Refresh: 0;url={target}", status="302 Found")
    rude.scripts = {"/": answer(b"<a href=moved>"), "/moved": moved}
    result = await crawl(rude.url, limits=QUICK, politeness=NO_ROBOTS)
    assert rude.hits == ["/", "/favicon.ico", "/moved"]
    assert rude.url + "moved" in result.urls


@ensureDeferred
async def test_redirections_in_circles(rude: Any, crawl: Any) -> None:
    """A circle is walked once; a chain that never ends is cut, and told."""
    rude.scripts = {
        "/": answer(b"<a href=a><a href=c0>"),
        "/a": answer(b"", "Location: /b", status="301 Moved"),
        "/b": answer(b"", "Location: /a", status="301 Moved"),
    }
    for number in range(100):
        rude.scripts[f"/c{number}"] = answer(
            b"", f"Location: /c{number + 1}", status="307 Temporary Redirect"
        )
    result = await crawl(rude.url, limits=QUICK, politeness=NO_ROBOTS)
    assert rude.hits.count("/a") == rude.hits.count("/b") == 1
    assert len(rude.hits) < 30
    assert len(result.found("traps/trap")) == 1


@implementer(IHostnameResolver)
class Names:
    """A resolver of invented names."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        self.names = names

    def resolveHostName(self, receiver: Any, name: str, *args: Any, **options: Any) -> Any:
        receiver.resolutionBegan(None)
        for address in self.names.get(name, []):
            kind = IPv6Address if ":" in address else IPv4Address
            receiver.addressResolved(kind("TCP", address, 0))
        receiver.resolutionComplete()
        return receiver


@pytest.fixture
def names_known() -> Iterator[Callable[[dict[str, list[str]]], None]]:
    """Let the reactor know these names and no others."""
    install = reactor.installNameResolver  # type: ignore[attr-defined]
    before = install(Names({}))
    yield lambda names: install(Names(names))
    install(before)


PRIVATE = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1",
           "64:ff9b::7f00:1", "0.0.0.0", "100.64.0.1", "2002:7f00:1::", "::127.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
@ensureDeferred
async def test_private_addresses(
    rude: Any, crawl: Any, address: str, names_known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No way leads a crawl of the public web into the operator's network.

    The site itself is taken for public; requisites, redirections and robots.txt lead elsewhere.
    """
    port = rude.port.getHost().port
    literal = f"[{address}]" if ":" in address else address
    secret = f"http://secret.test:{port}/"
    other = f"http://other.test:{port}/"
    names = {"site.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], "secret.test": [address]}
    names_known(names)

    def site_only(ip: str) -> bool:
        allowed = ip == "127.0.0.1" and address != "127.0.0.1"
        return allowed or is_public(ip)

    monkeypatch.setattr(crawl_module, "is_public", site_only)
    rude.scripts = {
        "/": answer(
            f"<img src={secret}by-name><img src=http://{literal}:{port}/by-address>"
            f"<a href=moved><img src={other}image>".encode()
        ),
        "/moved": answer(b"", f"Location: {secret}moved", status="302 Found"),
        "/robots.txt": answer(b"", f"Location: {secret}robots.txt", status="302 Found"),
    }
    if address == "127.0.0.1":
        with pytest.raises(CrawlFailed, match="public Internet"):
            await crawl(f"http://site.test:{port}/", private_networks=False, limits=QUICK)
        assert not rude.hits
        return
    result = await crawl(
        f"http://site.test:{port}/",
        private_networks=False,
        limits=QUICK,
        politeness=NO_ROBOTS,
        accept="//site.test OR //secret.test",
    )
    assert not [hit for hit in rude.hits if "by-" in hit]
    assert all(line["url"].split("/")[2].startswith(("site", "other")) for line in result.lines)
    reasons = result.found("failures/failure", "reason")
    assert len(reasons) == 3 and all("public" in reason for reason in reasons)


@ensureDeferred
async def test_robots_that_lead_into_the_network(
    rude: Any, crawl: Any, names_known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A robots.txt that redirects to a private address is not read, and forbids nothing less."""
    port = rude.port.getHost().port
    names_known({"site.test": ["127.0.0.1"]})
    monkeypatch.setattr(crawl_module, "is_public", lambda ip: ip == "127.0.0.1" or is_public(ip))
    rude.scripts = {
        "/": answer(b"home"),
        "/robots.txt": answer(b"", f"Location: http://[::1]:{port}/latest", status="302 Found"),
    }
    with pytest.raises(CrawlFailed, match="public Internet"):
        await crawl(f"http://site.test:{port}/", private_networks=False, limits=QUICK)
    assert set(rude.hits) == {"/robots.txt"}


@ensureDeferred
async def test_robots_of_any_size(rude: Any, crawl: Any, turns: Turns) -> None:
    """Of a robots.txt without measure the first part is obeyed; it is no reason to wait."""
    body = b"User-agent: *\nDisallow: /no\n" + b"Disallow: /x*y*z$\n" * 6_000_000
    rude.scripts = {
        "/": answer(b"<a href=no><a href=yes>"),
        "/robots.txt": answer(body, kind="text/plain"),
        "/yes": answer(b""),
    }
    turns.begin()
    await crawl(rude.url)
    assert "/yes" in rude.hits and "/no" not in rude.hits
    assert turns.longest < 0.5


@pytest.mark.slow
@ensureDeferred
async def test_robots_that_never_answer(rude: Any, crawl: Any) -> None:
    """A site whose robots.txt can't be read is left alone, and the crawl says why."""
    rude.scripts = {"/": answer(b"home"), "/robots.txt": lambda _: None}
    with pytest.raises(CrawlFailed, match=r"robots\.txt can't be read"):
        await crawl(rude.url, limits=QUICK)
    assert set(rude.hits) == {"/robots.txt"}


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


def full(*_: Any, **__: Any) -> Any:
    """Stand for a write to a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "what", ["content", "stories", "long body", "structure", "queue", "report"]
)
@ensureDeferred
async def test_a_full_disk(
    rude: Any, new_crawl: Any, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The crawl fails in words, and leaves nothing behind that takes space."""
    crawl = new_crawl(rude.url, politeness=NO_ROBOTS)

    def page(connection: Rude) -> None:
        recorder = crawl._parts.recorder
        directory = recorder._directory
        if what == "content":
            directory.pack._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
        elif what == "stories":  # what was not written of them is only missed at the end
            directory.pack._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
            crawl._parts.stories._file = Path("/dev/full").open("wb")  # noqa: SIM115
        elif what == "long body":
            monkeypatch.setattr(reception, "MEMORY", 10)
            shutil.rmtree(directory.temporary)
        elif what == "structure":
            directory._structure = Path("/dev/full").open("wb")  # noqa: SIM115
        elif what == "queue":
            monkeypatch.setattr(crawl._parts.frontier._next, "push", full)
        else:
            monkeypatch.setattr(directory_module, "_sync_file_system", full)
        connection.transport.write(answer(b"<a href=next>" + b" " * 100))

    rude.scripts = {"/": page}
    with pytest.raises(CrawlFailed, match="can't be written: No s"):
        await crawl.run()
    assert not crawl.path.exists()


@ensureDeferred
async def test_the_directory_is_removed(rude: Any, new_crawl: Any) -> None:
    """Whoever removes the directory of a running crawl ends it, in words."""
    crawl = new_crawl(rude.url, politeness=NO_ROBOTS)

    def removing(connection: Rude) -> None:
        shutil.rmtree(crawl.path)
        connection.transport.write(answer(b"gone"))

    rude.scripts = {"/": answer(b"<a href=a><a href=b>"), "/a": removing}
    with pytest.raises(CrawlFailed, match="can't be written"):
        await crawl.run()
    assert not crawl.path.exists()


@ensureDeferred
async def test_a_calendar_without_end(rude: Any, crawl: Any) -> None:
    """Pages that always have a next one end at the maximum depth, and that is told."""

    class Calendar(dict[str, Script]):
        def get(self, target: str, default: Any = None) -> Any:
            day = int(target.partition("=")[2] or 0)
            return answer(f"<a href=/?day={day + 1}>".encode())

    rude.scripts = Calendar()
    result = await crawl(rude.url, politeness=NO_ROBOTS, maximum_depth=30)
    assert len(rude.hits) == 32  # with the icon
    assert result.found("traps/trap", "reason") == ["past the maximum depth"]


@ensureDeferred
async def test_changed_and_gone(rude: Any, crawl: Any) -> None:
    """A second crawl counts what changed, what stayed and what is no longer linked."""
    rude.scripts = {
        "/": answer(b"<a href=a><a href=b><a href=c>"),
        "/a": answer(b"a"),
        "/b": answer(b"b"),
        "/c": answer(b"c"),
    }
    first = await crawl(rude.url, politeness=NO_ROBOTS)
    former = str(first.directory)
    second = await crawl(rude.url, name="2", former=former, politeness=NO_ROBOTS)
    assert (second.figures.contents_new, second.figures.urls_unchanged) == (0, 5)
    rude.scripts |= {"/": answer(b"<a href=a><a href=b><a href=d>"), "/b": answer(b"B")}
    rude.scripts["/d"] = answer(b"d")
    third = await crawl(rude.url, name="3", former=str(second.directory), politeness=NO_ROBOTS)
    figures = third.figures
    assert (figures.urls_new, figures.urls_changed, figures.urls_unchanged) == (1, 2, 2)
    assert figures.contents_new == 3
    counts = {e.get("name"): e.get("value") for e in third.report.findall("statistics/figure")}
    assert counts["urls_gone"] == "1"


@pytest.mark.slow
@ensureDeferred
async def test_a_crawl_always_says_why_it_waits(
    rude: Any, new_crawl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever nothing is fetched for a while, there is a reason to read."""
    rude.scripts = {
        "/": answer(b"<a href=slow><a href=busy>"),
        "/slow": endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.05),
        "/busy": answer(b"", "Retry-After: 1", status="503 Busy"),
    }
    crawl = new_crawl(rude.url, limits=QUICK, politeness={"robots": False, "delay": 0.1,
                                                          "group": 0.2})  # fmt: skip
    monkeypatch.setattr(waiting, "SLOW", 0.2)
    reasons: set[str] = set()
    silent = longest = 0.0  # seconds: since when, and for how long at most, nothing was told
    captures = -1

    def look() -> None:
        nonlocal silent, longest, captures
        figures = crawl.figures()
        reasons.add(figures.waiting_for)
        if figures.waiting_for or figures.captures != captures:
            silent, captures = figures.seconds, figures.captures
        longest = max(longest, figures.seconds - silent)

    call = LoopingCall(look)
    call.start(0.01)
    await crawl.run()
    call.stop()
    assert longest < 0.4
    assert any("left alone" in reason for reason in reasons)
    assert any("has been answering" in reason for reason in reasons)


@ensureDeferred
async def test_a_server_that_closes_while_it_is_held_back(rude: Any, crawl: Any) -> None:
    """The end of a body that is read more slowly than it came is not lost."""
    body = b"".join(b"<a href=//elsewhere.invalid/%d>" % number for number in range(50_000))
    head = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"
    rude.scripts = {"/": close_after(head + body)}
    result = await crawl(rude.url, politeness=NO_ROBOTS)
    externals = result.report.find("external")
    assert len(externals) + int(externals.get("cut")) == 50_000
