"""Files go out whole, in their order, at the client's pace; on plain TCP the kernel sends them."""

import filecmp
import os
import shutil
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from errno import EINVAL, EIO
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_twisted
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pytest_twisted import ensureDeferred
from twisted.internet import reactor, ssl
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.utils import getProcessValue
from twisted.logger import LogLevel, globalLogPublisher

from anet.http import FileBody, HttpClient, HttpServer, Limits, Request, Response
from anet.http.sending import SMALL
from anet.http.server_connection import ServerConnection, ServerState
from anet.sendfile import TURN
from anet.tasks import sleep
from anet.tls import client_creator

MIB = 1024 * 1024
SILENCE = 1.0  # seconds a client may read nothing
SEGMENTS = 152  # where Linux says in TCP_INFO how many segments with data came


class Reader(Protocol):
    """A client that keeps a sum of what it hears, and its beginning and end."""

    def __init__(self) -> None:
        self.size = 0
        self.sum = sha256()
        self.beginning = self.end = b""
        self.closed: Deferred[None] = Deferred()
        self._wanted = 0
        self._heard: Deferred[None] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self.size += len(data)
        self.sum.update(data)
        if len(self.beginning) < 2000:
            self.beginning += data[:2000]
        self.end = (self.end + data)[-2000:]
        self._look()

    def connectionLost(self, reason=connectionDone) -> None:
        self.closed.callback(None)
        self._look()

    async def hear(self, size: int) -> None:
        """Wait until that many bytes came, or no more will."""
        self._wanted, self._heard = size, Deferred()
        self._look()
        await self._heard

    def _look(self) -> None:
        if not self._heard.called and (self.size >= self._wanted or self.closed.called):
            self._heard.callback(None)


class Folder:
    """A handler that answers with the files of a folder, as `/name` or `/name/first/last`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fields: list[tuple[bytes, bytes]] = []

    def add(self, name: str, size: int) -> bytes:
        """Write a file of random bytes, and return them."""
        data = os.urandom(size)
        (self.path / name).write_bytes(data)
        return data

    async def __call__(self, request: Request) -> Response:
        if request.method == "PUT":
            return Response.text(200, sha256(await request.read(50 * MIB)).hexdigest())
        name, _, part = request.path.strip("/").partition("/")
        if name == "words":
            return Response.text(200, "words")
        body = FileBody.whole(self.path / name)
        if part:
            first, _, last = part.partition("/")
            body = FileBody(body.path, int(first), int(last) - int(first) + 1)
        return Response(206 if part else 200, self.fields, body)


class Calls:
    """Stands for `os.sendfile`, and notes how it was called; `error` makes it fail."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.moved = 0
        self.error: int | None = None
        self._real = os.sendfile

    def __call__(self, out: int, file: int, offset: int, count: int) -> int:
        self.asked.append(count)
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        moved = self._real(out, file, offset, count)
        self.moved += moved
        return moved


@pytest.fixture
def calls(monkeypatch) -> Calls:
    """The calls of sendfile."""
    calls = Calls()
    monkeypatch.setattr("anet.sendfile.os.sendfile", calls)
    return calls


@pytest.fixture
def folder(tmp_path) -> Folder:
    """The files of the server."""
    return Folder(tmp_path)


@contextmanager
def serving(folder: Folder, silence: float) -> Iterator[HttpServer]:
    """A server of the folder on plain TCP."""
    limits = Limits(silence=silence, connections=1000)
    server = HttpServer(reactor, "127.0.0.1:0", folder, name="test", limits=limits)
    server.startService()
    yield server
    pytest_twisted.blockon(Deferred.fromCoroutine(server.stopService()))


@pytest.fixture
def server(folder):
    """A server that soon drops who reads nothing."""
    with serving(folder, SILENCE) as server:
        yield server


@pytest.fixture
def patient_server(folder):
    """A server for clients that wait for each other."""
    with serving(folder, 100 * SILENCE) as server:
        yield server


@pytest.fixture
def mistakes():
    """What the server logs as its own failures."""
    seen: list[dict] = []

    def note(event: dict) -> None:
        if event["log_level"] >= LogLevel.error:
            seen.append(event)

    globalLogPublisher.addObserver(note)
    yield seen
    globalLogPublisher.removeObserver(note)


async def dial(server: HttpServer) -> Reader:
    """Connect to the server."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", server.port)
    return await connectProtocol(endpoint, Reader())


def get(path: str, method: str = "GET") -> bytes:
    """Return the bytes of a request."""
    return f"{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


def open_files(folder: Folder) -> int:
    """Return how many files of the folder this process has open."""
    links = list(Path("/proc/self/fd").iterdir())
    return sum(link.exists() and link.readlink().is_relative_to(folder.path) for link in links)


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, TURN, TURN + 1, 5 * MIB, 100 * MIB])
@ensureDeferred
async def test_curl_gets_a_file_byte_for_byte(server, folder, calls, size):
    """Whatever its size; what is not small is sent by the kernel to its last byte."""
    folder.add("file", size)
    taken = folder.path / "taken"
    url = f"http://{server.address}/file"
    assert await getProcessValue(shutil.which("curl"), ["-sf", "-o", str(taken), url]) == 0
    assert filecmp.cmp(folder.path / "file", taken, shallow=False)
    assert calls.moved == (size if size > SMALL else 0)
    assert all(count <= TURN for count in calls.asked)


@ensureDeferred
async def test_small_answers_to_requests_of_one_segment_leave_in_one(server, folder):
    """What is written in one turn of the reactor is sent once, in its order."""
    names = [f"{number}" for number in range(8)]
    expected = b"".join(folder.add(name, 100 + int(name)) for name in names)
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.setblocking(False)
        client.sendall(b"".join(get(f"/{name}") for name in names))
        heard = b""
        while heard.count(b"HTTP/1.1 200") < len(names) or not heard.endswith(expected[-107:]):
            await sleep(reactor, 0.005)
            with suppress(BlockingIOError):
                heard += client.recv(65_536)
        said = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SEGMENTS + 4)
    bodies = [piece.partition(b"\r\n\r\n")[2] for piece in heard.split(b"HTTP/1.1 200")[1:]]
    assert b"".join(bodies) == expected
    assert struct.unpack_from("I", said, SEGMENTS) == (1,)


@ensureDeferred
async def test_answers_on_one_connection_keep_their_order(server, folder, monkeypatch):
    """Files large and small, parts of them, heads only and words, all asked for at once."""
    monkeypatch.setattr("anet.http.response.date_now", lambda: b"Sat, 21 Nov 2026 12:00:00 GMT")
    large, small = folder.add("large", 3 * MIB), folder.add("small", 700)
    paths = ["/words", "/large", "/words", "/small", "/large/1000000/2999999", "/large", "/words"]
    reader = await dial(server)
    heads: list[bytes] = []
    for path in paths:
        reader.transport.write(get(path, "HEAD"))
        await reader.hear(reader.size + 1)
        heads.append(reader.end[-reader.end[::-1].find(b"/PTTH") - 5 :])
    bodies = [b"words", large, b"words", small, large[1_000_000:3_000_000], large, b"words"]
    expected = b"".join(head + body for head, body in zip(heads, bodies, strict=True))
    reader.size, reader.sum = 0, sha256()
    reader.transport.write(b"".join(get(path) for path in paths))
    await reader.hear(len(expected))
    assert reader.sum.digest() == sha256(expected).digest()
    reader.transport.abortConnection()


@pytest.mark.parametrize(("size", "segments"), [(1000, 1), (SMALL + 8000, 2)])
@ensureDeferred
async def test_a_head_and_its_file_share_a_segment(server, folder, calls, size, segments):
    """No segment is spent on a head alone; on loopback one holds 32 KiB at first."""
    folder.add("file", size)
    reader = await dial(server)
    reader.transport.write(get("/file"))
    await reader.hear(size + 1)
    information = reader.transport.getHandle().getsockopt(socket.SOL_TCP, socket.TCP_INFO, 200)
    assert struct.unpack_from("I", information, SEGMENTS) == (segments,)
    assert len(calls.asked) == (size > SMALL)
    reader.transport.abortConnection()


@ensureDeferred
async def test_a_head_larger_than_the_sockets_buffer(server, folder, calls):
    """A head that goes out in halves is whole before the file follows."""
    data = folder.add("file", MIB)
    folder.fields = [(b"X-Large", b"x" * 12 * MIB)]
    reader = await dial(server)
    reader.transport.pauseProducing()
    reader.transport.write(get("/file"))
    await sleep(reactor, 0.1)
    assert not calls.asked
    reader.transport.resumeProducing()
    await reader.hear(13 * MIB)
    assert reader.end == data[-2000:]
    assert reader.beginning.startswith(b"HTTP/1.1 200 OK\r\n")
    reader.transport.abortConnection()


@ensureDeferred
async def test_a_connection_takes_its_turn(server, folder, monkeypatch):
    """However much a client asks for and reads, others are heard between two pieces."""
    real, sent = os.sendfile, [0]

    def count(out: int, file: int, offset: int, length: int) -> int:
        moved = real(out, file, offset, length)
        sent[-1] += moved
        return moved

    def tick() -> None:
        sent.append(0)
        ticking[0] = reactor.callLater(0, tick)

    monkeypatch.setattr("anet.sendfile.os.sendfile", count)
    ticking = [reactor.callLater(0, tick)]
    folder.add("file", 100_000)
    reader = await dial(server)
    reader.transport.write(get("/file") * 200)
    await reader.hear(200 * 100_000)
    ticking[0].cancel()
    assert sum(sent) == 200 * 100_000
    assert max(sent) < 2 * TURN
    reader.transport.abortConnection()


@ensureDeferred
async def test_a_client_sends_files_in_the_same_way(server, folder, calls):
    """What is PUT goes by the kernel too."""
    data = folder.add("file", 5 * MIB)
    client = HttpClient(reactor)
    body = FileBody.whole(folder.path / "file")
    response = await client.request("PUT", f"http://{server.address}/", body=body)
    assert await response.read(1000) == sha256(data).hexdigest().encode()
    assert calls.moved == 5 * MIB
    await client.stopService()


@ensureDeferred
async def test_a_file_system_without_sendfile(server, folder, calls):
    """Its files are read and written, and nobody sees a difference."""
    data = folder.add("file", 3 * MIB)
    calls.error = EINVAL
    reader = await dial(server)
    reader.transport.write(get("/file") + get("/words"))
    await reader.hear(3 * MIB + 200)
    assert reader.end.endswith(b"words")
    assert data[-1000:] in reader.end
    assert len(calls.asked) == 1
    reader.transport.abortConnection()


@ensureDeferred
async def test_tls_reads_and_writes(folder, calls):
    """What must be encrypted passes through this process, byte for byte too."""
    data = folder.add("file", 5 * MIB)
    state = ServerState("test", folder, Limits(), reactor)
    factory = Factory.forProtocol(lambda: ServerConnection(state))
    port = reactor.listenSSL(0, factory, _certificate(folder.path), interface="127.0.0.1")
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
    endpoint = wrapClientTLS(client_creator("localhost", verify=False), endpoint)
    reader = await connectProtocol(endpoint, Reader())
    reader.transport.write(get("/file") + get("/words"))
    await reader.hear(5 * MIB + 200)
    assert reader.end.endswith(b"words")
    assert data[-1000:] in reader.end
    assert not calls.asked
    reader.transport.abortConnection()
    await reader.closed
    await port.stopListening()


def _certificate(folder: Path) -> ssl.ContextFactory:
    """Return a key and a certificate that nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "key").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return ssl.DefaultOpenSSLContextFactory(str(folder / "key"), str(folder / "certificate"))


@ensureDeferred
async def test_a_file_that_shrinks_on_its_way_ends_the_connection(server, folder, mistakes):
    """The client is not made to wait for bytes that do not exist, nor given others."""
    folder.add("file", 40 * MIB)
    reader = await dial(server)
    reader.transport.pauseProducing()
    reader.transport.write(get("/file") + get("/words"))
    while not open_files(folder):
        await sleep(reactor, 0.005)
    await sleep(reactor, 0.05)
    os.truncate(folder.path / "file", 0)
    reader.transport.resumeProducing()
    await reader.closed
    assert reader.size < 40 * MIB
    assert b"words" not in reader.end
    assert ["too early" in str(event["log_failure"].value) for event in mistakes] == [True]
    assert open_files(folder) == 0


@ensureDeferred
async def test_a_client_that_goes_away_in_the_middle_is_no_mistake(server, folder, mistakes):
    """The file is closed, and the log keeps silent."""
    folder.add("file", 40 * MIB)
    reader = await dial(server)
    reader.transport.write(get("/file"))
    await reader.hear(MIB)
    reader.transport.abortConnection()
    while server.connections:
        await sleep(reactor, 0.005)
    assert open_files(folder) == 0
    assert mistakes == []


@ensureDeferred
async def test_a_disk_that_fails_ends_one_connection(server, folder, calls, mistakes):
    """The client learns by the missing bytes, the log by the error; the server goes on."""
    folder.add("file", MIB)
    calls.error = EIO
    reader = await dial(server)
    reader.transport.write(get("/file"))
    await reader.closed
    assert [event["log_failure"].value.errno for event in mistakes] == [EIO]
    assert open_files(folder) == 0
    other = await dial(server)
    other.transport.write(get("/words"))
    await other.hear(50)
    assert other.end.endswith(b"words")
    other.transport.abortConnection()


@ensureDeferred
async def test_a_client_that_does_not_read_is_dropped(server, folder, mistakes):
    """It is given the time that any silent client has, and its file is closed."""
    folder.add("file", 40 * MIB)
    reader = await dial(server)
    reader.transport.pauseProducing()
    reader.transport.write(get("/file"))
    while not server.connections:
        await sleep(reactor, 0.01)
    begun = reactor.seconds()
    while server.connections:
        await sleep(reactor, 0.05)
    assert SILENCE / 2 < reactor.seconds() - begun < SILENCE * 4
    assert open_files(folder) == 0
    assert mistakes == []
    reader.transport.abortConnection()


@ensureDeferred
async def test_a_client_that_asks_and_asks_and_does_not_read_is_dropped(server, folder):
    """Also when its last question found the socket full already."""
    folder.add("file", 30_000)
    reader = await dial(server)
    reader.transport.pauseProducing()
    while not server.connections:
        await sleep(reactor, 0.005)
    begun = reactor.seconds()
    while server.connections and reactor.seconds() - begun < 10 * SILENCE:
        if server.requests < 2000:
            reader.transport.write(get("/file"))
        await sleep(reactor, 0.001)
    assert not server.connections
    reader.transport.abortConnection()


@ensureDeferred
async def test_five_hundred_clients_at_once(patient_server, folder):
    """All get all of it; while none of them reads, nothing of the files is in our memory."""
    data = folder.add("file", 10 * MIB)
    readers = await gatherResults(
        [Deferred.fromCoroutine(dial(patient_server)) for _ in range(500)]
    )
    before = resident()
    for reader in readers:
        reader.transport.pauseProducing()
        reader.transport.write(get("/file/0/999999"))
    while patient_server.requests < 500:
        await sleep(reactor, 0.01)
    grown = resident() - before
    for reader in readers:
        reader.transport.resumeProducing()
    await gatherResults([Deferred.fromCoroutine(reader.hear(1_000_100)) for reader in readers])
    assert {reader.end for reader in readers} == {data[998_000:1_000_000]}
    for reader in readers:
        head = reader.beginning.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        assert reader.sum.digest() == sha256(head + data[:1_000_000]).digest()
    assert grown < 16 * MIB  # 32 KiB a connection, of 1 MB each asked for
    for reader in readers:
        reader.transport.abortConnection()
    await gatherResults([reader.closed for reader in readers])
