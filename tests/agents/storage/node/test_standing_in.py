"""A node that stands in for another takes structure files whole, and holds nobody up with it."""

from typing import Any

from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from agents.capture import structure_key
from agents.storage.disk.node_store import NodeStore
from agents.storage.node.fetcher import NotThere
from agents.storage.node.standing_in import WITHIN, StandingIn

HELD, SLOW, GONE = (structure_key(f"http://a.example/{name}") for name in ("held", "slow", "gone"))


class Sources:
    """Other nodes: one never answers, one lacks what it should have."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def merge(self, key: str, source: str) -> Any:
        """Take a file, in the place of `Fetcher`."""
        self.asked.append(key)
        return self._merge(key)

    async def _merge(self, key: str) -> int:
        if key == GONE:
            raise NotThere("404")
        await Deferred() if key == SLOW else await succeed(None)
        return 1


@ensureDeferred
async def test_what_cannot_be_taken_in_time_is_begun_without(
    node_store: NodeStore, make_capture
) -> None:
    """Captures are recorded all the same; a file that is here, or a key that is none, is left."""
    await node_store.append([make_capture("http://a.example/held")])
    clock, sources = Clock(), Sources()
    standing_in = StandingIn(clock, node_store, sources)  # type: ignore[arg-type]
    urls = dict.fromkeys((HELD, SLOW, GONE, "../etc"), "http://b")
    begun = Deferred.fromCoroutine(standing_in.begin(urls))
    assert not begun.called and sources.asked == [SLOW, GONE]
    clock.advance(WITHIN)
    assert await begun is None
    assert await Deferred.fromCoroutine(standing_in.begin({GONE: "http://b"})) is None
