"""What archivists decide: it sticks, is written down with who and why, and can be taken back."""

from collections.abc import Callable, Sequence

from attrs import evolve

from agents import dates
from agents.delimitation import Delimitation
from agents.scheduler.database import Bounds, CampaignRow, Database, NewSite
from agents.scheduler.database.rhythms import RUNNING
from agents.scheduler.database.rows import Correction
from agents.scheduler.life import NoSuchTransition, Standing, StandingEvent
from agents.scheduler.means import Means
from agents.scheduler.portion.crawl_plan import written
from agents.scheduler.portion.expanding import Expanding
from agents.scheduler.portion.feeding import Feeding
from agents.scheduler.portion.keeping_in_step import KeepingInStep
from agents.scheduler.streams.streaming import Streaming
from agents.scheduler.temporal import Campaign, SiteSettings

_AT_ONCE = 200  # sites of one transaction


class ByHand:
    """Decisions of people; `who` is the name of one, and `why` is for those who read the story.

    Args:
        means: the scheduler's.
        expanding: where sites are.
        keeping: when they fall due.
        feeding: what feeds are followed.
        streaming: what streams are listened to.
    """

    def __init__(
        self,
        means: Means,
        expanding: Expanding,
        keeping: KeepingInStep,
        feeding: Feeding,
        streaming: Streaming,
    ) -> None:
        self._means, self._expanding = means, expanding
        self._keeping, self._feeding, self._streaming = keeping, feeding, streaming

    async def decide(self, site: str, event: StandingEvent, who: str, why: str) -> Standing:
        """Move the standing of a site; return what it is then.

        Raises:
            NoSuchTransition: there is no such site, or the event has no place in its standing.
        """
        now = self._means.now()
        standing = await self._means.store.run(Database.decide, site, event, now, who, why)
        await self._keeping.replan([site])
        await self._expanding.judged(site)
        await self._feeding.judged(site)
        await self._streaming.judged(site)
        return standing

    async def bound(
        self, site: str, bounds: Bounds, start_url: str | None, who: str, why: str
    ) -> None:
        """Say where a site begins and ends.

        Raises:
            NoSuchTransition: there is no such site.
            InvalidExpression: one of the expressions cannot be read.
            NoPlace: another site is there.
        """
        Delimitation.parse(bounds.accept or "", bounds.reject or "")
        kept = await self._means.store.run(Database.site, site)
        if kept is None:
            raise NoSuchTransition(f"there is no site {site}")
        start = start_url or kept.start_url
        wanted = NewSite(site, start, "", "", 0, kept.host, bounds)
        said = {
            "start_url": start_url,
            "accept": bounds.accept,
            "reject": bounds.reject,
            "maximum_depth": bounds.maximum_depth,
        }
        corrections = {name: value for name, value in said.items() if value is not None}
        await self._expanding.place([wanted], lambda: self._correct(site, corrections, who, why))

    async def settle(self, site: str, settings: SiteSettings, who: str, why: str) -> None:
        """Say how often, when and how much of a site is collected; defaults leave it open again.

        Raises:
            NoSuchTransition: there is no such site.
        """
        text = "{}" if settings == SiteSettings() else written(settings)
        await self._correct(site, {"settings": text}, who, why)
        await self._keeping.replan([site])

    async def prioritise(self, site: str, priority: float, who: str, why: str) -> None:
        """Say how soon a site is collected beside others: candidates have from 0 to 1, members 1.

        Raises:
            NoSuchTransition: there is no such site.
        """
        await self._correct(site, {"priority": priority}, who, why)

    async def release(self, site: str, names: frozenset[str], who: str, why: str) -> None:
        """Leave to the scheduler again what a person has fixed.

        Raises:
            NoSuchTransition: there is no such site.
        """
        await self._means.store.run(Database.release, site, names, self._means.now(), who, why)
        await self._keeping.replan([site])

    # Campaigns

    async def put_campaign(self, campaign: Campaign, who: str, why: str) -> None:
        """Add a campaign, or change it."""
        begins, ends = dates.parse(campaign.begins), dates.parse(campaign.ends)
        text = written(evolve(campaign, begins=begins, ends=ends))
        kept = CampaignRow(campaign.name, text, begins, ends, RUNNING)
        await self._means.store.run(Database.put_campaign, kept, self._means.now(), who, why)
        await self._keeping.replan_campaign(campaign.name)

    async def end_campaign(self, campaign: str, who: str, why: str) -> None:
        """End a campaign now; to take that back, put it again.

        Raises:
            NoSuchTransition: there is no such campaign.
        """
        await self._means.store.run(Database.end_campaign, campaign, self._means.now(), who, why)
        await self._keeping.replan_campaign(campaign)

    async def join_campaign(self, campaign: str, sites: Sequence[str], who: str, why: str) -> None:
        """Have sites take part in a campaign.

        Raises:
            NoSuchTransition: there is no such campaign, or site.
        """
        await self._take_part(Database.join_campaign, campaign, sites, who, why)

    async def leave_campaign(self, campaign: str, sites: Sequence[str], who: str, why: str) -> None:
        """Have sites take part in a campaign no more."""
        await self._take_part(Database.leave_campaign, campaign, sites, who, why)

    # Feeds

    async def add_feed(self, site: str, feed: str, who: str, why: str) -> None:
        """Follow a feed for a site.

        Raises:
            NoSuchTransition: there is no such site.
        """
        await self._means.store.run(Database.add_feed, feed, site, self._means.now(), who, why)
        await self._feeding.judged(site)

    async def forget_feed(self, feed: str, who: str, why: str) -> None:
        """Follow a feed no more."""
        await self._means.store.run(Database.forget_feed, feed, self._means.now(), who, why)
        await self._feeding.forget(feed)

    async def _take_part(
        self,
        change: Callable[[Database, str, Sequence[str], str, str, str], None],
        campaign: str,
        sites: Sequence[str],
        who: str,
        why: str,
    ) -> None:
        for start in range(0, len(sites), _AT_ONCE):
            some = sites[start : start + _AT_ONCE]
            await self._means.store.run(change, campaign, some, self._means.now(), who, why)
            await self._keeping.replan(some)

    async def _correct(self, site: str, corrections: Correction, who: str, why: str) -> None:
        await self._means.store.run(
            Database.correct, site, corrections, self._means.now(), who, why
        )
