"""Sites are crawled out of a real archive, by our own crawler and by others, whole."""

import hashlib
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from conftest import Archive, wait_for

WEBSITES = Path(__file__).parent.parent / "websites"
MINING = "consultation:\n  mining: true\n  mining_rate: 500\n"

pytestmark = pytest.mark.slow


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Site:
    """A folder served on loopback, until it is switched off."""

    def __init__(self, folder: Path, context: ssl.SSLContext | None = None) -> None:
        self.folder = folder
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.authority = f"127.0.0.1:{self._server.server_port}"
        self.name = self.authority.replace(":", "_")
        self.url = f"{'https' if context else 'http'}://{self.authority}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def switch_off(self) -> None:
        """End the server: nothing of it is on the web any more."""
        self._server.shutdown()
        self._server.server_close()


def tls(folder: Path) -> ssl.SSLContext:
    """Return what a server needs to speak TLS with a certificate of its own."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def mirror(url: str, into: Path, proxy: str = "") -> dict[str, str]:
    """Let wget collect a site; return the SHA-256 of each file by its path."""
    options = ["-e", f"http_proxy={proxy}"] if proxy else ["--no-proxy"]
    command = ["wget", "--quiet", "--mirror", "--page-requisites", *options, url]
    into.mkdir()
    subprocess.run(command, cwd=into, timeout=120, check=False)
    return {
        str(path.relative_to(into)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in into.rglob("*")
        if path.is_file()
    }


def scripted(folder: Path) -> Path:
    """Return a site of pages whose links are made by scripts."""
    shutil.copytree(WEBSITES / "scripted", folder)
    pages = "".join(f'<a href="{path.name}">page</a>' for path in sorted(folder.glob("*.html")))
    (folder / "index.html").write_text(f"<!doctype html><title>All</title>{pages}")
    return folder


class World:
    """Three sites that were collected, what wget saw of the first, and an archive."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive = archive
        static = folder / "static"
        shutil.copytree(WEBSITES / "static", static)
        self.static = Site(static)
        self.scripted = Site(scripted(folder / "scripted"))
        self.secure = Site(WEBSITES / "static", tls(folder))
        self.sites = (self.static, self.scripted, self.secure)
        archive.collect(*(site.url for site in self.sites))
        (static / "pages" / "one.html").write_text("<p>Page one was written anew.</p>")
        archive.collect(self.static.url)
        self.live = mirror(self.static.url, folder / "live")
        for site in self.sites:
            site.switch_off()

    def verify(self, site: Site, *words: str) -> tuple[int, dict[str, Any]]:
        """Return the status of a verification, and what it tells."""
        done = self.archive.command("verify", "--json", site.name, *words)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def ask(self, name: str, **parameters: str) -> dict[str, Any]:
        """Ask the interface for programs with curl, as the documentation does."""
        pairs = [("--data-urlencode", f"{name}={value}") for name, value in parameters.items()]
        address = f"http://127.0.0.1:{self.archive.base + 7}/api/1/{name}"
        done = subprocess.run(
            ["curl", "--silent", "--get", *chain(*pairs), address], capture_output=True, check=True
        )
        told: dict[str, Any] = json.loads(done.stdout)
        return told


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An archive of three sites that are gone."""
    archive = Archive(tmp_path_factory.mktemp("archive"), MINING)
    try:
        archive.wait_until_whole()
        yield World(archive, tmp_path_factory.mktemp("sites"))
    finally:
        archive.stop()


@pytest.mark.parametrize("name", ["static", "scripted", "secure"])
def test_our_crawler_gets_the_same_out_of_the_archive(world: World, name: str) -> None:
    """The same URLs with the same contents at the same places, HTTPS too; nothing is live."""
    status, told = world.verify(getattr(world, name))
    assert (status, told["well"], told["differences"], told["graph"]) == (0, True, [], [])
    assert told["same"] > 10


def test_the_crawl_before_is_verified_at_its_own_date(world: World) -> None:
    """The page that was written anew later comes out as it was at first."""
    url = world.static.url + "pages/one.html"
    captures = world.ask("captures", url=url)["captures"]
    assert len({line["content"] for line in captures}) == 2
    first, last = (line["date"] for line in captures)
    status, told = world.verify(world.static, f"--date={first}")
    assert (status, told["differences"]) == (0, [])
    assert told["last"] < last


def test_wget_gets_the_same_through_the_proxy(world: World, tmp_path: Path) -> None:
    """Any crawler can crawl the archive: every file that wget saw live is there, byte for byte."""
    archived = mirror(
        world.static.url, tmp_path / "archived", f"127.0.0.1:{world.archive.base + 6}"
    )
    assert len(world.live) > 30
    assert archived == world.live


def test_the_archive_is_mined(world: World) -> None:
    """Who links to a page is known once the archive was followed."""
    target = world.static.url + "pages/two.html"

    def found() -> set[str]:
        return {each["url"] for each in world.ask("backlinks", url=target)["backlinks"]}

    home = {world.static.url, world.static.url + "index.html"}
    assert wait_for(found, "backlinks", seconds=90) == home


def test_mining_survives_a_kill(world: World) -> None:
    """The agent that is begun anew knows what the killed one noted, and reads none of it again."""
    target = world.static.url + "pages/two.html"

    def told() -> dict[str, Any]:
        try:
            found = world.ask("backlinks", url=target)
        except (subprocess.CalledProcessError, json.JSONDecodeError):
            return {}
        return found if found.get("complete") and found["backlinks"] else {}

    def settled() -> dict[str, Any]:
        first = wait_for(told, "mining to end")
        later = wait_for(
            lambda: (now := told()) and now["up_to"] > first["up_to"] and now, "a whole round"
        )
        return later if later["documents"] == first["documents"] else {}

    before = wait_for(settled, "nothing new to be found")
    world.archive.kill("consultation")
    after = wait_for(
        lambda: (now := told()) and now["up_to"] > before["up_to"] and now, "a round after the kill"
    )
    assert after["backlinks"] == before["backlinks"]
    assert after["documents"] == before["documents"]


def test_what_is_missing_is_named(world: World) -> None:
    """A content and a history that are on no disk any more make the verification fail, by name."""
    lost, forgotten = (world.static.url + path for path in ("pages/one.html", "pages/two.html"))
    newest = world.ask("capture", url=lost)["content"]
    key = world.ask("captures", url=forgotten)["key"]
    wait_for(
        lambda: len(list(world.archive.directory.glob(f"storage-*/contents/*/*/{newest}"))) == 2,
        "the content to lie in files",
    )
    for path in [
        *world.archive.directory.glob(f"storage-*/contents/*/*/{newest}"),
        *world.archive.directory.glob(f"storage-*/structures/*/*/{key}.*"),
    ]:
        path.unlink()
    status, told = world.verify(world.static)
    assert status == 1
    reasons = {each["url"]: each["reason"] for each in told["differences"]}
    assert "missing-content" in reasons[lost] and "missing-captures" in reasons[forgotten]
    words = world.archive.command("verify", world.static.name).stdout.decode()
    assert f"missing: {lost}" in words and "does not give the site back" in words


def test_a_site_that_is_unknown(world: World) -> None:
    """It is said in a sentence, with what to do."""
    done = world.archive.command("verify", "nowhere.example")
    assert done.returncode == 1 and b"dlweb sites" in done.stderr
