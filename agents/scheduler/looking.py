"""What a scheduler answers to people who look at the portion: all of it bounded."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, takewhile

from agents import dates
from agents.portion import (
    ORDERS,
    CampaignStatus,
    CrawlAhead,
    Day,
    DayDecided,
    Decided,
    FeedLine,
    MissedLine,
    Portion,
    SiteAhead,
    SiteDetails,
    SiteGraph,
    SitesFound,
    Timeline,
)
from agents.scheduler import telling
from agents.scheduler.database import KeptSite, Queries
from agents.scheduler.database.engine import Row
from agents.scheduler.database.pages import Place, all_standings
from agents.scheduler.life import CrawlState, work_of
from agents.scheduler.means import Means
from agents.scheduler.temporal import Campaign, Rhythm, SiteSettings
from agents.scheduler.temporal.ahead import ahead, done
from hip import CallRefused, exposed

_MOST = 1000  # rows of one answer
_NODES = 500  # of one graph
_DAYS = 60  # of a timeline, and of what was decided
_CRAWLS = 60  # ahead, of one site
_FEW = 8
_MISSED = 1000  # links of one answer
_STORY = 100
_AT_WORK = {work_of(state).value: state.value for state in CrawlState}


class Looking:
    """Methods for people who look; they change nothing."""

    def __init__(self, means: Means) -> None:
        """Look through the scheduler's means."""
        self._means = means

    @exposed(roles=("operator",))
    async def portion(self, days: int = 30) -> Portion:
        """Tell how many sites there are of each standing, and what was decided on the last days."""
        look = self._means.store.look
        names = self.days(-min(max(days, 1), _DAYS) + 1, 1)
        decided = await look(Queries.decided_since, names[0])
        states, _ = await look(Queries.counts)
        return Portion(
            await look(Queries.standings),
            states,
            [DayDecided(day, decided.get(day, {})) for day in names],
        )

    @exposed(roles=("operator",))
    async def find_sites(
        self,
        beginning: str = "",
        standing: str = "",
        state: str = "",
        order: str = "changed",
        after: str = "",
        limit: int = 50,
    ) -> SitesFound:
        """List sites, a page at a time.

        By `beginning`, those whose names begin so, by name; by `state`, those whose work is in it,
        the latest first; else those of a `standing`, or all, by `order`: changed, priority,
        authority, next or name. `after` is what the answer before gave for those that come next.
        Refuses "bad-question".
        """
        count = max(1, min(limit, _MOST))
        place = _place(after)
        look = self._means.store.look
        if beginning or order == "name":
            rows = await look(
                Queries.sites_named, beginning, place.site if place else "", count + 1
            )
            return _found(rows, count, "site")
        if state:
            if state not in _AT_WORK:
                raise CallRefused("bad-question", f"a state is one of {', '.join(_AT_WORK)}")
            rows = await look(Queries.sites_at_work, _AT_WORK[state], place, count + 1)
            return _found(rows, count, "moved")
        if order == "next":
            rows = await look(Queries.sites_by_next, "", place, count + 1)
            return _found(rows, count, "next")
        if order not in ORDERS:
            raise CallRefused("bad-question", f"an order is one of {', '.join(ORDERS)}")
        if standing and standing not in all_standings():
            raise CallRefused("bad-question", f"a standing is one of {', '.join(all_standings())}")
        if place is not None and order != "changed":
            place = _with_number(place)
        standings = [standing] if standing else all_standings()
        rows = await look(Queries.sites_by, order, standings, place, count + 1)
        return _found(rows, count, order)

    @exposed(roles=("operator",))
    async def site(self, site: str) -> SiteDetails:
        """Tell all that is known of a site, and why it is so; refuses "no-such-site"."""
        return await self._means.store.look(_details, await self._kept(site), self)

    @exposed(roles=("operator",))
    async def missed_elsewhere(self, limit: int = 100) -> list[MissedLine]:
        """List links of no site that led readers of the archive nowhere, the last first."""
        rows = await self._means.store.look(Queries.missed_of, None, max(1, min(limit, _MISSED)))
        return [MissedLine(**dict(row)) for row in rows]

    @exposed(roles=("operator",))
    async def graph(self, site: str = "", size: int = 150) -> SiteGraph:
        """Give the foremost sites by authority and their links, or a site and its neighbours.

        Refuses "no-such-site".
        """
        count = max(2, min(size, _NODES))
        number = (await self._kept(site)).number if site else None
        return await self._means.store.look(_graph, number, count)

    @exposed(roles=("operator",))
    async def timeline(self, days: int = 14, sites: int = 40) -> Timeline:
        """Give the load of each of the next days, and the sites that fall due first."""
        number, count = max(1, min(days, _DAYS)), max(0, min(sites, 200))
        return await self._means.store.look(_timeline, self, number, count)

    @exposed(roles=("operator",))
    async def campaigns(self) -> list[CampaignStatus]:
        """List campaigns, the one that begins last, first."""
        return await self._means.store.look(_campaigns, self._means.now())

    def now(self) -> str:
        """Return the date."""
        return self._means.now()

    async def _kept(self, site: str) -> KeptSite:
        kept = await self._means.store.look(Queries.site, site)
        if kept is None:
            words = f"there is no site {site[:200]}; `dlweb sites` lists them"
            raise CallRefused("no-such-site", words)
        return kept

    def days(self, first: int, last: int) -> list[str]:
        """Return the names of days, from one to before another, counted from today."""
        today = dates.to_datetime(self._means.now())
        return [dates.from_datetime(today + timedelta(number))[:8] for number in range(first, last)]

    def crawls_ahead(self, site: KeptSite, until: float | None = None) -> list[CrawlAhead]:
        """Return the next crawls of a site: the one that is planned, and as its rhythm goes on.

        Args:
            site: as it is kept.
            until: seconds since the epoch; without it the next few.
        """
        if site.next is None:
            return []
        settings = telling.read(site.settings, SiteSettings) or SiteSettings()
        campaigns = [telling.read(text, Campaign) for text in site.campaigns]
        first = telling.planned(site, max(site.next, self.now()))
        at = first.at or 0.0
        rhythm = telling.read(site.rhythm, Rhythm) or Rhythm()
        following = ahead(
            done(rhythm, first, at, settings.quota.period),
            settings,
            self._means.config.temporal,
            self._means.sequels.price,
            at + 1.0,
            _CRAWLS if until else _FEW,
            [each for each in campaigns if each is not None],
        )
        plans = chain([first], following)
        within = takewhile(lambda plan: until is None or (plan.at or 0.0) < until, plans)
        return [telling.ahead_of(plan) for plan in within]


def _details(queries: Queries, site: KeptSite, looking: Looking) -> SiteDetails:
    return SiteDetails(
        line=telling.line_of_site(site),
        registered=site.registered,
        accept=site.accept,
        reject=site.reject,
        maximum_depth=site.maximum_depth,
        lane=site.lane,
        guess=telling.sentences(site.guess),
        judgement=telling.sentences(site.judgement),
        passed=telling.passed(site.judgement),
        priority=telling.priority_words(site, queries.referrers(site.number)),
        held=sorted(site.held),
        settings=telling.settled(telling.read(site.settings, SiteSettings)),
        levels=telling.levels_of(telling.read(site.rhythm, Rhythm) or Rhythm()),
        ahead=looking.crawls_ahead(site),
        story=[
            Decided(each.date, each.who, each.what, each.before, each.after, each.why)
            for each in queries.story(site.site, _STORY)
        ],
        crawls=[telling.crawl_of(row) for row in queries.crawls_of(site.site, _STORY)],
        from_sites=telling.neighbours_of(queries.links_of(site.number, to_it=True)),
        to_sites=telling.neighbours_of(queries.links_of(site.number, to_it=False)),
        feeds=[
            FeedLine(each.feed, each.found, each.heard)
            for each in queries.feeds_of(site.site)[:_STORY]
        ],
        campaigns=queries.campaigns_with(site.site, _STORY),
        private_networks=site.private_networks,
        missed=[MissedLine(**dict(row)) for row in queries.missed_of(site.site, _STORY)],
    )


def _graph(queries: Queries, number: int | None, count: int) -> SiteGraph:
    if number is None:
        rows: Sequence[Row] = queries.sites_by("authority", all_standings(), None, count)
    else:
        rows = queries.numbered([number, *queries.neighbours_of(number, count - 1)])
        rows = sorted(rows, key=lambda row: (row["number"] != number, -row["authority"]))
    places = {row["number"]: place for place, row in enumerate(rows)}
    links = [
        (places[source], places[target], documents)
        for source, target, documents in queries.links_between(list(places))
    ]
    return SiteGraph([telling.node_of(row) for row in rows], links)


def _timeline(queries: Queries, looking: Looking, days: int, count: int) -> Timeline:
    now, names = looking.now(), looking.days(0, days + 1)
    edges = [now, *(f"{day}{0:012}" for day in names[1:])]
    belated, requests, more = queries.due_between("", now)
    load = [
        Day(day, *queries.due_between(first, last))
        for day, first, last in zip(names, edges, edges[1:], strict=False)
    ]
    until = dates.to_datetime(edges[-1]).timestamp()
    soon = [queries.site(row["site"]) for row in queries.sites_by_next("", None, count)]
    return Timeline(
        now,
        Day(now[:8], belated, requests, more),
        load,
        [
            SiteAhead(site.site, site.standing.value, looking.crawls_ahead(site, until))
            for site in soon
            if site is not None
        ],
    )


def _campaigns(queries: Queries, now: str) -> list[CampaignStatus]:
    return [
        telling.campaign_of(
            row,
            queries.sites_of_campaign(row.campaign, limit=20),
            queries.number_in_campaign(row.campaign),
            now,
        )
        for row in queries.campaigns(_STORY)
    ]


def _found(rows: Sequence[Row], count: int, order: str) -> SitesFound:
    """Return a page of sites from one row more than it holds."""
    after = ""
    if len(rows) > count:
        last = rows[count - 1]
        after = f"{last[order]} {last['site']}"
    return SitesFound([telling.line_of(row) for row in rows[:count]], after)


def _place(after: str) -> Place | None:
    """Read what a former answer gave for those that come next."""
    if not after:
        return None
    value, _, site = after.partition(" ")
    return Place(value, site)


def _with_number(place: Place) -> Place:
    try:
        return Place(float(place.value), place.site)
    except ValueError:
        raise CallRefused("bad-question", "`after` is what the answer before gave") from None
