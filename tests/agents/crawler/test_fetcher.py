"""Fetching from servers that are slow, rude or sad."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol

from agents.crawler.connections import Connections
from agents.crawler.errors import FetchFailed
from agents.crawler.fetcher import Answer, Fetcher
from agents.order import Politeness
from anet.http import Response, permit_all
from anet.tasks import sleep


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


class Fetching:
    """A fetcher that notes its waits instead of waiting."""

    def __init__(self, silence: float = 5.0, **politeness: Any) -> None:
        self.waits: list[tuple[float, str]] = []
        self.connections = Connections(reactor, permit_all, 5.0, silence)
        polite = Politeness(**({"delay": 0.0} | politeness))
        self.fetcher = Fetcher(
            reactor,
            self.connections,
            polite,
            longest_rest=60.0,
            longest_exchange=10.0,
            wait=self.wait,
        )

    def wait(self, seconds: float, reason: str) -> Deferred[None]:
        self.waits.append((seconds, reason))
        return sleep(reactor, 0)

    async def get(self, url: str, **options: Any) -> tuple[Answer, bytes]:
        body = bytearray()
        answer = await self.fetcher.fetch(url, lambda _: body.extend, **options)
        return answer, bytes(body)


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
