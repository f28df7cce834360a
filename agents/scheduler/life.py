"""The lives of sites, crawls, crawlers of the pool and machines, as tables of transitions.

A site's life has two regions that move beside each other: its work, which is where its present
crawl is (`SiteState`), and its standing in the portion of the web (`Standing`). The same events
move a crawl and its site's work, so both tables speak of the same `Event`s. Drawn and explained
in `docs/reference/scheduler-states.md`; pure functions, no I/O.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar


class Event(StrEnum):
    """What happens to a crawl, and through it to its site."""

    ORDERED = "ordered"  # somebody asks for the site
    WITHDRAWN = "withdrawn"  # nobody wants it any more, before a crawler began
    STARTED = "started"  # an attempt begins: a crawler is asked to collect
    REFUSED = "refused"  # that crawler will not, and has done nothing
    LOST = "lost"  # that crawler or its machine is gone, and what it collected with it
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


class StandingEvent(StrEnum):
    """What is decided of a site's place in the portion (*INA §1.5.1*)."""

    DISCOVERED = "discovered"  # a link led to it
    ADMITTED = "admitted"  # it shall be collected once, to be judged
    PASSED = "passed"  # its crawl went through the filters
    FAILED = "failed"  # its crawl did not
    ORDERED = "ordered"  # a person wants it
    BANNED = "banned"  # a person does not
    PARDONED = "pardoned"  # a person takes it off the blacklist; it is judged anew
    RESTED = "rested"  # it answers no more, or a person leaves it alone
    WOKEN = "woken"  # it answers again, or a person takes it up again


class Standing(StrEnum):
    """What a site is to the portion of the web that is archived (*INA §1.5.1*)."""

    UNKNOWN = "unknown"
    DISCOVERED = "discovered"
    TEMPORARY = "temporary"
    MEMBER = "member"
    BLACKLISTED = "blacklisted"
    DORMANT = "dormant"


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


class MachineEvent(StrEnum):
    """What happens to a machine that crawlers run on."""

    MET = "met"  # an agent says that it runs there
    DRAINED = "drained"  # a person wants it to become idle
    UNDRAINED = "undrained"  # and to work again
    FORGOTTEN = "forgotten"  # it is gone


class MachineState(StrEnum):
    """Where a machine is: it gets work, gets no more, or is not known."""

    UNKNOWN = "unknown"
    ACTIVE = "active"
    DRAINING = "draining"


_SITE: Mapping[tuple[SiteState, Event], SiteState] = {
    (SiteState.KNOWN, Event.ORDERED): SiteState.DUE,
    (SiteState.IDLE, Event.ORDERED): SiteState.DUE,
    (SiteState.FAILED, Event.ORDERED): SiteState.DUE,
    (SiteState.DUE, Event.WITHDRAWN): SiteState.FAILED,
    (SiteState.DUE, Event.STARTED): SiteState.COLLECTING,
    (SiteState.COLLECTING, Event.REFUSED): SiteState.DUE,
    (SiteState.COLLECTING, Event.LOST): SiteState.DUE,
    (SiteState.COLLECTING, Event.GIVEN_UP): SiteState.FAILED,
    (SiteState.COLLECTING, Event.ERRED): SiteState.FAILED,
    (SiteState.COLLECTING, Event.FINISHED): SiteState.COLLECTED,
    (SiteState.COLLECTED, Event.DEPOSIT_BEGAN): SiteState.DEPOSITING,
    (SiteState.COLLECTED, Event.LOST): SiteState.DUE,
    (SiteState.DEPOSITING, Event.DEPOSIT_BROKE): SiteState.COLLECTED,
    (SiteState.DEPOSITING, Event.DEPOSIT_IMPOSSIBLE): SiteState.FAILED,
    (SiteState.DEPOSITING, Event.DEPOSIT_DONE): SiteState.IDLE,
}

_CRAWL: Mapping[tuple[CrawlState, Event], CrawlState] = {
    (CrawlState.ORDERED, Event.WITHDRAWN): CrawlState.FAILED,
    (CrawlState.ORDERED, Event.STARTED): CrawlState.COLLECTING,
    (CrawlState.COLLECTING, Event.REFUSED): CrawlState.ORDERED,
    (CrawlState.COLLECTING, Event.LOST): CrawlState.ORDERED,
    (CrawlState.COLLECTING, Event.GIVEN_UP): CrawlState.FAILED,
    (CrawlState.COLLECTING, Event.ERRED): CrawlState.FAILED,
    (CrawlState.COLLECTING, Event.FINISHED): CrawlState.COLLECTED,
    (CrawlState.COLLECTED, Event.DEPOSIT_BEGAN): CrawlState.DEPOSITING,
    (CrawlState.COLLECTED, Event.LOST): CrawlState.ORDERED,
    (CrawlState.DEPOSITING, Event.DEPOSIT_BROKE): CrawlState.COLLECTED,
    (CrawlState.DEPOSITING, Event.DEPOSIT_IMPOSSIBLE): CrawlState.FAILED,
    (CrawlState.DEPOSITING, Event.DEPOSIT_DONE): CrawlState.DEPOSITED,
}

_STANDING: Mapping[tuple[Standing, StandingEvent], Standing] = {
    (Standing.UNKNOWN, StandingEvent.DISCOVERED): Standing.DISCOVERED,
    (Standing.DISCOVERED, StandingEvent.ADMITTED): Standing.TEMPORARY,
    (Standing.TEMPORARY, StandingEvent.PASSED): Standing.MEMBER,
    (Standing.TEMPORARY, StandingEvent.FAILED): Standing.BLACKLISTED,
    (Standing.MEMBER, StandingEvent.PASSED): Standing.MEMBER,
    (Standing.MEMBER, StandingEvent.FAILED): Standing.BLACKLISTED,
    (Standing.MEMBER, StandingEvent.RESTED): Standing.DORMANT,
    (Standing.DORMANT, StandingEvent.PASSED): Standing.MEMBER,
    (Standing.DORMANT, StandingEvent.FAILED): Standing.BLACKLISTED,
    (Standing.DORMANT, StandingEvent.RESTED): Standing.DORMANT,
    (Standing.DORMANT, StandingEvent.WOKEN): Standing.MEMBER,
    # A crawl that began before the site was banned ends all the same.
    (Standing.BLACKLISTED, StandingEvent.PASSED): Standing.BLACKLISTED,
    (Standing.BLACKLISTED, StandingEvent.FAILED): Standing.BLACKLISTED,
    (Standing.BLACKLISTED, StandingEvent.PARDONED): Standing.TEMPORARY,
    # A person may order or ban whatever there is.
    **{(standing, StandingEvent.ORDERED): Standing.MEMBER for standing in Standing},
    **{(standing, StandingEvent.BANNED): Standing.BLACKLISTED for standing in Standing},
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

_MACHINE: Mapping[tuple[MachineState, MachineEvent], MachineState] = {
    (MachineState.UNKNOWN, MachineEvent.MET): MachineState.ACTIVE,
    (MachineState.ACTIVE, MachineEvent.MET): MachineState.ACTIVE,
    (MachineState.DRAINING, MachineEvent.MET): MachineState.DRAINING,
    (MachineState.ACTIVE, MachineEvent.DRAINED): MachineState.DRAINING,
    (MachineState.DRAINING, MachineEvent.DRAINED): MachineState.DRAINING,
    (MachineState.ACTIVE, MachineEvent.UNDRAINED): MachineState.ACTIVE,
    (MachineState.DRAINING, MachineEvent.UNDRAINED): MachineState.ACTIVE,
    (MachineState.DRAINING, MachineEvent.FORGOTTEN): MachineState.UNKNOWN,
}

_WORK: Mapping[CrawlState, SiteState] = {
    CrawlState.ORDERED: SiteState.DUE,
    CrawlState.COLLECTING: SiteState.COLLECTING,
    CrawlState.COLLECTED: SiteState.COLLECTED,
    CrawlState.DEPOSITING: SiteState.DEPOSITING,
    CrawlState.DEPOSITED: SiteState.IDLE,
    CrawlState.FAILED: SiteState.FAILED,
}

SITE_AT_WORK = frozenset(
    {SiteState.DUE, SiteState.COLLECTING, SiteState.COLLECTED, SiteState.DEPOSITING}
)
COLLECTED_STANDINGS = frozenset({Standing.TEMPORARY, Standing.MEMBER, Standing.DORMANT})
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


def standing_after(standing: Standing, event: StandingEvent) -> Standing:
    """Return the standing of a site after an event.

    Raises:
        NoSuchTransition: it cannot happen to what has this standing.
    """
    return _after(_STANDING, standing, event)


def work_of(state: CrawlState) -> SiteState:
    """Return where a site is whose present crawl is in a state: the two walk together."""
    return _WORK[state]


def crawler_after(state: CrawlerState, event: CrawlerEvent) -> CrawlerState:
    """Return the state of a crawler after an event.

    Raises:
        NoSuchTransition: it cannot happen in this state.
    """
    return _after(_CRAWLER, state, event)


def machine_after(state: MachineState, event: MachineEvent) -> MachineState:
    """Return the state of a machine after an event.

    Raises:
        NoSuchTransition: it cannot happen in this state.
    """
    return _after(_MACHINE, state, event)


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
