"""Storage nodes over HTTPS, as processes: what passes between agents, seen from the wire."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
from twisted.internet.threads import deferToThread
from twisted.protocols.portforward import ProxyFactory, ProxyServer

from agents.capture import Capture, structure_key
from agents.configuration import http_client, load
from agents.storage.stores.cluster import ClusterStore
from anet.errors import AnetError, HttpError, TlsFailed
from anet.http import HttpClient, connect
from anet.tasks import sleep
from anet.workers import Workers
from hip import Security
from hip.certificates import Authority
from tests.test_documentation import free_ports

PATIENCE = 60.0  # seconds
URL = "http://a.example/"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n"
LARGE = os.urandom(6 << 20)
LARGE_LIMIT = 2 * len(LARGE)
PLUGINS = {
    "storage-master": "storage-master",
    "index-1": "index-node",
    "storage-1": "storage-node",
    "storage-2": "storage-node",
    "consultation": "consultation",
}
AGENTS = {  # certificates: role, and whether others connect to it
    "storage-master": ("storage-master", True),
    "index": ("index-node", True),
    "storage": ("storage-node", True),
    "connectivity": ("connectivity", False),
    "consultation": ("consultation", False),
}
CONFIG = """
directory: {directory}
base_port: {base}
security: {{certificates: {directory}/certs}}
storage-master: {{settle: 0.2, grace: 1.0, sweep_every: 1.0}}
index-node: {{follow_every: 0.2}}
consultation: {{lookup: index}}
storage-node: {{reserve: 0, multicast: false, url: "https://127.0.0.1:{wire}"}}
"""


class Wire(ProxyServer):
    """Carries a connection to a node, and keeps what clients say."""

    factory: Any

    def dataReceived(self, data: bytes) -> None:
        """Note and pass on."""
        self.factory.said += data
        super().dataReceived(data)


class Archive:
    """The storage layer of an archive with certificates; its nodes are reached over a wire."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.base = directory, free_ports(100)
        self.workers = Workers(reactor, 2)
        self.workers.startService()
        self.running: list[Any] = [self.workers]
        self.children: list[subprocess.Popen[bytes]] = []
        self.wires = [self._wire(number) for number in (1, 2)]
        for name, (role, is_server) in AGENTS.items():
            hosts = ["127.0.0.1"] if is_server else []
            Authority(directory / "certs").create(name, [role], hosts)
        self.files = [self._configure(number) for number in (1, 2)]
        self.store = ClusterStore(reactor, load(self.files[0]), self.workers)

    def _wire(self, number: int) -> Any:
        factory: Any = ProxyFactory("127.0.0.1", self.base + 10 + number)
        factory.protocol, factory.noisy, factory.said = Wire, False, b""
        factory.listener = reactor.listenTCP(0, factory, interface="127.0.0.1")
        factory.url = f"https://127.0.0.1:{factory.listener.getHost().port}"
        return factory

    def _configure(self, number: int) -> str:
        """Write the configuration, with the URL of a node; return its path."""
        wire = self.wires[number - 1].url.rpartition(":")[2]
        path = self.directory / f"{number}.yaml"
        path.write_text(CONFIG.format(directory=self.directory, base=self.base, wire=wire))
        return str(path)

    def start(self, *names: str) -> None:
        """Start agents."""
        for name in names:
            file = self.files[name == "storage-2"]
            command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
            command += [PLUGINS[name], "--config", file, "--name", name]
            with (self.directory / f"{name}.log").open("ab") as log:
                self.children.append(subprocess.Popen(command, stdout=log, stderr=log))

    def client(self, name: str) -> HttpClient:
        """Return a client with an agent's certificate."""
        client = http_client(reactor, Security.of_folder(self.directory / "certs" / name))
        self.running.append(client)
        return client

    @property
    def secret(self) -> bytes:
        """What a write shows."""
        return (self.directory / "secret").read_bytes().strip()

    async def ask(self, client: HttpClient, number: int, path: str, **how: Any) -> int:
        """Ask a node; return the status."""
        method = "PUT" if "body" in how else "GET"
        response = await client.request(method, self.wires[number - 1].url + path, **how)
        await response.read(LARGE_LIMIT)
        return response.head.status

    async def has(self, client: HttpClient, number: int, path: str) -> None:
        """Wait until a node holds something."""
        deadline = reactor.seconds() + PATIENCE
        while True:
            try:
                if await self.ask(client, number, path) == 200:
                    return
            except AnetError:
                pass  # it is not up yet
            assert reactor.seconds() < deadline, self.logs()
            await sleep(reactor, 0.1)

    async def browse(self, url: str) -> tuple[int, bytes]:
        """Ask the consultation server, as a browser does whose proxy it is."""
        connection = await connect(reactor, "127.0.0.1", self.base + 6)
        try:
            host = url.split("/")[2].encode()
            response = await connection.request("GET", url, [(b"Host", host)])
            return response.head.status, await response.read(LARGE_LIMIT)
        finally:
            connection.close()

    async def browsed(self, url: str) -> bytes:
        """Return what the archive has at a URL, once the consultation server is up."""
        deadline = reactor.seconds() + PATIENCE
        while True:
            try:
                status, body = await self.browse(url)
                if status == 200:
                    return body
            except AnetError:
                pass  # it is not up yet
            assert reactor.seconds() < deadline, self.logs()
            await sleep(reactor, 0.2)

    def logs(self) -> str:
        """Return what agents said last."""
        return "\n".join(path.read_text()[-2000:] for path in self.directory.glob("*.log"))

    async def stop(self) -> None:
        """End all."""
        await self.store.close()
        for service in reversed(self.running):
            await service.stopService()
        for child in self.children:
            child.send_signal(signal.SIGTERM)
        for child in self.children:
            await deferToThread(child.wait, PATIENCE)  # the wires carry what they say in the end
        for wire in self.wires:
            await wire.listener.stopListening()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Give an archive whose agents are not started."""
    archive = Archive(tmp_path)
    yield archive
    pytest_twisted.blockon(ensured(archive.stop()))


def capture(body: bytes) -> Capture:
    """Return a capture of a content."""
    return Capture(URL, "20260101000000000000", key_of(body), len(body), 200, HEAD)


def key_of(body: bytes) -> str:
    """Return the key of a content."""
    return sha256(body).hexdigest()


@pytest.mark.slow
@ensureDeferred
async def test_an_archive_over_https(archive: Archive, tmp_path: Path) -> None:
    """Deposits, copies between nodes and consultation go over TLS; the rest is kept out."""
    archive.start("storage-master", "index-1", "storage-1", "consultation")
    large = tmp_path / "large"
    large.write_bytes(LARGE)
    await archive.store.open(writing=True)
    await archive.store.put(key_of(LARGE), large)
    await archive.store.append([capture(LARGE)])
    archive.start("storage-2")
    consultation = archive.client("consultation")
    await archive.has(consultation, 2, f"/contents/{key_of(LARGE)}")
    await archive.has(consultation, 2, f"/structures/{structure_key(URL)}")
    assert await archive.browsed(URL) == LARGE
    await no_certificate_reads_only(archive)
    await another_authority_is_nobody(archive)
    for wire in archive.wires:
        with pytest.raises(HttpError):
            await archive.client("index").request("GET", wire.url.replace("https", "http"))
        said = wire.said.replace(b"GET / HTTP/1.1", b"")  # which was just said, to no answer
        assert said.startswith(b"\x16\x03") and len(said) > 1000  # TLS
        for word in (archive.secret, b"Bearer", b"HTTP/1.1", LARGE[:100]):
            assert word not in said
    assert "Unhandled" not in archive.logs()


async def no_certificate_reads_only(archive: Archive) -> None:
    """Check that somebody without a certificate reads, and cannot write even with the secret."""
    authority = (archive.directory / "certs" / "storage" / "authority.pem").read_bytes()
    trusted = trustRootFromCertificates([Certificate.loadPEM(authority)])
    browser = HttpClient(reactor, tls=lambda host: optionsForClientTLS(host, trusted))
    archive.running.append(browser)
    credential = [(b"Authorization", b"Bearer " + archive.secret)]
    path = f"/contents/{key_of(b'new')}"
    for page in ("/", "/status", f"/contents/{key_of(LARGE)}"):
        assert await archive.ask(browser, 1, page) == 200
    assert await archive.ask(browser, 1, path, body=b"new", headers=credential) == 403
    reader = archive.client("consultation")  # whose role is another
    assert await archive.ask(reader, 1, path, body=b"new", headers=credential) == 403
    member = archive.client("connectivity")
    assert await archive.ask(member, 1, path, body=b"new") == 401
    assert await archive.ask(member, 1, path, body=b"new", headers=credential) == 201


async def another_authority_is_nobody(archive: Archive) -> None:
    """Check that agents of another archive neither believe the nodes, nor are heard by them."""
    others, own = archive.directory / "others", archive.directory / "certs"
    Authority(others).create("connectivity")
    foreign = http_client(reactor, Security.of_folder(others / "connectivity"))
    archive.running.append(foreign)
    with pytest.raises(TlsFailed, match="its certificate comes from another authority"):
        await foreign.request("GET", archive.wires[0].url)
    for name in ("authority.pem", "revoked.pem"):  # now it believes them
        told = (own / "connectivity" / name).read_bytes()
        (others / "connectivity" / name).write_bytes(told)
    with pytest.raises(HttpError):
        await foreign.request("GET", archive.wires[0].url)
