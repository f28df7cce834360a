"""A crawl goes out, others read it, and it comes back into an empty archive as it was."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path

import pytest
from conftest import DOCUMENTATION, Archive, Nginx, free_ports, wait_for
from exchange import (
    differences,
    dlweb,
    held,
    let_the_second_pass,
    records,
    structures,
    warcio_check,
)
from fastwarc.warc import ArchiveIterator, WarcRecordType

pytestmark = pytest.mark.slow

WEBSITES = Path(__file__).parent.parent / "websites"
OTHERS = os.environ.get("PYWB")  # the programs of pywb and of py-wacz
needs_others = pytest.mark.skipif(not OTHERS, reason="PYWB names no folder of programs")
FORMS = {
    "gzip": [],
    "zstd": ["--compression", "zstd"],
    "plain": ["--compression", "none", "--size", "1M"],
    "whole": ["--no-revisits"],
    "wacz": ["--format", "wacz"],
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> tuple[Path, list[dict]]:
    """An archive with crawls of two sites, and again of the one that changed; its captures."""
    folder = tmp_path_factory.mktemp("site") / "html"
    shutil.copytree(
        DOCUMENTATION, folder, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("_*")
    )
    shutil.copytree(DOCUMENTATION / "_static", folder / "_static", ignore_dangling_symlinks=True)
    shutil.copytree(WEBSITES, folder / "websites")
    for extra in (*folder.glob("[cfhir]*"), *folder.glob("library/[d-z]*")):
        shutil.rmtree(extra) if extra.is_dir() and extra.name != "library" else None
        extra.unlink() if extra.is_file() and extra.name != "index.html" else None
    site = Nginx(folder, tmp_path_factory.mktemp("nginx"), http="gzip on; gzip_types text/css;")
    archive = Archive(tmp_path_factory.mktemp("crawled"))
    try:
        archive.wait_until_whole()
        pages = f"{site.url}websites/static/"
        archive.collect(site.url, pages)
        with (folder / "websites" / "static" / "index.html").open("a") as page:
            page.write("<!-- changed -->")
        let_the_second_pass()  # for the next crawl is at the page 0.8 s after this one was
        archive.collect(pages)
    finally:
        archive.stop()
        site.stop()
    return archive.directory, archive.check()


@pytest.fixture(scope="module")
def exported(crawled, tmp_path_factory) -> dict[str, Path]:
    """The crawl in files of every form."""
    directory, captures = crawled
    folders = {}
    for form, words in FORMS.items():
        folders[form] = tmp_path_factory.mktemp(form)
        told = dlweb("export", directory, "--output", folders[form], *words)
        assert (told["captures"], told["well"]) == (len(captures), True)
    return folders


def test_warcio_finds_every_digest_true(exported: dict[str, Path]) -> None:
    """Of gzip files and of plain ones."""
    warcio_check(*exported["gzip"].glob("*.warc.gz"), *exported["plain"].glob("*.warc"))
    warcio_check(*exported["whole"].glob("*.warc.gz"))


def test_fastwarc_finds_every_capture(crawled, exported: dict[str, Path]) -> None:
    """With its body, and a digest that holds, by another parser."""
    wanted = sorted((it["url"], it["content"]) for it in crawled[1])
    [path] = exported["whole"].glob("*.warc.gz")
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            digest = sha256(record.reader.read()).hexdigest()
            assert record.headers["WARC-Payload-Digest"] == f"sha256:{digest}"
            found.append((record.headers["WARC-Target-URI"], digest))
    assert sorted(found) == wanted


def test_a_second_crawl_is_written_as_revisits(crawled, exported: dict[str, Path]) -> None:
    """Each content is in the files once, and there is a record of each capture."""
    [path] = exported["gzip"].glob("*.warc.gz")
    seen = list(records(path))
    payloads = [each.field("WARC-Payload-Digest") for each in seen if each.kind == "response"]
    empty = [it["content"] for it in crawled[1] if it["size"] == 0]
    payloads = [each for each in payloads if each.removeprefix("sha256:") not in empty]
    assert len(payloads) == len(set(payloads))
    assert sum(each.kind in ("response", "revisit") for each in seen) == len(crawled[1])
    assert sum(each.kind == "request" for each in seen) >= len(crawled[1]) * 0.9


def assert_same(before: Path, after: Path) -> None:
    """A disk has what another has; and maybe the records of a WACZ that are of no capture."""
    assert differences(structures(before), structures(after)) == []
    wanted, found = held(before), held(after)
    assert differences(wanted, {name: found[name] for name in wanted if name in found}) == []


@pytest.mark.parametrize("form", FORMS)
def test_it_comes_back_as_it_was(crawled, exported, tmp_path: Path, form: str) -> None:
    """An empty archive gets the same contents and the same structure files, byte for byte."""
    told = dlweb("import", tmp_path, exported[form], "--to", tmp_path / "disk")
    assert told["well"], told
    assert_same(crawled[0] / "storage-1", tmp_path / "disk")


@contextmanager
def pywb(folder: Path, *files: Path) -> Iterator[str]:
    """Run pywb over files; give where it answers, with the name of the collection."""
    port = free_ports(1)
    manager = [f"{OTHERS}/wb-manager"]
    subprocess.run([*manager, "init", "ours"], cwd=folder, check=True, capture_output=True)
    words = [*manager, "add", "--unpack-wacz", "ours", *map(str, files)]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    with (folder / "pywb.log").open("wb") as log:
        command = [f"{OTHERS}/wayback", "--bind", "127.0.0.1", "--port", str(port)]
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        wait_for(lambda: _answers(port), "pywb")
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def _answers(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        except OSError:
            return False


@needs_others
@pytest.mark.parametrize("form", ["gzip", "wacz"])
def test_pywb_replays_it(crawled, exported, tmp_path: Path, form: str) -> None:
    """It answers URLs at their dates with the same status and the same body."""
    directory, captures = crawled
    [file] = [*exported[form].glob("*.warc.gz"), *exported[form].glob("*.wacz")]
    contents = {path.name: path for path in (directory / "storage-1").glob("contents/*/*/*")}
    wanted, given = {}, {}
    with pywb(tmp_path, file) as address:
        for it in captures if form == "gzip" else captures[::10]:
            path = f"/ours/{it['date'][:14]}id_/{it['url']}"
            with closing(HTTPConnection(address, timeout=30)) as connection:
                connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
                answer = connection.getresponse()
                given[path] = b"%d %s" % (answer.status, answer.read())
            body = contents[it["content"]].read_bytes() if it["size"] else b""
            said = b"%d %s" % (it["status"], body)
            is_sole = wanted.setdefault(path, said) == said
            assert is_sole, f"{path} may be either of two captures"
    assert differences(wanted, given) == []


@needs_others
def test_others_validate_our_wacz(exported: dict[str, Path]) -> None:
    """py-wacz finds its hashes, its index and its pages to be as the format says."""
    [file] = exported["wacz"].glob("*.wacz")
    words = [f"{OTHERS}/wacz", "validate", "-f", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_others
def test_a_wacz_of_others_comes_in(crawled, exported, tmp_path: Path) -> None:
    """What py-wacz makes of our files gives the same archive as the files themselves."""
    [warc] = exported["gzip"].glob("*.warc.gz")
    file = tmp_path / "theirs.wacz"
    words = [f"{OTHERS}/wacz", "create", "-o", str(file), "-t", "--detect-pages", str(warc)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = dlweb("import", tmp_path, file, "--to", tmp_path / "disk")
    assert told["well"], told
    assert_same(crawled[0] / "storage-1", tmp_path / "disk")
