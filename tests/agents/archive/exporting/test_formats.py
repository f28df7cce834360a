"""Exports in other formats than WARC: each is read again by who reads it here."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.archive.exporting import batching, exporting, packing
from agents.archive.exporting.batching import Batching
from agents.archive.exporting.items import Item
from agents.archive.exporting.made import Group
from agents.archive.kept_records import Inline, Stored
from agents.capture import content_key
from agents.capture_records import readable_head
from anet.formats.batches import Batches
from anet.formats.reading import open_records
from anet.formats.record import Record
from anet.formats.wacz import Wacz
from tests.agents.archive.exporting.conftest import Export, Fill
from tests.agents.archive.exporting.test_exporting import (
    AGAIN,
    ALL,
    BODIES,
    FIRST,
    PAGE,
    captures_of,
)
from tests.agents.archive.exporting.test_kept import (
    BODY,
    OTHERS,
    RECORDS,
    at,
    imported,
    kept_record,
    slices,
)

GONE = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"


def blocks(path: Path) -> list[tuple[str, bytes]]:
    """Return target and block of the responses of a file."""
    found = []
    with open_records(path) as reader:
        for record in reader:
            assert isinstance(record, Record), record
            read = partial(record.block.read, 1 << 20)  # type: ignore[attr-defined]
            block = b"".join(iter(read, b""))
            if record.kind == "response":
                found.append((record.get("WARC-Target-URI"), block))
    return found


@ensureDeferred
@pytest.mark.parametrize("format", ["arc", "tianwang"])
@pytest.mark.parametrize("compression", ["gzip", "none"])
async def test_old_formats_have_what_was_received(
    format: str, compression: str, fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Each capture is a page with its head, as readers take it, and its whole content."""
    await fill(ALL, BODIES)
    figures = await export(format=format, compression=compression)
    [path] = (tmp_path / "out").glob(f"*.{format}*")
    by_key = {each.content: body for each, body in zip(ALL, [PAGE] * 3, strict=False)}
    for (url, block), each in zip(blocks(path), ALL, strict=True):
        head, _ = readable_head(each.head)
        assert (url, block[: len(head)]) == (each.url, head)
        assert block[len(head) :] == by_key.get(each.content, block[len(head) :])
        assert len(block) == len(head) + each.size
    assert (figures.captures, figures.left_out) == (6, 0)


@ensureDeferred
async def test_a_wacz_of_imported_files_has_their_pages(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Answers of HTML, found, that have a title or were asked for as documents; of their dates."""
    html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    small = b"<title>Small</title>"
    large = b"<title>Large</title>".ljust(2000)
    key = content_key(large)
    asked = b"GET / HTTP/1.1\r\nSec-Fetch-Dest: %b\r\n\r\n"
    frame = [("WARC-Concurrent-To", "<urn:uuid:00000000-0000-0000-0000-000000000003>")]
    plain = html.replace(b"Transfer-Encoding: chunked\r\n", b"")
    records = [
        kept_record("response", at(1, "http://a/1"), Inline(plain + small), number=1),
        kept_record(
            "response",
            at(2, "http://a/2"),
            Inline(html),
            Stored(key, 2000, [(1000, 2)]),
            number=2,
            size=len(html) + 2019,
        ),
        kept_record("response", at(3, "http://a/frame"), Inline(plain + small), number=3),
        kept_record(
            "request", at(3, "http://a/frame") + frame, Inline(asked % b"iframe"), number=4
        ),
        kept_record("response", at(4, "http://a/gone"), Inline(GONE + small), number=5),
    ]
    captures, contents = slices(records)
    await fill(captures, [large, *contents])
    assert (await export(format="wacz")).problems == []
    with Wacz(next((tmp_path / "out").glob("*.wacz"))) as wacz:
        assert [(page.url, page.date[:10], page.title) for page in wacz.pages()] == [
            ("http://a/1", "2020-01-01", "Small"),
            ("http://a/2", "2020-01-02", "Large"),
        ]


@ensureDeferred
@pytest.mark.parametrize("format", ["arc", "tianwang"])
async def test_records_without_a_place_are_counted(
    format: str, fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Of imported files responses and resources are given, and the others told."""
    captures, contents = slices(RECORDS)
    await fill([imported(), *captures], [BODY, OTHERS, *contents])
    figures = await export(format=format)
    assert (figures.captures, figures.left_out, figures.problems) == (3, 6, [])


@ensureDeferred
async def test_a_wacz_has_records_index_pages_and_a_signature(
    fill: Fill, export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is proven whole; packing that was interrupted is done again; nothing else stays."""
    await fill(ALL, BODIES)
    pack = packing.pack

    def broken(*given: object) -> None:
        pack(*given)  # type: ignore[arg-type]
        raise OSError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(packing, "pack", broken)
        with pytest.raises(OSError, match="no room"):
            await export(format="wacz", size=1000)
    assert captures_of(tmp_path / "out") == ALL
    for _ in range(2):
        figures = await export(format="wacz", size=1000)
        [path] = (path for path in (tmp_path / "out").iterdir() if path.suffix != ".sqlite")
        assert (figures.files, figures.file_bytes) == (1, path.stat().st_size)
        assert figures.captures == len(ALL)
    with Wacz(path) as wacz:
        assert [page.url for page in wacz.pages()] == [FIRST.url]
        assert next(iter(wacz.pages())).title == "A page"
        assert not list(wacz.verified())
        assert wacz.signed() is not None
    assert AGAIN.content == FIRST.content


@ensureDeferred
async def test_batches_are_read_by_identifier(
    fill: Fill, export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages stand in the order of the crawl; an export that broke off goes on after its commit."""
    await fill(ALL, BODIES)
    write = Batching.write
    monkeypatch.setattr(batching, "_COMMITTED", 1)
    monkeypatch.setattr(exporting, "_ITEMS", 2)
    calls = []

    def breaking(self: Batching, groups: Sequence[tuple[Item, Group]]) -> None:
        write(self, groups)
        calls.append(groups)
        if len(calls) == 2:
            raise OSError("no room")

    monkeypatch.setattr(Batching, "write", breaking)
    with pytest.raises(OSError, match="no room"):
        await export(format="tianwang", batches=True)
    for _ in range(2):
        figures = await export(format="tianwang", batches=True)
        assert (figures.captures, figures.files, figures.left) == (len(ALL), 1, 0)
    with Batches(tmp_path / "out" / "batches") as batches:
        pages = list(batches.read_run("202601", 0, 100))
        assert [page.url for page in pages] == [each.url for each in ALL]
        assert batches.read("202601", 1).head == readable_head(AGAIN.head)[0]
