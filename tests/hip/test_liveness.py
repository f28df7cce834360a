"""A peer that does not greet, is silent, or does not read, is found within a stated time."""

from attrs import define
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from hip.limits import Limits
from hip.liveness import Liveness

LIMITS = Limits()


@define(eq=False)
class FakeLink:
    """What is watched."""

    clock: Clock
    is_greeted: bool = True
    begun: float = 0.0
    heard: float = 0.0
    spoke: float = 0.0
    deaf_since: float | None = None
    beats: int = 0
    given_up: tuple[float, str] | None = None

    def beat(self) -> None:
        """Note that a heartbeat was sent."""
        self.beats += 1
        self.spoke = self.clock.seconds()

    def give_up(self, reason: str) -> None:
        """Note when the peer was taken for dead."""
        assert self.given_up is None
        self.given_up = (self.clock.seconds(), reason)
        self.liveness.forget(self)

    liveness: Liveness | None = None


def watch(**state: object) -> tuple[Clock, FakeLink]:
    """Return a link that is watched from now on."""
    clock = Clock()
    link = FakeLink(clock, **state)
    link.liveness = Liveness(clock, LIMITS)
    link.liveness.watch(link)
    return clock, link


def pass_time(clock: Clock, seconds: float) -> None:
    """Let time pass, a tenth of a second at a time."""
    for _ in range(int(seconds * 10)):
        clock.advance(0.1)


def test_a_stranger_greets_in_time_or_goes():
    """A second after its time is over at the latest."""
    clock, link = watch(is_greeted=False)
    pass_time(clock, 60)
    assert link.given_up is not None
    assert LIMITS.greeting_time < link.given_up[0] <= LIMITS.greeting_time + 1.2
    assert clock.getDelayedCalls() == []


@given(st.floats(0, 100))
def test_silence_is_found_within_forty_seconds(last):
    """Whenever the last byte came, the peer is given up 30 to 40 seconds after it."""
    clock, link = watch()
    pass_time(clock, 1)
    while clock.seconds() < last:
        link.heard = clock.seconds()
        clock.advance(0.5)
    pass_time(clock, 60)
    assert link.given_up is not None
    assert LIMITS.silence < link.given_up[0] - link.heard <= LIMITS.silence + LIMITS.heartbeat + 1.2
    assert "silent" in link.given_up[1]


def test_a_peer_that_does_not_read_is_found_though_it_speaks():
    """Bytes from it do not count while it takes none."""
    clock, link = watch(deaf_since=5.0)
    for _ in range(600):
        link.heard = clock.seconds()
        clock.advance(0.1)
    assert link.given_up is not None
    assert 35 < link.given_up[0] <= 46.2
    assert "did not read" in link.given_up[1]


def test_heartbeats_are_sent_when_there_is_nothing_to_say():
    """Every five to fifteen seconds; none to a peer that is spoken to."""
    clock, link = watch()
    for _ in range(1200):
        link.heard = clock.seconds()
        clock.advance(0.1)
    assert link.given_up is None
    assert 120 / 15 <= link.beats <= 120 / 5
    beats = link.beats
    for _ in range(1200):
        link.heard = link.spoke = clock.seconds()
        clock.advance(0.1)
    assert link.beats == beats


def test_thousands_are_watched_by_one_timer():
    """And by none when all are gone."""
    clock = Clock()
    liveness = Liveness(clock, LIMITS)
    links = [FakeLink(clock, liveness=liveness) for _ in range(2000)]
    for link in links:
        liveness.watch(link)
    assert len(clock.getDelayedCalls()) == 1
    pass_time(clock, 17)
    assert all(link.beats for link in links)
    for link in links:
        liveness.forget(link)
    assert clock.getDelayedCalls() == []
