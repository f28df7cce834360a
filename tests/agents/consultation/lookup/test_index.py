"""The index node is asked over a link that may be redirected in the middle of a question."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.lookup.index import ATTEMPTS, PAUSE, IndexNode
from agents.consultation.lookup.structures import Nodes
from hip import CallTimedOut, ConnectionLost, RemoteError

KEY = "ab" * 32


class Link:
    """A link whose calls answer, or raise, one after another."""

    state = "linked"

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.calls = []

    async def call(self, method, *, timeout, **arguments):
        self.calls.append((method, arguments))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def start(link, clock):
    """Ask an index node where a content is."""
    return Deferred.fromCoroutine(IndexNode(clock, link, 5.0).find("contents", KEY))


@ensureDeferred
async def test_a_question_has_kind_and_key():
    """What is asked is `find(kind, key)`."""
    link = Link(["http://n"])
    assert await start(link, Clock()) == ["http://n"]
    assert link.calls == [("find", {"kind": "contents", "key": KEY})]


@pytest.mark.parametrize(
    "error",
    [
        ConnectionLost("redirected"),
        RemoteError("unknown-method", "the master's answer"),
        RemoteError("no-index", "the master's answer"),
    ],
)
@ensureDeferred
async def test_a_redirection_in_the_middle_is_waited_out(error):
    """The question is put again, to the index node that the master named."""
    clock, link = Clock(), Link(error, ["http://n"])
    asked = start(link, clock)
    clock.advance(PAUSE)
    assert await asked == ["http://n"]


@ensureDeferred
async def test_patience_ends():
    """A link that breaks again and again is a failure, with its reason."""
    clock, link = Clock(), Link(*[ConnectionLost("gone")] * ATTEMPTS)
    asked = start(link, clock)
    for _ in range(ATTEMPTS):
        clock.advance(PAUSE)
    with pytest.raises(LookupFailed, match="gone"):
        await asked


@pytest.mark.parametrize(
    "answer", [CallTimedOut("silence"), RemoteError("failed", "a mistake"), {"not": "a list"}]
)
@ensureDeferred
async def test_other_failures_are_told_at_once(answer):
    """Silence, an error, and an answer of another form are not waited out."""
    with pytest.raises(LookupFailed):
        await start(Link(answer), Clock())


@ensureDeferred
async def test_holders_that_are_all_down_are_named():
    """A file that is known and out of reach is no absence: the reason reaches the reader."""
    link = Link(RemoteError("holders-down", "only storage-1 hold it, and cannot be reached"))
    with pytest.raises(NodesFailed, match=r"^only storage-1"):
        await start(link, Clock())
    with pytest.raises(LookupFailed, match="one may hold it"):
        await start(Link(RemoteError("not-sure", "one may hold it")), Clock())


@ensureDeferred
async def test_the_nodes_that_are_up_are_told():
    """Of all nodes the index node knows, those that are down are only counted."""
    nodes = [
        {"status": {"name": "storage-1", "url": "http://n", "free": 1}, "up": True},
        {"status": {"name": "storage-2", "url": "http://m", "free": 1}, "up": False},
    ]
    link = Link({"replicas": 2, "nodes": nodes})
    assert await IndexNode(Clock(), link, 5.0).nodes() == Nodes(["http://n"], down=1)
