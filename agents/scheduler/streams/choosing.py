"""Which streams of a site are listened to, and what an agent's news mean for that: pure.

From the relevance of a site the scheduler decides to collect *new* streams (*INA §1.6*): one that
is listened to is not given up for a better one, nor because its site's relevance has sunk a little.
It goes on as long as its site is a member, for a stream with holes is worth little.
"""

from collections.abc import Collection, Sequence

from attrs import field, frozen

from agents.scheduler.streams.life import LISTENED, Hand, Phase, StreamEvent
from agents.scheduler.streams.settings import StreamsConfig
from agents.stream import Outcome

TRUSTED = 0.5  # relevance, at least, of a site that a person ordered, as where it is judged
TOGETHER = 3.0  # seconds that both agents go on once the new one receives: each reads once a second
_KNOWN = 10  # times the patience with a stream that was received before
_PROVEN = 6 * 3600.0  # seconds of reception after which a stream that ends begins anew
_STARTED = 1.0  # added to the rank of what a person started: more than any relevance


@frozen
class Known:
    """A stream, as far as the choice goes by it.

    Attributes:
        stream: its URL.
        phase: where it is.
        hand: what a person said.
        promise: how likely it is a live stream, by its URL.
        tries: how often in a row it was set aside.
        found: when it was met first.
    """

    stream: str
    phase: Phase = field(converter=Phase)
    hand: Hand = field(converter=Hand)
    promise: int
    tries: int
    found: str


@frozen
class Owner:
    """A site, as far as the choice goes by it.

    Attributes:
        member: whether it is one.
        relevance: from 0 to 1.
        trusted: whether a person fixed its standing.
    """

    member: bool
    relevance: float
    trusted: bool

    @property
    def counts(self) -> float:
        """The relevance that counts."""
        return max(self.relevance, TRUSTED) if self.trusted else self.relevance


@frozen
class Choice:
    """What changes for the streams of a site.

    Attributes:
        chosen: to be listened to from now on.
        dropped: not to be listened to any more.
    """

    chosen: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def choose(owner: Owner, streams: Sequence[Known], config: StreamsConfig) -> Choice:
    """Return what changes for the streams of a site, of which these are all."""
    listened = [one for one in streams if one.phase in LISTENED]
    if not owner.member:
        return Choice(dropped=_names(listened))
    ready = [one for one in streams if one.phase is Phase.CANDIDATE]
    started = [one for one in ready if one.hand is Hand.START]
    by_itself = sum(one.hand is Hand.NOTHING for one in listened)
    room = config.per_site - by_itself if owner.counts >= config.relevance else 0
    others = sorted((one for one in ready if one.hand is Hand.NOTHING), key=_order)
    stopped = [one for one in listened if one.hand is Hand.STOP]
    return Choice(_names([*started, *others[: max(0, room)]]), _names(stopped))


def rank(owner: Owner, hand: Hand) -> float:
    """Return how soon a stream gets an agent: by its site's relevance, people's wishes first."""
    return owner.counts + (_STARTED if hand is Hand.START else 0.0)


def event_of(outcome: Outcome, failures: int, received: bool, config: StreamsConfig) -> StreamEvent:
    """Return what an agent's news mean for a stream.

    Args:
        outcome: what became of it.
        failures: attempts in a row that brought nothing.
        received: whether it was received since it was chosen.
        config: of the choice.
    """
    if outcome == "receiving":
        return StreamEvent.HEARD
    if outcome in ("ended", "gone"):
        return StreamEvent.SET_ASIDE
    patience = config.patience * (_KNOWN if received else 1)
    return StreamEvent.SET_ASIDE if failures >= patience else StreamEvent.FAILED


def tries_after(tries: int, received: float | None) -> int:
    """Return how often in a row a stream was set aside, now that it is.

    Args:
        tries: before.
        received: seconds since it was received first after it was chosen; None if it never was.
    """
    return 1 if received is not None and received >= _PROVEN else tries + 1


def wait(tries: int, hand: Hand, config: StreamsConfig) -> float:
    """Return the seconds until a stream that was set aside is tried again.

    What a person started waits no longer than the first time.
    """
    if hand is Hand.START:
        return config.retry_first
    doubled: float = config.retry_first * 2.0 ** min(tries - 1, 32)
    return max(config.retry_first, min(doubled, config.retry_longest))


def _order(stream: Known) -> tuple[int, int, str, str]:
    return stream.tries, -stream.promise, stream.found, stream.stream


def _names(streams: Collection[Known]) -> tuple[str, ...]:
    return tuple(one.stream for one in streams)
