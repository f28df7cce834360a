"""The state machines, enumerated: every state with every event."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.life import (
    CRAWL_ENDS,
    CrawlerEvent,
    CrawlerState,
    CrawlState,
    Event,
    NoSuchTransition,
    SiteState,
    crawl_after,
    crawler_after,
    loss,
    site_after,
)

SITE = {
    "known": {"ordered": "due"},
    "due": {"started": "collecting"},
    "collecting": {
        "refused": "due",
        "lost": "due",
        "given up": "failed",
        "erred": "failed",
        "finished": "collected",
    },
    "collected": {"deposit began": "depositing"},
    "depositing": {
        "deposit broke": "collected",
        "deposit impossible": "failed",
        "deposit done": "idle",
    },
    "idle": {"ordered": "due"},
    "failed": {"ordered": "due"},
}

CRAWL = {
    "ordered": {"started": "collecting"},
    "collecting": {
        "refused": "ordered",
        "lost": "ordered",
        "given up": "failed",
        "erred": "failed",
        "finished": "collected",
    },
    "collected": {"deposit began": "depositing"},
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
