"""What scheduler and feed aggregators say to each other (*INA §1.5.2*).

All that an aggregator knows of a feed is its state, and that is the scheduler's: it comes back with
every news, and is given again to whichever aggregator follows the feed next.
"""

from typing import Literal

from attrs import field, frozen

from agents.order import HIDDEN

Outcome = Literal["changed", "unchanged", "moved", "gone", "failing"]


@frozen
class Subscription:
    """What is agreed upon with a hub that tells of a feed at once (W3C WebSub).

    Attributes:
        hub: URL of the hub.
        topic: URL that the feed has there.
        token: the last part of the path that the hub calls.
        secret: what the hub signs with.
        until: date at which the lease ends; empty until the hub has verified it.
    """

    hub: str
    topic: str
    token: str = field(repr=False, metadata=HIDDEN)
    secret: str = field(repr=False, metadata=HIDDEN)
    until: str = ""


@frozen
class FeedState:
    """What is known of a feed, for whoever looks next.

    Attributes:
        etag: validator of the last whole answer, or empty.
        modified: `Last-Modified` of it, or empty.
        digest: beginning of the SHA-256 of its body.
        seen: the entries met, 8 bytes each: of which entry, and of which version of it.
        entries: entries met lately, each counting less with time.
        seconds: the time in which they came, fading likewise.
        hint: seconds for which the publisher asks to be left alone after an answer.
        skip_hours: hours (UTC) in which nobody is to look, bit N for hour N.
        skip_days: days likewise, bit 0 for Monday.
        looked: date of the last look; empty before the first.
        next: date of the next look.
        failures: looks in a row that brought nothing.
        problem: why the last of them failed.
        subscription: with a hub.
    """

    etag: str = ""
    modified: str = ""
    digest: bytes = b""
    seen: bytes = b""
    entries: float = 0.0
    seconds: float = 0.0
    hint: float = 0.0
    skip_hours: int = 0
    skip_days: int = 0
    looked: str = ""
    next: str = ""
    failures: int = 0
    problem: str = ""
    subscription: Subscription | None = None


@frozen
class FollowedFeed:
    """A feed that is to be followed.

    Attributes:
        feed: its URL, canonical.
        state: what was told of it last; nothing for a new one, which is looked at soon.
        private_networks: whether it may lie on a private network or on loopback.
    """

    feed: str
    state: FeedState = field(factory=FeedState)
    private_networks: bool = False


@frozen
class FeedNews:
    """What came out of a look, or of a hub's message.

    Attributes:
        feed: URL of the feed as it was followed.
        outcome: `changed`: there are new or changed entries; `unchanged`; `moved`: it is at
            `moved_to` for good and is followed there; `gone`: for good, and followed no more;
            `failing`.
        state: to keep.
        new: pages that entries lead to which were not there before; canonical URLs.
        changed: pages of entries that are not as they were.
        moved_to: the new URL of a feed that moved; the news is of both then.
        title: of the feed, if it was read.
        pushed: whether a hub told it.
    """

    feed: str
    outcome: Outcome
    state: FeedState
    new: list[str] = field(factory=list)
    changed: list[str] = field(factory=list)
    moved_to: str = ""
    title: str = ""
    pushed: bool = False


@frozen
class FeedStatus:
    """A feed as a person sees it.

    Attributes:
        feed: its URL.
        doing: waiting, looking or telling.
        interval: seconds between looks.
        next: date of the next look.
        failures: looks in a row that brought nothing.
        problem: why the last of them failed.
        hub: that tells of it, or empty.
    """

    feed: str
    doing: str
    interval: float
    next: str
    failures: int
    problem: str
    hub: str


@frozen
class AggregatorReport:
    """What a feed aggregator is doing.

    Attributes:
        feeds: followed.
        states: feeds by what they do: waiting, looking, telling; those due, failing, with a hub.
        requests: made since the start.
        outcomes: looks since the start, by outcome.
        messages: messages of hubs since the start.
    """

    feeds: int
    states: dict[str, int]
    requests: int
    outcomes: dict[str, int]
    messages: int
