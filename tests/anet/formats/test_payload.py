"""Heads and chunks of HTTP in blocks: taken apart only where they can be put together again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.formats.payload import Chunks, NotChunked, http_head, in_chunks

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: a\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKED = b"4\r\nWiki\r\n4\r\npedi\r\nb\r\na in chunks\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "chunked"),
    [
        (HEAD, True),
        (HEAD.replace(b"\r\n", b"\n"), True),
        (b"HTTP/1.0 200\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nX: a\r\n Transfer-Encoding: chunked\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip,\r\n Chunked\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nX: \xff\xe9\0\r\nnonsense\r\n\r\n", False),
        (b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", False),
    ],
)
def test_heads(head, chunked):
    """A head ends with its empty line, whatever its lines are like; it is kept as it is."""
    for body in (b"", b"body\r\n\r\n", b"\r\n"):
        found = http_head(head + body, True)
        assert (found.form, found.raw, found.chunked) == ("http", head, chunked)


def test_more_is_needed():
    """A head that has not ended asks for more, unless the block has no more: then it is bare."""
    for end in range(17, len(HEAD)):
        assert http_head(HEAD[:end], False) is None
        assert http_head(HEAD[:end], True).form == "bare"
        assert http_head(HEAD[:end], True).raw == HEAD[:end]


@pytest.mark.parametrize("block", [b"<html>\n", b"", b"\r\n\r\n", b"\0" * 70000, b"a" * 70000])
def test_no_head(block):
    """An answer of HTTP/0.9 is all body."""
    found = http_head(block, True)
    assert (found.form, found.raw) == ("none", b"")
    assert http_head(block + b"\n" * 70000, False).form == "none"


def test_an_endless_head():
    """What has no empty line within the limit is all body, and no more of it is asked for."""
    block = b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 1000
    assert http_head(block, False, 2000).form == "endless"
    assert http_head(block, False, 10000) is None


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 3))), st.data())
def test_chunks_are_undone_and_made_again(drawn, data):
    """Any body in chunks is the body and their sizes, in whatever pieces it comes."""
    sizes = []
    for size, times in drawn:
        if not sizes or sizes[-1][0] != size:
            sizes.append((size, times))
    total = sum(size * times for size, times in sizes)
    body = (bytes(range(256)) * (total // 256 + 1))[:total]
    block = in_chunks(body, sizes)
    chunks, pieces, at = Chunks(), [], 0
    while at < len(block):
        step = data.draw(st.integers(1, len(block)))
        pieces.append(chunks.feed(block[at : at + step]))
        at += step
    chunks.close()
    assert (b"".join(pieces), chunks.sizes) == (body, sizes)


@given(
    st.binary(max_size=60)
    | st.lists(
        st.sampled_from(
            [b"0", b"1", b"a", b"A", b"\r\n", b"\r", b"\n", b";", b"4\r\nWiki\r\n", b"0\r\n\r\n"]
        )
    ).map(b"".join)
)
def test_nothing_that_cannot_be_made_again(block):
    """What is taken for chunks is made again byte for byte, whatever it is."""
    chunks = Chunks()
    try:
        body = chunks.feed(block)
        chunks.close()
    except NotChunked:
        return
    assert in_chunks(body, chunks.sizes) == block


@pytest.mark.parametrize(
    "block",
    [
        CHUNKED.replace(b"b\r\n", b"B\r\n"),
        CHUNKED.replace(b"b\r\n", b"0b\r\n"),
        CHUNKED.replace(b"b\r\n", b"b;x=y\r\n"),
        CHUNKED.replace(b"b\r\n", b"c\r\n"),
        CHUNKED.replace(b"0\r\n", b"0\r\nX: a\r\n"),
        CHUNKED + b"\r\n",
        CHUNKED[:-1],
        b"",
        b"f" * 16,
        b"not in chunks",
    ],
)
def test_not_chunked(block):
    """Framing that sizes cannot tell again, or that is not sound, is refused."""
    chunks = Chunks()
    with pytest.raises(NotChunked):  # noqa: PT012 (either may say so)
        chunks.feed(block)
        chunks.close()


def test_chunks():
    """The example of the RFC's authors."""
    chunks = Chunks()
    assert chunks.feed(CHUNKED) == b"Wikipedia in chunks"
    assert chunks.sizes == [(4, 2), (11, 1)]
