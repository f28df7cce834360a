"""Plain requests are understood as the general parser understands them, and nothing else is."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anet.http.plain import ANSWERS_LIMIT, HEAD_LIMIT, PlainPut, answer_plain, read_put
from anet.http.request_parser import BadRequest, RequestHead, RequestParser

_LIMIT = 64 * 1024
_PLAIN = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

_PIECES: Sequence[bytes] = (
    *(b"GET", b"HEAD", b"PUT", b"CONNECT", b"get", b" ", b"  ", b"\t", b"\r", b"\n", b"\r\n"),
    *(b"/", b"/a", b"/a?b=c", b"/%2e", b"*", b"http://b/", b"/#", b"/\xff", b"/\x00", b"HTTP/1.1"),
    *(b"HTTP/1.0", b"HTTP/2.0", b"Host: a", b"host:b:80", b"Host : a", b" Host: a", b"Host: a\0"),
    *(b"Accept: */*", b"Connection: close", b"Connection: keep-alive", b"Connection: upgrade"),
    *(b"Upgrade: h2c", b"Range: bytes=0-1", b"If-None-Match: x", b"Content-Length: 0"),
    *(b"Content-Length: 3", b"Transfer-Encoding: chunked", b"Expect: 100-continue", b": a", b"a"),
    *(b"Authorization: x", b"Referer: \xff", b"User-Agent:", b"\r\n\r\n", b"\n\n", _PLAIN),
)
_LINES = st.sampled_from([each for each in _PIECES if b":" in each])
_REQUESTS = st.builds(
    lambda method, target, version, fields: (
        (b" ".join((method, target, version)) + b"".join(b"\r\n" + each for each in fields))
        + b"\r\n\r\n"
    ),
    st.sampled_from((b"GET", b"HEAD", b"GET ", b"PUT")),
    st.sampled_from((b"/", b"/a", b"/a?b=c", b"/\xff", b"a")),
    st.sampled_from((b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.1 ")),
    st.lists(_LINES, max_size=3),
)
_ANYTHING = st.lists(st.sampled_from(_PIECES) | st.binary(max_size=4), max_size=12).map(b"".join)
_BYTES = st.lists(_REQUESTS | _ANYTHING, max_size=4).map(b"".join)


def _read(data: bytes) -> list[RequestHead]:
    """Return the requests that the general parser finds, all of which must be whole."""
    heads: list[RequestHead] = []
    parser = RequestParser(_LIMIT, heads.append, lambda _: None, lambda: None)
    assert not parser.feed(data)
    assert parser.is_between
    return heads


@given(_BYTES)
@example(_PLAIN + b"HEAD /b HTTP/1.1\r\n\r\n" + b"GET /c HTTP/1.1\r\nRange: a\r\n\r\n")
@example(b"GET /a HTTP/1.1\r\nHost: a\n\nGET /b HTTP/1.1\r\n\r\n")
@example(b"GET /a HTTP/1.1\r\nHost: a\r\n Content-Length: 3\r\n\r\nabc")
def test_what_is_answered_is_what_the_general_parser_finds(data: bytes) -> None:
    """Of any bytes, those answered are as many whole requests, of the same targets and hosts."""
    asked: list[tuple[str, bytes]] = []

    def prompt(target: str, host: bytes) -> bytes:
        asked.append((target, host))
        return b"HTTP/1.1 200 OK\r\n\r\nbody"

    answers, end = answer_plain(data, prompt, _LIMIT)
    heads = _read(data[:end])
    assert asked == [(head.target, head.headers.get(b"host") or b"") for head in heads]
    for head, answer in zip(heads, answers, strict=True):
        assert head.keep_alive and head.version == "1.1" and not head.has_body()
        assert head.method == ("GET" if answer.endswith(b"body") else "HEAD")
        for name in (b"range", b"if-none-match", b"authorization", b"expect", b"upgrade"):
            assert name not in head.headers


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET /a HTTP/1.1\r\nHost: a\r\n",
        b"POST /a HTTP/1.1\r\n\r\n",
        b"GET http://a/ HTTP/1.1\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /a HTTP/1.1\r\nX-Unknown: a\r\n\r\n",
        b"GET /a HTTP/1.1\r\nCookie: a\r\n\r\n",
        b"GET /a HTTP/1.1\r\nAccept: " + HEAD_LIMIT * b"a" + b"\r\n\r\n",
        b"\r\n" + _PLAIN,
    ],
)
def test_what_is_not_plain_is_left_as_it_came(data: bytes) -> None:
    """Requests in pieces, of other forms, or whose fields might change an answer."""
    assert answer_plain(data, lambda target, host: b"yes", _LIMIT) == ([], 0)


def test_answers_are_given_in_order_until_one_is_not_at_hand() -> None:
    """So does a head longer than the server takes; what is left begins with a request."""
    data = b"".join(b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(5))
    answers, end = answer_plain(data, lambda t, _: None if t == "/3" else t.encode(), _LIMIT)
    assert answers == [b"/0", b"/1", b"/2"] and data[end:].startswith(b"GET /3 ")
    assert answer_plain(_PLAIN, lambda t, _: b"yes", len(_PLAIN)) == ([b"yes"], len(_PLAIN))
    assert answer_plain(_PLAIN, lambda t, _: b"yes", len(_PLAIN) - 1) == ([], 0)


def test_many_large_answers_wait_for_their_turn() -> None:
    """No more is given at once than a connection takes."""
    answers, end = answer_plain(_PLAIN * 9, lambda *_: bytes(ANSWERS_LIMIT // 2), _LIMIT)
    assert len(answers) == 2 and end == 2 * len(_PLAIN)


def test_nonsense_is_refused_by_the_general_parser() -> None:
    """What is no request is not even looked up."""
    with pytest.raises(BadRequest):
        _read(b"GET /a HTTP/1.1\r\nHost : a\r\n\r\n")
    data = b"GET /a HTTP/1.1\r\nHost : a\r\n\r\n"
    assert answer_plain(data, lambda *_: b"yes", _LIMIT) == ([], 0)


_PUT_FIELDS = st.lists(_LINES | st.just(b"Content-Length: 5"), max_size=4)


@given(_PUT_FIELDS, st.sampled_from((b"", b"abc", b"abcde")), st.booleans())
@example([b"Content-Length: 3"], b"abc", True)
@example([b"Host: a\n\nGET /b HTTP/1.1", b"Content-Length: 3"], b"abc", True)
@example([b"Content-Length: 3\n", b"Content-Length: 5"], b"abcde", True)
@example([b"Content-Length: 03"], b"abc", True)
def test_a_put_that_is_taken_is_what_the_general_parser_finds(
    fields: list[bytes], body: bytes, is_ended: bool
) -> None:
    """Of the same target, host and credential, with the same body, and whole."""
    lines = [b"PUT /a HTTP/1.1", *fields, b"", b"" if is_ended else b"a"]
    data = b"\r\n".join(lines) + body
    put = read_put(data, _LIMIT)
    if put is None:
        return
    heads: list[RequestHead] = []
    bodies: list[bytes] = []
    parser = RequestParser(_LIMIT, heads.append, bodies.append, lambda: None)
    assert not parser.feed(data)
    [head] = heads
    assert parser.is_between and head.keep_alive and head.method == "PUT"
    assert (put.target, put.body) == (head.target, b"".join(bodies))
    assert put.host == (head.headers.get(b"host") or b"")
    assert put.authorization == (head.headers.get(b"authorization") or b"")
    assert b"expect" not in head.headers


def test_a_put_is_taken_whole_only() -> None:
    """Not while a part of its body is missing, nor with what comes after it."""
    data = b"PUT /a HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nContent-Length: 3\r\n\r\nabc"
    assert read_put(data, _LIMIT) == PlainPut("/a", b"a", b"b", b"abc")
    assert read_put(data[:-1], _LIMIT) is None
    assert read_put(data + b"d", _LIMIT) is None
    assert read_put(b"GET" + data[3:], _LIMIT) is None
    assert answer_plain(data, lambda *_: b"yes", _LIMIT) == ([], 0)


def _understood(pieces: Sequence[bytes], is_short: bool) -> tuple[list[tuple[str, str]], bool]:
    """Return methods and targets as a connection reads them, and whether it was nonsense."""
    found: list[tuple[str, str]] = []
    parser = RequestParser(
        _LIMIT, lambda head: found.append((head.method, head.target)), lambda _: None, lambda: None
    )

    def prompt(target: str, host: bytes) -> bytes:
        found.append(("GET", target))
        return b"HTTP/1.1 200 OK\r\n\r\n"

    for piece in pieces:
        if is_short and parser.is_between:
            piece = piece[answer_plain(piece, prompt, _LIMIT)[1] :]
        try:
            if parser.feed(piece):
                break
        except BadRequest:
            return found, True
    return found, False


@given(st.lists(_REQUESTS | _ANYTHING, max_size=4).map(b"".join), st.lists(st.integers(0, 200)))
@example(b"\rGET /a HTTP/1.1\r\n\r\n", [1])
@example(_PLAIN + _PLAIN, [len(_PLAIN) + 1])
@example(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(_PLAIN) + _PLAIN, [38])
def test_the_short_way_changes_no_request(data: bytes, cuts: list[int]) -> None:
    """In whatever pieces bytes come, those who take it are understood as those who do not."""
    data = data.replace(b"HEAD ", b"GET ")  # the prompt does not hear which of the two it is
    ends = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(ends)]
    assert _understood(pieces, True) == _understood(pieces, False)
