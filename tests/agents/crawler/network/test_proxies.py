"""Crawling through real proxies: tinyproxy and microsocks."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.crawler.errors import FetchFailed
from agents.crawler.network.proxies import read_proxy
from agents.order import Access
from anet.address import is_public
from anet.errors import InvalidAddress
from tests.agents.crawler.fetching import Fetching
from tests.anet.servers import certificate, free_port, listening

_TINYPROXY = shutil.which("tinyproxy") or "/usr/bin/tinyproxy"
_MICROSOCKS = shutil.which("microsocks") or "/usr/bin/microsocks"
_NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
KINDS = ["http", "socks5"]


@pytest.fixture
def proxies(tmp_path: Path) -> Iterator[Callable[[str], int]]:
    """Return what starts a proxy of a kind that wants to know who asks; it gives the port."""
    children: list[subprocess.Popen[bytes]] = []

    def start(kind: str) -> int:
        port = free_port()
        file = tmp_path / "tinyproxy.conf"
        file.write_text(
            f"Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 10\nBasicAuth anna s3cret\n"
            "LogLevel Critical\n"
        )
        command = {
            "http": [_TINYPROXY, "-d", "-c", str(file)],
            "socks5": [_MICROSOCKS, "-i", "127.0.0.1", "-p", str(port), "-u", "anna",
                       "-P", "s3cret"],
        }  # fmt: skip
        children.append(subprocess.Popen(command[kind]))
        listening(port)
        return port

    yield start
    for child in children:
        child.terminate()
        child.wait()


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[int]:
    """Serve a file over TLS by nginx; give the port."""
    (tmp_path / "page.html").write_text("secure")
    key, port = certificate(tmp_path, "localhost"), free_port()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {tmp_path};" for kind in kinds)
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log stderr;"
        f"events {{}} http {{ access_log off; {temporary}"
        f"server {{ listen 127.0.0.1:{port} ssl http2; root {tmp_path};"
        f"ssl_certificate {key}; ssl_certificate_key {key}; }} }}"
    )
    child = subprocess.Popen([_NGINX, "-c", str(tmp_path / "nginx.conf")])
    listening(port)
    yield port
    child.terminate()
    child.wait()


@pytest.mark.parametrize("kind", KINDS)
@ensureDeferred
async def test_through_a_proxy(web: Any, proxies: Any, secure: int, kind: str) -> None:
    """Plain and secure pages come through, over kept connections, and say so."""
    web.pages = {"/": "plain", "/2": "more"}
    url = f"{kind}://anna:s3cret@127.0.0.1:{proxies(kind)}"
    fetching = Fetching(access=Access(proxy=url))
    for target, body in (("", b"plain"), ("2", b"more")):
        answer, got = await fetching.get(web.url + target)
        assert got == body
        assert answer.proxy == url.replace("anna:s3cret@", "")
    for _ in range(2):
        answer, got = await fetching.get(f"https://localhost:{secure}/page.html")
        assert got == b"secure"
        assert answer.tls is not None
        assert answer.tls.protocol == "http/1.1"
        assert answer.head.raw.startswith(b"HTTP/1.1 200 OK\r\nServer: nginx")
    assert web.requests[-1].target == "/2"
    assert b"proxy-authorization" not in web.requests[-1].headers
    fetching.connections.stop()


@pytest.mark.parametrize("kind", KINDS)
@ensureDeferred
async def test_a_proxy_that_refuses_us(web: Any, proxies: Any, secure: int, kind: str) -> None:
    """What the proxy says is an error of the fetch, never the page of a site."""
    web.pages = {"/": "plain"}
    fetching = Fetching(access=Access(proxy=f"{kind}://127.0.0.1:{proxies(kind)}"))
    for url in (web.url, f"https://localhost:{secure}/page.html"):
        with pytest.raises(FetchFailed, match="proxy"):
            await fetching.get(url)
    fetching.connections.stop()


@pytest.mark.parametrize("kind", KINDS)
@ensureDeferred
async def test_the_inside_is_not_asked_for(web: Any, proxies: Any, kind: str) -> None:
    """A proxy is no way around what may not be fetched."""
    web.pages = {"/": "plain"}
    url = f"{kind}://anna:s3cret@127.0.0.1:{proxies(kind)}"
    fetching = Fetching(access=Access(proxy=url), permit=is_public)
    port = web.server.port
    for host in ("127.0.0.1", "localhost", "intranet", "[::1]", "[::ffff:10.0.0.1]", "0.0.0.0"):
        with pytest.raises(FetchFailed, match="public Internet"):
            await fetching.get(f"http://{host}:{port}/")
    assert not web.hits


@ensureDeferred
async def test_a_proxy_that_is_not_there() -> None:
    """The failure names the proxy's address."""
    port = free_port()
    fetching = Fetching(access=Access(proxy=f"socks5://127.0.0.1:{port}"))
    with pytest.raises(FetchFailed, match=str(port)):
        await fetching.get("http://site.example/")


def test_what_names_no_proxy() -> None:
    """Other schemes are refused, none is none."""
    assert read_proxy(None) is read_proxy("") is None
    with pytest.raises(InvalidAddress):
        read_proxy("ftp://secret@proxy:1")
