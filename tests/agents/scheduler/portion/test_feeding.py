"""Feeds of members: followed by whichever aggregator is there, and looked into at once."""

from collections.abc import Callable
from typing import Any

from agents.collected import Collected
from agents.feed import FeedNews, FeedState, FollowedFeed
from agents.order import CrawlFigures
from hip import exposed

SEED, FEED = "http://seed.example/", "http://seed.example/feed"
NEWS = f"{SEED}2026/news"


def aggregator(portion: Any, name: str = "aggregator") -> Any:
    """Return an aggregator that follows what it is told to."""

    class Aggregator(portion.kit.Slave):  # type: ignore[misc]
        kind = "feed-aggregator"

        @exposed
        def follow(self, feeds: list[FollowedFeed]) -> int:
            self.feeds.update({feed.feed: feed for feed in feeds})
            return len(self.feeds)

        @exposed
        def forget(self, feeds: list[str]) -> int:
            for feed in feeds:
                self.feeds.pop(feed, None)
            return len(self.feeds)

        def connect(self) -> None:
            self.feeds: dict[str, FollowedFeed] = {}
            super().connect()
            portion.world.pass_time(1)

    return Aggregator(portion.world, name)


def news(outcome: str = "changed", **other: Any) -> list[FeedNews]:
    """Return news of the feed."""
    return [FeedNews(FEED, outcome, FeedState(etag="new"), **other)]  # type: ignore[arg-type]


def seeded(play: Callable[..., Any], pages: Any) -> Any:
    """Return a portion of one member with a feed."""
    portion = play({SEED: pages(feeds=(FEED, "http://elsewhere.example/feed"))})
    portion.order(SEED)
    portion.run()
    return portion


def test_feeds_of_members_are_followed(play: Callable[..., Any], pages: Any) -> None:
    """From what was known last, by one aggregator after the other, while their site is one."""
    portion = seeded(play, pages)
    first = aggregator(portion)
    assert first.feeds.keys() == {FEED, "http://elsewhere.example/feed"}
    first.tell("feeds_heard", news=news("unchanged"))
    second = aggregator(portion, "later")
    assert not second.feeds
    first.disconnect()
    portion.world.pass_time(1)
    assert second.feeds[FEED].state.etag == "new"
    portion.connectivity.tell("decide", site="seed.example", decision="ban")
    assert not second.feeds
    second.tell("feeds_heard", news=news(new=[NEWS]))
    assert len(portion.orders) == 1


def test_what_a_feed_tells_of_is_collected_soon(play: Callable[..., Any], pages: Any) -> None:
    """By a quick crawl of these pages alone, which is no judgement and teaches no rhythm."""
    portion = seeded(play, pages)
    before = portion.site("seed.example")
    follower = aggregator(portion)
    follower.tell("feeds_heard", news=news(new=[NEWS], changed=[SEED]))
    portion.world.pass_time(1)
    follower.tell("feeds_heard", news=news(new=[f"{SEED}more"]))  # while it is at work
    order = portion.orders[-1]
    assert (order.urls, order.maximum_depth) == ((NEWS, SEED), 0)
    assert order.access.conditional
    portion.step()
    _, policy, _ = portion.deposits[-1]
    assert not policy.filters.relevance
    portion.run()
    assert portion.orders[-1].urls == (f"{SEED}more",)
    after = portion.site("seed.example")
    assert (after.rhythm, after.relevance) == (before.rhythm, before.relevance)
    assert len(portion.orders) == 3


def test_feeds_do_not_break_what_is_settled(play: Callable[..., Any], pages: Any) -> None:
    """A site that is not to be collected now is not looked into, whatever its feed tells."""
    portion = seeded(play, pages)
    follower = aggregator(portion)
    night = {"forbidden": {"hours": [{"begins": "00:00", "ends": "24:00"}]}}
    follower.tell("settle", site="seed.example", settings=night)
    follower.tell("feeds_heard", news=news(new=[NEWS]))
    portion.run()
    assert len(portion.orders) == 1


def test_feeds_that_move_or_go(play: Callable[..., Any], pages: Any) -> None:
    """One that moved is kept under its new URL, and one that is gone is not kept."""
    portion = seeded(play, pages)
    follower = aggregator(portion)
    moved = news("moved", moved_to=f"{SEED}new-feed")
    gone = FeedNews("http://elsewhere.example/feed", "gone", FeedState())
    follower.tell("feeds_heard", news=[*moved, gone])
    assert [row.feed for row in portion.world.database.feeds_of("seed.example")] == [
        f"{SEED}new-feed"
    ]


def test_bodies_of_feeds_are_deposited(play: Callable[..., Any], pages: Any) -> None:
    """As a crawl that is whole, once, of a site that is never collected."""
    portion = seeded(play, pages)
    follower = aggregator(portion)
    told = Collected("feeds-1", "/crawls/feeds-1", CrawlFigures(captures=9))
    assert follower.tell("collected", collected=told) is True
    assert follower.tell("collected", collected=told) is True
    portion.world.pass_time(12)
    [(crawl, _, answer)] = portion.deposits
    assert crawl == "feeds-1"
    portion.deposits.clear()
    answer.callback({"done": True})
    portion.world.pass_time(12)
    assert portion.world.state("feeds-1") == "deposited"
    assert follower.tell("collected", collected=told) is False
    portion.run()
    assert len(portion.orders) == 1
