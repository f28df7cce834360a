"""A real site is collected, deposited, and given back as it was."""

import hashlib
import json
import subprocess
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import urlopen

import pytest
from conftest import wait_for
from walk import walk

pytestmark = pytest.mark.slow

FRAMING = {"date", "connection", "keep-alive", "transfer-encoding"}


def file_of(folder: Path, url: str) -> Path:
    """Return the file that nginx serves for a URL."""
    path = unquote(urlsplit(url).path)
    return folder / (path[1:] + "index.html" if path.endswith("/") else path[1:])


@pytest.fixture(scope="module")
def reachable(documentation) -> set[str]:
    """What an independent walk of the site finds."""
    return walk(documentation.url)


@pytest.fixture(scope="module")
def collected(archive, documentation) -> dict:
    """The summary of the first collection."""
    return archive.collect(documentation.url)


def test_the_crawl_finds_what_the_walk_finds(archive, reachable, collected, documentation):
    """Nothing that an independent link walk finds is missing from the archive."""
    captured = {it["url"] for it in archive.check() if it["status"] == 200}
    missing, more = reachable - captured, captured - reachable
    print(f"walk {len(reachable)}, captured {len(captured)}, more {sorted(more)[:10]}")
    assert len(reachable) > 500
    assert not missing, sorted(missing)[:20]


def test_the_proxy_gives_back_what_nginx_gave(archive, reachable, collected, documentation):
    """Every page has the bytes of the file on disk and the headers nginx sends."""
    import http.client

    direct = http.client.HTTPConnection("127.0.0.1", documentation.port)
    for url in sorted(reachable):
        status, headers, body = archive.get(url)
        digest = hashlib.sha256(file_of(documentation.folder, url).read_bytes()).hexdigest()
        assert (status, hashlib.sha256(body).hexdigest()) == (200, digest), url
        direct.request("HEAD", urlsplit(url).path)
        answer = direct.getresponse()
        answer.read()
        sent = [pair for pair in answer.getheaders() if pair[0].lower() not in FRAMING]
        end = [name.lower() for name, _ in headers].index("dlweb-date")  # then the archive's own
        given = [pair for pair in headers[:end] if pair[0].lower() not in FRAMING]
        assert given == sent, url


def test_a_part_is_what_nginx_would_give(archive, reachable, collected, documentation):
    """A range of the longest file comes from its node, with the fields that nginx sends."""
    url = max(reachable, key=lambda url: file_of(documentation.folder, url).stat().st_size)
    content = file_of(documentation.folder, url).read_bytes()
    assert len(content) > 1_000_000
    for wanted, start, stop in (("500000-500009", 500_000, 500_010), ("-7", -7, None)):
        status, headers, body = archive.get(url, Range=f"bytes={wanted}")
        assert (status, body) == (206, content[start:stop])
        first = len(content) + start if start < 0 else start
        said = f"bytes {first}-{first + len(body) - 1}/{len(content)}"
        assert dict(headers)["Content-Range"] == said
    etag = dict(headers)["ETag"]
    assert archive.get(url, **{"If-None-Match": etag})[0] == 304
    assert archive.get(url, Range=f"bytes={len(content)}-")[0] == 416


def test_head_is_get_without_the_body(archive, collected, documentation):
    """HEAD gives the same fields and no body."""
    got, head = archive.get(documentation.url), archive.get(documentation.url, "HEAD")
    drop = {"connection"}
    fields = [[pair for pair in it[1] if pair[0].lower() not in drop] for it in (got, head)]
    assert (fields[0], head[0], head[2]) == (fields[1], 200, b"")


def test_what_the_archive_lacks_is_said(archive, collected, documentation):
    """A URL that was never collected gives a fault page that says so, and fetches nothing."""
    status, _, body = archive.get(documentation.url + "never-heard-of.html")
    assert status == 404
    assert b"never-heard-of" in body


def test_every_replica_is_there(archive, collected):
    """Two storage nodes hold every content and every structure file."""
    for pattern in ("contents/*/*/*", "structures/*/*/*.captures"):
        held = [{path.name for path in node.glob(pattern)} for node in archive.storage]
        assert held[0]
        assert held[0] == held[1], pattern


def test_other_tools_list_what_is_held(archive, collected, documentation):
    """The CDX server lists every capture that is on the disks, once its index has followed."""
    pages = f"http://127.0.0.1:{archive.base + 7}"

    def index() -> dict:
        with urlopen(f"{pages}/status.json") as answer:
            return json.load(answer)["urls"]

    held = {(it["url"], it["date"][:14]) for it in archive.check()}
    count = len({url for url, _ in held})
    wait_for(lambda: index()["complete"] and index()["urls"] == count, "the index of URLs")
    host = quote(f"http://127.0.0.1:{documentation.port}/")
    with urlopen(f"{pages}/cdx/all?matchType=host&url={host}&fl=url,timestamp") as answer:
        listed = {tuple(line.split()) for line in answer.read().decode().splitlines()}
    assert listed == {(url, date) for url, date in held if url.startswith(documentation.url)}
    with urlopen(f"{pages}/urls?format=json&limit=1000&prefix={documentation.url}about") as answer:
        assert {it["url"] for it in json.load(answer)["urls"]} == {documentation.url + "about.html"}
    status, headers, _ = archive.get(documentation.url + "about.html?utm_source=mail")
    assert (status, dict(headers)["Dlweb-Url"]) == (200, documentation.url + "about.html")


def photograph(url: str, work: Path, *options: str) -> bytes:
    """Let Chromium show a page, and return the picture."""
    work.mkdir()
    picture = work / "page.png"
    subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--hide-scrollbars", f"--user-data-dir={work}/profile",
            f"--log-net-log={work}/net.json", "--window-size=1280,1000",
            f"--screenshot={picture}", *options, url,
        ],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    return picture.read_bytes()


def test_a_browser_renders_the_archived_page(archive, collected, documentation, tmp_path):
    """Through the proxy Chromium shows what it shows of the live page, and nothing escapes."""
    url = documentation.url + "library/turtle.html"
    live = photograph(url, tmp_path / "live")
    asked_live = documentation.requests()
    before = archive.answers()
    archived = photograph(
        url,
        tmp_path / "archived",
        f"--proxy-server=127.0.0.1:{archive.base + 6}",
        "--proxy-bypass-list=<-loopback>",
    )
    assert archived == live, "the pictures differ"
    assert len(live) > 20_000
    after = archive.answers()
    parts = [path for path in asked_live if path != "/favicon.ico"]
    assert after["hit"] - before["hit"] >= len(parts) > 5, (before, after, parts)
    assert documentation.requests() == asked_live, "a request escaped the archive"


def test_collecting_again_stores_nothing_new(archive, collected, documentation):
    """An unchanged site has no new contents."""
    again = archive.collect(documentation.url)
    # The documentation's search engine has its picture at www.python.org, which is out of reach.
    assert (again["contents_new"], again["failures"]) == (0, 1), again
    assert again["captures"] == collected["captures"]


def test_three_changed_files_are_three_new_contents(archive, collected, documentation):
    """Old bytes at the old date, new bytes at the new one."""
    changed = ["about.html", "library/os.html", "_static/pydoctheme.css"]
    captures = sorted(archive.check(), key=lambda it: it["date"])
    before = {it["url"]: it["date"] for it in captures}
    old = {name: (documentation.folder / name).read_bytes() for name in changed}
    for name in changed:
        with (documentation.folder / name).open("ab") as file:
            file.write(b"\n<!-- changed -->\n" if name.endswith("html") else b"\n/* changed */\n")
    again = archive.collect(documentation.url)
    assert again["contents_new"] == 3, again
    for name in changed:
        url = next(it for it in before if urlsplit(it).path == f"/{name}")  # style has a query
        assert archive.get(url, Accept_Datetime=before[url])[2] == old[name]
        assert archive.get(url)[2] == (documentation.folder / name).read_bytes()
    archive.check()
