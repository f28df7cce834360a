"""At which moment of a channel each reader is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from agents.consultation.streams.manifests import Manifest
from agents.consultation.streams.sessions import EACH, LIMIT, Sessions
from tests.agents.consultation.streams.recorded import moment

URL, SEGMENT = "http://tv.example/a.m3u8", "http://tv.example/1.ts"
MANIFEST = Manifest(references=frozenset([SEGMENT]))


@pytest.fixture
def clock() -> Clock:
    """Time that the test makes pass."""
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    """Sessions by that clock, one of which has begun."""
    sessions = Sessions(clock)
    sessions.begin("me", URL, "chosen", moment(0)).note(URL, MANIFEST)
    return sessions


def found(sessions: Sessions, key: str = "me", url: str = URL, chosen: str = "chosen") -> Any:
    """Return at which moment a reader is, or None."""
    session = sessions.find(key, url, chosen)
    return None if session is None else sessions.moment(session)


def test_a_session_goes_on_as_time_passes(clock: Clock, sessions: Sessions) -> None:
    """Manifest and segments are those of the same moment, later and later."""
    for second in range(0, 300, 50):
        assert found(sessions) == found(sessions, url=SEGMENT) == moment(second)
        clock.advance(50)


def test_it_ends_after_a_pause_and_with_another_date(clock: Clock, sessions: Sessions) -> None:
    """Whoever comes back after a minute, or chose another date, begins anew."""
    assert found(sessions, chosen="other") is None
    assert found(sessions, key="you") is None
    assert found(sessions, url="http://tv.example/other.ts") is None
    clock.advance(60)
    assert found(sessions) == moment(60)
    clock.advance(61)
    assert found(sessions) is None
    assert len(sessions) == 0


def test_readers_and_sessions_are_bounded(clock: Clock) -> None:
    """However many ask, those seen least recently go."""
    sessions = Sessions(clock)
    for number in range(50):
        sessions.begin("me", f"{URL}?{number}", "", moment(0))
    assert len(sessions) == EACH
    for number in range(LIMIT + 10):
        sessions.begin(str(number), URL, "", moment(0))
    assert len(sessions) <= LIMIT


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 80))))
def test_what_is_counted_is_there(steps: list[tuple[str, bool, int]]) -> None:
    """Whatever is begun, found and forgotten, the number of sessions stays true."""
    clock = Clock()
    sessions = Sessions(clock)
    for key, begins, seconds in steps:
        if begins:
            sessions.begin(key, URL, "", moment(0)).note(URL, MANIFEST)
        sessions.find(key, URL, "")
        clock.advance(seconds)
        assert len(sessions) == sum(map(len, sessions._readers.values()))
