"""The page on importing, walked; and a crawl of wget's, imported and read through the proxy."""

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.test_documentation import Walk

_PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "import-a-collection.md"
_BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SITE = "http://www.example.org"
_PAGES = {
    "/": (b'<a href="chunked">a</a> <a href="moved">b</a> <img src="picture.png">', "text/html"),
    "/picture.png": (b"\x89PNG\r\n" + bytes(range(256)) * 300, "image/png"),
    "/chunked": (b"<p>in pieces</p>" * 1000, "text/html"),
    "/moved": (b"", ""),
}


class Site(BaseHTTPRequestHandler):
    """A site that answers as a proxy does, so that it needs no name."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer in one piece, in chunks, or with a redirection."""
        path = self.path.removeprefix(_SITE)
        body, kind = _PAGES.get(path, (b"", ""))
        self.send_response(302 if path == "/moved" else 200 if kind else 404)
        if path == "/moved":
            self.send_header("Location", f"{_SITE}/chunked")
        if kind:
            self.send_header("Content-Type", kind)
        if path == "/chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (body[:5000], body[5000:], b""):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with what wget wrote of a site, compressed and plain."""
    if shutil.which("wget") is None:
        pytest.skip("needs wget")
    folder = tmp_path_factory.mktemp("wget")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for name, more in (("plain", ["--no-warc-compression"]), ("packed", [])):
            subprocess.run(
                ["wget", "-q", "-r", "-l2", "-p", f"--warc-file={name}", *more]
                + ["--tries=1", "-e", "robots=off", f"{_SITE}/"],
                cwd=folder,
                env={
                    "http_proxy": f"http://127.0.0.1:{server.server_port}",
                    "PATH": "/usr/bin:/bin",
                },
                check=False,
                timeout=60,
            )
    finally:
        server.shutdown()
        server.server_close()
    found = folder / "crawls"
    found.mkdir()
    for path in folder.glob("*.warc*"):
        path.rename(found / path.name)
    return found


@pytest.fixture
def walk(tmp_path: Path, crawls: Path) -> Iterator[Walk]:
    """Give the folder of somebody who reads the page, with a collection in it."""
    walk = Walk(tmp_path)
    shutil.copytree(crawls, tmp_path / "crawls")
    yield walk
    walk.stop()


@pytest.mark.slow
def test_the_page_can_be_walked(walk: Walk) -> None:
    """Every command does what the page says, in the order of the page."""
    (walk.folder / "damaged").mkdir()
    whole = next((walk.folder / "crawls").glob("*.warc.gz")).read_bytes()
    (walk.folder / "damaged" / "torn.warc.gz").write_bytes(whole[: len(whole) * 2 // 3])
    said = []
    for kind, block in _BLOCK.findall(_PAGE.read_text("utf-8")):
        if kind == "sh":
            said.append(walk._shell(f'dlweb() {{ .venv/bin/dlweb "$@" 2>&1; }}\n{block}'))
        else:
            assert shape(block.splitlines()[0]) == shape(said[0].splitlines()[-2])
    first, read, repeated, again, parts, elsewhere, damaged, scripts = said
    assert "its disk" in first and "2 files imported" in first
    assert "302" in read or _PAGES["/"][0].decode() in read
    assert "0 files imported · 2 files imported before" in repeated
    assert "2 files imported" in again and "0 contents new" in again
    assert sum(map(int, re.findall(r"(\d+) files? imported before", parts))) == 2
    assert "2 files imported" in elsewhere and " 0 contents new" not in elsewhere, elsewhere
    assert "torn.warc.gz: bytes" in damaged and "status 1" in damaged
    assert '"well":true' in scripts


def shape(line: str) -> str:
    """Return a line of a summary without its numbers and units."""
    return re.sub(r"[\d.,]+( [kM]?B| bytes| ms| s|/s)*|\bs\b", "#", line).replace("files", "file")


@pytest.mark.slow
def test_what_wget_wrote_is_read_through_the_proxy(walk: Walk) -> None:
    """Byte for byte, by the archive that is started afterwards."""
    dlweb = ["dlweb", "import", "crawls/"]
    subprocess.run([f".venv/bin/{dlweb[0]}", *dlweb[1:]], cwd=walk.folder, check=True, timeout=60)
    walk.start_archive()
    for path, (body, kind) in _PAGES.items():
        connection = HTTPConnection("127.0.0.1", walk.base_port + 6, timeout=30)
        connection.request("GET", f"{_SITE}{path}")
        answer = connection.getresponse()
        assert answer.read() == body, path
        assert answer.status == (200 if kind else 302)
        connection.close()
