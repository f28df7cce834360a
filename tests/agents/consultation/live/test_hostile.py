"""Servers of the live web that lie: the reader is told, nothing hangs, nothing false is kept."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.protocol import Factory, Protocol

from anet.errors import HttpError
from anet.tasks import sleep

OK = b"HTTP/1.1 200 OK\r\n"
LIES = {
    "shorter than it says": OK + b"Content-Length: 100\r\n\r\nbody",
    "cut off in a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n10\r\nbody",
    "without the last chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n",
    "nonsense for a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n",
    "a chunk below nothing": OK + b"Transfer-Encoding: chunked\r\n\r\n-4\r\nbody\r\n0\r\n\r\n",
    "two lengths": OK + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody!",
    "a length that is none": OK + b"Content-Length: 4x\r\n\r\nbody",
    "a length below nothing": OK + b"Content-Length: -4\r\n\r\nbody",
    "a length beyond measure": OK + b"Content-Length: " + b"9" * 4000 + b"\r\n\r\nbody",
    "a head without end": OK + b"X: " + b"x" * 2_000_000,
    "many fields": OK + b"X: y\r\n" * 200_000 + b"\r\n",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
    "half a head": OK + b"Content-Ty",
    "heads before the head, without end": b"HTTP/1.1 100 Continue\r\n\r\n" * 50_000,
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbody",
}


class Liar(Protocol):
    """Says what it was told to, whatever it is asked, and closes."""

    says = b""

    def dataReceived(self, data: bytes) -> None:
        """Answer."""
        self.transport.write(type(self).says)
        self.transport.loseConnection()


def lying(reactor, words: bytes, kind: type[Protocol] = Liar):
    """Return a port on which somebody lies."""
    liar = type("Says", (kind,), {"says": words})
    return reactor.listenTCP(0, Factory.forProtocol(liar), interface="127.0.0.1")


async def outcome(reader, port) -> str:
    """Return in a word what the reader got of an answer."""
    try:
        head, body = await reader.ask(f"http://127.0.0.1:{port}/", accept=b"text/plain")
    except HttpError:
        return "broken off"
    return head.headers.text(b"dlweb-fault") or f"{head.status}: {body[:60]!r}"


@ensureDeferred
@pytest.mark.parametrize("lie", LIES)
async def test_lies(reading, reactor, lie):
    """Whatever is said, the reader gets a fault or a break, at once; no part is kept for whole."""
    reader = reading(live="record", live_timeout=5.0)
    listening = lying(reactor, LIES[lie])
    try:
        got = await outcome(reader, listening.getHost().port)
    finally:
        await listening.stopListening()
    recorder = reader.live.recorder
    await recorder._sync()
    assert got in ("broken off", "live-unreachable"), got
    assert (recorder.kept, reader.live.under_way) == (0, 0)
    assert recorder._captures._memory.left == 32 * 2**20


class Dripping(Protocol):
    """Gives a byte now and then, for ever."""

    says = b""

    def dataReceived(self, data: bytes) -> None:
        """Begin."""
        self.transport.write(type(self).says)
        self.drip()

    def drip(self) -> None:
        """Give one more byte."""
        if self.transport.connected:
            self.transport.write(b"x")
            self.factory.reactor.callLater(0.02, self.drip)


@ensureDeferred
@pytest.mark.parametrize("begun", [OK + b"X: ", OK + b"Content-Length: 1000000\r\n\r\n"])
async def test_a_reader_who_leaves_a_dripping_server(reading, reactor, begun):
    """The server is let go of, in the head and in the body; nobody else's place is taken."""
    reader = reading(live="record", live_timeout=5.0)
    listening = lying(reactor, begun, Dripping)
    listening.factory.reactor = reactor
    try:
        connection = await reader.begin_only(f"http://127.0.0.1:{listening.getHost().port}/")
        while not reader.live.under_way:
            await sleep(reactor, 0.01)
        connection.close()
        for _ in range(100):
            if not reader.live.under_way:
                break
            await sleep(reactor, 0.02)
    finally:
        await listening.stopListening()
    assert reader.live.under_way == 0
    assert reader.live.recorder.kept == 0
