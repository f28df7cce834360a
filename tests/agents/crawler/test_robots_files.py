"""The rules of servers are asked for once, and again when they could not be read."""

from agents.crawler.robots_files import RobotsFiles, _Asked, _Keeper
from agents.robots import ALLOW_ALL, Rules
from anet.workers import Workers


def test_rules_are_by_scheme_host_and_port(workers: Workers) -> None:
    """Each server has its own."""
    files = RobotsFiles("dlweb/1", workers)
    files._asked["http://a:81"] = _Asked(ALLOW_ALL, 0)
    assert files.known("http://a:81/x?y=/z", 0) is ALLOW_ALL
    assert files.known("http://a/x", 0) is None
    assert files.known("https://a:81/x", 0) is None


def test_unknown_rules_are_asked_for_again_at_the_next_attempt(workers: Workers) -> None:
    """A server that failed forbids everything for now, not for ever."""
    files, unknown = RobotsFiles("dlweb/1", workers), Rules(unknown="the server answers 500")
    files._asked["http://a"] = _Asked(unknown, 0)
    assert files.known("http://a/", 0) is unknown
    assert not unknown.allow("http://a/")
    assert files.known("http://a/", 1) is None


def test_only_the_beginning_is_kept() -> None:
    """A robots.txt without end takes no more memory than its limit."""
    keeper = _Keeper()
    for _ in range(100):
        keeper.feed(b"x" * 10_000)
    assert len(keeper.text) == 500 * 1024
