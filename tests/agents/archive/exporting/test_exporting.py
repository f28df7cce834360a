"""Captures become records that everybody reads, and that say what the archive knows."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from pytest_twisted import ensureDeferred
from warcio.archiveiterator import ArchiveIterator

from agents.archive.exporting.folder import ExportRuns
from agents.archive.exporting.items import WholeFile
from agents.archive.exporting.selection import OtherExport, Selection
from agents.archive.exporting.writing import FilesGone
from agents.capture import Capture, content_key
from agents.capture_records import received_head
from agents.storage.errors import HoldersDown
from agents.storage.stores.folder import FolderStore
from anet.workers import Workers
from tests.agents.archive.exporting.conftest import HEAD, Export, Fill, capture

PAGE = b"<html><title>A page</title>" + b"text " * 300
LARGE = bytes(range(256)) * 30_000  # 7.7 MB: more than is made in memory
REQUEST = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
ORIGIN = f"crawl: 2\nsite: b\nprotocol: h2\nrequest: {json.dumps(REQUEST)}\n"

FIRST = capture("http://a.example/", "20260101", PAGE)
AGAIN = capture(
    "http://b.example/", "20260102", PAGE, head=b"HTTP/2 200\r\nA: b\r\n\r\n", origin=ORIGIN
)
SAME = capture(
    "http://a.example/", "20260103", PAGE, origin=f"crawl: 3\nrevisit: not-modified {FIRST.date}\n"
)
MOVED = b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"
EMPTY = [
    capture(f"http://c.example/{n}", "20260104", b"", status=301, head=MOVED) for n in range(2)
]
BIG = capture("http://a.example/big", "20260105", LARGE, metadata="0000000000000001")
ALL = [FIRST, AGAIN, SAME, *EMPTY, BIG]
BODIES = [PAGE, b"", LARGE]


def read(folder: Path, pattern: str = "*.warc.gz") -> list[tuple[str, Any, bytes, bytes]]:
    """Return type, fields, head and body of all records."""
    found = []
    for path in sorted(folder.glob(pattern)):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                head, end, body = record.raw_stream.read().partition(b"\r\n\r\n")
                found.append((record.rec_type, record.rec_headers, head + end, body))
    return found


def captures_of(folder: Path) -> list[Capture]:
    """Return the captures that the records of an export tell, as an import would."""
    found = []
    for kind, fields, head, _ in read(folder):
        origin = json.loads(fields.get_header("Dlweb-Origin") or '""')
        if kind in ("response", "revisit"):
            date = "".join(filter(str.isdigit, fields.get_header("WARC-Date")))
            key = fields.get_header("WARC-Payload-Digest").removeprefix("sha256:")
            found.append(
                Capture(
                    url=fields.get_header("Dlweb-Url") or fields.get_header("WARC-Target-URI"),
                    date=date,
                    content=key,
                    size=next(each.size for each in ALL if each.content == key),
                    status=next(each.status for each in ALL if each.content == key),
                    head=received_head(head, fields.get_header("Dlweb-Head") or "[]"),
                    origin=origin,
                    metadata=fields.get_header("Dlweb-Metadata") or "",
                )
            )
    return found


@ensureDeferred
async def test_everything_a_capture_is_can_be_read_from_its_record(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Records tell each capture as the archive has it, in the order of dates."""
    await fill(ALL, BODIES)
    figures = await export()
    assert captures_of(tmp_path / "out") == ALL
    assert figures.records == {"response": 4, "revisit": 2, "request": 1}
    assert (figures.captures, figures.lost, figures.left, figures.doing) == (6, 0, 0, "")
    check = [str(Path(sys.executable).with_name("warcio")), "check", "-v"]
    checked = subprocess.run(  # noqa: S603
        [*check, *map(str, (tmp_path / "out").glob("*.warc.gz"))], capture_output=True, timeout=60
    )
    assert checked.returncode == 0, checked.stdout


@ensureDeferred
async def test_what_was_written_is_referred_to(fill: Fill, export: Export, tmp_path: Path) -> None:
    """A content is written once; what repeats it names record, URL and date."""
    await fill(ALL, BODIES)
    await export()
    records = read(tmp_path / "out")
    first = next(fields for kind, fields, _, body in records if kind == "response")
    same, unchanged = (fields for kind, fields, _, _ in records if kind == "revisit")
    for fields, profile in ((same, "identical-payload-digest"), (unchanged, "server-not-modified")):
        assert fields.get_header("WARC-Profile").endswith(profile)
        assert fields.get_header("WARC-Refers-To") == first.get_header("WARC-Record-ID")
        assert fields.get_header("WARC-Refers-To-Target-URI") == "http://a.example/"
        assert fields.get_header("WARC-Refers-To-Date") == "2026-01-01T00:00:00.000000Z"
    [request] = [each for each in records if each[0] == "request"]
    assert request[1].get_header("WARC-Concurrent-To") == same.get_header("WARC-Record-ID")
    assert request[2] == REQUEST.encode()


@ensureDeferred
async def test_a_revisit_names_what_stands_whole_in_the_same_export(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Also where the server's word is of a capture that is not chosen, or itself a revisit."""
    later = evolve(SAME, url=AGAIN.url, date="20260104".ljust(20, "0"))
    await fill([FIRST, AGAIN, SAME, later], BODIES)
    await export()
    await export(first="20260103", out="later")
    for name, count in (("out", 3), ("later", 1)):
        records = read(tmp_path / name)
        whole = {f.get_header("WARC-Record-ID") for kind, f, _, _ in records if kind == "response"}
        named = [f.get_header("WARC-Refers-To") for kind, f, _, _ in records if kind == "revisit"]
        assert (len(whole), len(named)) == (1, count)
        assert whole == set(named)


@ensureDeferred
async def test_what_was_lost_once_is_not_referred_to(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """A content that comes back between two runs is then written with the next capture of it."""
    away = capture("http://a.example/away", "20260106", b"away")
    last = capture("http://a.example/last", "20260107", PAGE)
    await fill([FIRST, *EMPTY, BIG, away, last], [b"", LARGE, b"away"])

    class Away(Other):
        """A store of which a node is down."""

        async def fetch(self, key: str, spool: Path) -> bytes | Path:
            if key == away.content:
                raise HoldersDown("storage-2 is away")
            return await self.store.fetch(key, spool)

    with pytest.raises(HoldersDown):
        await export(Away(tmp_path / "disk", threads), size=1000)
    await fill([], [PAGE])
    figures = await export(size=1000)
    assert (figures.lost, FIRST.url in figures.problems[0]) == (1, True)
    assert [kind for kind, _, _, body in read(tmp_path / "out") if body == PAGE] == ["response"]


@ensureDeferred
async def test_without_revisits_every_capture_has_its_content(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Each record then stands for itself, also those that the server said had not changed."""
    await fill(ALL, BODIES)
    figures = await export(revisits=False, compression="none")
    assert figures.records == {"response": 6, "request": 1}
    bodies = [body for kind, _, _, body in read(tmp_path / "out", "*.warc") if kind == "response"]
    assert bodies == [PAGE, PAGE, PAGE, b"", b"", LARGE]


@ensureDeferred
async def test_every_store_is_read_alike(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """A store that is no folder is asked one content after another, and gives the same files."""
    await fill(ALL, BODIES)

    await export()
    await export(Other(tmp_path / "disk", threads), out="other")
    assert contents(tmp_path / "out") == contents(tmp_path / "other")


@ensureDeferred
async def test_what_nodes_hold_that_are_away_is_not_lost(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """The export breaks off, and goes on when they are back."""
    await fill(ALL, BODIES)

    class Away(Other):
        """A store of which a node is down."""

        async def fetch(self, key: str, spool: Path) -> bytes | Path:
            if key == BIG.content:
                raise HoldersDown("storage-2 is away")
            return await self.store.fetch(key, spool)

    with pytest.raises(HoldersDown, match="away"):
        await export(Away(tmp_path / "disk", threads), size=1000)
    assert not list((tmp_path / "out").glob("*.open"))
    assert (await export(size=1000)).well
    assert captures_of(tmp_path / "out") == ALL


@ensureDeferred
async def test_who_was_not_asked_is_told(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """Also by a later run: what a node that was away alone holds was not chosen."""
    await fill(ALL, BODIES)
    store = Other(tmp_path / "disk", threads)
    store.store.absent = ["storage-2"]
    for figures in (await export(store), await export()):
        assert (figures.absent, figures.lost, figures.well) == (["storage-2"], 0, False)


class Other:
    """A store that is no folder."""

    def __init__(self, folder: Path, threads: Workers) -> None:
        self.store = FolderStore([folder], threads)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of an export, but for its state."""
    files = (path for path in folder.iterdir() if path.suffix != ".sqlite")
    return {path.name: path.read_bytes() for path in files}


@ensureDeferred
async def test_files_are_small_enough_and_have_an_index(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Records go on in the next file; beside each is an index of exactly its records."""
    await fill(ALL, BODIES)
    figures = await export(size=1000)
    out = tmp_path / "out"
    files = sorted(path.name for path in out.glob("*.warc.gz"))
    assert figures.files == len(files) > 3
    assert captures_of(out) == ALL
    for name in files:
        for line in (out / f"{name}.cdxj").read_text().splitlines():
            urlkey, _, told = line.split(" ", 2)
            place = json.loads(told)
            assert place["filename"] == name
            assert urlkey.startswith("example,")
            with (out / name).open("rb") as file:
                file.seek(int(place["offset"]))
                record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]


@ensureDeferred
async def test_what_is_missing_or_damaged_is_named(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """A content that cannot be had is counted, its captures are named, and the rest is given."""
    await fill(ALL, [b"", PAGE, LARGE])
    path = tmp_path / "disk" / "contents" / FIRST.content[:2] / FIRST.content[2:4] / FIRST.content
    path.write_bytes(b"something else")
    big = tmp_path / "disk" / "contents" / BIG.content[:2] / BIG.content[2:4] / BIG.content
    big.unlink()
    for _ in range(2):
        figures = await export()
        assert (figures.captures, figures.lost, figures.well) == (2, 4, False)
        assert sum("is damaged" in words for words in figures.problems) == 3
        assert f"{BIG.url} of {BIG.date}" in figures.problems[-1]
    assert captures_of(tmp_path / "out") == EMPTY


@ensureDeferred
async def test_what_is_lost_stays_named_when_killed_after_a_file_became_whole(
    fill: Fill, export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what a whole file goes beyond nothing is read again, so it has to be known by then."""
    await fill(ALL, BODIES[1:])  # not the page
    note = Selection.note

    def note_and_die(selection: Selection, file: WholeFile) -> None:
        note(selection, file)
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(Selection, "note", note_and_die)
        with pytest.raises(RuntimeError):
            await export(size=1000)
    figures = await export(size=1000)
    assert (figures.captures, figures.lost) == (3, 3)


@ensureDeferred
async def test_what_one_disk_lost_another_gives(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """Several disks are read as one: what is damaged on one of them is taken from another."""
    for name in ("disk", "second"):
        await fill(ALL, BODIES, name)
    for path in (tmp_path / "disk").glob("contents/*/*/*"):
        path.write_bytes(b"damaged")
    for path in (tmp_path / "disk").glob("structures/*/*/*.captures"):
        path.write_bytes(b"damaged".ljust(160) * 2)
    store = FolderStore([tmp_path / "disk", tmp_path / "second"], threads)
    figures = await export(store)
    assert figures.well
    assert captures_of(tmp_path / "out") == ALL


@ensureDeferred
async def test_damaged_structure_files_are_named(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """What is sound in one is given, and the rest counted."""
    await fill(ALL, BODIES)
    lines = next((tmp_path / "disk").glob("structures/*/*/*.captures"))
    lines.write_bytes(b"9" + lines.read_bytes()[1:])
    figures = await export()
    assert (figures.lost, figures.well) == (1, False)
    assert lines.name.removesuffix(".captures") in figures.problems[0]


@ensureDeferred
async def test_what_is_damaged_in_every_copy_is_named(
    fill: Fill, export: Export, tmp_path: Path, threads: Workers
) -> None:
    """Several copies are no excuse, if none of them is whole."""
    for name in ("disk", "second"):
        await fill([FIRST], [PAGE], name)
        [lines] = (tmp_path / name).glob("structures/*/*/*.captures")
        lines.write_bytes(b"9" + lines.read_bytes()[1:])
    figures = await export(FolderStore([tmp_path / "disk", tmp_path / "second"], threads))
    assert (figures.captures, figures.well) == (0, False)
    assert "structure file" in figures.problems[0]


@ensureDeferred
async def test_what_lies_in_the_folder_besides_stays(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """An export removes nothing but its own."""
    await fill([FIRST], [PAGE])
    mine = [tmp_path / "out" / name for name in ("spool/mine", "x.warc.gz", "dlweb-1.open")]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"mine")
    assert (await export()).well
    assert all(path.read_bytes() == b"mine" for path in mine)


@ensureDeferred
async def test_a_repeat_finds_everything_there(fill: Fill, export: Export, tmp_path: Path) -> None:
    """It changes nothing, and tells the same; new captures are of another export."""
    await fill(ALL[:2], BODIES)
    first = await export()
    before = contents(tmp_path / "out")
    await fill(ALL[2:], [])
    again = await export(begun="20270101000000")
    assert contents(tmp_path / "out") == before
    assert (again.captures, again.records) == (first.captures, first.records)


@ensureDeferred
async def test_a_folder_is_of_one_export(fill: Fill, export: Export, tmp_path: Path) -> None:
    """Another order, or another process, is refused; and so is a folder that lost files."""
    await fill(ALL, BODIES)
    await export()
    with pytest.raises(OtherExport, match="--output"):
        await export(first="2026")
    next((tmp_path / "out").glob("*.warc.gz")).unlink()
    with pytest.raises(FilesGone, match="export again"):
        await export()


@ensureDeferred
async def test_one_process_at_a_time(fill: Fill, export: Export, tmp_path: Path) -> None:
    """Whoever comes second is told so."""
    await fill(ALL, BODIES)
    holder = (
        "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    (tmp_path / "out").mkdir()
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", holder, str(tmp_path / "out")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ExportRuns, match="another process"):
            await export()
        assert process.stdin is not None
        process.stdin.close()
    assert (await export()).well


@ensureDeferred
async def test_sites_and_dates_are_chosen(fill: Fill, export: Export, tmp_path: Path) -> None:
    """Only what was asked for is in the files."""
    await fill(ALL, BODIES)
    await export(sites=("b.example",), out="one")
    assert captures_of(tmp_path / "one") == [AGAIN]
    await export(sites=("b", "http://c.example/1"), out="two")
    assert captures_of(tmp_path / "two") == [AGAIN, EMPTY[1]]
    await export(first="20260102", last="20260103~", out="three")
    assert captures_of(tmp_path / "three") == [AGAIN, SAME]


@ensureDeferred
async def test_an_empty_export_is_one(fill: Fill, export: Export, tmp_path: Path) -> None:
    """Where nothing is chosen there is no file, and nothing is lost; but it is not well."""
    await fill(ALL, BODIES)
    figures = await export(sites=("nobody.example",))
    assert (figures.captures, figures.files, figures.lost) == (0, 0, 0)
    assert not figures.well
    assert not list((tmp_path / "out").glob("*.warc*"))


def test_contents_are_named_by_their_bytes() -> None:
    """The keys of these tests are what the archive would give."""
    assert FIRST.content == content_key(PAGE)
    assert HEAD.endswith(b"\r\n\r\n")
