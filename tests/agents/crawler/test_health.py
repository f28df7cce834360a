"""When a server that does not answer is given up."""

from agents.crawler.health import LONGEST, PATIENCE, STRANGERS, Health


def test_own_servers_get_more_patience() -> None:
    """Failures in a row count; an answer forgives them all."""
    health = Health()
    for number in range(PATIENCE):
        assert not health.given_up("a", own=True)
        assert health.given_up("a", own=False) is (number >= STRANGERS)
        health.bad("a")
    assert health.given_up("a", own=True)
    assert not health.given_up("b", own=False)
    health.good("a")
    assert not health.given_up("a", own=True)


def test_rests_double_up_to_a_bound() -> None:
    """A server that fails again is left alone longer."""
    health = Health()
    rests = [health.bad("a") for _ in range(20)]
    assert rests[:4] == [1, 2, 4, 8]
    assert rests[-1] == LONGEST
