"""pywb replays this archive without a file of it; needs the folder of its programs in PYWB."""

import http.client
import os
import shutil
import socket
import subprocess
import time
from contextlib import closing

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

WAYBACK = shutil.which("wayback", path=os.environ.get("PYWB", os.defpath))
pytestmark = pytest.mark.skipif(WAYBACK is None, reason="pywb is not installed")

CONFIG = """
collections:
  by-url: cdx+http://{0}/cdx /warc
  by-name:
    index_paths: cdx+http://{0}/cdx/any
    archive_paths: http://{0}/warc/
  openwayback:
    index_paths: xmlquery+http://{0}/cdx/any
    archive_paths: http://{0}/warc/
"""
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
IMAGE = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: /page\r\n\r\n"
PAGE = "http://example.org/page"


async def fill(served):
    """Put two captures of a page, a large picture, an odd URL and a redirection there."""
    await served.add(PAGE, b"old", date="20200601120000123456", head=HTML)
    await served.add(PAGE, b"new", date="20230601120000000000", head=HTML)
    await served.add(f"{PAGE}.png?_=1", bytes(400_000), date="20230601120001000000", head=IMAGE)
    await served.add("https://www.example.org/a|b?c=%26|", b"odd", head=HTML)
    await served.add("http://example.org/go", b"", head=MOVED)


def replayed(port, collection, path):
    """Return status, size or body, and where a redirection leads."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", f"/{collection}/{path}")
        answer = connection.getresponse()
        body = answer.read()
        shown = body if len(body) < 100 else len(body)
        return answer.status, shown, answer.getheader("Location")


def free_port():
    """Return a port that nobody listens at."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    """Wait until somebody listens at a port."""
    while process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("pywb has ended")


@ensureDeferred
async def test_pywb_replays_the_archive(served, tmp_path):
    """By each way that docs/reference/cdx.md names, pywb gives what is archived."""
    await fill(served)
    (tmp_path / "config.yaml").write_text(CONFIG.format(served.address))
    port = free_port()
    with subprocess.Popen(
        [WAYBACK, "-b", "127.0.0.1", "-p", str(port)], cwd=tmp_path,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            await deferToThread(wait_for, port, process)
            for collection in ("by-url", "by-name", "openwayback"):

                def ask(path, collection=collection):
                    return deferToThread(replayed, port, collection, path)

                assert await ask(f"2020id_/{PAGE}") == (200, b"old", None)
                assert await ask(f"2026id_/{PAGE}") == (200, b"new", None)
                assert await ask(f"2026id_/{PAGE}.png?_=123456") == (200, 400_000, None)
                odd = await ask("2026id_/http://example.org/a|b?c=%26|")
                assert odd == (200, b"odd", None)
                assert (await ask("2026id_/http://example.org/go"))[::2] == (302, "/page")
                assert (await ask("2026id_/http://example.org/none"))[0] == 404
        finally:
            process.kill()
