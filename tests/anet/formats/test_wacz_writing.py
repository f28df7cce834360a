"""WACZ files that are written are what the specification, and its own tools, want."""

import gzip
import os
import subprocess
from json import loads
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest
from wacz_files import ABOUT, CREATED, KEY, PAGES, body, wacz_in

from anet.formats.wacz import Page, Wacz
from anet.formats.wacz_writing import About, WaczWriter


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """All digests hold, the signature is good, and the pages are those that were given."""
    with Wacz(wacz_in(tmp_path)) as wacz:
        assert list(wacz.verified()) == []
        signed = wacz.signed()
        assert signed is not None
        assert (signed.created, signed.software) == (CREATED, "dlweb test")
        assert list(wacz.pages()) == PAGES
        assert wacz.package["title"] == "A collection"
        assert wacz.package["mainPageUrl"] == "http://example.org/0"
        assert len(wacz.warcs) > 1


def test_it_has_the_files_of_the_specification(tmp_path: Path) -> None:
    """Each where it has to be; what is compressed already is stored as it is."""
    with ZipFile(wacz_in(tmp_path)) as archive:
        by_name = {info.filename: info for info in archive.infolist()}
        names = {name for name in by_name if not name.startswith("archive/")}
        assert names == {
            "datapackage.json",
            "datapackage-digest.json",
            "indexes/index.cdx.gz",
            "indexes/index.idx",
            "pages/pages.jsonl",
            "pages/extraPages.jsonl",
        }
        gzipped = [info for name, info in by_name.items() if name.endswith(".gz")]
        assert all(info.compress_type == ZIP_STORED for info in gzipped)
        assert archive.testzip() is None
        head = loads(archive.read("pages/pages.jsonl").splitlines()[0])
        assert head == {
            "format": "json-pages-1.0",
            "id": "pages",
            "title": "All Pages",
            "hasText": True,
        }


def test_bytes_of_members_are_where_readers_on_the_web_look(tmp_path: Path) -> None:
    """Right behind head and name: extra fields only stand where the table of members has some."""
    path = wacz_in(tmp_path)
    content = path.read_bytes()
    with ZipFile(path) as archive:
        for info in archive.infolist():
            begin = info.header_offset + 30 + len(info.filename)
            assert content[info.header_offset + 28 : info.header_offset + 30] == b"\0\0"
            if info.compress_type == ZIP_STORED:
                assert content[begin : begin + info.file_size] == archive.read(info)


def test_a_record_is_found_by_the_index(tmp_path: Path) -> None:
    """Offset and length of a line lead to one record in the member that it names."""
    with ZipFile(wacz_in(tmp_path)) as archive:
        lines = gzip.decompress(archive.read("indexes/index.cdx.gz")).decode().splitlines()
        for number, line in enumerate(lines):
            said = loads(line[line.index("{") :])
            begin = int(said["offset"])
            warc = archive.read(f"archive/{said['filename']}")
            record = gzip.decompress(warc[begin : begin + int(said["length"])])
            assert record.endswith(body(number) + b"\r\n\r\n")


@pytest.mark.skipif("PYWB" not in os.environ, reason="PYWB names no folder of programs")
@pytest.mark.parametrize("signed", [True, False])
def test_py_wacz_finds_it_valid(tmp_path: Path, signed: bool) -> None:
    """The specification's own tool accepts it, with and without signature."""
    wacz = wacz_in(tmp_path, signed=signed)
    command = [f"{os.environ['PYWB']}/wacz", "validate", "-f", str(wacz)]
    judged = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert judged.returncode == 0, judged.stdout
    assert "the passed WACZ is valid" in judged.stdout


def test_the_same_is_written_the_same(tmp_path: Path) -> None:
    """Nothing in it depends on when or where it was written."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one, other = (wacz_in(tmp_path / name).read_bytes() for name in ("one", "other"))
    assert one == other


def test_a_failed_one_leaves_nothing(tmp_path: Path) -> None:
    """Its name stands for a whole file, or for none."""
    with pytest.raises(FileNotFoundError), WaczWriter(tmp_path / "a.wacz", ABOUT, KEY) as wacz:
        wacz.pages(PAGES)
        assert [path.name for path in tmp_path.iterdir()] == ["a.wacz.open"]
        wacz.warc(tmp_path / "missing.warc.gz")
    assert list(tmp_path.iterdir()) == []


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    """A reader would find one of them only."""
    with pytest.raises(ValueError, match="named"), WaczWriter(tmp_path / "a.wacz", ABOUT) as wacz:
        wacz.pages(PAGES)
        wacz.pages(PAGES)


def test_an_empty_collection_is_one(tmp_path: Path) -> None:
    """No lines and no pages make a file that can be read; what it lacks is told."""
    path = tmp_path / "a.wacz"
    with WaczWriter(path, About(CREATED, "dlweb", more={"keywords": ["x"]})) as wacz:
        wacz.index([])
        wacz.pages([])
    with Wacz(path) as read:
        assert [damage.cause for damage in read.verified()] == ["archive/ holds no WARC"]
        assert read.package["keywords"] == ["x"]
        assert read.signed() is None
        assert list(read.pages()) == []


def test_text_that_is_none_does_no_harm(tmp_path: Path) -> None:
    """Half a surrogate pair in a title, as broken pages have, becomes a question mark."""
    path = tmp_path / "a.wacz"
    with WaczWriter(path, About(CREATED, "dlweb")) as wacz:
        wacz.pages([Page("http://example.org/", CREATED, "half \ud800")])
    with Wacz(path) as read:
        assert [page.title for page in read.pages()] == ["half ?"]
