"""What a feed aggregator answers over HIP (*INA §1.5.2*)."""

from agents import urls
from agents.dates import InvalidDate
from agents.feed import AggregatorReport, FeedStatus, FollowedFeed
from agents.feeds.aggregator import Aggregator
from agents.feeds.errors import TooMany
from hip import CallRefused, exposed

AT_ONCE = 1000  # feeds of one call


class FeedMethods:
    """Methods for the scheduler and for people."""

    def __init__(self, aggregator: Aggregator) -> None:
        self._aggregator = aggregator

    @exposed(roles=("scheduler",))
    def follow(self, feeds: list[FollowedFeed]) -> int:
        """Follow up to 1,000 feeds, each from what was told of it last; tell how many there are.

        Those that are followed already go on. The agent forgets all feeds with each new link to
        its scheduler, which then gives them again. What comes is told by calls of `feeds_heard`.
        Refused with "too-many", and with "bad-feed" when a URL is not canonical or a date is none;
        then none is followed.
        """
        _bounded(len(feeds))
        for feed in feeds:
            if urls.canonical(feed.feed) != feed.feed:
                raise CallRefused("bad-feed", f"{feed.feed[:200]!r} is not a canonical URL")
        try:
            return self._aggregator.follow(feeds)
        except TooMany as error:
            raise CallRefused("too-many", str(error)) from None
        except InvalidDate as error:
            raise CallRefused("bad-feed", str(error)) from None

    @exposed(roles=("scheduler",))
    def forget(self, feeds: list[str]) -> int:
        """Follow up to 1,000 feeds no more; tell how many are followed still."""
        _bounded(len(feeds))
        return self._aggregator.forget(feeds)

    @exposed(roles=("scheduler", "operator"))
    def look(self, feed: str) -> bool:
        """Look at a feed as soon as its server's turn comes; tell whether it is followed."""
        return self._aggregator.look_now(feed)

    @exposed
    def feeds(self, after: str = "", limit: int = 100) -> list[FeedStatus]:
        """List up to 1,000 feeds in the order of their URLs, those beyond `after`."""
        return self._aggregator.statuses(after, max(1, min(limit, AT_ONCE)))

    @exposed
    def progress(self) -> AggregatorReport:
        """Tell how many feeds are followed, and what was done since the start."""
        return self._aggregator.report()


def _bounded(count: int) -> None:
    if count > AT_ONCE:
        raise CallRefused("too-many", f"give up to {AT_ONCE} feeds at once")
