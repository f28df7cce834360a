"""A capture as records of a WARC file."""

import json
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.capture_records import (
    asked_url,
    known_of,
    moment,
    readable_head,
    received_head,
    record_id,
    request_fields,
    response_fields,
)

KEY = "ab" * 32
LINES = st.lists(
    st.sampled_from(
        [
            b"Transfer-Encoding: chunked\r\n",
            b"transfer-encoding : gzip,\r\n chunked\r\n",
            b"X-Orig-Transfer-Encoding: chunked\r\n",
            b"Content-Length: 5\n",
            b" continued\r\n",
            b"\xff\xfe\r\n",
        ]
    )
    | st.binary(max_size=20)
)


def capture(**changes: object) -> Capture:
    """Return a capture, some of it as given."""
    values: dict[str, object] = {
        "url": "http://example.org/",
        "date": "20261121073000123456",
        "content": KEY,
        "size": 5,
        "status": 200,
        "head": b"HTTP/1.1 200 OK\r\n\r\n",
    }
    return Capture(**(values | changes))  # type: ignore[arg-type]


@given(st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/2 200\r\n", b"HTTP/3.0 204 \n", b""]), LINES)
def test_every_head_is_given_back(status: bytes, lines: list[bytes]) -> None:
    """What is changed for readers is undone byte for byte."""
    head = status + b"".join(lines)
    readable, edits = readable_head(head)
    assert received_head(readable, edits or "[]") == head
    assert not readable.startswith((b"HTTP/2", b"HTTP/3"))
    assert b"\ntransfer-encoding:" not in readable.lower()
    assert bool(edits) == (readable != head)


@given(st.binary(max_size=50), st.text(max_size=30) | st.just("[[0,9,1]]") | st.just("[[-1,2,3]]"))
def test_edits_of_strangers_are_refused(head: bytes, edits: str) -> None:
    """Whatever the field of a hostile file says gives bytes, or a ValueError."""
    try:
        received_head(head, edits)
    except ValueError:
        return


def test_places_outside_a_head_are_refused() -> None:
    """An edit must lie within the head, after the one before."""
    for edits in ('[[0,30,""]]', '[[5,1,""],[2,1,""]]', '[[3,-1,""]]', '{"a":1}', "7"):
        with pytest.raises(ValueError, match="head"):
            received_head(b"HTTP/1.1 200 OK\r\n", edits)


def test_a_response_says_where_it_came_from() -> None:
    """Address, protocols, cipher and truncation are those of the origin, which is there whole."""
    origin = (
        "crawl: 1\naddress: [2001:db8::1]:443\nprotocol: h2\n"
        f"tls: TLSv1.3 TLS_AES_256_GCM_SHA384 {KEY}\ntruncated: disconnect\n"
    )
    one = capture(origin=origin, metadata="0000000000000007")
    said = response_fields(one, known_of(origin))
    assert ("WARC-IP-Address", "2001:db8::1") in said
    assert [value for name, value in said if name == "WARC-Protocol"] == ["h2", "tls/1.3"]
    assert ("WARC-Cipher-Suite", "TLS_AES_256_GCM_SHA384") in said
    assert ("WARC-Truncated", "disconnect") in said
    assert ("WARC-Payload-Digest", f"sha256:{KEY}") in said
    assert ("WARC-Date", "2026-11-21T07:30:00.123456Z") in said
    assert ("Dlweb-Metadata", "0000000000000007") in said
    assert json.loads(dict(said)["Dlweb-Origin"]) == origin


@pytest.mark.parametrize(
    ("head", "status", "said"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", 200, None),
        (b"HTTP/2 404\r\n\r\n", 404, None),
        (b"", 200, None),
        (b"", 0, "0"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", 200, "200"),
        (b"nonsense\r\n\r\n", 0, None),
    ],
)
def test_a_status_that_the_head_does_not_tell_is_said(
    head: bytes, status: int, said: str | None
) -> None:
    """Only where a reader of the record's head would take it for another."""
    fields = dict(response_fields(capture(head=head, status=status), {}))
    assert fields.get("Dlweb-Status") == said


def test_the_address_of_a_proxy_is_not_the_servers() -> None:
    """Through a proxy the address of the server is not known."""
    known = {"address": "192.0.2.1:3128", "proxy": "a.example"}
    said = dict(response_fields(capture(), known))
    assert "WARC-IP-Address" not in said


def test_what_was_posted_is_said_of_the_url_that_was_asked() -> None:
    """WARC names the URL of the request; the archive's own name is said beside it."""
    url = "http://example.org/?a=1&__wb_method=POST&b=2"
    said = dict(response_fields(capture(url=url), {"method": "POST"}))
    assert said["WARC-Target-URI"] == "http://example.org/?a=1"
    assert said["Dlweb-Url"] == url
    assert asked_url("http://example.org/?__wb_method=POST", "GET").endswith("POST")


def test_a_request_belongs_to_its_response() -> None:
    """It names the record of the response, has another identifier, and says what it lacks."""
    one = capture()
    said = dict(request_fields(one, {}, whole=False))
    assert said["WARC-Concurrent-To"] == dict(response_fields(one, {}))["WARC-Record-ID"]
    assert said["WARC-Record-ID"] != said["WARC-Concurrent-To"]
    assert said["WARC-Truncated"] == "unspecified"
    assert "WARC-Truncated" not in dict(request_fields(one, {}, whole=True))


def test_identifiers_are_those_that_anybody_can_make() -> None:
    """A record's identifier is a UUID of version 5, in the namespace of URLs."""
    for number in range(20):
        made = uuid5(NAMESPACE_URL, f"{number} {KEY} http://example.org/")
        assert record_id(str(number), KEY, "http://example.org/") == f"<urn:uuid:{made}>"


def test_moments_are_told_to_the_microsecond() -> None:
    """WARC 1.1 takes fractions of a second."""
    assert moment("20261121073000000001") == "2026-11-21T07:30:00.000001Z"


def test_what_has_no_head_gets_one_in_its_record() -> None:
    """Readers would take the content for it; it is not there any more once the record is read."""
    readable, edits = readable_head(b"")
    assert readable == b"HTTP/1.1 200 OK\r\n\r\n"
    assert received_head(readable, edits) == b""
