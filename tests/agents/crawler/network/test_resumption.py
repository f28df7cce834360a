"""When a broken download may be gone on with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.network.resumption import goes_on, length_of, validator
from anet.http import ResponseHead, parse_head

DATE = "Date: Sat, 21 Nov 2026 07:30:30 GMT"


def head(*lines: str, status: int = 200) -> ResponseHead:
    """Return a head of these lines."""
    return parse_head("\r\n".join([f"HTTP/1.1 {status} OK", *lines, "", ""]).encode())


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Accept-Ranges: bytes", 'ETag: "x"'], b'"x"'),
        (["Accept-Ranges: bytes", 'ETag: W/"x"'], None),
        (['ETag: "x"'], None),
        (["Accept-Ranges: none", 'ETag: "x"'], None),
        (["Accept-Ranges: bytes"], None),
        (["Accept-Ranges: bytes", DATE, "Last-Modified: Sat, 21 Nov 2026 07:00:00 GMT"],
         b"Sat, 21 Nov 2026 07:00:00 GMT"),
        (["Accept-Ranges: bytes", DATE, "Last-Modified: Sat, 21 Nov 2026 07:30:00 GMT"], None),
        (["Accept-Ranges: bytes", "Last-Modified: Sat, 21 Nov 2026 07:00:00 GMT"], None),
        (["Accept-Ranges: bytes", DATE, "Last-Modified: once"], None),
    ],
)  # fmt: skip
def test_what_names_a_version(lines: list[str], expected: bytes | None) -> None:
    """Only a strong validator does."""
    assert validator(head(*lines)) == expected
    assert validator(head(*lines, status=206)) is None


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_what_goes_on(size: int, begin: int, end: int, total: int) -> None:
    """A range goes on just where the body broke off, in a body of the same length."""
    first = head("Content-Length: 40")
    answer = head(f"Content-Range: bytes {begin}-{end}/{total}", status=206)
    assert goes_on(first, size, answer) == (begin == size and end >= size and total == 40)


def test_codings_are_not_mixed() -> None:
    """The rest is coded as the beginning was."""
    first = head("Content-Length: 4", "Content-Encoding: gzip")
    lines = ["Content-Range: bytes 2-3/4"]
    assert not goes_on(first, 2, head(*lines, status=206))
    assert goes_on(first, 2, head(*lines, "Content-Encoding: gzip", status=206))


@given(st.binary(max_size=100), st.integers(0, 9))
def test_any_head(lines: bytes, size: int) -> None:
    """Whatever a server says gives a decision."""
    some = parse_head(b"HTTP/1.1 206 OK\r\nContent-Range: " + lines + b"\r\n\r\n")
    goes_on(some, size, some)
    other = parse_head(
        b"HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\nLast-Modified: " + lines + b"\r\n"
    )
    validator(other)
    length_of(parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: " + lines + b"\r\n\r\n"))
