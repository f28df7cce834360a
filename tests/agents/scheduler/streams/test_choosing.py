"""Which streams are listened to: enumerated, and for all sites and streams there can be."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.life import NoSuchTransition
from agents.scheduler.streams.choosing import (
    Choice,
    Known,
    Owner,
    choose,
    event_of,
    rank,
    tries_after,
    wait,
)
from agents.scheduler.streams.life import LISTENED, Hand, Phase, StreamEvent, phase_after
from agents.scheduler.streams.settings import StreamsConfig

LIFE = {
    "candidate": {"chosen": "ordered"},
    "ordered": {
        "given": "ordered",
        "failed": "ordered",
        "heard": "receiving",
        "set aside": "aside",
        "dropped": "candidate",
    },
    "receiving": {
        "given": "ordered",
        "failed": "broken",
        "heard": "receiving",
        "set aside": "aside",
        "dropped": "candidate",
    },
    "broken": {
        "given": "ordered",
        "failed": "broken",
        "heard": "receiving",
        "set aside": "aside",
        "dropped": "candidate",
    },
    "aside": {"due": "candidate"},
}
CONFIG = StreamsConfig()
OWNERS = st.builds(Owner, st.booleans(), st.floats(0, 1), st.booleans())
KNOWN = st.builds(
    Known,
    st.integers(0, 10**6).map("http://radio.example/{}".format),
    st.sampled_from(Phase),
    st.sampled_from(Hand),
    st.integers(0, 2),
    st.integers(0, 9),
    st.dates().map(lambda day: f"{day:%Y%m%d}000000000000"),
)
STREAMS = st.lists(KNOWN, max_size=30, unique_by=lambda one: one.stream)
CONFIGS = st.builds(StreamsConfig, relevance=st.floats(0, 1), per_site=st.integers(0, 6))


@pytest.mark.parametrize(("phase", "event"), list(product(Phase, StreamEvent)))
def test_streams_move_as_the_table_says(phase: Phase, event: StreamEvent) -> None:
    """And no other way."""
    if event in LIFE[phase]:
        assert phase_after(phase, event) == LIFE[phase][event]
    else:
        with pytest.raises(NoSuchTransition, match=phase):
            phase_after(phase, event)


@given(OWNERS, STREAMS, CONFIGS)
def test_a_choice_can_be_made_and_leaves_nothing_to_choose(
    owner: Owner, streams: list[Known], config: StreamsConfig
) -> None:
    """Each change has a place in the life of a stream, and after it nothing more changes."""
    choice = choose(owner, streams, config)
    after = [_after(one, choice) for one in streams]
    assert choose(owner, after, config) == Choice()


@given(OWNERS, STREAMS, CONFIGS)
def test_only_members_of_relevance_are_listened_to(
    owner: Owner, streams: list[Known], config: StreamsConfig
) -> None:
    """Up to a number each, but for what people start; nothing of a site that is no member."""
    choice = choose(owner, streams, config)
    after = {one.stream: one for one in (_after(one, choice) for one in streams)}
    listened = [one for one in after.values() if one.phase in LISTENED]
    chosen = [after[stream] for stream in choice.chosen]
    if not owner.member:
        assert not listened
    if owner.counts < config.relevance:
        assert all(one.hand is Hand.START for one in chosen)
    by_itself = [one for one in listened if one.hand is Hand.NOTHING]
    if any(one.hand is Hand.NOTHING for one in chosen):
        assert len(by_itself) <= config.per_site
    assert not any(one.hand is Hand.STOP for one in listened)


@given(OWNERS, STREAMS, CONFIGS)
def test_what_is_listened_to_goes_on(
    owner: Owner, streams: list[Known], config: StreamsConfig
) -> None:
    """For a member, only a person stops a stream: no better one takes its place."""
    dropped = choose(owner, streams, config).dropped
    stopped = {one.stream for one in streams if one.hand is Hand.STOP}
    assert not owner.member or set(dropped) <= stopped


def test_the_most_promising_come_first() -> None:
    """Untried ones before those that failed, playlists before files, the oldest of equals."""
    streams = [
        Known("failed", "candidate", "", 2, 1, "1"),
        Known("file", "candidate", "", 0, 0, "1"),
        Known("late", "candidate", "", 2, 0, "2"),
        Known("early", "candidate", "", 2, 0, "1"),
        Known("started", "candidate", "start", 0, 9, "3"),
    ]
    chosen = choose(Owner(True, 0.9, False), streams, StreamsConfig(per_site=3)).chosen
    assert chosen == ("started", "early", "late", "file")


def test_what_a_person_ordered_counts_as_relevant() -> None:
    """As it does where links are judged; and a stream that a person started comes first of all."""
    streams = [Known("a", "candidate", "", 2, 0, "1")]
    assert not choose(Owner(True, 0.0, False), streams, CONFIG).chosen
    assert choose(Owner(True, 0.0, True), streams, CONFIG).chosen == ("a",)
    assert rank(Owner(True, 0.0, False), Hand.START) >= rank(Owner(True, 1.0, True), Hand.NOTHING)


@pytest.mark.parametrize(
    ("outcome", "failures", "received", "event"),
    [
        ("receiving", 99, False, StreamEvent.HEARD),
        ("ended", 0, True, StreamEvent.SET_ASIDE),
        ("gone", 0, True, StreamEvent.SET_ASIDE),
        ("failing", 9, False, StreamEvent.FAILED),
        ("failing", 10, False, StreamEvent.SET_ASIDE),
        ("failing", 99, True, StreamEvent.FAILED),
        ("broken", 100, True, StreamEvent.SET_ASIDE),
        ("broken", 1, True, StreamEvent.FAILED),
    ],
)
def test_patience_is_longer_with_what_was_heard(
    outcome: str, failures: int, received: bool, event: StreamEvent
) -> None:
    """What never came is set aside soon; what is over, or is no stream, at once."""
    assert event_of(outcome, failures, received, CONFIG) is event  # type: ignore[arg-type]


@given(st.integers(1, 10**6), st.sampled_from(Hand))
def test_waits_double_up_to_the_longest(tries: int, hand: Hand) -> None:
    """From the shortest; what a person started is not left alone for longer than that."""
    found, next_one = wait(tries, hand, CONFIG), wait(tries + 1, hand, CONFIG)
    assert CONFIG.retry_first <= found <= next_one <= CONFIG.retry_longest
    assert next_one in (found, 2 * found, CONFIG.retry_longest)
    assert hand is not Hand.START or found == CONFIG.retry_first


def test_what_was_heard_for_hours_begins_anew() -> None:
    """A radio that stops for a night is tried as soon as one that stopped for the first time."""
    assert tries_after(7, None) == tries_after(7, 60.0) == 8
    assert tries_after(7, 86_400.0) == 1


def _after(one: Known, choice: Choice) -> Known:
    """Return a stream as it is once a choice was made."""
    phase = one.phase
    if one.stream in choice.chosen:
        phase = phase_after(phase, StreamEvent.CHOSEN)
    if one.stream in choice.dropped:
        phase = phase_after(phase, StreamEvent.DROPPED)
    return Known(one.stream, phase, one.hand, one.promise, one.tries, one.found)
