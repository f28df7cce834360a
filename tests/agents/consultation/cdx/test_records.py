"""Captures as WARC records, read back by a reader of WARC files."""

from io import BytesIO

import pytest
from fastwarc.warc import ArchiveIterator, is_http
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.capture import Capture, content_key, structure_key
from agents.consultation.cdx.records import END, record_head, record_length

URL = "http://example.org/a?b=c"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
DATE = "20200601120000123456"


@given(st.binary(max_size=300), st.sampled_from([HEAD, b"HTTP/1.0 404 \n\n", b""]))
def test_a_record_is_read_back(body, head):
    """URL, date, digest and the bytes of the body are those of the capture; so is the length."""
    capture = Capture(URL, DATE, content_key(body), len(body), 200, head)
    data = record_head(capture) + body + END
    assert len(data) == record_length(capture)
    read = next(iter(ArchiveIterator(BytesIO(data), parse_http=False)))
    assert read.headers["WARC-Target-URI"] == URL
    assert read.headers["WARC-Date"] == "2020-06-01T12:00:00.123456Z"
    assert read.headers["WARC-Payload-Digest"] == f"sha256:{content_key(body)}"
    assert read.reader.read().endswith(body)


@ensureDeferred
async def test_a_record_comes_by_its_name(served):
    """What a line names is fetched, of the length that the line says, for pywb to read."""
    await served.add(URL, b"x" * 600_000, date=DATE, head=HEAD)
    fields = "filename,length,offset"
    (line,) = await served.lines(f"/cdx/any?url={URL.replace('?', '%3F')}&fl={fields}")
    name, length, offset = line.split(" ")
    status, told, body = await served.get(f"/warc/{name}")
    assert (status, len(body), offset) == (200, int(length), "0")
    read = next(iter(ArchiveIterator(BytesIO(body), func_filter=is_http)))
    assert read.http_headers["Content-Type"] == "text/html"
    assert "Transfer-Encoding" not in read.http_headers
    assert read.reader.read() == b"x" * 600_000
    assert told["Warcserver-Type"] == "warc" and told["Memento-Datetime"].endswith("GMT")
    assert told["X-Content-Type-Options"] == "nosniff"


@ensureDeferred
async def test_the_nearest_record_comes_by_url(served):
    """A date and a URL, whose percent-encoding stays as it is, give the nearest capture."""
    url = "http://example.org/a%2Fb?c=%26d"
    await served.add(url, b"old", date="20200101000000000000")
    await served.add(url, b"new", date=DATE)
    _, _, body = await served.get(f"/warc/20200115id_/{url}")
    assert b"\r\n\r\nold\r\n\r\n" in body and f"WARC-Target-URI: {url}\r\n".encode() in body
    _, _, body = await served.get(f"/warc/2021id_/{url}")
    assert b"\r\n\r\nnew\r\n\r\n" in body


@ensureDeferred
async def test_a_client_may_encode_more_than_browsers_do(served):
    """Python's clients write %7C for a bar; the record is found all the same."""
    await served.add("http://example.org/a|b?c={|}", b"there", date=DATE)
    _, _, body = await served.get("/warc/2020id_/http://example.org/a%7Cb?c=%7B%7C%7D")
    assert b"\r\n\r\nthere\r\n\r\n" in body


@pytest.mark.parametrize(
    ("name", "status"),
    [
        (f"{structure_key(URL)}/20200601120000123457.warc", 404),
        ("0" * 64 + f"/{DATE}.warc", 404),
        ("2020id_/http://none.example/", 404),
        ("2020id_/ftp://none.example/", 400),
        ("20201399id_/http://none.example/", 400),
        ("../secret", 400),
        ("", 400),
    ],
)
@ensureDeferred
async def test_no_such_record(served, name, status):
    """Another date, another key, or no name of a record."""
    await served.add(URL, b"x", date=DATE)
    assert (await served.get(f"/warc/{name}"))[0] == status
