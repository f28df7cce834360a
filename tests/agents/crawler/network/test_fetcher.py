"""Fetching from servers that are slow, rude or sad."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol

from agents.crawler.errors import FetchFailed, LiveStream
from agents.order import Access
from anet.http import Response
from tests.agents.crawler.fetching import Fetching, scripted


class Rude(Protocol):
    """Answers each request with the factory's bytes, then closes without a word."""

    def dataReceived(self, data: bytes) -> None:
        self.factory.requests.append(data)
        self.transport.write(self.factory.answer)
        if self.factory.closes:
            self.transport.loseConnection()


@pytest.fixture
def rude() -> Any:
    """Listen rudely."""
    factory = Factory.forProtocol(Rude)
    factory.answer, factory.requests, factory.closes = b"", [], True
    port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    factory.url = f"http://127.0.0.1:{port.getHost().port}/"
    yield factory
    port.stopListening()


@pytest.fixture
def fetching() -> Any:
    """Return a fetcher."""
    made = Fetching()
    yield made
    made.connections.stop()


@ensureDeferred
async def test_a_server_that_closes_without_a_word(rude: Any, fetching: Fetching) -> None:
    """A kept connection found closed is replaced; no request is lost."""
    rude.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    for _ in range(5):
        answer, body = await fetching.get(rude.url)
        assert (answer.head.status, body) == (200, b"ok")
    assert len(rude.requests) == 5


@pytest.mark.parametrize(
    ("sent", "again"),
    [
        (b"", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", True),
        (b"nonsense\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", False),
    ],
)
@ensureDeferred
async def test_half_answers(rude: Any, fetching: Fetching, sent: bytes, again: bool) -> None:
    """What is not whole is a failure; nonsense is not asked for again."""
    rude.answer = sent
    with pytest.raises(FetchFailed) as failure:
        await fetching.get(rude.url)
    assert failure.value.again is again


@ensureDeferred
async def test_a_silent_server(rude: Any) -> None:
    """A server that says nothing is given up."""
    rude.closes = False
    fetching = Fetching(silence=0.1)
    with pytest.raises(FetchFailed, match="said nothing"):
        await fetching.get(rude.url)
    fetching.connections.stop()


@ensureDeferred
async def test_a_body_without_a_length(rude: Any, fetching: Fetching) -> None:
    """The close ends the body."""
    rude.answer = b"HTTP/1.0 200 OK\r\n\r\nbody"
    assert (await fetching.get(rude.url))[1] == b"body"


@ensureDeferred
async def test_retry_after_is_honoured(web: Any, fetching: Fetching) -> None:
    """The next request to the server waits as long as it asked, and says why."""
    web.pages = {"/": Response(503, [(b"Retry-After", b"7")], b"")}
    await fetching.get(web.url)
    assert not fetching.waits
    await fetching.get(web.url)
    seconds, reason = fetching.waits[0]
    assert 6 < seconds <= 7
    assert "127.0.0.1 is left alone for 7 s" in reason


@ensureDeferred
async def test_crawl_delay_counts_when_longer(web: Any, fetching: Fetching) -> None:
    """What robots.txt asks for is owed too, within a bound."""
    web.pages = {"/": "x"}
    await fetching.get(web.url, delay=20.0)
    await fetching.get(web.url, delay=10_000.0)
    await fetching.get(web.url)
    assert sorted({round(seconds) for seconds, _ in fetching.waits}) == [20, 60]


@ensureDeferred
async def test_what_is_sent(web: Any, fetching: Fetching) -> None:
    """The crawler names itself, and asks for bytes as they are."""
    web.pages = {"/x?y": "x"}
    await fetching.get(web.url + "x?y")
    fields = dict(web.requests[0].headers)
    assert fields[b"Host"] == f"127.0.0.1:{web.server.port}".encode()
    assert fields[b"User-Agent"].startswith(b"dlweb/")
    assert fields[b"Accept-Encoding"] == b"identity"


FIRST = b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nAccept-Ranges: bytes\r\nETag: "v1"\r\n\r\n'
REST = (
    b"HTTP/1.1 206 Partial Content\r\nContent-Length: %d\r\nContent-Range: bytes %d-%d/10\r\n\r\n"
)


@pytest.fixture
def script() -> Any:
    """Return what listens with answers."""
    made: list[Any] = []

    def listen(*answers: tuple[bytes, bool]) -> Any:
        made.append(scripted(*answers))
        return made[-1]

    yield listen
    for each in made:
        each.port.stopListening()


@ensureDeferred
async def test_a_broken_download_is_gone_on_with(script: Any, fetching: Fetching) -> None:
    """The body is whole, the head the first one; the rest is asked for of the same version."""
    server = script(
        (FIRST + b"012", True),
        (REST % (7, 3, 9) + b"3456", True),
        (REST % (3, 7, 9) + b"789", False),
    )
    answer, body = await fetching.get(server.url)
    assert body == b"0123456789"
    assert (answer.head.status, answer.head.raw) == (200, FIRST)
    assert (answer.resumed, answer.truncated) == (2, "")
    assert b'Range: bytes=7-\r\nIf-Range: "v1"\r\n' in server.requests[2]
    assert {round(seconds) for seconds, _ in fetching.waits} == {2, 4}


@pytest.mark.parametrize(
    "rest",
    [
        FIRST.replace(b"v1", b"v2") + b"abcdefghij",
        REST % (5, 5, 9) + b"56789",
        REST.replace(b"/10", b"/12") % (7, 3, 9) + b"3456789",
        b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n",
    ],
)
@ensureDeferred
async def test_what_does_not_go_on(script: Any, fetching: Fetching, rest: bytes) -> None:
    """Another version, another place or another length is never pasted to the first part."""
    server = script((FIRST + b"012", True), (rest, False))
    with pytest.raises(FetchFailed) as failure:
        await fetching.get(server.url)
    assert failure.value.again
    server = script((FIRST + b"012", True), (rest, False))
    answer, body = await fetching.get(server.url, last=True)
    assert (body, answer.truncated) == (b"012", "disconnect")


@ensureDeferred
async def test_a_download_that_does_not_get_on(script: Any, fetching: Fetching) -> None:
    """Ranges that bring nothing are asked for a few times only."""
    server = script((FIRST + b"012", True), (REST % (7, 3, 9), True))
    with pytest.raises(FetchFailed):
        await fetching.get(server.url)
    assert len(server.requests) == 4


@ensureDeferred
async def test_the_last_attempt_keeps_a_part(script: Any, fetching: Fetching) -> None:
    """What can't be had whole is marked, and better than nothing; no body at all is a failure."""
    plain = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    server = script((plain + b"012", True))
    answer, body = await fetching.get(server.url, last=True)
    assert (body, answer.truncated, len(server.requests)) == (b"012", "disconnect", 1)
    with pytest.raises(FetchFailed):
        await fetching.get(script((plain, True)).url, last=True)


@ensureDeferred
async def test_a_part_of_a_silent_server(script: Any) -> None:
    """One that falls silent in the middle is told apart."""
    fetching = Fetching(silence=0.1)
    server = script((b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n012", False))
    answer, body = await fetching.get(server.url, last=True)
    assert (body, answer.truncated) == (b"012", "time")
    fetching.connections.stop()


@ensureDeferred
async def test_a_live_stream_does_not_hold_a_crawl(script: Any, fetching: Fetching) -> None:
    """Radio is named and closed as soon as its head is here."""
    server = script((b"HTTP/1.0 200 OK\r\nicy-name: radio\r\n\r\nsound", False))
    with pytest.raises(LiveStream):
        await fetching.get(server.url)


@ensureDeferred
async def test_a_quota_is_kept(web: Any) -> None:
    """After so many requests, and so many bytes, the rest of the period is waited for."""
    web.pages = {"/": b"x" * 100}
    for quota in ({"requests_per_period": 2}, {"bytes_per_period": 150}):
        fetching = Fetching(period=1000.0, **quota)
        for _ in range(3):
            await fetching.get(web.url)
        assert [round(seconds, -1) for seconds, _ in fetching.waits] == [1000, 1000]
        fetching.connections.stop()


@ensureDeferred
async def test_connections_are_closed_before_a_long_wait(web: Any, fetching: Fetching) -> None:
    """No server keeps a connection for a crawler that knows it will not use it."""
    web.pages = {"/": "x"}
    await fetching.get(web.url)
    place = await fetching.connections.place(False, "127.0.0.1", web.server.port)
    fetching.fetcher.rest(web.url, 14.0)
    kept: list[bool] = []
    wait = fetching.wait

    def look(seconds: float, reason: str) -> Any:
        kept.append(fetching.connections.kept(place))
        return wait(seconds, reason)

    fetching.fetcher._wait = look
    await fetching.get(web.url)
    fetching.fetcher.rest(web.url, 20.0)
    await fetching.get(web.url)
    assert (kept[0], kept[-1]) == (True, False)


@ensureDeferred
async def test_codings_are_asked_for_as_ordered(web: Any) -> None:
    """The operator's choice, in the operator's order."""
    web.pages = {"/": "x"}
    fetching = Fetching(access=Access(codings=("br", "gzip")))
    await fetching.get(web.url)
    assert dict(web.requests[0].headers)[b"Accept-Encoding"] == b"br, gzip"
    fetching.connections.stop()


@ensureDeferred
async def test_cookies_come_back(web: Any) -> None:
    """What a server sets it is sent, unless the order says no."""
    web.pages = {"/": Response(200, [(b"Set-Cookie", b"a=1"), (b"Set-Cookie", b"b=2")], b"x")}
    for kept, expected in ((True, b"a=1; b=2"), (False, None)):
        fetching = Fetching(access=Access(cookies=kept))
        for _ in range(2):
            await fetching.get(web.url)
        assert web.requests[-1].headers.get(b"cookie") == expected
        fetching.connections.stop()
