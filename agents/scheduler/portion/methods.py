"""What the scheduler answers over HIP about the portion: to those who learn, and who decide."""

from collections.abc import Iterator
from contextlib import contextmanager

from agents import urls
from agents.delimitation import InvalidExpression
from agents.feed import FeedNews
from agents.judgement import LEARNED_AT_ONCE
from agents.scheduler.callers import WORDS, decider, only
from agents.scheduler.database import Bounds
from agents.scheduler.life import NoSuchTransition, StandingEvent
from agents.scheduler.portion.by_hand import ByHand
from agents.scheduler.portion.expanding import Expanding, NoPlace
from agents.scheduler.portion.feeding import AGGREGATOR, Feeding
from agents.scheduler.temporal import Campaign, SiteSettings
from agents.scheduler.temporal.settings import DEEPEST
from hip import CallRefused, Peer, exposed

CONNECTIVITY = "connectivity"
_SITES = 10_000  # of one call
_BY_HAND = {
    "ban": StandingEvent.BANNED,
    "pardon": StandingEvent.PARDONED,
    "rest": StandingEvent.RESTED,
    "wake": StandingEvent.WOKEN,
    "admit": StandingEvent.ADMITTED,
}


class PortionMethods:
    """Methods for connectivity agents, feed aggregators and archivists.

    What an archivist decides is written down with who said it (`who`, or the name of the link) and
    why. Refused with "bad-decision" where it has no place; the message says why.
    """

    def __init__(self, expanding: Expanding, feeding: Feeding, by_hand: ByHand) -> None:
        self._expanding, self._feeding, self._by_hand = expanding, feeding, by_hand

    @exposed(roles=("connectivity",))
    async def learn(
        self,
        peer: Peer,
        crawl: str,
        part: int,
        links: list[tuple[str, int]],
        feeds: list[str],
        streams: list[str],
    ) -> int:
        """Say where a crawl led to, part by part; the answer: the number of the part wanted next.

        For connectivity agents; may be repeated until answered.
        """
        only(peer, CONNECTIVITY)
        if len(links) + len(feeds) + len(streams) > LEARNED_AT_ONCE:
            raise CallRefused("too-much", f"tell up to {LEARNED_AT_ONCE} URLs at once")
        try:
            return await self._expanding.learn(crawl, part, links, feeds, streams)
        except NoSuchTransition as error:
            raise CallRefused("no-crawl", str(error)) from None

    @exposed(roles=("feed-aggregator",))
    async def feeds_heard(self, peer: Peer, news: list[FeedNews]) -> None:
        """Say what became of feeds; their new and changed pages are collected soon.

        For feed aggregators; may be repeated until answered.
        """
        only(peer, AGGREGATOR)
        await self._feeding.heard(news)

    @exposed(roles=("operator",))
    async def decide(
        self, peer: Peer, site: str, decision: str, why: str = "", who: str = ""
    ) -> str:
        """Decide of a site: ban, pardon, rest, wake or admit; the answer: its standing then.

        A ban puts it on the blacklist, and a pardon takes it off to be judged anew; what rests is
        not collected until it is woken; what is admitted is collected once to be judged. It sticks
        but for the last and for a pardon, until `release` leaves the standing to the scheduler.
        """
        event = _BY_HAND.get(decision)
        if event is None:
            raise CallRefused("bad-decision", f"one of {', '.join(_BY_HAND)}")
        with _refusing():
            standing = await self._by_hand.decide(site, event, decider(who, peer), why[:WORDS])
            return standing.value

    @exposed(roles=("operator",))
    async def bound(
        self,
        peer: Peer,
        site: str,
        accept: str | None = None,
        reject: str | None = None,
        maximum_depth: int | None = None,
        start_url: str | None = None,
        why: str = "",
        who: str = "",
    ) -> None:
        """Say where a site begins and ends; what is not said stays as it was."""
        start = None if start_url is None else urls.canonical(start_url)
        if start_url is not None and start is None:
            raise CallRefused("bad-decision", f"{start_url[:200]!r} cannot be collected")
        if maximum_depth is not None and not 0 <= maximum_depth <= DEEPEST:
            raise CallRefused("bad-decision", f"a maximum depth is from 0 to {DEEPEST}")
        bounds = Bounds(accept, reject, maximum_depth)
        with _refusing():
            await self._by_hand.bound(site, bounds, start, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def settle(
        self, peer: Peer, site: str, settings: SiteSettings, why: str = "", who: str = ""
    ) -> None:
        """Say how often, when and how much of a site is collected, all of it anew.

        Interval, bounds of the interval, depth, weight of its text, forbidden hours, quota, quick
        updates. What is left out is left to the configuration.
        """
        with _refusing():
            await self._by_hand.settle(site, settings, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def prioritise(
        self, peer: Peer, site: str, priority: float, why: str = "", who: str = ""
    ) -> None:
        """Say how soon a site is collected: candidates have from 0 to 1, members 1."""
        if not 0 <= priority <= 1e6:
            raise CallRefused("bad-decision", "a priority is from 0 to 1,000,000")
        with _refusing():
            await self._by_hand.prioritise(site, priority, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def release(
        self, peer: Peer, site: str, names: list[str], why: str = "", who: str = ""
    ) -> None:
        """Leave to the scheduler what a person had fixed: standing, priority, accept and so on."""
        with _refusing():
            await self._by_hand.release(site, frozenset(names), decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def put_campaign(
        self, peer: Peer, campaign: Campaign, why: str = "", who: str = ""
    ) -> None:
        """Add a campaign, or change the one of that name; one that had ended goes on."""
        await self._by_hand.put_campaign(campaign, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def end_campaign(self, peer: Peer, campaign: str, why: str = "", who: str = "") -> None:
        """End a campaign now."""
        with _refusing():
            await self._by_hand.end_campaign(campaign, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def join_campaign(
        self, peer: Peer, campaign: str, sites: list[str], why: str = "", who: str = ""
    ) -> None:
        """Have sites take part in a campaign."""
        with _refusing():
            await self._by_hand.join_campaign(
                campaign, _some(sites), decider(who, peer), why[:WORDS]
            )

    @exposed(roles=("operator",))
    async def leave_campaign(
        self, peer: Peer, campaign: str, sites: list[str], why: str = "", who: str = ""
    ) -> None:
        """Have sites take part in a campaign no more."""
        with _refusing():
            await self._by_hand.leave_campaign(
                campaign, _some(sites), decider(who, peer), why[:WORDS]
            )

    @exposed(roles=("operator",))
    async def add_feed(
        self, peer: Peer, site: str, feed: str, why: str = "", who: str = ""
    ) -> None:
        """Follow a feed for a site, as long as that is a member."""
        url = urls.canonical(feed)
        if url is None:
            raise CallRefused("bad-decision", f"{feed[:200]!r} is no address of a feed")
        with _refusing():
            await self._by_hand.add_feed(site, url, decider(who, peer), why[:WORDS])

    @exposed(roles=("operator",))
    async def forget_feed(self, peer: Peer, feed: str, why: str = "", who: str = "") -> None:
        """Follow a feed no more."""
        await self._by_hand.forget_feed(feed, decider(who, peer), why[:WORDS])


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (NoSuchTransition, NoPlace, InvalidExpression) as error:
        raise CallRefused("bad-decision", str(error)) from None


def _some(sites: list[str]) -> list[str]:
    if not 0 < len(sites) <= _SITES:
        raise CallRefused("bad-decision", f"name from 1 to {_SITES} sites at once")
    return sites
