"""What a look teaches of a feed, and when to look next. Pure: chance is passed in."""

from collections.abc import Callable
from random import random

from attrs import frozen

from agents.feeds.errors import LookFailed
from agents.feeds.followed import Followed
from agents.feeds.looking import Look, validator
from agents.feeds.rhythm import Bounds, Rhythm, after_failure, fresh_for, permitted
from agents.feeds.seen import News, compare

AFTER_MESSAGE = 10.0  # seconds after a hub's message at which the feed itself is looked at
_JITTER = 0.1  # share by which intervals differ, so that feeds do not stay in step
_PROBLEM = 300  # characters


@frozen
class Learner:
    """Notes what comes of a feed.

    Attributes:
        bounds: of the intervals between looks.
        hub_interval: seconds between looks at a feed whose hub tells of it.
        chance: gives numbers from 0 to 1.
    """

    bounds: Bounds = Bounds()
    hub_interval: float = 43200.0
    chance: Callable[[], float] = random

    def learn(self, followed: Followed, look: Look) -> News | None:
        """Note what a look brought; return what is new, or None when the body is as it was."""
        headers, now = look.answer.head.headers, look.answer.date
        feed = look.feed
        news = None if feed is None else compare(feed.entries, followed.seen)
        if feed is not None and news is not None:
            followed.hint = feed.hint
            followed.skip_hours, followed.skip_days = feed.skip_hours, feed.skip_days
            followed.seen = news.seen
        followed.rhythm = _rhythm(followed, look, news)
        if news is not None and news.entries and followed.looked and followed.has_hub():
            followed.missed = True  # its hub did not tell of it
        if look.answer.head.status != 304:
            followed.etag = validator(look.answer, b"etag")
            followed.modified = validator(look.answer, b"last-modified")
        followed.digest = look.digest
        followed.looked, followed.failures, followed.problem = now, 0, ""
        followed.next = self._next(followed, now, fresh_for(headers))
        return news

    def fail(self, followed: Followed, error: Exception, now: float) -> None:
        """Note that a look brought nothing."""
        followed.failures += 1
        followed.problem = str(error)[:_PROBLEM]
        rest = error.rest if isinstance(error, LookFailed) else 0.0
        followed.next = now + after_failure(followed.failures, self.bounds, rest)

    def hear(self, followed: Followed, news: News | None, now: float) -> None:
        """Note a message of its hub; what it says of the time goes with the next look."""
        if news is not None:
            followed.seen = news.seen
            rhythm = followed.rhythm
            followed.rhythm = Rhythm(rhythm.entries + news.entries, rhythm.seconds)
        followed.missed = False
        followed.next = now + AFTER_MESSAGE

    def _next(self, followed: Followed, now: float, fresh: float) -> float:
        """Return when to look next, in seconds since the epoch."""
        seconds = followed.rhythm.interval(self.bounds, max(followed.hint, fresh))
        if not followed.missed:
            seconds = max(seconds, min(self.hub_interval, followed.lease_left(now) / 2))
        seconds *= 1 + _JITTER * (self.chance() - 0.5)
        return permitted(now + seconds, followed.skip_hours, followed.skip_days)


def _rhythm(followed: Followed, look: Look, news: News | None) -> Rhythm:
    now = look.answer.date
    if look.feed is not None and not followed.looked:
        return Rhythm.of((entry.published for entry in look.feed.entries), now)
    elapsed = now - followed.looked if followed.looked else 0.0
    entries, overlap = (news.entries, news.overlap) if news is not None else (0, True)
    return followed.rhythm.after(entries, elapsed, overlap)
