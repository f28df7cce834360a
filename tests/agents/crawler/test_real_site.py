"""A real documentation site on a real server: nothing is missed, nothing is altered."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from socket import create_connection, socket
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from pytest_twisted import ensureDeferred

SITE = Path("/usr/share/doc/python3.11-doc/html")
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIG = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;
events {{ }}
http {{
  include /etc/nginx/mime.types; access_log off;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """Serve the site; return its URL."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = tmp_path / "nginx.conf"
    config.write_text(CONFIG.format(folder=tmp_path, port=port, root=SITE))
    process = subprocess.Popen([NGINX, "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(10)


class Walker(HTMLParser):
    """An independent reading of what a page links to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)


def walk(base: str) -> set[str]:
    """Return the URLs of files that links of pages lead to, from the home page on."""
    found, queue = set(), [base]
    while queue:
        url = queue.pop()
        path = SITE / unquote(url.removeprefix(base))
        path = path / "index.html" if path.is_dir() else path
        if url in found or not url.startswith(base) or not path.is_file():
            continue
        found.add(url)
        if path.suffix == ".html":
            walker = Walker()
            walker.feed(path.read_text("utf-8"))
            queue += [urldefrag(urljoin(url, link))[0] for link in walker.links]
    return found


@pytest.mark.slow
@pytest.mark.skipif(
    not (SITE.is_dir() and Path(NGINX).exists()), reason="needs nginx and python3.11-doc"
)
@ensureDeferred
async def test_documentation_of_python(nginx: str, crawl: Any) -> None:
    """All that an independent walk finds is collected as on disk; again, nothing is stored."""
    expected = walk(nginx)
    assert len(expected) > 500
    result = await crawl(nginx)
    assert expected - result.urls == set()
    contents = {line["url"]: line["content"] for line in result.lines}
    for url in expected:
        path = SITE / unquote(url.removeprefix(nginx))
        path = path / "index.html" if path.is_dir() else path
        assert contents[url] == sha256(path.read_bytes()).hexdigest()
        assert sha256(result.content(url)).hexdigest() == contents[url]
    again = await crawl(nginx, name="again", former=str(result.directory))
    assert again.figures.contents_new == 0
    assert again.figures.urls_unchanged == result.figures.captures
