"""What a browser asks for when it opens pages with scripts is what the parsers find in them."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from agents.parsers import COMPONENT, PAGE, Link, Source
from agents.parsers.html import HtmlParser
from agents.parsers.javascript import JavaScriptParser, worker

SITE = Path(__file__).parents[3] / "websites" / "scripted"
PAGES = sorted(page.name for page in SITE.glob("*.html"))
_TYPES = {
    ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".gif": "image/gif",
    ".json": "application/json", ".xml": "text/xml",
}  # fmt: skip
_BROWSER = shutil.which("chromium")


class Site:
    """Serves the pages, and something for every other URL, and notes what is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answer anything."""
                site.asked.append(urlsplit(self.path).path)
                path = SITE / site.asked[-1].lstrip("/")
                body = path.read_bytes() if path.is_file() else b""
                self.send_response(200)
                self.send_header("Content-Type", _TYPES.get(path.suffix, "text/plain"))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *values: object) -> None:
                """Keep the output of the tests clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Serve the pages."""
    made = Site()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def _inline(body: bytes) -> list[str]:
    """Return the scripts of a page as the crawler hands them over."""
    tree = lxml.html.fromstring(body)
    scripts = [element.text for element in tree.iter("script") if element.text]
    for element in tree.iter("body", "a", "button"):
        for name, value in element.attrib.items():
            if name == "onload":
                scripts.append(value)
            elif name.startswith("on") or value.startswith("javascript:"):
                scripts.append("javascript:" + value.removeprefix("javascript:"))
    return scripts


def links_of_page(url: str, body: bytes) -> list[Link]:
    """Return the links of a page, those of its scripts included."""
    parser = HtmlParser(Source(url=url))
    links = [found for found in (*parser.feed(body), *parser.close()) if isinstance(found, Link)]
    return links + [Link(*fields) for fields in worker.run(url, _inline(body))["links"]]


def found_from(name: str, url: str = "http://site/") -> dict[str, Link]:
    """Return the links of a page and of the scripts that it loads, by path."""
    found: dict[str, Link] = {}
    waiting = [(name, links_of_page(url + name, (SITE / name).read_bytes()))]
    while waiting:
        base, links = waiting.pop()
        for link in links:
            path = urlsplit(urljoin(url + base, link.url)).path
            if path in found:
                continue
            found[path] = link
            file = SITE / path.lstrip("/")
            if file.suffix == ".js" and file.is_file():
                parser = JavaScriptParser(Source(url=url + path.lstrip("/")))
                findings = (*parser.feed(file.read_bytes()), *parser.close())
                waiting.append((path.lstrip("/"), [x for x in findings if isinstance(x, Link)]))
    return found


@pytest.mark.slow
@pytest.mark.skipif(_BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize("name", PAGES)
def test_what_a_browser_asks_for_is_found(site: Site, name: str, tmp_path: Path) -> None:
    """Every URL that headless Chromium requests for a page is a link that the parsers find."""
    site.asked.clear()
    subprocess.run(
        [
            str(_BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            f"--user-data-dir={tmp_path}", "--virtual-time-budget=4000", "--dump-dom",
            site.url + name,
        ],
        timeout=60, check=True, capture_output=True,
    )  # fmt: skip
    asked = set(site.asked) - {"/" + name, "/favicon.ico"}
    assert "/" + name in site.asked
    assert asked - found_from(name).keys() == set()
    assert asked or name == "acts.html"


def test_kinds_of_links_of_acts_and_of_loading() -> None:
    """What a click leads to is a page; a popup and a redirection are components, not requisites."""
    found = found_from("acts.html")
    for name in ("pictures/castle.html", "pictures/river.html", "by-url.html", "button.html"):
        assert found["/" + name].kind == PAGE
    for link in (found["/advert1.html"], found_from("redirect.html")["/moved-2.html"]):
        assert (link.kind, link.requisite) == (COMPONENT, False)


def test_images_under_the_mouse_are_found() -> None:
    """What the mouse shows is found without one."""
    assert {"/hover/home.gif", "/loaded/home.gif", "/over/mail_on.gif"} <= found_from(
        "rollover.html"
    ).keys()


def test_chunks_that_a_click_would_load_are_found() -> None:
    """The loader of a bundle names every chunk in its tables."""
    assert {
        "/js/home.d4e5f6.chunk.js", "/js/admin.a1b2c3.chunk.js", "/js/810.778899.chunk.js",
        "/css/532.c0ffee.css",
    } <= found_from("chunks.html").keys()  # fmt: skip


def test_nothing_is_found_that_is_not_there() -> None:
    """No link of the pages hangs on what a script can't know."""
    for name in PAGES:
        assert not [path for path in found_from(name) if "undefined" in path or "\ufffc" in path]
