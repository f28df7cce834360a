"""The lines that say where a capture comes from."""

from hypothesis import given
from hypothesis import strategies as st

from agents import origin
from agents.origin import SentRequest
from anet.errors import UnsafeMessage
from anet.http.message import request_head

NAMES = st.sampled_from(["crawl", "address", "record-id", "truncated", "import"])
TOKENS = st.text("abcXYZ-09", min_size=1, max_size=12).map(str.encode)
FIELDS = st.lists(
    st.tuples(
        st.sampled_from([b"Host", b"Cookie", b"authorization", b"Accept", b"User-Agent"]) | TOKENS,
        st.binary(max_size=40),
    ),
    max_size=8,
)
NONE: frozenset[bytes] = frozenset()


@given(st.lists(st.tuples(NAMES, st.text())))
def test_no_value_passes_for_a_line(told: list[tuple[str, str]]) -> None:
    """Whatever values hold, as many fields are read as were written, with their names."""
    text = origin.composed(told)
    assert [name for name, _ in origin.fields(text)] == [name for name, value in told if value]
    assert text.count("\n") == len(text.splitlines())
    text.encode()


@given(st.lists(st.tuples(NAMES, st.text(st.characters(min_codepoint=32, max_codepoint=126)))))
def test_values_come_back(told: list[tuple[str, str]]) -> None:
    """Printable text is read as it was written."""
    assert list(origin.fields(origin.composed(told))) == [each for each in told if each[1]]


@given(st.text())
def test_any_text_may_be_read(text: str) -> None:
    """What is no origin has no fields, and fails in no other way."""
    list(origin.fields(text))
    for name in ("request", "request-body", "revisit"):
        origin.request_of(f"{name}: {text}")
        origin.revisit_of(f"{name}: {text}")


@given(FIELDS, st.text("/abc?=\xe9", min_size=1, max_size=20))
def test_a_request_comes_back_byte_for_byte(fields: list[tuple[bytes, bytes]], path: str) -> None:
    """But for the fields that are secret, of which the names are told."""
    try:
        head = request_head("GET", path, fields, None)
        public = [each for each in fields if each[0].lower() not in origin.CREDENTIALS]
        expected = request_head("GET", path, public, None)
    except UnsafeMessage:
        return
    lines = origin.request_lines(head, origin.CREDENTIALS)
    kept = origin.request_of(lines)
    assert kept is not None
    assert kept.head == expected
    left_out = [name.decode() for name, _ in fields if name.lower() in origin.CREDENTIALS]
    assert kept.without == ", ".join(left_out)
    assert lines.isascii()


@given(FIELDS, st.none() | st.binary(max_size=origin.BODY_LIMIT + 1))
def test_of_a_reader_only_what_tells_nobody(
    fields: list[tuple[bytes, bytes]], body: bytes | None
) -> None:
    """No field stays but those that all readers send alike; a body is whole or not there."""
    try:
        length = len(body or b"") or None
        head = request_head("POST", "/form", fields, length if body is not None else 10**6)
    except UnsafeMessage:
        return
    kept = origin.request_of(origin.lines_of_reader(head, body))
    assert kept is not None
    lines = kept.head.split(b"\r\n")[1:-2]
    assert {line.partition(b":")[0].lower() for line in lines} <= origin.IMPERSONAL
    personal = any(name.lower() not in origin.IMPERSONAL for name, _ in fields)
    assert kept.without == (origin.READER if personal else "")
    is_kept = body is not None and len(body) <= origin.BODY_LIMIT
    said = [value.strip() for name, value in fields if name.lower() == b"content-length"]
    if not said and b"transfer-encoding" not in {name.lower() for name, _ in fields}:
        assert kept.body == (body if is_kept else None)


def test_a_request_that_is_too_long_is_not_kept() -> None:
    """A part of it would pass for the whole."""
    head = request_head("GET", "/", [(b"Cookie", b"x" * origin.REQUEST_LIMIT)], None)
    assert origin.request_lines(head, NONE) == ""
    assert origin.request_lines(head, {b"cookie"}) != ""
    assert origin.lines_of_reader(b"", None) == origin.request_lines(b"", NONE) == ""


def test_what_is_no_head_is_no_request() -> None:
    """Two heads in one, or half a head, would be exported as something else than was sent."""
    for text in (
        '"GET / HTTP/1.1\\r\\n"',
        '"a\\r\\n\\r\\nb\\r\\n\\r\\n"',
        "[]",
        '"\\u0100"',
        "{",
        "1e999",
    ):
        assert origin.request_of(f"request: {text}\n") is None
    found = origin.request_of('request: "GET / HTTP/1.1\\r\\n\\r\\n"\nrequest-without: Cookie\n')
    assert found == SentRequest(b"GET / HTTP/1.1\r\n\r\n", b"", "Cookie")


def test_which_capture_is_repeated() -> None:
    """The two profiles of WARC, as crawlers and imports write them."""
    lines = "site: s\nrevisit: not-modified 20260101000000000000\n"
    assert origin.revisit_of(lines) == origin.Revisit("not-modified", "20260101000000000000")
    lines = "revisit: identical-payload 20260101000000000000 http://a.example/b c\n"
    found = origin.revisit_of(lines)
    assert found is not None and found.url == "http://a.example/b c"
    assert origin.revisit_of("site: revisit: x\n") is None
