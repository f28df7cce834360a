"""Telling answers that never end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.http import parse_head
from anet.media.kinds import is_live_stream


def head(*lines: str, status: int = 200) -> bytes:
    """Return a head of these lines."""
    return "\r\n".join([f"HTTP/1.1 {status} OK", *lines, "", ""]).encode()


@pytest.mark.parametrize(
    "lines",
    [
        ["icy-metaint: 16000", "Content-Type: audio/mpeg", "Content-Length: 54000000"],
        ["Content-Type: audio/mpeg"],
        ["Content-Type: application/ogg"],
        ["Content-Type: video/mp2t; x=y", "Transfer-Encoding: chunked"],
        ["Content-Type: multipart/x-mixed-replace; boundary=x"],
        ["Content-Type: text/event-stream"],
    ],
)
def test_live(lines: list[str]) -> None:
    """Radio, cameras, events."""
    assert is_live_stream(parse_head(head(*lines)))
    assert not is_live_stream(parse_head(head(*lines, status=404)))


def test_old_radio() -> None:
    """A server that does not even say HTTP."""
    assert is_live_stream(parse_head(b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n"))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Content-Type: text/html"],
        ["Content-Type: audio/mpeg", "Content-Length: 5"],
        ["Content-Type: video/mp4", 'ETag: "x"', "Transfer-Encoding: chunked"],
        ["Content-Type: video/mp4", 'Content-Disposition: attachment; filename="x.mp4"'],
        ["Content-Type: audio/x-mpegurl"],
        ["Content-Type: video/x-ms-asf"],
    ],
)
def test_not_live(lines: list[str]) -> None:
    """Pages, files, and lists of what is live."""
    assert not is_live_stream(parse_head(head(*lines)))


@given(st.binary(max_size=200))
def test_any_head(rest: bytes) -> None:
    """Whatever a server says."""
    is_live_stream(parse_head(b"HTTP/1.1 200 OK\r\n" + rest + b"\r\n\r\n"))
