"""The records of a WACZ file, at offsets from which reading can begin."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from fastwarc.warc import ArchiveIterator
from wacz_files import body, wacz_in, zipped
from zope.interface import implementer

from anet.formats.reading import inflate, open_records
from anet.formats.record import Damage, DamagedRecord, Record
from anet.formats.wacz import Wacz
from anet.formats.wacz_records import IWarcReader, WaczRecords, stored
from anet.formats.warc_writing import warcinfo


@implementer(IWarcReader)
class FastWarc:
    """Reads WARCs as whoever reads them does; `whole` are one gzip member."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        file.seek(offset)
        self._file, self._offset = file, offset
        self.seekable = file.read(5) != b"whole"
        file.seek(offset)

    def __iter__(self) -> Iterator[Record | Damage]:
        content = self._file.read()
        for each in ArchiveIterator(io.BytesIO(content), parse_http=False):
            offset = each.stream_pos + self._offset
            fields = each.headers.to_tuples()
            kind = dict(fields)["WARC-Type"]
            block = io.BytesIO(each.reader.read())
            yield Record("WARC/1.1", kind, fields, offset, each.content_length, block)


def read(path: Path, offset: int = 0) -> list[tuple[str, str, int, bytes] | Damage]:
    """Return kind, URL, offset and block of each record, or damage."""
    found: list[tuple[str, str, int, bytes] | Damage] = []
    with WaczRecords(path, offset, FastWarc) as records:
        for each in records:
            if isinstance(each, Record):
                block = b""
                while piece := each.block.read(7):  # type: ignore[attr-defined]
                    block += piece
                found.append((each.kind, each.get("WARC-Target-URI"), each.offset, block))
            else:
                found.append(each)
    return found


def test_records_of_all_warcs_and_one_for_each_other_file_are_read(tmp_path: Path) -> None:
    """Responses, the first record of each WARC, pages and package; no index."""
    path = wacz_in(tmp_path)
    with Wacz(path) as wacz:
        others = {f"urn:wacz:{m.name}" for m in wacz.zip.members if "warc" not in m.name}
        warcs = len(wacz.warcs)
    records = read(path)
    by_url = {url: block for kind, url, _, block in records if kind == "response"}
    assert by_url.keys() == {f"http://example.org/{number}" for number in range(7)}
    assert all(block.endswith(body(int(url[-1]))) for url, block in by_url.items())
    resources = {url: block for kind, url, _, block in records if kind == "resource"}
    assert resources.keys() == {name for name in others if "indexes" not in name}
    assert b'"Title"' not in resources["urn:wacz:pages/pages.jsonl"]
    assert b'"title": "Zero"' in resources["urn:wacz:pages/pages.jsonl"]
    assert sum(kind == "warcinfo" for kind, *_ in records) == warcs


def test_reading_can_begin_at_any_record(tmp_path: Path) -> None:
    """A reader that is started at a record's offset yields it and all after it."""
    path = wacz_in(tmp_path)
    records = read(path)
    offsets = [offset for _, _, offset, _ in records]
    assert offsets == sorted(set(offsets))
    with WaczRecords(path, 0, FastWarc) as reader:
        assert reader.seekable
    for number, offset in enumerate(offsets[1:], 1):
        assert read(path, offset) == records[number:]


def test_what_is_wrong_is_told_once(tmp_path: Path) -> None:
    """At the beginning, and not by each reader that goes on from a later record."""
    path = zipped(tmp_path / "a.wacz", {"archive/a.warc": b"", "indexes/index.cdx": b"sound"})
    path.write_bytes(path.read_bytes().replace(b"sound", b"wrong"))
    [damage] = [each for each in read(path) if isinstance(each, Damage)]
    assert "indexes/index.cdx" in damage.cause
    assert not any(isinstance(each, Damage) for each in read(path, 1))


def test_packed_warcs_are_read_and_can_be_stored(tmp_path: Path) -> None:
    """Where others packed their WARCs, a copy with stored ones can be read from any record on."""
    with Wacz(wacz_in(tmp_path)) as wacz:
        contents = {m.name: b"".join(wacz.zip.pieces(m)) for m in wacz.zip.members}
    packed = zipped(tmp_path / "packed.wacz", contents, frozenset(contents))
    with WaczRecords(packed, 0, FastWarc) as reader:
        assert not reader.seekable
    with (tmp_path / "stored.wacz").open("wb") as target:
        assert stored(packed, target) == []
    with WaczRecords(tmp_path / "stored.wacz", 0, FastWarc) as reader:
        assert reader.seekable

    def blocks(path: Path) -> list[tuple[str, bytes]]:
        return [(r[1], r[3]) for r in read(path) if not isinstance(r, Damage)]

    assert blocks(packed) == blocks(tmp_path / "stored.wacz")
    with Wacz(packed) as one, Wacz(tmp_path / "stored.wacz") as other:
        assert list(map(type, one.verified())) == list(map(type, other.verified()))


def test_a_warc_that_is_one_member_is_told(tmp_path: Path) -> None:
    """It cannot be gone on with, and says what to do instead."""
    path = zipped(tmp_path / "a.wacz", {"archive/a.warc.gz": b"whole", "archive/b.warc": b""})
    damage = [each for each in read(path) if isinstance(each, Damage)]
    assert len([each for each in damage if "import it by itself" in each.cause]) == 1


def test_a_damaged_other_file_is_a_record_that_cannot_be_read(tmp_path: Path) -> None:
    """Its block says why, and the rest is read."""
    path = zipped(tmp_path / "a.wacz", {"logs/a.log": b"line " * 100}, frozenset(["logs/a.log"]))
    with Wacz(path) as wacz:
        member = wacz.zip.get("logs/a.log")
        assert member is not None
    content = bytearray(path.read_bytes())
    content[member.begin] ^= 0xFF
    path.write_bytes(content)
    with WaczRecords(path, 0, FastWarc) as records:
        seen = []
        for each in records:
            if isinstance(each, Record):
                try:
                    each.block.read(10)  # type: ignore[attr-defined]
                    seen.append("sound")
                except DamagedRecord as error:
                    seen.append(str(error))
    assert "cannot be read" in seen[0]
    assert seen[1:] == ["sound"]


def test_a_wacz_is_one_of_the_files_that_are_read(tmp_path: Path) -> None:
    """Told by its first bytes, read with the readers of all WARCs, from any record on."""
    path = wacz_in(tmp_path)
    with open_records(path) as reader:
        found = [each for each in reader if isinstance(each, Record)]
    assert [each.offset for each in found] == [offset for _, _, offset, _ in read(path)]
    with open_records(path, found[3].offset) as reader:
        assert next(iter(reader)) == found[3]


def test_a_packed_wacz_is_inflated_like_any_file(tmp_path: Path) -> None:
    """The importer need not know what it is."""
    with Wacz(wacz_in(tmp_path)) as wacz:
        contents = {m.name: b"".join(wacz.zip.pieces(m)) for m in wacz.zip.members}
    packed = zipped(tmp_path / "packed.wacz", contents, frozenset(contents))
    assert inflate(packed, tmp_path / "inflated") == []
    with open_records(packed) as one, open_records(tmp_path / "inflated") as other:
        assert (one.seekable, other.seekable) == (False, True)
        ids = [each.get("WARC-Record-ID") for each in one if isinstance(each, Record)]
        assert ids == [each.get("WARC-Record-ID") for each in other if isinstance(each, Record)]


def test_members_that_are_no_warcs_are_told(tmp_path: Path) -> None:
    """Empty, nonsense, or cut: the others are read."""
    good = b"".join(warcinfo("a.warc.gz", "2026-11-22T03:15:00Z", ()))
    contents = {
        "archive/a.warc.gz": b"",
        "archive/b.warc.gz": b"nonsense" * 100,
        "archive/c.warc.gz": good[:-9],
        "archive/d.warc.gz": good,
    }
    with open_records(zipped(tmp_path / "a.wacz", contents)) as reader:
        found = list(reader)
    damage = "".join(each.cause for each in found if isinstance(each, Damage))
    assert "archive/b.warc.gz" in damage
    assert found[-2].kind == "warcinfo"  # type: ignore[union-attr]


def test_a_wacz_that_was_cut_gives_its_whole_records(tmp_path: Path) -> None:
    """A download that broke has no table of members; what lies before the break is found."""
    path = wacz_in(tmp_path)
    with Wacz(path) as wacz:
        cut = wacz.warcs[1].end + 100
    path.write_bytes(path.read_bytes()[:cut])
    with open_records(path) as reader:
        found = [each.get("WARC-Target-URI") for each in reader if isinstance(each, Record)]
    assert {"http://example.org/0", "http://example.org/1"} <= set(found)
