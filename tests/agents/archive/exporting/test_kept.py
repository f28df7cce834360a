"""Records of imported files are given again, record for record."""

import base64
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from warcio.archiveiterator import ArchiveIterator

from agents.archive.exporting import kept
from agents.archive.exporting.order import Order, Sites
from agents.archive.kept_records import Inline, KeptRecord, Slice, Stored, encoded, name_of
from agents.capture import Capture, content_key
from tests.agents.archive.exporting.conftest import Export, Fill, capture

FILE = "wget 1.warc.gz"
BODY = b"0123456789" * 200
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = [(1000, 2)]
CHUNKED = b"3e8\r\n" + BODY[:1000] + b"\r\n3e8\r\n" + BODY[1000:] + b"\r\n0\r\n\r\n"
OTHERS = b"x" * 3000  # a block of a metadata record, which is a content


def kept_record(kind: str, fields: list[tuple[str, str]], *parts: Any, **more: Any) -> KeptRecord:
    """Return a record with an identifier, and the length of its block."""
    size = more.pop("size", None) or sum(map(size_of, parts))
    number = more.pop("number")
    said = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:uuid:00000000-0000-0000-0000-{number:012}>"),
        *fields,
        ("Content-Length", str(size)),
    ]
    version = more.get("version", "WARC/1.0")
    return KeptRecord(version, kind, said, 1000 * number, size, list(parts))


def size_of(part: Inline | Stored) -> int:
    """Return the bytes that a part of a block has in the file."""
    if isinstance(part, Inline):
        return len(part.data)
    return len(CHUNKED) if part.chunks else part.size


def sha(block: bytes) -> str:
    """Return a digest as files of the field have it."""
    return "sha1:" + base64.b32encode(sha1(block).digest()).decode()  # noqa: S324


def at(day: int, uri: str) -> list[tuple[str, str]]:
    """Return date and target as WARC 1.0 has them."""
    return [("WARC-Date", f"2020-01-{day:02}T00:00:00Z"), ("WARC-Target-URI", f"<{uri}>")]


RECORDS = [
    kept_record("warcinfo", [("WARC-Date", "2020-01-01T00:00:00Z")], Inline(b"a: b\r\n"), number=1),
    kept_record(
        "response",
        [
            *at(2, "http://a.example/"),
            ("warc-block-digest", sha(HEAD + CHUNKED)),
            ("Content-Type", "application/http;msgtype=response"),
            ("X-Unheard-Of", "  spaces and \u00e9\u2603"),
            ("X-Unheard-Of", "twice"),
        ],
        Inline(HEAD),
        Stored(content_key(BODY), len(BODY), CHUNKS),
        number=2,
    ),
    kept_record(
        "request",
        [
            *at(2, "http://a.example/"),
            ("WARC-Concurrent-To", "<urn:uuid:00000000-0000-0000-0000-000000000002>"),
            ("Content-Type", "application/http;msgtype=request"),
        ],
        Inline(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b"),
        number=3,
    ),
    kept_record(
        "metadata",
        [
            ("WARC-Date", "2020-01-02T00:00:00Z"),
            ("WARC-Refers-To", "<urn:uuid:00000000-0000-0000-0000-000000000002>"),
        ],
        Stored(content_key(OTHERS), len(OTHERS)),
        number=4,
    ),
    kept_record(
        "revisit",
        [
            *at(3, "http://a.example/"),
            (
                "WARC-Profile",
                "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
            ),
        ],
        Inline(b"HTTP/1.1 200 OK\r\n\r\n"),
        number=5,
    ),
    kept_record(
        "revisit",
        [
            *at(4, "http://b.example/"),
            ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified"),
        ],
        number=6,
        version="WARC/1.1",
    ),
    kept_record(
        "response", at(5, "dns:b.example"), Inline(b"20200105\nb.example. 1 IN A\n"), number=7
    ),
    kept_record("conversion", at(5, "http://b.example/x"), Inline(b"text"), number=8),
    kept_record("resource", at(6, "http://b.example/y"), Inline(BODY), number=9),
]
BLOCKS = [
    b"".join(
        part.data if isinstance(part, Inline) else CHUNKED if part.chunks else OTHERS
        for part in each.block
    )
    for each in RECORDS
]


ORIGIN = f"import: {FILE}\nrecord-id: <urn:uuid:00000000-0000-0000-0000-000000000002>\n"


def imported(origin: str = ORIGIN) -> Capture:
    """Return the capture that an import made of the response."""
    return capture("http://a.example/", "20200102", BODY, head=HEAD, origin=origin)


def slices(*parts: list[KeptRecord]) -> tuple[list[Capture], list[bytes]]:
    """Return the captures that keep records, and their contents."""
    captures, contents = [], []
    for number, records in enumerate(parts):
        begin = number * 5000
        body = encoded(Slice(FILE, "ab" * 32, begin, begin + 5000), records)
        # The later slice has the earlier date: what counts is where they lie in the file.
        date = f"202001{28 - number}"
        captures.append(
            capture(name_of(FILE, "ab" * 32), date, body, metadata=f"{begin:016x}", origin="")
        )
        contents.append(body)
    return captures, contents


def read(folder: Path) -> list[tuple[str, list[tuple[str, str]], bytes]]:
    """Return version, fields and block of all records but our own warcinfo."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                fields = record.rec_headers
                if "-20261122000000-" not in (fields.get_header("WARC-Filename") or ""):
                    block = record.raw_stream.read()
                    found.append((fields.protocol, fields.headers, block))
    return found


def plain(name: str, value: str) -> str:
    """Return a value as warcio gives it."""
    return value.strip("<>") if name.endswith("-URI") else value.strip()


def expected(numbers: range | list[int]) -> list[tuple[str, list[tuple[str, str]], bytes]]:
    """Return the same of the records that were kept; warcio takes spaces and brackets away."""
    return [
        (
            RECORDS[number].version,
            [(name, plain(name, value)) for name, value in RECORDS[number].fields],
            BLOCKS[number],
        )
        for number in numbers
    ]


@ensureDeferred
async def test_records_are_given_as_they_were(fill: Fill, export: Export, tmp_path: Path) -> None:
    """All kinds, with versions, fields, and blocks in their chunks, in the order of the file."""
    captures, contents = slices(RECORDS[:4], RECORDS[4:])
    await fill([imported(), *captures], [BODY, OTHERS, *contents])
    figures = await export()
    assert read(tmp_path / "out") == expected(range(len(RECORDS)))
    assert (figures.captures, figures.lost) == (5, 0)
    assert figures.records["response"] == 2  # and none was made of the capture again


@ensureDeferred
async def test_of_some_sites_and_dates_only_those_records_are_given(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Those of which target and date are wanted, what is about them, and the file's warcinfo."""
    captures, contents = slices(RECORDS[:4], RECORDS[4:])
    await fill([imported(), *captures], [BODY, OTHERS, *contents])
    await export(sites=("a.example",), last="20200102~")
    assert read(tmp_path / "out") == expected(range(4))
    await export(sites=("nobody.example",), out="none")
    assert read(tmp_path / "none") == []


@ensureDeferred
async def test_captures_of_a_file_whose_records_are_not_there_are_written_anew(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """An archive that got captures without the records of their file gives what it has."""
    await fill([imported()], [BODY])
    figures = await export()
    assert figures.records == {"response": 1}
    [(version, _, block)] = read(tmp_path / "out")
    assert (version, block[-len(BODY) :]) == ("WARC/1.1", BODY)


@ensureDeferred
async def test_lost_parts_are_named(fill: Fill, export: Export, tmp_path: Path) -> None:
    """A record whose block is lost is named, with its place in the file; the others are given."""
    captures, contents = slices(RECORDS[:4], RECORDS[4:])
    await fill([imported(), *captures], [BODY, contents[0]])
    figures = await export()
    assert read(tmp_path / "out") == expected(range(3))
    assert figures.lost == 2
    assert "record at 4000" in figures.problems[0]
    assert "warc:wget%201.warc.gz" in figures.problems[1]


@ensureDeferred
@pytest.mark.parametrize("lost", [0, 1])
async def test_a_lost_slice_costs_no_capture(
    lost: int, fill: Fill, export: Export, tmp_path: Path
) -> None:
    """Captures whose records are lost are written anew; those of other slices only once."""
    captures, contents = slices(RECORDS[:1], RECORDS[1:4])
    other = capture("http://b.example/y", "20200106", BODY, origin=f"import: {FILE}\n")
    await fill([imported(), other, *captures], [BODY, OTHERS, contents[1 - lost]])
    figures = await export(size=1000)
    again = await export(size=1000)
    assert figures.lost == again.lost == 1
    assert (figures.left, figures.bytes_left) == (0, 0)
    given = [(version, dict(fields)["WARC-Type"]) for version, fields, _ in read(tmp_path / "out")]
    new = [("WARC/1.1", "response"), ("WARC/1.1", "revisit")]
    old = [("WARC/1.0", kind) for kind in ("warcinfo", "response", "request", "metadata")]
    assert given == ([old[0], *new] if lost else [*old[1:], new[0]])


@ensureDeferred
async def test_a_record_that_two_slices_keep_is_given_once(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """As of a file that grew, whose last record is read again."""
    captures, contents = slices(RECORDS[:4], RECORDS[2:])
    await fill([imported(), *captures], [BODY, OTHERS, *contents])
    figures = await export()
    assert figures.well
    found = read(tmp_path / "out")
    assert sorted(found, key=str) == sorted(expected(range(len(RECORDS))), key=str)


@pytest.mark.parametrize("sizes", [[(0, 10**12)], [(1, 10**12)], [(2000, 2)], [(-1, -2000)]])
def test_chunks_that_are_not_of_a_content_make_no_block(
    sizes: list[tuple[int, int]], tmp_path: Path
) -> None:
    """Nothing is made up, and nothing takes endless time."""
    record = kept_record("response", at(1, "http://a/"), Stored("k", len(BODY), sizes), number=1)
    with pytest.raises(kept.LostBlock, match="chunks"):
        kept.block(record, {"k": BODY}, tmp_path)


@ensureDeferred
async def test_a_block_of_another_length_than_said_is_no_record(
    fill: Fill, export: Export, tmp_path: Path
) -> None:
    """What cannot be written soundly is not given; nothing is made up."""
    short = kept_record("metadata", at(1, "http://a.example/"), Inline(b"short"), number=5, size=9)
    captures, contents = slices([*RECORDS[:3], short])
    await fill([imported(), *captures], [BODY, *contents])
    figures = await export()
    assert read(tmp_path / "out") == expected(range(3))
    assert "Content-Length is 9, but the block has 5 bytes" in figures.problems[0]


def test_which_records_are_wanted() -> None:
    """A record without a target is wanted with the one that it names."""
    order = Order(source="", sites=("b.example",))
    chosen = kept.wanted(RECORDS, order, Sites(order.sites))
    assert [each.kind for each in chosen] == ["warcinfo", "revisit", "conversion", "resource"]
