"""What readers miss is collected, and what they see of the live web is kept, in real processes."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from conftest import Archive, Nginx, wait_for

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "record-the-live-web.md"
BLOCKS = re.findall(r"^```(yaml|sh)\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of which a crawler finds one page of three."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("index", "missed", "seen"):
        (folder / f"{name}.html").write_text(f"<title>{name}</title>")
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
    assert json.loads(told)["live"]["kept"] == 1
    switch = [text for kind, text in BLOCKS if "live=1" in text][0].replace("live=1", "live=0")
    subprocess.run(
        ["bash", "-c", switch.replace("7106", str(recording.base + 6))], timeout=60, check=True
    )
    kept = wait_for(lambda: given(recording, url), "what was recorded")
    assert kept == b"<title>seen</title>"
    status, fields, _ = recording.get(url)
    assert "dlweb-live" not in {name.lower() for name, _ in fields}
