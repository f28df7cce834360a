"""What goes on to the live web and back, and which answers are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.live.keeping import why_not_kept
from agents.consultation.live.passing import (
    VIA,
    answer_fields,
    answer_head,
    body_length,
    request_fields,
)
from anet.http import HOP_BY_HOP, Headers, parse_head

NAMES = st.sampled_from(
    [*sorted(HOP_BY_HOP), b"Host", b"Cookie", b"X-Own", b"If-None-Match", b"Range", b"Accept"]
)
FIELDS = st.lists(st.tuples(NAMES, st.sampled_from([b"x-own", b"close, X-Own", b"1", b""])))


def head(*fields: str, status: int = 200):
    """Return the head of an answer."""
    lines = "".join(f"{field}\r\n" for field in fields)
    return parse_head(f"HTTP/1.1 {status} Fine\r\n{lines}\r\n".encode())


@given(FIELDS, st.booleans())
def test_what_is_of_one_connection_stays(pairs, whole):
    """And what the archive says itself; everything else goes on in its order."""
    headers = Headers(pairs)
    sent = request_fields(headers, whole)
    assert sent[-1] == VIA
    names = [name.lower() for name, _ in sent[:-1]]
    assert not HOP_BY_HOP & set(names) and b"host" not in names
    assert whole is False or b"if-none-match" not in names
    named = {
        word.strip().lower()
        for value in headers.get_all(b"connection")
        for word in value.split(b",")
    }
    assert not named & set(names)
    assert [pair for pair in pairs if pair in sent[:-1]] == sent[:-1]


def test_what_is_to_be_kept_is_asked_for_whole():
    """A player asks for all bytes from the first on; any other range is passed on as it is."""
    from_the_beginning = Headers([(b"Range", b"bytes=0-")])
    assert request_fields(from_the_beginning, whole=True) == [VIA]
    assert request_fields(from_the_beginning, whole=False) == [*from_the_beginning, VIA]
    further_on = Headers([(b"Range", b"bytes=7-")])
    assert request_fields(further_on, whole=True) == [*further_on, VIA]


def test_an_answer_does_not_outlive_the_visit():
    """What would keep the browser from the archive stays here; the rest is byte for byte."""
    raw = (
        b"HTTP/1.1 200 Fine\r\nServer:  x \r\nStrict-Transport-Security: max-age=9\r\n"
        b"Connection: X-Hop\r\nX-Hop: 1\r\nAlt-Svc: h3\r\nX-Odd: a\r\n  folded\r\n\r\n"
    )
    assert answer_head(parse_head(raw)) == (
        b"HTTP/1.1 200 Fine\r\nServer:  x \r\nConnection: X-Hop\r\nX-Odd: a\r\n  folded\r\n\r\n"
    )


def test_a_browser_keeps_nothing_of_it():
    """It is marked, and not to be kept where a browser would give it for the archive later."""
    assert dict(answer_fields(browser=True))[b"Cache-Control"] == b"no-store"
    assert dict(answer_fields(browser=False)) == {b"Dlweb-Live": b"1", b"Via": b"1.1 dlweb"}


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        (["Content-Length: 5"], 5),
        (["Content-Length: 5", "Content-Length: 5"], 5),
        (["Content-Length: 5", "Content-Length: 6"], None),
        (["Content-Length: 5", "Transfer-Encoding: chunked"], None),
        (["Content-Length: -5"], None),
        ([], None),
    ],
)
def test_a_length_is_believed_where_it_can_be(fields, length):
    """Not where two readers could understand two."""
    assert body_length(head(*fields)) == length


@pytest.mark.parametrize(
    ("method", "sent", "answer", "reason"),
    [
        ("GET", [], head(), ""),
        ("GET", [], head(status=404), ""),
        ("GET", [], head("Location: /", status=302), ""),
        ("GET", [], head("Set-Cookie: a=1"), ""),
        ("GET", [], head(status=206), "partial"),
        ("GET", [], head(status=304), "partial"),
        ("HEAD", [], head(), "no content"),
        ("OPTIONS", [], head(status=204), "no content"),
        ("POST", [], head(), "sent something"),
        ("GET", [(b"Cookie", b"a=1")], head(), "personal request"),
        ("GET", [(b"authorization", b"Basic x")], head(), "personal request"),
        ("GET", [], head("Cache-Control: max-age=9, Private"), "private answer"),
        ("GET", [], head('cache-control: private="x-y"'), "private answer"),
    ],
)
def test_what_is_personal_is_not_kept(method, sent, answer, reason):
    """Unless the operator says so; what is partial is never."""
    assert why_not_kept(method, Headers(sent), answer, private=False) == reason
    if reason not in ("partial", "no content"):
        assert why_not_kept(method, Headers(sent), answer, private=True) == ""
