"""What follows for a site from the end of a crawl, or from what a person settles: pure decisions.

The database asks in the transaction that ends the crawl, so that what is decided is decided by
what the site then is, and nothing can come between (*INA §1.5.1, §1.5.2*).
"""

from attrs import evolve, frozen

from agents import dates
from agents.deposit import DepositFigures, Findings
from agents.judgement import Judgement
from agents.scheduler.config import ExpansionConfig
from agents.scheduler.database.rows import Crawl, Following, KeptSite, Sequel
from agents.scheduler.life import Standing, StandingEvent, standing_after
from agents.scheduler.portion.crawl_plan import CrawlPlan, read, written
from agents.scheduler.portion.opening import seconds_of
from agents.scheduler.temporal import (
    FIRST_PRICE,
    Campaign,
    Observation,
    Plan,
    Rhythm,
    SiteSettings,
    TemporalConfig,
    demand,
    observation,
    observed,
    plan,
)

STANDING = "standing"  # among what is held: only a person changes it
TRUSTED = 0.5  # relevance, at least, of a site that a person wants, whatever filters say
_RESTS_AFTER = 6  # crawls in a row that nothing answered, over about two months
_JUDGED = frozenset({Standing.TEMPORARY, Standing.MEMBER, Standing.DORMANT, Standing.BLACKLISTED})


@frozen
class _Next:
    """When a site falls due, and for what."""

    plan: Plan
    crawl: CrawlPlan


class Sequels:
    """Makes what the database asks.

    Attributes:
        price: seconds of freshness that a request must bring now.
    """

    def __init__(self, expansion: ExpansionConfig, temporal: TemporalConfig) -> None:
        self._expansion, self._temporal = expansion, temporal
        self.price: float = FIRST_PRICE

    def deposited(self, crawl: Crawl, figures: DepositFigures, date: str) -> Following:
        """Tell what follows when a crawl is durable."""
        return lambda site: self._deposited(site, crawl, figures.findings or Findings(), date)

    def failed(self, reason: str, date: str) -> Following:
        """Tell what follows when a crawl has come to nothing."""
        return lambda site: self._failed(site, reason, date)

    def planned(self, date: str) -> Following:
        """Tell when a site falls due by what is known and settled now."""
        return lambda site: self._with_plan(Sequel(), site, site.standing, _rhythm(site), date)

    def first_look(self) -> str:
        """Return the plan of the crawl by which a candidate is judged, JSON."""
        return written(self._look("It is collected once to be judged."))

    # After crawls

    def _deposited(self, site: KeptSite, crawl: Crawl, findings: Findings, date: str) -> Sequel:
        done = read(crawl.plan, CrawlPlan)
        wanted = self._expansion.enabled and done.judged
        judgement = findings.judgement if wanted else None
        event, after = _moved(site, _event(site, judgement))
        rhythm = self._learnt(site, done, findings, date, judgement is None)
        sequel = Sequel(
            event=event,
            why=" ".join(judgement.reasons[:1]) if judgement else "",
            judgement=written(judgement) if judgement else None,
            relevance=_relevance(site, judgement),
            rhythm=written(rhythm),
        )
        if site.standing is Standing.TEMPORARY and after is Standing.MEMBER:
            return self._joined(sequel, date)
        return self._with_plan(sequel, site, after, rhythm, date)

    def _failed(self, site: KeptSite, reason: str, date: str) -> Sequel:
        period = read(site.settings, SiteSettings).quota.period
        rhythm = observed(_rhythm(site), Observation(seconds_of(date)), period)
        event = None
        if site.standing is Standing.TEMPORARY and rhythm.silent >= self._expansion.patience:
            event = StandingEvent.FAILED
        elif site.standing is Standing.MEMBER and rhythm.silent >= _RESTS_AFTER:
            event = StandingEvent.RESTED
        event, after = _moved(site, event)
        tries = "" if rhythm.silent == 1 else f" at {rhythm.silent} times in a row"
        why = f"it could not be collected{tries}: {reason}"
        sequel = Sequel(event, why if event else "", rhythm=written(rhythm))
        return self._with_plan(sequel, site, after, rhythm, date)

    def _learnt(
        self, site: KeptSite, done: CrawlPlan, findings: Findings, date: str, unjudged: bool
    ) -> Rhythm:
        """Return what a crawl taught; a report that could not be read teaches nothing.

        A candidate that could not be judged counts as one that did not answer: it is tried again
        some times, ever later.
        """
        if done.urls:  # some pages that a feed told of, and no sample of any level
            return _rhythm(site)
        at, update = seconds_of(date), findings.update
        period = read(site.settings, SiteSettings).quota.period
        if site.standing is Standing.TEMPORARY and unjudged:
            return observed(_rhythm(site), Observation(at), period)
        if update is None or not update.levels:
            return evolve(_rhythm(site), collected=at, silent=0)
        seen = observation(update, at, whole=not done.quick)
        return observed(_rhythm(site), seen, period)

    # What is next

    def _joined(self, sequel: Sequel, date: str) -> Sequel:
        """Have a site that has just been let in collected as a whole."""
        crawl = CrawlPlan(reason="It has joined, and is collected as a whole for the first time.")
        return evolve(sequel, next=date, plan=written(crawl), priority=1.0, requests=1)

    def _with_plan(
        self, sequel: Sequel, site: KeptSite, standing: Standing, rhythm: Rhythm, date: str
    ) -> Sequel:
        found = self._next(site, standing, rhythm, date)
        if found is None or found.plan.at is None:
            reason = "" if found is None else found.plan.reason
            return evolve(sequel, next=None, plan=written(CrawlPlan(reason=reason)))
        return evolve(
            sequel,
            next=dates.from_timestamp(found.plan.at),
            plan=written(found.crawl),
            priority=None if standing is Standing.TEMPORARY else found.plan.priority,
            demand=demand(found.plan.requests_per_day, self.price),
            requests=found.plan.requests,
        )

    def _next(self, site: KeptSite, standing: Standing, rhythm: Rhythm, date: str) -> _Next | None:
        """Return when a site falls due by itself; none for never."""
        settings = read(site.settings, SiteSettings)
        campaigns = [read(text, Campaign) for text in site.campaigns]
        now = seconds_of(date)

        def wanted(known: Rhythm) -> Plan:
            return plan(known, settings, self._temporal, self.price, now, campaigns)

        if standing is Standing.TEMPORARY:  # also one that is pardoned, however well it is known
            look = wanted(rhythm if rhythm.silent else Rhythm())
            return _Next(look, self._look(look.reason))
        if standing is Standing.DORMANT and STANDING not in site.held:
            again = Plan(now + self._temporal.maximum_interval, reason="Perhaps it answers again.")
            return _Next(again, _crawl_of(again, settings))
        if standing is Standing.MEMBER and self._recollects(site, settings, rhythm):
            update = wanted(rhythm)
            return _Next(update, _crawl_of(update, settings))
        return None

    def _recollects(self, site: KeptSite, settings: SiteSettings, rhythm: Rhythm) -> bool:
        """Tell whether a member is collected again by itself."""
        asked = self._temporal.enabled or settings.interval is not None or bool(site.campaigns)
        unfinished = self._expansion.enabled and rhythm.silent > 0 and STANDING not in site.held
        return asked or unfinished

    def _look(self, reason: str) -> CrawlPlan:
        return CrawlPlan(maximum_depth=self._expansion.first_depth, reason=reason)


def _crawl_of(wanted: Plan, settings: SiteSettings) -> CrawlPlan:
    depth = wanted.maximum_depth
    whole = not wanted.quick and (depth is None or depth == settings.maximum_depth)
    return CrawlPlan(depth, wanted.quick, judged=whole, reason=wanted.reason)


def _event(site: KeptSite, judgement: Judgement | None) -> StandingEvent | None:
    if judgement is None or site.standing not in _JUDGED:
        return None
    return StandingEvent.PASSED if judgement.passes else StandingEvent.FAILED


def _moved(site: KeptSite, event: StandingEvent | None) -> tuple[StandingEvent | None, Standing]:
    """Return an event as far as it moves a site, and the standing after it."""
    if event is None or STANDING in site.held:
        return None, site.standing
    return event, standing_after(site.standing, event)


def _relevance(site: KeptSite, judgement: Judgement | None) -> float | None:
    if judgement is None:
        return None
    trusted = site.standing is Standing.MEMBER and STANDING in site.held
    return max(judgement.relevance, TRUSTED) if trusted else judgement.relevance


def _rhythm(site: KeptSite) -> Rhythm:
    return read(site.rhythm, Rhythm)
