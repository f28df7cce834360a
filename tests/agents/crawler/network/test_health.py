"""When a server that does not answer is given up."""

from agents.crawler.network.health import FOLDERS, LONGEST, PATIENCE, STRANGERS, Health

URL = "http://a/folder/file"


def test_own_servers_get_more_patience() -> None:
    """Failures to reach a server count in a row; an answer forgives them all."""
    health = Health()
    assert not health.troubled
    for number in range(PATIENCE):
        assert not health.given_up("a", URL, own=True)
        assert health.given_up("a", URL, own=False) is (number >= STRANGERS)
        health.bad("a", URL, reached=False)
        assert health.troubled
    assert health.given_up("a", URL, own=True)
    assert not health.given_up("b", "http://b/", own=False)
    health.good("a", URL)
    assert not health.given_up("a", URL, own=True)


def test_what_hangs_does_not_cost_the_rest_of_the_site() -> None:
    """A folder or script that does not answer is given up alone, as long as others answer."""
    health = Health()
    assert not health.troubled
    for number in range(PATIENCE):
        health.bad("a", f"http://a/folder/{number}")
        health.bad("a", f"http://a/script?{number}")
        health.good("a", "http://a/")
    assert health.given_up("a", "http://a/folder/new", own=True)
    assert health.given_up("a", "http://a/script?new", own=True)
    assert not health.given_up("a", "http://a/script", own=True)
    assert not health.given_up("a", "http://a/folder/within/it", own=True)


def test_a_server_that_is_there_and_answers_nothing() -> None:
    """Many folders in a row without any answer are the server's failure."""
    health = Health()
    assert not health.troubled
    for number in range(PATIENCE * FOLDERS):
        assert not health.given_up("a", "http://a/", own=True)
        health.bad("a", f"http://a/{number}/")
    assert health.given_up("a", "http://a/", own=True)


def test_rests_double_up_to_a_bound() -> None:
    """A server that fails again is left alone longer."""
    for reached in (True, False):
        health = Health()
        rests = [health.bad("a", URL, reached) for _ in range(20)]
        assert rests[:4] == [1, 2, 4, 8]
        assert rests[-1] == LONGEST
