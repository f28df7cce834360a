"""The demonstration website, over real HTTP."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from pytest_twisted import blockon, ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.archive.demonstration import website
from anet.http import HttpClient, HttpServer

_LINKS = re.compile(r"""(?:href|src|url)\s*=\s*"([^"#]+)|url\(['"]?([^'")]+)|@import "([^"]+)""")


@pytest.fixture
def server() -> Iterator[HttpServer]:
    """Serve the website on a free port."""
    server = HttpServer(reactor, "127.0.0.1:0", website(), name="demonstration")
    server.startService()
    yield server
    blockon(Deferred.fromCoroutine(server.stopService()))


@ensureDeferred
async def test_every_link_leads_somewhere(server: HttpServer) -> None:
    """All pages are reached from the first, nothing leads elsewhere, and one door is closed."""
    client = HttpClient(reactor)
    base = f"http://{server.address}/"
    statuses: dict[str, int] = {}
    waiting = [base]
    while waiting:
        url = waiting.pop()
        if url in statuses:
            continue
        assert url.startswith(base), url
        response = await client.request("GET", url)
        body = await response.read(1 << 20)
        statuses[url] = response.head.status
        kind = response.head.headers.get(b"content-type") or b""
        if response.head.status == 301:
            waiting.append(urljoin(url, response.head.headers.get(b"location").decode()))
        elif b"html" in kind or b"css" in kind:
            for groups in _LINKS.findall(body.decode()):
                waiting.append(urljoin(url, next(filter(None, groups))))
    await client.stopService()
    not_found = [url for url, status in statuses.items() if status == 404]
    assert not_found == [f"{base}no-such-page.html"]
    assert len(statuses) > 40
    assert statuses[f"{base}moved.html"] == 301


@ensureDeferred
async def test_what_has_not_changed_is_not_sent_again(server: HttpServer) -> None:
    """An entity tag answers a repeated visit with 304; writing is refused."""
    client = HttpClient(reactor)
    url = f"http://{server.address}/styles/style.css"
    first = await client.request("GET", url)
    await first.read(1 << 20)
    tag = first.head.headers.get(b"etag")
    again = await client.request("GET", url, [(b"If-None-Match", tag)])
    assert (again.head.status, await again.read(100)) == (304, b"")
    refused = await client.request("POST", url)
    assert refused.head.status == 405
    await refused.read(1000)
    await client.stopService()
