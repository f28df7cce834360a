"""What follows for a site from its crawls, decided without a database."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as some

from agents import dates
from agents.deposit import DepositFigures, Findings
from agents.judgement import Judgement, LevelUpdate, Update
from agents.scheduler.config import ExpansionConfig
from agents.scheduler.database import Crawl, KeptSite, Sequel
from agents.scheduler.life import CrawlState, SiteState, Standing, StandingEvent
from agents.scheduler.portion.crawl_plan import CrawlPlan, read, written
from agents.scheduler.portion.opening import opens, seconds_of
from agents.scheduler.portion.sequels import TRUSTED, Sequels
from agents.scheduler.temporal import Rhythm, SiteSettings, TemporalConfig

DATE = "20261121073000000000"
DAY = 86_400.0
OFF, ON = (
    Sequels(ExpansionConfig(enabled=True), TemporalConfig()),
    Sequels(ExpansionConfig(enabled=True), TemporalConfig(enabled=True)),
)
PASSED, FAILED = Judgement(True, 0.7, ("good",)), Judgement(False, 0.0, ("bad", "  worse"))


def site(standing: Standing = Standing.TEMPORARY, *held: str, **other: Any) -> KeptSite:
    """Return a site that is being deposited."""
    columns: dict[str, Any] = {
        "site": "a.example",
        "number": 1,
        "start_url": "http://a.example/",
        "accept": "//a.example",
        "reject": "",
        "maximum_depth": 150,
        "host": "a.example",
        "lane": "a.example",
        "state": SiteState.DEPOSITING,
        "standing": standing,
        "crawl": "c",
        "crawls": 1,
        "registered": DATE,
        "changed": DATE,
        "error": "",
        "relevance": 0.0,
        "hub": 0.0,
        "authority": 0.0,
        "priority": 0.0,
        "next": None,
        "plan": "{}",
        "rhythm": "{}",
        "settings": "{}",
        "guess": "{}",
        "judgement": "{}",
        "held": frozenset(held),
        "referrer": None,
        "private_networks": False,
        "demand": 0.0,
        "requests": 0,
        **other,
    }
    return KeptSite(**columns)


def crawl(plan: CrawlPlan = CrawlPlan()) -> Crawl:  # noqa: B008 - it is frozen
    """Return a crawl that was made by a plan."""
    told = dict.fromkeys(Crawl.__annotations__)
    return Crawl(**{**told, "crawl": "c", "state": CrawlState.DEPOSITING, "plan": written(plan)})  # type: ignore[arg-type]


def figures(judgement: Judgement | None, rate: float | None = 0.1) -> DepositFigures:
    """Return what a deposit says."""
    level = LevelUpdate(0, captures=9, documents=9, chunks=90, rate=rate)
    update = Update(rate=rate, levels=(level,), requests=9, bytes=900)
    return DepositFigures(findings=Findings(judgement=judgement, update=update))


def after(kept: KeptSite, judgement: Judgement | None, by: Sequels = OFF, **plan: Any) -> Sequel:
    """Return what follows from a deposit."""
    return by.deposited(crawl(CrawlPlan(**plan)), figures(judgement), DATE)(kept)


def test_a_candidate_that_passes_is_collected_as_a_whole_at_once() -> None:
    """Though nothing is collected again by itself otherwise."""
    told = after(site(), PASSED, maximum_depth=3)
    assert (told.event, told.relevance, told.next) == (StandingEvent.PASSED, 0.7, DATE)
    assert read(told.plan, CrawlPlan).maximum_depth is None
    member = after(site(Standing.MEMBER, rhythm=told.rhythm), PASSED)
    assert member.next is None
    again = after(site(Standing.MEMBER, rhythm=told.rhythm), PASSED, ON)
    assert again.next is not None and again.next > DATE and again.demand > 0


def test_what_fails_is_not_collected_again() -> None:
    """The reason is the first of the judgement's."""
    told = after(site(), FAILED, ON)
    assert (told.event, told.why, told.next) == (StandingEvent.FAILED, "bad", None)


def test_what_a_person_wants_is_judged_and_stays() -> None:
    """It has some relevance all the same, so that its links count."""
    told = after(site(Standing.MEMBER, "standing"), FAILED, ON)
    assert (told.event, told.relevance) == (None, TRUSTED)
    assert told.next is not None


def test_a_crawl_that_is_not_whole_is_no_judgement() -> None:
    """Neither of the standing nor of the relevance."""
    told = after(site(Standing.MEMBER), FAILED, ON, judged=False, quick=True)
    assert (told.event, told.relevance, told.judgement) == (None, None, None)


def test_candidates_that_cannot_be_judged_are_tried_some_times() -> None:
    """Each time later, and then they are given up."""
    kept, dates_due = site(), []
    for _ in range(2):
        told = OFF.failed("no answer", DATE)(kept)
        assert told.event is None
        dates_due.append(told.next)
        kept = evolve(kept, rhythm=told.rhythm)
    assert DATE < dates_due[0] < dates_due[1]  # type: ignore[operator]
    last = OFF.failed("no answer", DATE)(kept)
    assert last.event is StandingEvent.FAILED and "no answer" in last.why
    unread = after(site(), None)
    assert unread.event is None and unread.next == dates_due[0]


def test_members_that_never_answer_come_to_rest() -> None:
    """They are asked now and then; one that a person put to rest is not."""
    kept = site(Standing.MEMBER)
    for _ in range(6):
        told = ON.failed("no answer", DATE)(kept)
        kept = evolve(kept, rhythm=told.rhythm)
    assert told.event is StandingEvent.RESTED
    assert told.next == dates.from_timestamp(seconds_of(DATE) + TemporalConfig().maximum_interval)
    rested = evolve(site(Standing.DORMANT, "standing"), rhythm=told.rhythm)
    assert ON.planned(DATE)(rested).next is None


def test_settings_bring_a_site_back_though_nothing_else_does() -> None:
    """An interval of its own, or a campaign."""
    rhythm = after(site(Standing.MEMBER), PASSED).rhythm
    member = site(Standing.MEMBER, rhythm=rhythm)
    assert OFF.planned(DATE)(member).next is None
    hourly = evolve(member, settings=written(SiteSettings(interval=DAY)))
    assert OFF.planned(DATE)(hourly).next == dates.from_timestamp(seconds_of(DATE) + DAY)
    campaign = '{"name": "vote", "begins": "2026", "ends": "2027", "interval": 7200}'
    voting = OFF.planned(DATE)(evolve(member, campaigns=(campaign,)))
    assert voting.next == dates.from_timestamp(seconds_of(DATE) + 7200)
    assert "vote" in voting.plan


@pytest.mark.parametrize(
    ("settings", "date"),
    [
        ({}, DATE),
        ({"resting": True}, None),
        (
            {"forbidden": {"hours": [{"begins": "07:00", "ends": "08:00"}]}},
            "20261121080000000000",
        ),
        ({"only": {"hours": [{"begins": "07:00", "ends": "08:00"}]}}, DATE),
    ],
)
def test_when_settings_let_a_site_be_collected(settings: dict[str, Any], date: str | None) -> None:
    """Now, later, or never."""
    assert opens(written(settings), DATE) == date


@given(
    some.sampled_from([*Standing]),
    some.booleans(),
    some.sampled_from([PASSED, FAILED, None]),
    some.booleans(),
    some.integers(0, 8),
    some.sampled_from([None, 0.0, 0.3, 1.0]),
)
def test_whatever_comes_has_a_sequel(
    standing: Standing,
    held: bool,
    judgement: Judgement | None,
    on: bool,
    silent: int,
    rate: float | None,
) -> None:
    """It is never in the past, has a plan that can be read, and holds what a person fixed."""
    kept = site(standing, *(["standing"] if held else []), rhythm=written(Rhythm(silent=silent)))
    by = ON if on else OFF
    for told in (
        by.deposited(crawl(), figures(judgement, rate), DATE)(kept),
        by.failed("why", DATE)(kept),
        by.planned(DATE)(kept),
    ):
        assert told.next is None or told.next >= DATE
        assert read(told.plan, CrawlPlan) is not None
        assert not (held and told.event)


def test_figures_without_findings_are_borne() -> None:
    """As those of agents that tell none."""
    assert OFF.deposited(crawl(), DepositFigures(), DATE)(site(Standing.MEMBER)).event is None
