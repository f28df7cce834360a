"""The life of a stream, as a table of transitions; drawn in `docs/reference/scheduler-states.md`.

Beside its phase, which the scheduler moves, a stream has what a person said of it: that sticks.
Which agent has it is a column of its own: a stream that is ordered may still wait for one.
"""

from collections.abc import Mapping
from enum import StrEnum

from agents.scheduler.life import NoSuchTransition


class Phase(StrEnum):
    """Where a stream is."""

    CANDIDATE = "candidate"  # it is known, and nobody listens
    ORDERED = "ordered"  # it is to be listened to; nothing has come yet
    RECEIVING = "receiving"  # it is being received
    BROKEN = "broken"  # it was, and is tried again by its agent
    ASIDE = "aside"  # nothing live was there; it is tried again when its time has come


class StreamEvent(StrEnum):
    """What happens to a stream."""

    CHOSEN = "chosen"  # it shall be listened to
    DROPPED = "dropped"  # it shall not any more
    GIVEN = "given"  # to an agent, or to another than before
    HEARD = "heard"  # its agent receives it
    FAILED = "failed"  # its agent does not, and goes on trying
    SET_ASIDE = "set aside"  # it has ended, is none, or failed too often
    DUE = "due"  # it may be tried again


class Hand(StrEnum):
    """What a person said of a stream."""

    NOTHING = ""
    START = "start"
    STOP = "stop"


LISTENED = frozenset({Phase.ORDERED, Phase.RECEIVING, Phase.BROKEN})

_STREAM: Mapping[tuple[Phase, StreamEvent], Phase] = {
    (Phase.CANDIDATE, StreamEvent.CHOSEN): Phase.ORDERED,
    (Phase.ASIDE, StreamEvent.DUE): Phase.CANDIDATE,
    (Phase.ORDERED, StreamEvent.FAILED): Phase.ORDERED,
    (Phase.RECEIVING, StreamEvent.FAILED): Phase.BROKEN,
    (Phase.BROKEN, StreamEvent.FAILED): Phase.BROKEN,
    **{(phase, StreamEvent.GIVEN): Phase.ORDERED for phase in LISTENED},
    **{(phase, StreamEvent.HEARD): Phase.RECEIVING for phase in LISTENED},
    **{(phase, StreamEvent.SET_ASIDE): Phase.ASIDE for phase in LISTENED},
    **{(phase, StreamEvent.DROPPED): Phase.CANDIDATE for phase in LISTENED},
}


def phase_after(phase: Phase, event: StreamEvent) -> Phase:
    """Return the phase of a stream after an event.

    Raises:
        NoSuchTransition: it cannot happen in this phase.
    """
    try:
        return _STREAM[phase, event]
    except KeyError:
        raise NoSuchTransition(f"{event} cannot happen to a stream that is {phase}") from None
