"""Lines of an index are those that cdxj-indexer writes for the same files."""

import io
import zlib
from json import loads
from pathlib import Path

import pytest
import surt
from cdxj_indexer.main import CDXJIndexer, CompressedWriter
from hypothesis import given
from hypothesis import strategies as st

from anet.formats.cdxj import cdxj_line, write_blocks
from anet.formats.serial import Serial, SerialFiles, Written
from anet.formats.warc_writing import (
    FIELDS_TYPE,
    IDENTICAL_PAYLOAD,
    REQUEST_TYPE,
    RESPONSE_TYPE,
    new_record,
    record_id,
    warcinfo,
)

DIGEST = "sha256:" + "ab" * 32
URL = "http://www.example.org/a%20b?c=d"

values = st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), max_size=30)
types = st.one_of(
    st.sampled_from(["text/html", "text/html; charset=utf-8", "TEXT/HTML", "a;b", "", "é/è"]),
    values,
)
statuses = st.sampled_from(["200 OK", "404 Not Found", "301", "999 "])
kinds = st.sampled_from(["response", "revisit", "resource", "metadata", "request", "conversion"])
captures = st.tuples(
    kinds, st.none() | types, statuses, st.sampled_from([FIELDS_TYPE, "x/y", None])
)


def parts_of(number: int, kind: str, http_type: str | None, status: str, own: str | None) -> tuple:
    """Return the fields and the HTTP head of a record."""
    http = kind in ("response", "revisit", "request")
    own = {"response": RESPONSE_TYPE, "revisit": RESPONSE_TYPE, "request": REQUEST_TYPE}.get(
        kind, own
    )
    profile = [("WARC-Profile", IDENTICAL_PAYLOAD)] if kind == "revisit" else []
    fields = (
        ("WARC-Record-ID", record_id(str(number))),
        ("WARC-Date", f"2026-11-22T03:15:{number:02}.123456Z"),
        ("WARC-Target-URI", f"{URL}&n={number}"),
        *profile,
        *([("Content-Type", own)] if own else []),
        ("WARC-Payload-Digest", DIGEST),
    )
    first = "GET / HTTP/1.1" if kind == "request" else f"HTTP/1.1 {status}"
    line = f"Content-Type: {http_type}\r\n" if http_type is not None else ""
    head = f"{first}\r\nHost: example.org\r\n{line}\r\n".encode() if http else b""
    return fields, head


def theirs(folder: Path, *, post: bool = False) -> str:
    """Return what cdxj-indexer writes for the files of a folder."""
    paths = [str(path) for path in sorted(folder.iterdir())]
    out = folder.parent / f"{folder.name}.cdxj"
    CDXJIndexer(str(out), paths, sort=True, post_append=post).process_all()
    return out.read_text()


def begin(name: str) -> object:
    """Return the first record of a file."""
    return warcinfo(name, "2026-11-22T03:15:00Z", (("software", "dlweb"),))


@given(st.lists(captures, max_size=8))
def test_lines_are_those_of_the_field_s_indexer(
    tmp_path_factory: pytest.TempPathFactory, records: list
) -> None:
    """For records of every kind, with types and statuses of every sort, in several files."""
    folder = tmp_path_factory.mktemp("cdxj")
    lines = []
    serial = Serial("A", "20261122031500", ".warc.gz")
    with SerialFiles(folder, serial, begin, limit=900) as files:
        for number, (kind, http_type, status, own) in enumerate(records):
            fields, head = parts_of(number, kind, http_type, status, own)
            [place] = files.write(new_record(kind, fields, [head, b"body"]))
            lines.append(cdxj_line(surt.surt(f"{URL}&n={number}"), kind, fields, head, place))
    assert "".join(sorted(line for line in lines if line)) == theirs(folder)


def test_what_was_asked_for_with_a_body_is_told(tmp_path: Path) -> None:
    """Method and body are in the line, as cdxj-indexer --post-append has them."""
    folder = tmp_path / "warcs"
    folder.mkdir()
    answer, head = parts_of(1, "response", "text/html", "200 OK", None)
    request = (
        *parts_of(2, "request", None, "", None)[0][:2],
        ("WARC-Target-URI", f"{URL}&n=1"),
        ("Content-Type", REQUEST_TYPE),
        ("WARC-Concurrent-To", record_id("1")),
    )
    asked = (
        b"POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        b"Content-Length: 7\r\n\r\nx=1&y=2"
    )
    with SerialFiles(folder, Serial("A", "20261122031500", ".warc.gz"), begin) as files:
        place, _ = files.write(
            new_record("response", answer, [head, b"body"]), new_record("request", request, [asked])
        )
    key = surt.surt(f"{URL}&n=1&__wb_method=POST&x=1&y=2")
    line = cdxj_line(key, "response", answer, head, place, ("POST", "x=1&y=2"))
    assert line == theirs(folder, post=True)
    assert loads(line[line.index("{") :])["method"] == "POST"


def test_records_without_name_or_date_have_no_line() -> None:
    """An index is asked by URL and date."""
    place = Written("a.warc.gz", 0, 1)
    for name in ("WARC-Date", "WARC-Target-URI"):
        fields = tuple(f for f in parts_of(1, "response", None, "200", None)[0] if f[0] != name)
        assert cdxj_line("org,example)/", "response", fields, b"", place) is None


def test_only_answers_have_a_status() -> None:
    """A head that was given with a resource says nothing of how it was answered."""
    fields, _ = parts_of(1, "resource", None, "", "text/plain")
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    line = cdxj_line("org,example)/", "resource", fields, head, Written("a.warc.gz", 0, 1))
    assert line
    assert "status" not in line


@given(st.integers(0, 2500))
def test_blocks_are_those_of_the_field_s_indexer(count: int) -> None:
    """The same blocks at the same lines, each found by its place; digests as WACZ files have."""
    lines = [f'org,example)/{n:05} 20261122031500 {{"url": "{n}"}}\n' for n in range(count)]
    data, index = io.BytesIO(), io.BytesIO()
    write_blocks((line.encode() for line in lines), data, index, "index.cdx.gz")
    their_data, their_index = io.BytesIO(), io.StringIO()
    their = CompressedWriter(their_index, their_data, 1024, "index.cdx.gz", digest_records=True)
    for line in lines:
        their.write(line)
    if their.block:
        their.flush()
    ours_said = index.getvalue().decode().splitlines()
    their_said = their_index.getvalue().splitlines()
    assert ours_said[0] == '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    assert [x.split("{")[0] for x in ours_said[1:]] == [x.split("{")[0] for x in their_said[1:]]
    text = b""
    for line in ours_said[1:]:
        place = loads(line[line.index("{") :])
        member = data.getvalue()[place["offset"] : place["offset"] + place["length"]]
        text += zlib.decompress(member, 31)
    assert text.decode() == "".join(lines)
