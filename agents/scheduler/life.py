"""The lives of a site, of a crawl and of a crawler in the pool, as three tables of transitions.

The same events move a crawl and its site, so both tables speak of the same `Event`s. Drawn and
explained in `docs/reference/scheduler-states.md`; pure functions, no I/O.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar


class Event(StrEnum):
    """What happens to a crawl, and through it to its site."""

    ORDERED = "ordered"  # somebody asks for the site
    STARTED = "started"  # an attempt begins: a crawler is asked to collect
    REFUSED = "refused"  # that crawler will not, and has done nothing
    LOST = "lost"  # that crawler is gone, and what it collected with it
    GIVEN_UP = "given up"  # lost once too often
    FINISHED = "finished"  # the whole site is collected
    ERRED = "erred"  # the crawler says that the site cannot be collected
    DEPOSIT_BEGAN = "deposit began"
    DEPOSIT_BROKE = "deposit broke"  # to be tried again
    DEPOSIT_DONE = "deposit done"  # all of it is durable
    DEPOSIT_IMPOSSIBLE = "deposit impossible"  # what was collected is gone or unreadable


class SiteState(StrEnum):
    """Where a site is in its life."""

    KNOWN = "known"
    DUE = "due"
    COLLECTING = "collecting"
    COLLECTED = "collected"
    DEPOSITING = "depositing"
    IDLE = "idle"
    FAILED = "failed"


class CrawlState(StrEnum):
    """Where a crawl is in its life."""

    ORDERED = "ordered"
    COLLECTING = "collecting"
    COLLECTED = "collected"
    DEPOSITING = "depositing"
    DEPOSITED = "deposited"
    FAILED = "failed"


class CrawlerEvent(StrEnum):
    """What happens to a crawler of the pool."""

    JOINED = "joined"  # its link is up
    READY = "ready"  # it says that it is free
    ASSIGNED = "assigned"  # a crawl is given to it
    CONTINUES = "continues"  # it says that it works on the crawl we count on it for
    STALE = "stale"  # it works on what nobody wants any more, or refuses; it shall say when ready
    LEFT = "left"  # its link closed
    EXPECTED = "expected"  # known to work, from before the scheduler started


class CrawlerState(StrEnum):
    """Where a crawler of the pool is."""

    UNKNOWN = "unknown"
    JOINING = "joining"
    FREE = "free"
    BUSY = "busy"
    STOPPING = "stopping"
    AWAY = "away"


_SITE: Mapping[tuple[SiteState, Event], SiteState] = {
    (SiteState.KNOWN, Event.ORDERED): SiteState.DUE,
    (SiteState.IDLE, Event.ORDERED): SiteState.DUE,
    (SiteState.FAILED, Event.ORDERED): SiteState.DUE,
    (SiteState.DUE, Event.STARTED): SiteState.COLLECTING,
    (SiteState.COLLECTING, Event.REFUSED): SiteState.DUE,
    (SiteState.COLLECTING, Event.LOST): SiteState.DUE,
    (SiteState.COLLECTING, Event.GIVEN_UP): SiteState.FAILED,
    (SiteState.COLLECTING, Event.ERRED): SiteState.FAILED,
    (SiteState.COLLECTING, Event.FINISHED): SiteState.COLLECTED,
    (SiteState.COLLECTED, Event.DEPOSIT_BEGAN): SiteState.DEPOSITING,
    (SiteState.DEPOSITING, Event.DEPOSIT_BROKE): SiteState.COLLECTED,
    (SiteState.DEPOSITING, Event.DEPOSIT_IMPOSSIBLE): SiteState.FAILED,
    (SiteState.DEPOSITING, Event.DEPOSIT_DONE): SiteState.IDLE,
}

_CRAWL: Mapping[tuple[CrawlState, Event], CrawlState] = {
    (CrawlState.ORDERED, Event.STARTED): CrawlState.COLLECTING,
    (CrawlState.COLLECTING, Event.REFUSED): CrawlState.ORDERED,
    (CrawlState.COLLECTING, Event.LOST): CrawlState.ORDERED,
    (CrawlState.COLLECTING, Event.GIVEN_UP): CrawlState.FAILED,
    (CrawlState.COLLECTING, Event.ERRED): CrawlState.FAILED,
    (CrawlState.COLLECTING, Event.FINISHED): CrawlState.COLLECTED,
    (CrawlState.COLLECTED, Event.DEPOSIT_BEGAN): CrawlState.DEPOSITING,
    (CrawlState.DEPOSITING, Event.DEPOSIT_BROKE): CrawlState.COLLECTED,
    (CrawlState.DEPOSITING, Event.DEPOSIT_IMPOSSIBLE): CrawlState.FAILED,
    (CrawlState.DEPOSITING, Event.DEPOSIT_DONE): CrawlState.DEPOSITED,
}

_CRAWLER: Mapping[tuple[CrawlerState, CrawlerEvent], CrawlerState] = {
    (CrawlerState.UNKNOWN, CrawlerEvent.JOINED): CrawlerState.JOINING,
    (CrawlerState.UNKNOWN, CrawlerEvent.EXPECTED): CrawlerState.AWAY,
    (CrawlerState.JOINING, CrawlerEvent.READY): CrawlerState.FREE,
    (CrawlerState.JOINING, CrawlerEvent.CONTINUES): CrawlerState.BUSY,
    (CrawlerState.JOINING, CrawlerEvent.STALE): CrawlerState.STOPPING,
    (CrawlerState.FREE, CrawlerEvent.READY): CrawlerState.FREE,
    (CrawlerState.FREE, CrawlerEvent.ASSIGNED): CrawlerState.BUSY,
    (CrawlerState.FREE, CrawlerEvent.STALE): CrawlerState.STOPPING,
    (CrawlerState.BUSY, CrawlerEvent.READY): CrawlerState.FREE,
    (CrawlerState.BUSY, CrawlerEvent.CONTINUES): CrawlerState.BUSY,
    (CrawlerState.BUSY, CrawlerEvent.STALE): CrawlerState.STOPPING,
    (CrawlerState.STOPPING, CrawlerEvent.READY): CrawlerState.FREE,
    (CrawlerState.STOPPING, CrawlerEvent.STALE): CrawlerState.STOPPING,
    (CrawlerState.AWAY, CrawlerEvent.JOINED): CrawlerState.JOINING,
    **{
        (state, CrawlerEvent.LEFT): CrawlerState.AWAY
        for state in (
            CrawlerState.JOINING,
            CrawlerState.FREE,
            CrawlerState.BUSY,
            CrawlerState.STOPPING,
        )
    },
}

SITE_AT_WORK = frozenset(
    {SiteState.DUE, SiteState.COLLECTING, SiteState.COLLECTED, SiteState.DEPOSITING}
)
CRAWL_ENDS = frozenset({CrawlState.DEPOSITED, CrawlState.FAILED})

_State = TypeVar("_State")
_Happening = TypeVar("_Happening")


class NoSuchTransition(Exception):
    """The event has no place in the life of what is in that state; nothing was changed."""


def site_after(state: SiteState, event: Event) -> SiteState:
    """Return the state of a site after an event.

    Raises:
        NoSuchTransition: it cannot happen in this state.
    """
    return _after(_SITE, state, event)


def crawl_after(state: CrawlState, event: Event) -> CrawlState:
    """Return the state of a crawl after an event.

    Raises:
        NoSuchTransition: it cannot happen in this state.
    """
    return _after(_CRAWL, state, event)


def crawler_after(state: CrawlerState, event: CrawlerEvent) -> CrawlerState:
    """Return the state of a crawler after an event.

    Raises:
        NoSuchTransition: it cannot happen in this state.
    """
    return _after(_CRAWLER, state, event)


def loss(attempt: int, attempts_allowed: int) -> Event:
    """Return what the loss of a crawler means for its crawl: another attempt, or the end."""
    return Event.LOST if attempt < attempts_allowed else Event.GIVEN_UP


def _after(
    table: Mapping[tuple[_State, _Happening], _State], state: _State, event: _Happening
) -> _State:
    try:
        return table[state, event]
    except KeyError:
        raise NoSuchTransition(f"{event} cannot happen to what is {state}") from None
