"""What readers miss is collected, and what they see of the live web is kept, in real processes."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Archive, Nginx, wait_for

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "record-the-live-web.md"
BLOCKS = re.findall(r"^```(yaml|sh)\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
BUILT = """<!doctype html><title>built</title><p>nothing</p><script>
fetch("/data.json").then(answer => answer.json()).then(data => {
  document.querySelector("p").textContent = data.said;
});
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of which a crawler finds one page of three."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("index", "missed", "seen"):
        (folder / f"{name}.html").write_text(f"<title>{name}</title>")
    (folder / "built.html").write_text(BUILT)
    (folder / "data.json").write_text('{"said": "by a script alone"}')
    nginx = Nginx(folder, tmp_path_factory.mktemp("nginx"))
    yield nginx
    nginx.stop()


@pytest.fixture(scope="module")
def recording(tmp_path_factory, site):
    """An archive configured as the guide says; its web is on loopback."""
    [configuration] = [text for kind, text in BLOCKS if kind == "yaml"]
    for_the_test = "  live_private_networks: true\n  live_period: 1\n"
    collecting = "scheduler:\n  missed_links: collect\n  delay: 0\n"
    archive = Archive(tmp_path_factory.mktemp("archive"), configuration + for_the_test + collecting)
    try:
        archive.wait_until_whole()
        archive.collect(site.url)
        yield archive
    finally:
        archive.stop()


def switch(archive: Archive, live: bool) -> None:
    """Have the reader on this machine read the live web, or the archive, as the guide says."""
    [command] = [text for kind, text in BLOCKS if "live=1" in text]
    command = command.replace("7106", str(archive.base + 6)).replace("live=1", f"live={live:d}")
    subprocess.run(["bash", "-c", command], timeout=60, check=True)


def seen(archive: Archive, url: str, folder: Path) -> str:
    """Return what a browser behind the proxy makes of a page."""
    return subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            f"--user-data-dir={folder}", f"--proxy-server=127.0.0.1:{archive.base + 6}",
            "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=5000", "--dump-dom", url,
        ],
        capture_output=True, timeout=60, check=True, text=True,
    ).stdout  # fmt: skip


def given(archive: Archive, url: str) -> bytes | None:
    """Return what the archive gives of a URL, if it has it."""
    status, _, body = archive.get(url)
    return body if status == 200 else None


def test_a_link_that_was_missed_is_collected(recording, site):
    """A reader asks in vain, the scheduler hears of it, a crawl brings it, the reader has it."""
    url = f"{site.url}missed.html"
    assert recording.get(url)[0] == 404
    told = wait_for(lambda: given(recording, url), "the missed page")
    assert told == b"<title>missed</title>"
    page = recording.hip("call", "site", f"site={sitename(site)}")
    assert url.encode() in page.stdout
    holes = recording.hip("call", "--agent", "consultation", "missing").stdout.decode()
    assert re.search("found: ['\"]?20", holes)


def sitename(site: Nginx) -> str:
    """Return the name that the scheduler gives the site."""
    return f"127.0.0.1_{site.port}"


def test_the_guide_records_what_a_reader_sees(recording, site):
    """Its commands as they stand there, on this archive and this web."""
    url = f"{site.url}seen.html"
    for kind, text in BLOCKS:
        if kind == "sh":
            here = text.replace("7106", str(recording.base + 6))
            here = here.replace("7107", str(recording.base + 7))
            here = here.replace("http://www.example.org/", url)
            told = subprocess.run(
                ["bash", "-c", here], capture_output=True, timeout=60, check=True
            ).stdout
            if "dlweb-live" in here:
                assert told.strip().lower() == b"dlweb-live: 1"
    assert json.loads(told)["live"]["records"] is True
    switch(recording, live=False)
    kept = wait_for(lambda: given(recording, url), "what was recorded")
    assert kept == b"<title>seen</title>"
    status, fields, _ = recording.get(url)
    assert "dlweb-live" not in {name.lower() for name, _ in fields}


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_what_a_browser_saw_it_sees_again(recording, site, tmp_path):
    """A page built by a script, which no crawler was led to, once the web has been switched off."""
    url = f"{site.url}built.html"
    switch(recording, live=True)
    live = seen(recording, url, tmp_path / "live")
    switch(recording, live=False)
    assert "<p>by a script alone</p>" in live
    for name in ("built.html", "data.json"):
        wait_for(lambda name=name: given(recording, f"{site.url}{name}"), name)
    site.stop()
    assert seen(recording, url, tmp_path / "archived") == live
