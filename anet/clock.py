"""Timers go by a clock that nobody sets, and dates by the one that people set.

Twisted's reactor takes the time of day for both. Put that back an hour, as an operator does, or
NTP, or a virtual machine that goes on where it was, and no timer rings for an hour: no heartbeat,
no retry. Put it forward, and all deadlines have passed: every link is given up.

So a process makes its reactor steady. What `seconds` returns then is good for how long something
takes or lasts, and for nothing else; a date, which people read, or a file keeps, or another process
gets, is what `wall` makes of it.
"""

import time
from typing import Any

from twisted.internet.interfaces import IReactorTime

_BEGAN = time.time() - time.monotonic()


def steady() -> float:
    """Return seconds that go by evenly; they began with the time of day, and keep no date."""
    return _BEGAN + time.monotonic()


def keep_steady(reactor: Any) -> None:
    """Have the timers of a reactor go by `steady`, those that are set already too.

    Its own `callLater` and all that Twisted builds on it ask the reactor for `seconds`. Forked
    processes may do this again with reactors of their own.
    """
    reactor.seconds = steady


def wall(clock: IReactorTime, moment: float | None = None) -> float:
    """Return the time of day in seconds since the epoch.

    Args:
        clock: a reactor, or a test's clock, which is both clocks in one.
        moment: when, by the clock's own seconds; now, if not given.
    """
    if clock.seconds is not steady:
        return clock.seconds() if moment is None else moment
    now = time.time()
    return now if moment is None else now - steady() + moment
