"""Feeds of members: which aggregator follows which, and quick looks at what they tell of.

A feed is the scheduler's; an aggregator is given it with all that is known of it whenever it links
(*INA §1.5.2*).
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from agents import urls
from agents.feed import FeedNews, FeedState, FollowedFeed
from agents.scheduler.database import Database, FeedRow, Queries
from agents.scheduler.database.decisions import SCHEDULER
from agents.scheduler.life import Standing
from agents.scheduler.means import Means
from agents.scheduler.pool import Peer
from agents.scheduler.portion.crawl_plan import read, written
from agents.scheduler.portion.opening import opens
from agents.scheduler.portion.soon import URLS, quick_look

AGGREGATOR = "feed-aggregator"
_AT_ONCE = 500  # feeds of one call
_SITES = 1000  # at work, whose pages are remembered


class Feeding:
    """What aggregators are told, and what they tell.

    Args:
        means: the scheduler's.
        due: called when sites have fallen due.
    """

    def __init__(self, means: Means, due: Callable[[], None]) -> None:
        self._means, self._due = means, due
        self._later: dict[str, list[str]] = {}  # pages of sites that are at work
        self._peers: dict[str, Peer] = {}

    def join(self, peer: Peer) -> None:
        """Take an aggregator whose link is up; it follows all feeds of members from then on.

        When there are several, the one whose name is first follows all, and the next when it goes.
        """
        self._peers[peer.name] = peer
        self._begin(peer)

    def leave(self, peer: Peer) -> None:
        """Let an aggregator go; another takes over."""
        if self._peers.get(peer.name) is peer:
            del self._peers[peer.name]
            if (other := self._chosen()) is not None:
                self._begin(other)

    async def judged(self, site: str) -> None:
        """Follow the feeds of a site if it is a member, and else forget them.

        What they told of while it was at work is looked at now.
        """
        if told := self._later.pop(site, None):
            await self._look_soon(site, told)
        if (peer := self._chosen()) is None:
            return
        kept = await self._means.store.run(Database.site, site)
        feeds = await self._means.store.run(Database.feeds_of, site)
        if feeds and kept is not None:
            with self._means.journal.noting(f"feeds of {site} are not followed"):
                if kept.standing is Standing.MEMBER:
                    await peer.call("follow", feeds=[_followed(row) for row in feeds])
                else:
                    await peer.call("forget", feeds=[row.feed for row in feeds])

    async def forget(self, feed: str) -> None:
        """Have a feed followed no more."""
        if (peer := self._chosen()) is not None:
            with self._means.journal.noting(f"{feed} is still followed"):
                await peer.call("forget", feeds=[feed])

    async def heard(self, news: Sequence[FeedNews]) -> None:
        """Keep what was told of feeds, and have new and changed pages collected soon."""
        store, now = self._means.store, self._means.now()
        pages: dict[str, list[str]] = defaultdict(list)
        for one in news:
            kept = await store.run(Database.feed, one.feed)
            if kept is None:
                continue
            changed = now if one.outcome == "changed" else None
            await store.run(Database.feed_told, one.feed, written(one.state), changed)
            if one.outcome == "moved" and one.moved_to:
                await store.run(Database.feed_moved, one.feed, one.moved_to)
            elif one.outcome == "gone":
                await store.run(Database.forget_feed, one.feed, now, SCHEDULER, "it is gone")
            pages[kept.site] += [*one.new, *one.changed]
        for site, told in pages.items():
            await self._look_soon(site, told)

    async def _look_soon(self, site: str, told: Sequence[str]) -> None:
        """Have pages collected; those of a site at work are looked at when it is not any more.

        That is only remembered: should it be lost, the site's own crawls find these pages.
        """
        found = [url for text in told if (url := urls.canonical(text)) is not None]
        pages = tuple(dict.fromkeys(found))[:URLS]
        if not pages:
            return
        reason = f"A feed tells of {len(pages)} new or changed pages."
        plan, means = quick_look(pages, reason), self._means
        if await means.store.run(Database.look_soon, site, plan, means.now(), opens):
            self._due()
        elif len(self._later) < _SITES or site in self._later:
            self._later[site] = [*self._later.get(site, ()), *pages][:URLS]

    # Who follows

    def _chosen(self) -> Peer | None:
        return self._peers[min(self._peers)] if self._peers else None

    def _begin(self, peer: Peer) -> None:
        if self._chosen() is peer:
            self._means.tasks.start(self._give_all(peer), f"giving {peer.name} its feeds")

    async def _give_all(self, peer: Peer) -> None:
        after = ""
        with self._means.journal.noting("feeds are not followed"):
            while rows := await self._means.store.look(Queries.feeds_after, after, _AT_ONCE):
                await peer.call("follow", feeds=[_followed(row) for row in rows])
                after = rows[-1].feed


def _followed(row: FeedRow) -> FollowedFeed:
    return FollowedFeed(row.feed, read(row.state, FeedState), row.private_networks)
