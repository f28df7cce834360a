"""Wrong guesses are few, and forgotten after a while."""

from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.access.guesses import ALLOWED, REGAINED, Guesses


def test_ten_at_once_and_then_one_in_half_a_minute():
    """Nobody else has to wait for it."""
    guesses = Guesses()
    for _ in range(ALLOWED):
        assert guesses.wait("192.0.2.1", 1000.0) == 0
        guesses.wrong("192.0.2.1", 1000.0)
    assert guesses.wait("192.0.2.1", 1000.0) == REGAINED
    assert guesses.wait("192.0.2.2", 1000.0) == 0
    assert guesses.wait("192.0.2.1", 1000.0 + REGAINED) == 0
    guesses.wrong("192.0.2.1", 1000.0 + REGAINED)
    assert guesses.wait("192.0.2.1", 1000.0 + REGAINED) == REGAINED


def test_all_of_an_ipv6_network_is_one():
    """One person may have 2⁶⁴ addresses."""
    guesses = Guesses()
    for number in range(ALLOWED):
        guesses.wrong(f"2001:db8::{number:x}", 0.0)
    assert guesses.wait("2001:db8::ffff", 0.0) > 0
    assert guesses.wait("2001:db8:0:1::1", 0.0) == 0
    assert len(guesses) == 1


@given(st.lists(st.floats(0, 100), min_size=1, max_size=300))
def test_in_any_span_there_are_no_more_than_allowed(gaps):
    """Whoever tries whenever they may makes at most ten guesses and one per half minute."""
    guesses, now, made = Guesses(), 0.0, 0
    for gap in gaps:
        now += gap
        if not guesses.wait("a", now):
            guesses.wrong("a", now)
            made += 1
    assert made <= ALLOWED + now / REGAINED


def test_memory_is_bounded():
    """A whole botnet takes no more than some thousand entries."""
    guesses = Guesses()
    for number in range(20_000):
        guesses.wrong(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", float(number))
    assert len(guesses) == 10_000
