"""Answers that are at hand: given in their turn, within limits, and under our names only."""

import socket

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.threads import deferToThread

from anet.http import (
    HttpServer,
    Request,
    Response,
    guarded,
    guarded_prompt,
)
from anet.tasks import sleep

SIZE = 40_000


def _prompt(target: str, host: bytes = b"") -> bytes | None:
    if not target.startswith("/prompt"):
        return None
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % SIZE + b"p" * SIZE


async def _handler(request: Request) -> Response:
    await sleep(reactor, 0.01)
    return Response(200, [], (b"P" if request.target == "/prompt" else b"h") * SIZE)


@pytest.fixture
def server():
    """Give a server that answers some requests at once, and others later."""
    made = HttpServer(
        reactor, "127.0.0.1:0", guarded(_handler), name="test", prompt=guarded_prompt(_prompt)
    )
    made.startService()
    yield made
    pytest_twisted.blockon(ensured(made.stopService()))


def _bodies(port: int, requests: bytes, count: int) -> bytes:
    """Send requests at once; return the first byte of each body, in the order they came."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(requests)
        file = connection.makefile("rb")
        found = b""
        for _ in range(count):
            assert b"200" in file.readline()
            while file.readline().strip():
                pass
            found += bytes(set(file.read(SIZE)))
        return found


@ensureDeferred
async def test_they_keep_their_turn(server: HttpServer) -> None:
    """Pipelined among others, each is answered in order, however much there is to take."""
    asked = b"pphphhpppp" * 10
    paths = {ord("p"): b"/prompt", ord("h"): b"/handler"}
    requests = b"".join(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % paths[each] for each in asked)
    answers = await deferToThread(_bodies, server.port, requests, len(asked))
    assert answers.lower() == asked
    assert answers.startswith(b"pp") and b"P" in answers  # at once, and in their turn
    assert server.requests == len(asked)


@ensureDeferred
async def test_what_is_not_a_plain_get_goes_to_the_handler(server: HttpServer) -> None:
    """Another method, a body, or a connection that shall close is not answered at once."""
    for request in (
        b"POST /prompt HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        b"GET /prompt HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
        b"GET /prompt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ):
        assert await deferToThread(_bodies, server.port, request, 1) == b"P"


def test_only_under_our_names() -> None:
    """A name that may be a web site's gets nothing at once."""
    prompt = guarded_prompt(_prompt, ["ours.example:80"])
    for host, is_answered in (
        (b"", True),
        (b"127.0.0.1:80", True),
        (b"OURS.example", True),
        (b"theirs.example", False),
        (b"ours.example, theirs.example", False),
    ):
        assert (prompt("/prompt", host) is not None) is is_answered
