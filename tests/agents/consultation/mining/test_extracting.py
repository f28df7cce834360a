"""Documents wait for their worker outside of memory."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred

from agents.consultation.mining import extracting as room
from agents.consultation.mining.extracting import TOGETHER, WAITING, Extracting
from anet.errors import Overloaded


class Slow:
    """A content that comes when it is told to."""

    reading = 0
    closed = False

    def __init__(self) -> None:
        self.comes: Deferred[None] = Deferred()

    def __aiter__(self):
        return self

    async def __anext__(self):
        Slow.reading += 1
        await self.comes
        raise StopAsyncIteration

    def close(self):
        """Let go of the node."""
        self.closed = True


@ensureDeferred
async def test_a_few_documents_are_in_memory_at_once(reactor, archive, monkeypatch):
    """Each may have 32 MiB: others wait, within a limit, and the next is refused."""
    extracting = Extracting(reactor)

    async def told(*_):
        raise Overloaded("enough of this test")

    monkeypatch.setattr(extracting._processes, "run", told)
    capture = archive.add("http://a.example/", b"x")
    contents = [Slow() for _ in range(TOGETHER + WAITING)]
    running = [Deferred.fromCoroutine(extracting.extract(capture, content)) for content in contents]
    assert Slow.reading == TOGETHER
    refused = Slow()
    with pytest.raises(Overloaded):
        await extracting.extract(capture, refused)
    assert refused.closed
    for content, one in zip(contents, running, strict=True):
        content.comes.callback(None)
        with pytest.raises(Overloaded):
            await one
    assert Slow.reading == len(contents) and all(content.closed for content in contents)
    assert room.BODY_LIMIT * TOGETHER <= 2**28
