"""A live web (nginx on loopback), and a consultation agent whose readers may ask for it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import pytest_twisted
from twisted.internet.defer import Deferred

from agents.collected import Collected
from anet.http.connect import connect
from hip import exposed
from tests.agents.consultation.test_service import Running
from tests.anet.servers import certificate, free_port, listening

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIG = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;
events {{ }}
http {{
  types {{ text/html html; }} access_log {folder}/access.log; client_max_body_size 9m;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port}; listen 127.0.0.1:{secure} ssl; root {folder}/root;
    ssl_certificate {pem}; ssl_certificate_key {pem};
    location /old {{ return 301 /page.html; }}
    location /private {{ add_header Cache-Control private; return 200 "yours"; }}
    location /cookie {{ add_header Set-Cookie a=1; return 200 "cookie $http_cookie"; }}
    location /echo {{ return 200 "$request_method $content_length $http_via $http_x_own"; }}
  }}
}}
"""


class Web:
    """The live web.

    Attributes:
        url: where it begins.
        secure: the same over TLS, with a certificate that nobody vouches for.
        pem: that certificate.
        root: the folder that it gives.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "root"
        self.root.mkdir(parents=True)
        port, secure, self.pem = free_port(), free_port(), certificate(folder, "localhost")
        config = folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=folder, port=port, secure=secure, pem=self.pem))
        self.process = subprocess.Popen([NGINX, "-c", str(config)], stderr=subprocess.DEVNULL)
        listening(port)
        self.url, self.secure = f"http://127.0.0.1:{port}", f"https://localhost:{secure}"
        (self.root / "page.html").write_bytes(b"<title>now</title>")
        (self.root / "film.bin").write_bytes(os.urandom(3_000_000))

    def asked(self) -> list[str]:
        """Return the requests that came."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [line.split('"')[1] for line in lines]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Have what is recorded given to the scheduler at once."""
    monkeypatch.setattr("agents.collected.offering.EVERY", 0.05)
    monkeypatch.setattr("agents.consultation.live.recorder._SYNC", 0.05)


@pytest.fixture
def web(tmp_path):
    """The live web."""
    if not Path(NGINX).exists():
        pytest.skip("needs nginx")
    web = Web(tmp_path / "web")
    yield web
    web.process.terminate()
    web.process.wait(10)


class Hearing:
    """What the scheduler is told."""

    def __init__(self) -> None:
        self.directories: list[Collected] = []
        self.told: Deferred[None] = Deferred()

    @exposed
    def collected(self, collected: Collected) -> bool:
        """Hear of what was recorded."""
        self.directories.append(collected)
        if not self.told.called:
            self.told.callback(None)
        return True


class Reader:
    """Asks the proxy of an agent whose readers may ask for the live web."""

    def __init__(self, reactor, running: Running, hearing: Hearing) -> None:
        self._reactor, self.running, self.hearing = reactor, running, hearing

    @property
    def live(self):
        """What answers from the live web."""
        return self.running.agent.live

    def choose(self, live: bool) -> None:
        """Choose the live web, or the archive."""
        self.running.agent.readers.choose("127.0.0.1", live=live)

    async def begin_only(self, url):
        """Return a connection over which something is asked, without waiting for the answer."""
        host, _, port = self.running.agent.proxy.address.partition(":")
        connection = await connect(self._reactor, host, int(port))
        Deferred.fromCoroutine(connection.request("GET", url)).addErrback(lambda _: None)
        return connection

    async def begin(self, url, method="GET", body=b"", **fields):
        """Return a connection and an answer on its way."""
        host, _, port = self.running.agent.proxy.address.partition(":")
        connection = await connect(self._reactor, host, int(port))
        sent = [(name.replace("_", "-").encode(), value) for name, value in fields.items()]
        return connection, await connection.request(method, url, sent, body)

    async def ask(self, url, method="GET", body=b"", **fields):
        """Return head and body of the answer."""
        connection, answer = await self.begin(url, method, body, **fields)
        try:
            return answer.head, await answer.read(30_000_000)
        finally:
            connection.close()


@pytest_twisted.async_yield_fixture
async def reading(reactor, archive, tmp_path):
    """Starts an agent with settings of the live web; its reader has chosen it."""
    started: list[Running] = []

    def start(**keys) -> Reader:
        hearing = Hearing()
        keys = {"live": "read", "live_private_networks": True, "lookup": "index", **keys}
        running = Running(reactor, archive, tmp_path / "archive", **keys)
        running.scheduler.methods.add(hearing)
        started.append(running)
        reader = Reader(reactor, running, hearing)
        reader.choose(live=True)
        return reader

    yield start
    for running in started:
        await running.stop()
