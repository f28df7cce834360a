"""A content is streamed from whichever node gives it, and proven on the way."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.capture import content_key
from agents.consultation.errors import ContentDamaged, NodesFailed
from agents.consultation.lookup.contents import HELD_LIMIT, Content
from anet.http import Response

LONG = bytes(range(256)) * 8192  # 2 MiB


async def taken(content: Content) -> bytes:
    """Return all bytes of a content."""
    await content.begin()
    return b"".join([piece async for piece in content])


def content_of(archive, body: bytes, key: str = "", size: int | None = None) -> Content:
    """Return the content from both nodes of an archive, the first one first."""
    nodes = [archive.first.url, archive.second.url]
    size = len(body) if size is None else size
    return Content(archive.client, nodes, key or content_key(body), size)


@pytest.mark.parametrize("body", [b"", b"x", b"y" * HELD_LIMIT, LONG], ids=len)
@ensureDeferred
async def test_every_byte_comes(archive, body):
    """Contents of any size come whole, from the first node."""
    archive.add("http://a/", body)
    assert await taken(content_of(archive, body)) == body
    assert not archive.second.asked


@ensureDeferred
async def test_a_node_without_the_content_is_left_for_the_next(archive):
    """A node that answers 404 costs nothing but a question."""
    archive.add("http://a/", b"body")
    archive.first.contents.clear()
    assert await taken(content_of(archive, b"body")) == b"body"


@ensureDeferred
async def test_a_node_that_is_down_is_left_for_the_next(archive):
    """A refused connection leads to the next replica."""
    archive.add("http://a/", b"body")
    await archive.first.server.stopService()
    assert await taken(content_of(archive, b"body")) == b"body"


@pytest.mark.parametrize("cut", [0, 1, 100_000, 1_500_000])
@ensureDeferred
async def test_a_node_that_dies_on_the_way_is_replaced(archive, cut):
    """The next replica goes on where the first one stopped, and no byte is doubled."""
    archive.add("http://a/", LONG)
    archive.first.cut_after = cut
    assert await taken(content_of(archive, LONG)) == LONG


@ensureDeferred
async def test_a_damaged_small_content_is_replaced_before_a_byte_is_given(archive):
    """The digest of what a node gives is checked, and the other replica serves."""
    archive.add("http://a/", b"right")
    archive.first.contents[content_key(b"right")] = b"wrong"
    assert await taken(content_of(archive, b"right")) == b"right"


@ensureDeferred
async def test_a_damaged_long_content_never_comes_whole(archive):
    """The last piece of a content that is not what its key says is kept back."""
    archive.add("http://a/", LONG)
    key = content_key(LONG)
    archive.first.contents[key] = LONG[:-1] + b"?"
    content = content_of(archive, LONG)
    await content.begin()
    pieces: list[bytes] = []
    with pytest.raises(ContentDamaged):
        async for piece in content:
            pieces.append(piece)
    assert len(b"".join(pieces)) < len(LONG)


@ensureDeferred
async def test_a_content_of_another_length_is_refused(archive):
    """A node whose content has not the size of the capture does not serve it."""
    archive.add("http://a/", b"body")
    with pytest.raises(NodesFailed, match="with 4 bytes"):
        await content_of(archive, b"body", size=5).begin()


@ensureDeferred
async def test_no_node_is_a_failure(archive):
    """With no node to ask there is no content."""
    with pytest.raises(NodesFailed):
        await Content(archive.client, [], content_key(b"x"), 1).begin()


@ensureDeferred
async def test_what_is_not_read_is_let_go(archive):
    """Closing a begun content frees its node's connection."""
    archive.add("http://a/", LONG)
    content = content_of(archive, LONG)
    await content.begin()
    await content.aclose()
    assert await taken(content_of(archive, LONG)) == LONG


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(size=st.integers(0, 3 * HELD_LIMIT), cut=st.integers(0, 3 * HELD_LIMIT))
@ensureDeferred
async def test_whatever_breaks_where(archive, size, cut):
    """Whatever the size and wherever the first node stops, the bytes are the same."""
    body = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    archive.add("http://a/", body)
    archive.first.cut_after = cut
    assert await taken(content_of(archive, body)) == body


@pytest.mark.parametrize("size", [1000, 600_000])
@pytest.mark.parametrize("cut_after", [None, 50])
@ensureDeferred
async def test_a_part_comes_alone(archive, size, cut_after):
    """Only the bytes that are wanted are given, also when a node stops in their middle."""
    body = bytes(index % 251 for index in range(size))
    capture = archive.add("http://a.example/", body)
    archive.first.cut_after = cut_after
    nodes = [archive.first.url, archive.second.url]
    content = Content(archive.client, nodes, capture.content, size, (100, 800))
    assert await taken(content) == body[100:800]


@ensureDeferred
async def test_a_part_of_a_small_content_is_proven(archive):
    """A node that gives wrong bytes is left for the next, though they are not all wanted."""
    capture = archive.add("http://a.example/", b"right")
    archive.first.contents[capture.content] = b"wrong"
    nodes = [archive.first.url, archive.second.url]
    content = Content(archive.client, nodes, capture.content, 5, (0, 2))
    assert await taken(content) == b"ri"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from([1, 5000, HELD_LIMIT, HELD_LIMIT + 1, 700_000]), st.data())
@ensureDeferred
async def test_any_part_is_those_bytes(archive, size, data):
    """Whatever is asked for, from nodes or from what is here already, and wherever a node stops."""
    body = LONG[:size]
    capture = archive.add("http://a.example/", body)
    start = data.draw(st.integers(0, size - 1))
    stop = data.draw(st.integers(start + 1, size))
    archive.first.cut_after = data.draw(st.none() | st.integers(0, size))
    nodes = [archive.first.url, archive.second.url]
    of_nodes = Content(archive.client, nodes, capture.content, size, (start, stop))
    assert await taken(of_nodes) == body[start:stop]
    at_hand = Content(archive.client, [], capture.content, size, (start, stop), body)
    assert await taken(at_hand) == body[start:stop] == at_hand.whole


@pytest.mark.parametrize("span", [None, (1000, 60_000_000)])
@ensureDeferred
async def test_no_content_is_held_whole(archive, serve, span):
    """While nobody reads, the node waits: a bounded part of it is in memory, and is on its way."""
    size, given = 64_000_000, 0
    first, stop = span or (0, size)

    async def pieces():
        nonlocal given
        while given < stop - first:
            piece = bytes(min(65536, stop - first - given))
            given += len(piece)
            yield piece

    async def node(request):
        if request.path == "/ping":
            return Response.text(200, "pong")
        return Response(200 if span is None else 206, [], pieces(), length=stop - first)

    url = f"http://{serve(node)}"
    content = Content(archive.client, [url], "0" * 64, size, span)
    await content.begin()
    for _ in range(50):  # the node has had the time to send more
        await (await archive.client.request("GET", url + "/ping")).read(10)
    assert given < size / 4  # what the kernel buffers of a connection is among it
    assert sum(map(len, [*content._begun, *content._body._pieces])) < 3 * HELD_LIMIT
    content.close()
