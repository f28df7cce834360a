"""Servers are told where a component was found, as browsers tell them."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.crawler.network.referrer import fields, referrer_of


@pytest.mark.parametrize(
    ("url", "found_in", "told"),
    [
        ("http://a.org/i", "http://a.org/dir/page?q", "http://a.org/dir/page?q"),
        ("http://b.org/i", "http://a.org/dir/page?q", "http://a.org/"),
        ("https://b.org/i", "http://a.org/dir/page?q", "http://a.org/"),
        ("http://a.org/i", "https://a.org/dir/page", ""),
        ("http://a.org:81/i", "http://a.org/dir/page", "http://a.org/"),
        ("http://a.org/", "", ""),
    ],
)
def test_what_is_told(url: str, found_in: str, told: str) -> None:
    """All to the same server, the origin to others, and nothing from https to http."""
    assert referrer_of(url, found_in) == told
    assert fields(url, found_in) == ([(b"Referer", told.encode())] if told else [])


@ensureDeferred
async def test_a_server_that_wants_to_know(web: Any, crawl: Any) -> None:
    """Components are asked for with the page that shows them, pages without."""
    web.pages = {"/dir/": "<img src=i><a href=p>", "/dir/i": "", "/dir/p": ""}
    await crawl(web.url + "dir/")
    told = {request.target: request.headers.text(b"referer") for request in web.requests}
    assert told["/dir/i"] == web.url + "dir/"
    assert told["/dir/p"] == told["/dir/"] == ""
