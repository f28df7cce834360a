"""The state machines, enumerated: every state with every event."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.life import (
    COLLECTED_STANDINGS,
    CRAWL_ENDS,
    CrawlerEvent,
    CrawlerState,
    CrawlState,
    Event,
    MachineEvent,
    MachineState,
    NoSuchTransition,
    SiteState,
    Standing,
    StandingEvent,
    crawl_after,
    crawler_after,
    loss,
    machine_after,
    site_after,
    standing_after,
    work_of,
)

SITE = {
    "known": {"ordered": "due"},
    "due": {"started": "collecting", "withdrawn": "failed"},
    "collecting": {
        "refused": "due",
        "lost": "due",
        "given up": "failed",
        "erred": "failed",
        "finished": "collected",
    },
    "collected": {"deposit began": "depositing", "lost": "due"},
    "depositing": {
        "deposit broke": "collected",
        "deposit impossible": "failed",
        "deposit done": "idle",
    },
    "idle": {"ordered": "due"},
    "failed": {"ordered": "due"},
}

CRAWL = {
    "ordered": {"started": "collecting", "withdrawn": "failed"},
    "collecting": {
        "refused": "ordered",
        "lost": "ordered",
        "given up": "failed",
        "erred": "failed",
        "finished": "collected",
    },
    "collected": {"deposit began": "depositing", "lost": "ordered"},
    "depositing": {
        "deposit broke": "collected",
        "deposit impossible": "failed",
        "deposit done": "deposited",
    },
    "deposited": {},
    "failed": {},
}

CRAWLER = {
    "unknown": {"joined": "joining", "expected": "away"},
    "joining": {"ready": "free", "continues": "busy", "stale": "stopping", "left": "away"},
    "free": {"ready": "free", "assigned": "busy", "stale": "stopping", "left": "away"},
    "busy": {"ready": "free", "continues": "busy", "stale": "stopping", "left": "away"},
    "stopping": {"ready": "free", "stale": "stopping", "left": "away"},
    "away": {"joined": "joining"},
}


@pytest.mark.parametrize(("state", "event"), list(product(SiteState, Event)))
def test_sites(state: SiteState, event: Event) -> None:
    """A site moves as the table says and no other way."""
    if event in SITE[state]:
        assert site_after(state, event) == SITE[state][event]
    else:
        with pytest.raises(NoSuchTransition, match=state):
            site_after(state, event)


@pytest.mark.parametrize(("state", "event"), list(product(CrawlState, Event)))
def test_crawls(state: CrawlState, event: Event) -> None:
    """A crawl moves as the table says and no other way."""
    if event in CRAWL[state]:
        assert crawl_after(state, event) == CRAWL[state][event]
    else:
        with pytest.raises(NoSuchTransition, match=state):
            crawl_after(state, event)


@pytest.mark.parametrize(("state", "event"), list(product(CrawlerState, CrawlerEvent)))
def test_crawlers(state: CrawlerState, event: CrawlerEvent) -> None:
    """A crawler of the pool moves as the table says and no other way."""
    if event in CRAWLER[state]:
        assert crawler_after(state, event) == CRAWLER[state][event]
    else:
        with pytest.raises(NoSuchTransition):
            crawler_after(state, event)


@given(st.lists(st.sampled_from(Event)))
def test_a_site_and_its_crawl_walk_together(events: list[Event]) -> None:
    """From an order to its end, whatever may happen to a crawl may happen to its site."""
    names = {"ordered": "due", "deposited": "idle"}
    site, crawl = SiteState.DUE, CrawlState.ORDERED
    for event in events:
        try:
            crawl = crawl_after(crawl, event)
        except NoSuchTransition:
            if crawl not in CRAWL_ENDS:
                with pytest.raises(NoSuchTransition):
                    site_after(site, event)
        else:
            site = site_after(site, event)
            assert site == names.get(crawl, crawl)


@given(st.integers(1, 9), st.integers(1, 9))
def test_a_loss_leads_to_another_attempt_until_there_were_enough(
    attempt: int, allowed: int
) -> None:
    """A lost crawl is tried again as often as is allowed."""
    assert (loss(attempt, allowed) is Event.LOST) == (attempt < allowed)


STANDING = {
    "unknown": {"discovered": "discovered"},
    "discovered": {"admitted": "temporary"},
    "temporary": {"passed": "member", "failed": "blacklisted"},
    "member": {"passed": "member", "failed": "blacklisted", "rested": "dormant"},
    "dormant": {
        "passed": "member",
        "failed": "blacklisted",
        "rested": "dormant",
        "woken": "member",
    },
    "blacklisted": {"passed": "blacklisted", "failed": "blacklisted", "pardoned": "temporary"},
}


@pytest.mark.parametrize(("standing", "event"), list(product(Standing, StandingEvent)))
def test_standings(standing: Standing, event: StandingEvent) -> None:
    """A site's standing moves as the table says; a person may order and ban whatever there is."""
    whatever = {"ordered": "member", "banned": "blacklisted"}
    if after := (STANDING[standing] | whatever).get(event):
        assert standing_after(standing, event) == after
    else:
        with pytest.raises(NoSuchTransition, match=standing):
            standing_after(standing, event)


@pytest.mark.parametrize("event", [StandingEvent.PASSED, StandingEvent.FAILED])
def test_whatever_is_collected_may_be_judged(event: StandingEvent) -> None:
    """A crawl under way always comes to a judgement, though its site was banned meanwhile."""
    for standing in COLLECTED_STANDINGS | {Standing.BLACKLISTED}:
        assert standing_after(standing, event) in (Standing.MEMBER, Standing.BLACKLISTED)


@pytest.mark.parametrize("state", list(CrawlState))
def test_a_site_is_where_its_crawl_is(state: CrawlState) -> None:
    """What a crawl's state means for its site leads on by the same events, and no others."""
    for event in Event:
        try:
            after = crawl_after(state, event)
        except NoSuchTransition:
            continue
        assert site_after(work_of(state), event) is work_of(after)


MACHINE = {
    "unknown": {"met": "active"},
    "active": {"met": "active", "drained": "draining", "undrained": "active"},
    "draining": {
        "met": "draining",
        "drained": "draining",
        "undrained": "active",
        "forgotten": "unknown",
    },
}


@pytest.mark.parametrize(("state", "event"), list(product(MachineState, MachineEvent)))
def test_machines(state: MachineState, event: MachineEvent) -> None:
    """A machine moves as the table says and no other way."""
    if after := MACHINE[state].get(event):
        assert machine_after(state, event) == after
    else:
        with pytest.raises(NoSuchTransition, match=state):
            machine_after(state, event)
