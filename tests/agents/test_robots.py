"""robots.txt by RFC 9309."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.robots import SIZE_LIMIT, product, rules

AGENT = "dlweb/0.1 (+https://dlweb.invalid/crawler)"


@pytest.mark.parametrize(
    ("status", "body", "url", "allowed"),
    [
        (200, b"User-agent: *\nDisallow: /x", "http://a/x", False),
        (200, b"User-agent: *\nDisallow: /x", "http://a/y", True),
        (200, b"User-agent: *\nDisallow: /x\nAllow: /x/y", "http://a/x/y", True),
        (200, b"User-agent: *\nDisallow:", "http://a/x", True),
        (200, b"User-agent: other\nDisallow: /", "http://a/x", True),
        (200, b"User-agent: DLWEB\nDisallow: /\n\nUser-agent: *\nAllow: /", "http://a/x", False),
        (200, b"User-agent: *\nDisallow: /*.gif$", "http://a/x.gif", False),
        (200, b"User-agent: *\nDisallow: /*.gif$", "http://a/x.gif?y", True),
        (200, b"\xef\xbb\xbfUser-agent: *\nDisallow: /", "http://a/x", False),
        (200, b"", "http://a/x", True),
        (200, b"<html>not found</html>", "http://a/x", True),
        (404, b"User-agent: *\nDisallow: /", "http://a/x", True),
        (403, b"", "http://a/x", True),
        (301, b"", "http://a/x", True),
        (500, b"", "http://a/x", False),
        (503, b"User-agent: *\nAllow: /", "http://a/x", False),
    ],
)
def test_what_is_allowed(status: int, body: bytes, url: str, allowed: bool) -> None:
    """The status decides whether the file counts, the most specific rule of our group the rest."""
    assert rules(status, body, AGENT).allow(url) is allowed


def test_crawl_delay() -> None:
    """The delay asked for is told."""
    assert rules(200, b"User-agent: *\nCrawl-delay: 2.5", AGENT).delay == 2.5
    assert rules(200, b"User-agent: *\nCrawl-delay: -3", AGENT).delay == 0
    assert rules(200, b"User-agent: *\nCrawl-delay: soon", AGENT).delay == 0


def test_only_the_first_part_of_a_long_file_counts() -> None:
    """A rule beyond 500 KiB is not read."""
    body = b"User-agent: *\n" + b"#" * SIZE_LIMIT + b"\nDisallow: /\n"
    assert rules(200, body, AGENT).allow("http://a/x")


def test_product_token() -> None:
    """Groups are named by the product alone."""
    assert product(AGENT) == "dlweb"
    assert product("/1") == "*"


@given(st.binary(max_size=300))
def test_any_bytes(body: bytes) -> None:
    """No file raises."""
    rules(200, b"User-agent: *\n" + body, AGENT).allow("http://a/x?y")
