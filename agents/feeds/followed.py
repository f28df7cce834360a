"""A feed in the memory of the aggregator: as few bytes as its state takes.

WAITING --it is due--> LOOKING --an answer, or none--> TELLING --the scheduler has it--> WAITING
WAITING --the server's turn comes later--> WAITING
any state --forget, gone, a new link to the scheduler--> FORGOTTEN
"""

from enum import Enum

from attrs import define

from agents import dates
from agents.feed import FeedState, FeedStatus, FollowedFeed, Subscription
from agents.feeds.rhythm import Rhythm


class Doing(Enum):
    """Where a feed stands."""

    WAITING = "waiting"
    LOOKING = "looking"
    TELLING = "telling"
    FORGOTTEN = "forgotten"


@define(eq=False)
class Followed:
    """A feed, with times in seconds since the epoch; see `FeedState` for the rest.

    Attributes:
        asked_robots: until when the server is known to let us look; 0 when it must be asked.
        due: by the reactor's clock; what waits under another time is not valid any more.
        again: whether to look once more when the present look is told.
        message: of its hub, that waits for the end of the present look.
        missed: whether it had entries that its hub did not tell of.
        hub_asked: when its hub was asked last, in seconds since the epoch.
    """

    url: str
    private: bool = False
    doing: Doing = Doing.WAITING
    etag: str = ""
    modified: str = ""
    digest: bytes = b""
    seen: bytes = b""
    rhythm: Rhythm = Rhythm()
    hint: float = 0.0
    skip_hours: int = 0
    skip_days: int = 0
    looked: float = 0.0
    next: float = 0.0
    failures: int = 0
    problem: str = ""
    subscription: Subscription | None = None
    asked_robots: float = 0.0
    due: float = 0.0
    again: bool = False
    message: bytes | None = None
    missed: bool = False
    hub_asked: float = 0.0

    @classmethod
    def of(cls, feed: FollowedFeed) -> "Followed":
        """Return a feed as the scheduler gives it.

        Raises:
            InvalidDate: its state has a date that is none.
        """
        state = feed.state
        return cls(
            feed.feed,
            feed.private_networks,
            etag=state.etag,
            modified=state.modified,
            digest=state.digest,
            seen=state.seen,
            rhythm=Rhythm(state.entries, state.seconds),
            hint=state.hint,
            skip_hours=state.skip_hours,
            skip_days=state.skip_days,
            looked=_seconds(state.looked),
            next=_seconds(state.next),
            failures=state.failures,
            problem=state.problem,
            subscription=state.subscription,
        )

    def state(self) -> FeedState:
        """Return what the scheduler is to keep."""
        return FeedState(
            etag=self.etag,
            modified=self.modified,
            digest=self.digest,
            seen=self.seen,
            entries=self.rhythm.entries,
            seconds=self.rhythm.seconds,
            hint=self.hint,
            skip_hours=self.skip_hours,
            skip_days=self.skip_days,
            looked=_date(self.looked),
            next=_date(self.next),
            failures=self.failures,
            problem=self.problem,
            subscription=self.subscription,
        )

    def status(self) -> FeedStatus:
        """Return what a person sees of it."""
        return FeedStatus(
            feed=self.url,
            doing=self.doing.value,
            interval=max(0.0, self.next - self.looked) if self.looked else 0.0,
            next=_date(self.next),
            failures=self.failures,
            problem=self.problem,
            hub=self.subscription.hub if self.has_hub() and self.subscription else "",
        )

    def has_hub(self) -> bool:
        """Tell whether a hub has agreed to tell of it."""
        return self.subscription is not None and bool(self.subscription.until)

    def lease_left(self, now: float) -> float:
        """Return for how many seconds from `now` its hub will tell of it; 0 without one."""
        until = self.subscription.until if self.subscription is not None else ""
        return max(0.0, _seconds(until) - now)


def _seconds(date: str) -> float:
    return dates.to_datetime(date).timestamp() if date else 0.0


def _date(seconds: float) -> str:
    return dates.from_timestamp(seconds) if seconds else ""
