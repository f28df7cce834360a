"""Which way of looking up is used is decided by what answers."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.consultation.errors import LookupFailed
from agents.consultation.lookup.locators import (
    SECONDS_BETWEEN_TRIALS,
    AutoLocator,
    IndexLocator,
    MulticastLocator,
)
from anet.errors import Overloaded
from anet.tasks import Tasks

KEY = "ab" * 32


class Fake:
    """A locator that answers what it is told to."""

    lookup = "fake"

    def __init__(self, answer) -> None:
        self.answer = answer
        self.asked = 0

    async def locate(self, kind, key):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        if isinstance(self.answer, Deferred):
            return await self.answer
        return self.answer


def auto(multicast, index):
    """Return an automatic locator, its clock, and the two below it."""
    clock, below = Clock(), (Fake(multicast), Fake(index))
    return AutoLocator(clock, Tasks(), *below), clock, *below


@ensureDeferred
async def test_the_index_answers_while_multicast_is_tried():
    """A lookup does not wait for the trial of multicast beside it."""
    locator, _, multicast, _ = auto(Deferred(), ["http://i"])
    assert await locator.locate("contents", KEY) == ["http://i"]
    assert (locator.lookup, multicast.asked) == ("auto", 1)
    multicast.answer.callback(["http://m"])
    assert locator.lookup == "multicast"


@ensureDeferred
async def test_multicast_is_used_once_it_answers():
    """Afterwards the index node is left alone."""
    locator, _, _, index = auto(["http://m"], ["http://i"])
    await locator.locate("contents", KEY)
    assert await locator.locate("contents", KEY) == ["http://m"]
    assert index.asked == 1


@ensureDeferred
async def test_a_lost_datagram_is_made_good_by_the_index():
    """Silence of multicast for a file that exists is not a hole."""
    locator, _, multicast, _ = auto(["http://m"], ["http://i"])
    await locator.locate("contents", KEY)
    multicast.answer = []
    assert await locator.locate("contents", KEY) == ["http://i"]
    assert locator.lookup == "multicast"


@ensureDeferred
async def test_multicast_that_fell_silent_is_left():
    """Three silences running, and the index node is used."""
    locator, _, multicast, _ = auto(["http://m"], ["http://i"])
    await locator.locate("contents", KEY)
    multicast.answer = []
    for _ in range(3):
        await locator.locate("contents", KEY)
    assert locator.lookup == "index"


@ensureDeferred
async def test_multicast_is_tried_again_after_some_minutes():
    """The index node in use is left when multicast comes to life."""
    locator, clock, multicast, _ = auto([], ["http://i"])
    for _ in range(4):
        await locator.locate("contents", KEY)
    assert (locator.lookup, multicast.asked) == ("index", 3)
    clock.advance(SECONDS_BETWEEN_TRIALS)
    multicast.answer = ["http://m"]
    await locator.locate("contents", KEY)
    assert locator.lookup == "multicast"


@ensureDeferred
async def test_an_unknown_file_judges_nothing():
    """Silence of both is no reason to leave or to try anything."""
    locator, _, multicast, _ = auto([], [])
    for _ in range(5):
        assert await locator.locate("structures", KEY) == []
    assert (locator.lookup, multicast.asked) == ("auto", 0)


@ensureDeferred
async def test_without_index_multicast_is_asked():
    """An index node that does not answer leaves multicast."""
    locator, *_ = auto(["http://m"], LookupFailed("down"))
    assert await locator.locate("contents", KEY) == ["http://m"]


@ensureDeferred
async def test_without_either_the_lookup_fails():
    """That nobody could be asked is not the same as that nobody has it."""
    locator, *_ = auto([], LookupFailed("down"))
    with pytest.raises(LookupFailed):
        await locator.locate("contents", KEY)
    locator, *_ = auto(LookupFailed("no network"), LookupFailed("down"))
    with pytest.raises(LookupFailed, match="down"):
        await locator.locate("contents", KEY)


@ensureDeferred
async def test_multicast_asks_by_the_bytes_of_the_key():
    """The group is asked for the key itself, within the time-out."""

    class Groups:
        async def find(self, kind, key, timeout):
            return [kind, key.hex(), str(timeout)]

    assert await MulticastLocator(Groups(), 1.5).locate("contents", KEY) == ["contents", KEY, "1.5"]


@pytest.mark.parametrize("error", [OSError("no route"), Overloaded("full")])
@ensureDeferred
async def test_a_question_that_cannot_be_sent_is_a_failure(error):
    """A network without multicast is not an empty archive."""

    class Groups:
        async def find(self, kind, key, timeout):
            raise error

    with pytest.raises(LookupFailed):
        await MulticastLocator(Groups(), 1.0).locate("contents", KEY)


@ensureDeferred
async def test_the_index_locator_asks_the_index():
    """What the index node says is what is found."""

    async def find(kind, key):
        return [f"http://{kind}/{key[:2]}"]

    assert await IndexLocator(find).locate("structures", KEY) == ["http://structures/ab"]
