"""What the scheduler tells of its steps."""

from typing import Any

from twisted.internet.task import Clock
from twisted.logger import formatEvent, globalLogPublisher

from agents.scheduler.journal import Journal


def test_of_many_steps_in_a_second_some_are_logged_and_the_others_counted() -> None:
    """A thousand orders a second do not cost a thousand lines, and no line is lost silently."""
    clock, lines = Clock(), []

    def observe(event: Any) -> None:
        lines.append(formatEvent(event))

    journal = Journal(clock)
    globalLogPublisher.addObserver(observe)
    try:
        for number in range(300):
            journal.tell(f"step {number}")
        clock.advance(1)
        journal.tell("another second")
        journal.tell("and another step")
    finally:
        globalLogPublisher.removeObserver(observe)
    assert lines == [
        *(f"step {number}" for number in range(50)),
        "and 250 steps more",
        "another second",
        "and another step",
    ]
    assert journal.lines() == []
