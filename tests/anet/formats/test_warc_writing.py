"""Records that are written are the ones that others read."""

import io
import subprocess
import sys
import tracemalloc
from base64 import b16decode
from hashlib import sha256
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from anet.formats.compressing import GZIP, PLAIN, Encoding, trained, zstd_encoding
from anet.formats.warc_writing import (
    RESPONSE_TYPE,
    CannotWrite,
    digest_field,
    new_record,
    record,
    record_id,
    warcinfo,
)

DATE = "2026-11-22T03:15:00.123456Z"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

texts = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp")), min_size=1
)
names = st.from_regex(r"X-[A-Za-z]{1,20}", fullmatch=True)
extra = st.lists(st.tuples(names, texts), max_size=4, unique_by=lambda pair: pair[0].lower())
blocks = st.lists(st.binary(max_size=300), max_size=4)
encodings = st.sampled_from([PLAIN, GZIP, zstd_encoding()])


def fields_of(number: int, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a record, and some more."""
    return (
        ("WARC-Record-ID", record_id(str(number))),
        ("WARC-Date", DATE),
        ("WARC-Target-URI", f"http://example.org/{number}"),
        ("Content-Type", "application/octet-stream"),
        *more,
    )


def written(pieces: object) -> bytes:
    """Return a record in one piece."""
    return b"".join(pieces)  # type: ignore[arg-type]


def check(path: Path) -> None:
    """Let warcio judge a file."""
    command = [sys.executable, "-m", "warcio.cli", "check", "-v", str(path)]
    judged = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert judged.returncode == 0, judged.stdout
    assert "no digest to check" not in judged.stdout


@given(st.lists(st.tuples(extra, blocks), min_size=1, max_size=5), encodings)
def test_records_are_read_back_as_they_were(records: list, encoding: Encoding) -> None:
    """FastWARC finds the fields and the block of each record of any file, and its digest good."""
    file = encoding.begin
    for number, (more, parts) in enumerate(records):
        file += written(new_record("resource", fields_of(number, *more), parts, encoding))
    found = 0
    for number, read in enumerate(ArchiveIterator(io.BytesIO(file), parse_http=False)):
        more, parts = records[number]
        assert read.verify_block_digest()
        assert read.reader.read() == b"".join(parts)
        assert read.record_id == record_id(str(number))
        assert [read.headers.get(name) for name, _ in more] == [value for _, value in more]
        found += 1
    assert found == len(records)


@given(st.lists(st.tuples(extra, blocks), min_size=1, max_size=5))
def test_warcio_reads_the_same(records: list) -> None:
    """Warcio finds the same fields in the same order, the same blocks, and good digests."""
    file = b""
    for number, (more, parts) in enumerate(records):
        file += written(new_record("resource", fields_of(number, *more), parts))
    found = 0
    for number, read in enumerate(WarcioIterator(io.BytesIO(file), check_digests="raise")):
        more, parts = records[number]
        assert read.content_stream().read() == b"".join(parts)
        assert read.rec_headers.protocol == "WARC/1.1"
        assert read.rec_headers.headers[0] == ("WARC-Type", "resource")
        assert read.rec_headers.headers[5:-2] == list(more)
        found += 1
    assert found == len(records)


@given(st.binary(max_size=2000), st.integers(0, 2000), encodings)
def test_bytes_do_not_depend_on_how_a_block_is_given(
    block: bytes, cut: int, encoding: Encoding
) -> None:
    """In one piece, in two, or in a file that stands anywhere: the same record."""
    file = io.BytesIO(block)
    file.seek(min(cut, len(block)))
    ways = ([block], [block[:cut], block[cut:]], [file], [b"", io.BytesIO(block)])
    results = {written(new_record("resource", fields_of(1), way, encoding)) for way in ways}
    assert len(results) == 1


@pytest.mark.parametrize("encoding", [GZIP, zstd_encoding()], ids=["gzip", "zstd"])
def test_a_large_block_is_written_in_little_memory(encoding: Encoding, tmp_path: Path) -> None:
    """A block of 48 MB passes through in pieces, and gives the same as the same bytes in one."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        for number in range(48):
            file.write(sha256(bytes([number])).digest() * 31250)
    tracemalloc.start()
    with path.open("rb") as file, (tmp_path / "out").open("wb") as out:
        out.writelines(new_record("resource", fields_of(1), [HEAD, file], encoding))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000
    whole = written(new_record("resource", fields_of(1), [HEAD + path.read_bytes()], encoding))
    assert (tmp_path / "out").read_bytes() == whole
    with (tmp_path / "out").open("rb") as out:
        for read in ArchiveIterator(out, parse_http=False):
            assert read.verify_block_digest(consume=True)


def test_warcio_checks_what_is_written(tmp_path: Path) -> None:
    """Warcinfo, request, response, revisit, metadata and empty blocks are all sound."""
    body = b"<p>hello</p>"
    payload = ("WARC-Payload-Digest", digest_field(sha256(body).hexdigest()))
    http = fields_of(1, payload)[:3] + (("Content-Type", RESPONSE_TYPE), payload)
    path = tmp_path / "a.warc.gz"
    with path.open("wb") as file:
        file.writelines(warcinfo(path.name, DATE, (("software", "dlweb"), ("operator", "Ægir"))))
        file.writelines(new_record("response", http, [HEAD, body]))
        file.writelines(new_record("revisit", http, [HEAD]))
        file.writelines(new_record("metadata", fields_of(2), []))
    check(path)


def test_a_wrong_payload_digest_is_seen_by_warcio(tmp_path: Path) -> None:
    """The judge of the tests can say no."""
    wrong = ("WARC-Payload-Digest", digest_field("0" * 64))
    http = fields_of(1)[:3] + (("Content-Type", RESPONSE_TYPE), wrong)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(written(new_record("response", http, [HEAD, b"hello"])))
    with pytest.raises(AssertionError, match="payload digest failed"):
        check(path)


def test_a_read_record_is_written_again_as_it_was() -> None:
    """Version, names, order and bytes that are no UTF-8 are kept."""
    head = b"WARC/1.0\r\ncontent-LENGTH: 5\r\nwarc-type: x\r\nX-Odd:  two  \xff\r\n\r\n"
    fields = (("content-LENGTH", "5"), ("warc-type", "x"), ("X-Odd", " two  \udcff"))
    assert written(record(fields, [b"hello"], PLAIN, "WARC/1.0")) == head + b"hello\r\n\r\n"


@pytest.mark.parametrize("text", ["a\r\nX: y", "a\nb", "a\rb", "\ud800"])
def test_a_field_cannot_break_out_of_its_line(text: str) -> None:
    """What would be two fields, or no text, is refused before anything is written."""
    with pytest.raises(CannotWrite):
        new_record("resource", fields_of(1, ("X-Odd", text)), [])
    with pytest.raises(CannotWrite):
        warcinfo("a.warc.gz", DATE, (("operator", text),))


@pytest.mark.parametrize("length", ["4", "6", "-5", "+5", "５", "five"])
def test_a_wrong_length_is_refused(length: str) -> None:
    """A record whose Content-Length is not its block's would take the next one with it."""
    with pytest.raises(CannotWrite, match="Content-Length"):
        record((("Content-Length", length),), [b"hello"])


def test_no_length_or_two_are_refused() -> None:
    """One length, or nobody knows where the block ends."""
    for fields in ((), (("Content-Length", "5"), ("content-length", "6"))):
        with pytest.raises(CannotWrite):
            record(fields, [b"hello"])


@pytest.mark.parametrize("change", [b"", b"hell", b"hello!"])
def test_a_block_that_changes_meanwhile_is_told(tmp_path: Path, change: bytes) -> None:
    """A file that shrinks or grows after its size was taken makes no silent nonsense."""
    path = tmp_path / "block"
    path.write_bytes(b"hello")
    with path.open("rb", buffering=0) as file:
        pieces = new_record("resource", fields_of(1), [file])
        path.write_bytes(change)
        with pytest.raises(CannotWrite, match="changed"):
            written(pieces)


def test_names_of_records_are_always_the_same() -> None:
    """The id of a record comes from what it is of."""
    assert record_id("a") == record_id("a") != record_id("b")
    assert b16decode(record_id("a")[10:-1].replace("-", ""), casefold=True)


def test_a_dictionary_helps_small_records_and_lies_in_the_file(tmp_path: Path) -> None:
    """Files with a trained dictionary are smaller, and FastWARC reads them."""
    blocks = [HEAD + f"<html><title>Page {n}</title><p>{n * n}".encode() for n in range(400)]
    samples = [
        written(new_record("resource", fields_of(n), [b], PLAIN)) for n, b in enumerate(blocks)
    ]
    encoding = zstd_encoding(trained(samples, 4000))
    sizes = []
    for each in (zstd_encoding(), encoding):
        path = tmp_path / "a.warc.zst"
        records = (new_record("resource", fields_of(n), [b], each) for n, b in enumerate(blocks))
        path.write_bytes(each.begin + b"".join(map(written, records)))
        read = [r.reader.read() for r in ArchiveIterator(str(path), parse_http=False)]
        assert read == blocks
        sizes.append(path.stat().st_size)
    assert sizes[1] < 0.6 * sizes[0]


def test_too_few_samples_make_no_dictionary() -> None:
    """Nothing can be learnt from nothing."""
    with pytest.raises(ValueError, match="dictionary"):
        trained([b"a"])


def test_frames_say_what_the_draft_asks_for() -> None:
    """Each Zstandard frame has its size and a checksum; with a dictionary, its number too."""
    dictionary = trained([f"sample {n} of text {n * n}".encode() * 5 for n in range(300)], 2000)
    for encoding, dictionary_bytes in ((zstd_encoding(), 0), (zstd_encoding(dictionary), 4)):
        frame = written(new_record("resource", fields_of(1), [b"hello" * 100], encoding))
        descriptor = frame[4]
        assert frame[:4] == b"\x28\xb5\x2f\xfd"
        assert descriptor & 0b100  # checksum
        assert descriptor >> 6 or descriptor & 0b100000  # size of the content
        assert {0: 0, 1: 1, 2: 2, 3: 4}[descriptor & 3] == dictionary_bytes
