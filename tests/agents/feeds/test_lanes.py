"""Taking turns at servers, and the agenda of feeds."""

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.feeds.agenda import Agenda
from agents.feeds.errors import Crowded
from agents.feeds.followed import Doing, Followed
from agents.feeds.lanes import LINE, Lanes


def enter(
    lanes: Lanes, server: str, order: list[int], number: int, *, patient: bool = True
) -> None:
    """Note `number` when its turn comes."""
    turn = Deferred.fromCoroutine(lanes.enter(server, patient=patient))
    turn.addCallback(lambda _: order.append(number))


def test_turns_come_in_order_one_pause_apart() -> None:
    """One at a time, first come first served; other servers are not waited for."""
    clock, order = Clock(), list[int]()
    lanes = Lanes(clock, 1.0)
    for number in range(3):
        enter(lanes, "a", order, number)
    enter(lanes, "b", order, 9)
    assert order == [0, 9]
    clock.advance(5)
    assert order == [0, 9]
    lanes.leave("a")
    clock.advance(0.9)
    assert order == [0, 9]
    clock.advance(0.1)
    assert order == [0, 9, 1]
    lanes.leave("a", rest=60.0)
    clock.advance(59)
    assert order == [0, 9, 1]
    clock.advance(1)
    assert order == [0, 9, 1, 2]


def test_who_has_no_patience_comes_again() -> None:
    """A long line, or a long rest, is told and not waited out."""
    clock, order = Clock(), list[int]()
    lanes = Lanes(clock, 1.0)
    for number in range(LINE + 1):
        enter(lanes, "a", order, number, patient=False)
    with pytest.raises(Crowded) as crowded:
        lanes.enter("a").send(None)
    assert crowded.value.seconds == LINE
    with pytest.raises(Crowded) as crowded:
        lanes.enter("a").send(None)
    assert crowded.value.seconds == LINE + 1  # after the one before
    enter(lanes, "b", order, 0)
    lanes.leave("b", rest=100.0)
    with pytest.raises(Crowded) as crowded:
        lanes.enter("b").send(None)
    assert crowded.value.seconds == 100.0


def test_who_gives_up_its_turn_holds_nobody_up() -> None:
    """A wait that is cancelled leaves the line."""
    clock, order = Clock(), list[int]()
    lanes = Lanes(clock, 1.0)
    enter(lanes, "a", order, 0)
    gone = Deferred.fromCoroutine(lanes.enter("a"))
    gone.addErrback(lambda _: None)
    enter(lanes, "a", order, 2)
    gone.cancel()
    lanes.leave("a")
    clock.advance(1)
    assert order == [0, 2]


def test_idle_servers_are_forgotten() -> None:
    """Memory is for those that are asked or rest."""
    clock, order = Clock(), list[int]()
    lanes = Lanes(clock, 1.0)
    enter(lanes, "a", order, 0)
    lanes.sweep()
    assert len(lanes) == 1
    lanes.leave("a")
    clock.advance(1)
    lanes.sweep()
    assert len(lanes) == 0


def test_feeds_begin_when_they_are_due() -> None:
    """In the order of their times, once each, as far as there is room."""
    clock, begun, room = Clock(), list[str](), [2]

    def begin(followed: Followed) -> None:
        room[0] -= 1
        begun.append(followed.url)

    agenda = Agenda(clock, begin, lambda: room[0] > 0)
    feeds = {name: Followed(name) for name in "abcd"}
    for name, seconds in zip("abcd", (30, 10, 20, 5), strict=True):
        agenda.put(feeds[name], seconds)
    agenda.put(feeds["d"], 40)  # its former time counts no more
    feeds["c"].doing = Doing.FORGOTTEN
    clock.advance(10)
    assert begun == ["b"]
    clock.pump([10, 10, 10, 10])
    assert begun == ["b", "a"]
    room[0] = 1
    agenda.look()
    assert begun == ["b", "a", "d"]
    assert not clock.getDelayedCalls()


def test_places_that_count_no_more_are_removed() -> None:
    """Feeds that are put in again and again do not fill the memory."""
    clock = Clock()
    agenda = Agenda(clock, lambda _: None, lambda: True)
    followed = Followed("a")
    for seconds in range(3000):
        agenda.put(followed, 10_000 - seconds)
        agenda.tidy(1)
    assert len(agenda._heap) < 1100
    assert len(clock.getDelayedCalls()) == 1
