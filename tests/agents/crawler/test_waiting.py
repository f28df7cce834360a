"""A crawl that does not fetch says why, and until when."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.crawler.waiting import PAUSED, SLOW, Waiting


def test_a_wait_has_a_reason_and_an_end() -> None:
    """While it lasts both are told; afterwards neither."""
    clock = Clock()
    clock.advance(100)
    waiting = Waiting(clock)
    slept = waiting.sleep(5, "a.org is left alone")
    assert (waiting.reason, waiting.until) == ("a.org is left alone", 105)
    clock.advance(5)
    assert slept.called and (waiting.reason, waiting.until) == ("", 0)


def test_a_slow_answer_is_worth_a_word() -> None:
    """Only once it has taken long, and each URL begins anew."""
    clock = Clock()
    waiting = Waiting(clock)
    waiting.begin()
    clock.advance(SLOW - 0.1)
    assert waiting.now("a.org") == ("", 0)
    clock.advance(1)
    assert waiting.now("a.org") == ("a.org has been answering for 4 s", 0)
    assert waiting.now("") == ("", 0)
    waiting.begin()
    assert waiting.now("a.org") == ("", 0)


def test_a_slow_step() -> None:
    """What takes long before the server answers is told as what it is, and when it is given up."""
    clock = Clock()
    waiting = Waiting(clock)
    waiting.doing("the name a.org is being looked up", 10)
    clock.advance(4)
    assert waiting.now("a.org") == ("the name a.org is being looked up, for 4 s", 10)
    waiting.doing()
    assert waiting.now("a.org") == ("", 0)


def test_paused() -> None:
    """The gate is shut until somebody resumes; twice is once."""
    waiting = Waiting(Clock())
    assert waiting.pause() and not waiting.pause()
    through = Deferred.fromCoroutine(waiting.gate())
    assert not through.called and waiting.reason == PAUSED
    assert waiting.resume() and not waiting.resume()
    assert through.called and waiting.reason == ""
    assert Deferred.fromCoroutine(waiting.gate()).called
