"""Feeds as a web server that is not ours gives them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from tests.agents.feeds.conftest import Tree
from tests.agents.feeds.samples import ATOM_10, PAGES
from tests.anet.servers import free_port, listening

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIG = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;
events {{ }}
http {{
  types {{ application/atom+xml atom; }} gzip on; gzip_types application/atom+xml;
  gzip_min_length 1; gzip_vary on; access_log {folder}/access.log;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; root {folder}/root; location /old {{ return 301 /f.atom; }} }}
}}
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """Serve a folder, compressed; return its URL."""
    port = free_port()
    (tmp_path / "root").mkdir()
    config = tmp_path / "nginx.conf"
    config.write_text(CONFIG.format(folder=tmp_path, port=port))
    process = subprocess.Popen([NGINX, "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        listening(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.skipif(not Path(NGINX).exists(), reason="needs nginx")
@ensureDeferred
async def test_a_feed_of_nginx(nginx: str, tree: Tree, tmp_path: Path) -> None:
    """Redirected, compressed, then not modified, then changed: each is asked for and told so."""
    file = tmp_path / "root" / "f.atom"
    file.write_bytes(ATOM_10)
    await tree.start()
    await tree.follow(f"{nginx}/old")
    first = await tree.scheduler.heard(1)
    feed = f"{nginx}/f.atom"
    assert (first.outcome, first.moved_to, first.new) == ("moved", feed, PAGES)
    await tree.peer.call("look", feed=feed)
    assert (await tree.scheduler.heard(2)).outcome == "unchanged"
    file.write_bytes(ATOM_10.replace(b"tag:1", b"tag:3").replace(b"../one", b"../three"))
    os.utime(file, (0, 2_000_000_000))
    await tree.peer.call("look", feed=feed)
    third = await tree.scheduler.heard(3)
    assert (third.outcome, third.new) == ("changed", ["https://example.org/three"])
    log = (tmp_path / "access.log").read_text().splitlines()
    statuses = [line.split('"')[2].split()[0] for line in log if "robots" not in line]
    assert statuses == ["301", "200", "304", "200"]
