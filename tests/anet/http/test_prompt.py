"""Answers that are at hand: given in their turn, within limits, and under our names only."""

import socket

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from anet.http import (
    HttpServer,
    PlainPut,
    Request,
    Response,
    guarded,
    guarded_prompt,
    guarded_taker,
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


def _taker(put: PlainPut) -> Deferred[bytes] | None:
    if put.body == b"fail":
        return fail(ValueError("a mistake"))
    if put.body != b"take":
        return None
    body = bytes(put.target[1:2], "ascii") * SIZE
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % SIZE + body
    return deferLater(reactor, 0.01, lambda: answer)


@pytest.fixture
def server():
    """Give a server that answers some requests at once, and others later."""
    made = HttpServer(
        reactor,
        "127.0.0.1:0",
        guarded(_handler),
        name="test",
        prompt=guarded_prompt(_prompt),
        taker=guarded_taker(_taker),
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


_PUT = b"PUT /t HTTP/1.1\r\nHost: %s\r\nContent-Length: 4\r\n\r\n%s"


def _in_pieces(port: int, *pieces: bytes) -> bytes:
    """Send pieces, each after an answer to the one before; return the first byte of each body."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        file = connection.makefile("rb")
        found = b""
        for piece in pieces:
            connection.sendall(piece)
            for _ in range(piece.count(b"HTTP/1.1")):
                found += file.readline().split()[1][:1]
                while file.readline().strip():
                    pass
                found += bytes(set(file.read(SIZE)))
        return found


@ensureDeferred
async def test_a_whole_put_is_taken_between_others(server: HttpServer) -> None:
    """Alone it goes to the taker; with others, or one that is none, to the handler; in order."""
    get = b"GET /prompt HTTP/1.1\r\nHost: a\r\n\r\n"
    taken, left = _PUT % (b"a", b"take"), _PUT % (b"a", b"left")
    found = await deferToThread(_in_pieces, server.port, taken, get, left, taken, taken + get)
    assert found == b"2t" + b"2p" + b"2h" + b"2t" + b"2h" + b"2P"
    assert server.requests == 6


@ensureDeferred
async def test_what_comes_while_a_put_is_taken_waits(server: HttpServer) -> None:
    """The next request is answered after it."""

    def ask() -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(_PUT % (b"a", b"take"))
            connection.sendall(b"GET /prompt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            said = b"".join(iter(lambda: connection.recv(1 << 16), b""))
            return bytes(part[-1] for part in said.split(b"HTTP/1.1 200 OK")[1:])

    assert (await deferToThread(ask)) in (b"tP", b"hP")


@ensureDeferred
async def test_a_taker_that_fails_ends_the_connection(server: HttpServer) -> None:
    """It says nothing that could pass for an answer."""

    def ask() -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(_PUT % (b"a", b"fail"))
            try:
                return connection.recv(100)
            except ConnectionError:
                return b""

    assert await deferToThread(ask) == b""
    assert await deferToThread(_in_pieces, server.port, _PUT % (b"a", b"take")) == b"2t"


@ensureDeferred
async def test_a_client_that_leaves_while_its_put_is_taken(server: HttpServer) -> None:
    """The server gives up what it took, and goes on."""

    def leave() -> None:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(_PUT % (b"a", b"take"))

    await deferToThread(leave)
    assert await deferToThread(_in_pieces, server.port, _PUT % (b"a", b"take")) == b"2t"


def test_a_put_under_another_name_is_left() -> None:
    """The handler refuses it."""
    taker = guarded_taker(_taker)
    assert taker(PlainPut("/t", b"theirs.example", b"", b"take")) is None
    left = taker(PlainPut("/t", b"127.0.0.1:80", b"", b"take"))
    assert left is not None
    left.cancel()
    left.addErrback(lambda _: None)
