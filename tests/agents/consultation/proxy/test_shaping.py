"""One capture, and what it becomes for each request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.consultation.proxy.ranges import Span
from agents.consultation.proxy.shaping import PINS, archive_fields, shape
from anet.http import Request
from anet.http.message import Headers, parse_head

URL = "http://a.example/"
HEAD = b'HTTP/1.1 200 Fine\r\nServer: x\r\nETag: "v1"\r\nContent-Type: video/mp4\r\n\r\n'


def shaped(head=HEAD, method="GET", status=None, size=100, for_browser=False, **fields):
    """Return the shape of a capture for a request with these fields."""
    pairs = [(name.replace("_", "-").encode(), value) for name, value in fields.items()]
    capture = Capture(URL, "2" * 20, "ab" * 32, size, status or int(head.split()[1]), head)
    request = Request(method, URL, Headers(pairs))
    return shape(request, capture, archive_fields(capture, URL), for_browser)


def said(answer, name):
    """Return what an added field says."""
    return dict(answer.fields).get(name)


def test_a_plain_request_changes_nothing():
    """The received head is the very same bytes, and all of the content is wanted."""
    answer = shaped(Accept_Encoding=b"gzip", User_Agent=b"x")
    assert (answer.status, answer.head, answer.span, answer.length) == (200, HEAD, None, 100)
    assert [name for name, _ in answer.fields] == [b"Dlweb-Date", b"Dlweb-Content"]


def test_a_range():
    """The received fields stay, the status and Content-Range tell the part."""
    answer = shaped(Range=b"bytes=10-19")
    assert (answer.status, answer.span, answer.length) == (206, Span(10, 20), 10)
    assert answer.head == HEAD.replace(b"200 Fine", b"206 Partial Content")
    assert said(answer, b"Content-Range") == b"bytes 10-19/100"


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (200, {"Range": b"bytes=0-1,3-4"}),
        (200, {"Range": b"bytes=0-1", "method": "HEAD"}),
        (200, {"Range": b"bytes=0-1", "If_Range": b'"v2"'}),
        (206, {"Range": b"bytes=0-1", "If_Range": b'"v1"'}),
        (416, {"Range": b"bytes=100-"}),
        (304, {"If_None_Match": b'"v1"', "Range": b"bytes=0-1"}),
        (304, {"If_None_Match": b'"v1"', "method": "HEAD"}),
        (200, {"If_None_Match": b'"v2"'}),
        (404, {"If_None_Match": b'"v1"', "head": HEAD.replace(b"200", b"404")}),
        (404, {"Range": b"bytes=0-1", "head": HEAD.replace(b"200", b"404")}),
    ],
)
def test_the_status_of_an_answer(status, fields):
    """Only a capture of status 200 is cut or known, and only by GET is it cut."""
    answer = shaped(**fields)
    assert answer.status == status
    assert parse_head(answer.head).status == status
    assert answer.span is None or status == 206


def test_a_stored_part_is_given_as_it_is():
    """Whoever asks for the range that the crawler asked for gets the capture untouched."""
    head = HEAD.replace(b"200 Fine", b"206 Partial").replace(
        b"Server: x", b"Content-Range: bytes 100-199/1000"
    )
    assert shaped(head, Range=b"bytes=100-199").head == head
    assert shaped(head).head == head
    part = shaped(head, Range=b"bytes=150-")
    assert (part.status, part.span, part.length) == (206, Span(50, 100), 50)
    assert said(part, b"Content-Range") == b"bytes 150-199/1000"
    assert said(part, b"Dlweb-Removed") == b"content-range"
    assert b"100-199" not in part.head
    outside = shaped(head, Range=b"bytes=0-")
    assert (outside.status, said(outside, b"Content-Range")) == (416, b"bytes */1000")


CODED = HEAD.replace(b"Server: x", b"Content-Encoding: br")


def test_a_coding_the_client_lacks_is_undone():
    """Its field goes, and the answer says so; the length is then unknown."""
    answer = shaped(CODED, Accept_Encoding=b"gzip, deflate")
    assert (answer.coding, answer.length) == ("br", None)
    assert b"Content-Encoding" not in answer.head
    assert said(answer, b"Dlweb-Removed") == b"content-encoding"


@pytest.mark.parametrize("head", [CODED.replace(b"br", b"unheard-of"), CODED, HEAD])
def test_any_other_stays_as_received(head):
    """A client that takes it, or says nothing, or a coding that nobody knows: as received."""
    fields = {} if head is CODED else {"Accept_Encoding": b"gzip"}
    assert (shaped(head, **fields).head, shaped(head, **fields).coding) == (head, "")


def test_decoded_bytes_are_not_cut():
    """A range counts stored bytes; who cannot read these gets the whole."""
    answer = shaped(CODED, Accept_Encoding=b"identity", Range=b"bytes=0-9")
    assert (answer.status, answer.coding, answer.span) == (200, "br", None)
    assert shaped(CODED, Accept_Encoding=b"br", Range=b"bytes=0-9").status == 206


def test_an_origin_is_let_in():
    """A field of another origin makes room for one that lets the page read."""
    head = HEAD.replace(b"Server: x", b"access-control-allow-origin: http://b.example")
    answer = shaped(head, Origin=b"http://c.example")
    assert said(answer, b"Access-Control-Allow-Origin") == b"http://c.example"
    assert said(answer, b"Dlweb-Removed") == b"access-control-allow-origin"
    assert b"b.example" not in answer.head
    assert shaped(head).head == head


@pytest.mark.parametrize("name", PINS)
def test_what_pins_a_host_is_kept_from_browsers(name):
    """A browser keeps no order of an archived host; a program gets what was received."""
    head = HEAD.replace(b"Server: x", name.title() + b": max-age=31536000,\r\n folded")
    answer = shaped(head, for_browser=True)
    assert name not in answer.head.lower() and b"folded" not in answer.head
    assert said(answer, b"Dlweb-Removed") == name
    assert said(answer, b"Cache-Control") == b"no-store"
    assert shaped(head).head == head


def test_a_capture_without_head():
    """What was stored without a head is given as bytes."""
    answer = shaped(b"", status=200, Range=b"bytes=0-1", Origin=b"http://c.example")
    assert answer.head is None
    assert answer.fields[0] == (b"Content-Type", b"application/octet-stream")


FIELD = st.tuples(
    st.sampled_from(
        ["Range", "If_Range", "If_None_Match", "If_Modified_Since", "Accept_Encoding", "Origin"]
    ),
    st.binary(max_size=20).map(lambda it: it.translate(None, b"\r\n\0"))
    | st.sampled_from([b"bytes=1-5", b"*", b"gzip", b"null", b'"v1"']),
)


@given(
    st.lists(FIELD, max_size=5), st.sampled_from([HEAD, CODED]), st.sampled_from(["GET", "HEAD"])
)
def test_no_request_breaks_an_answer(fields, head, method):
    """Whatever is asked, the span lies inside and the added fields are lines."""
    answer = shaped(head, method, **dict(fields))
    assert answer.status in (200, 206, 304, 416)
    if answer.span is not None:
        assert 0 <= answer.span.start < answer.span.stop <= 100
        assert answer.length == answer.span.size
    assert not any(b"\n" in value or b"\r" in value for _, value in answer.fields)


@pytest.mark.parametrize("said_status", [b"204", b"304", b"101", b"404"])
def test_a_head_says_the_status_of_its_capture(said_status):
    """Otherwise the browser takes the content for the head of the next answer."""
    answer = shaped(HEAD.replace(b"200", said_status), status=200)
    assert answer.status == 200
    assert answer.head is not None
    assert parse_head(answer.head).status == 200
    assert parse_head(answer.head).headers.get(b"etag") == b'"v1"'


@pytest.mark.parametrize("status", [0, 99, 100, 101, 103, 199])
def test_what_is_no_final_answer_is_not_waited_on(status):
    """A browser goes on waiting after a status below 200, so it gets the content as an error."""
    answer = shaped(HEAD.replace(b"200", b"%03d" % status), status=status or 1)
    assert (answer.status, answer.head, answer.length) == (502, None, 100)


@pytest.mark.parametrize("fields", [{"If_None_Match": b"*"}, {"If_None_Match": b'"v1"'}])
def test_an_answer_to_what_was_sent_is_given_whole(fields):
    """Nothing is known already of what a form brings about (RFC 9110 §13.2.1)."""
    assert shaped(method="POST", **fields).status == 200
