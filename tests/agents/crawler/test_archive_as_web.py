"""A crawl of an archive: its proxy is asked for every URL as it is, at one date, without pause."""

from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.crawler.limits import Limits
from agents.order import Access
from anet.http import Response

DATE = "20260101000000000000"
SITE = "https://www.example.org/"


@ensureDeferred
async def test_https_is_asked_for_without_a_tunnel(web, crawl):
    """The archive is sent whole https URLs, with the date, though pauses were asked for."""
    web.pages[SITE] = '<a href="a.html">a</a><img src="http://b.example/b.png">'
    web.pages[SITE + "a.html"] = "a"
    web.pages["http://b.example/b.png"] = Response(200, [(b"Content-Type", b"image/png")], b"b")
    web.pages[SITE + "robots.txt"] = "User-agent: *\nCrawl-delay: 50"
    begun = reactor.seconds()
    collected = await crawl(
        SITE,
        access=Access(proxy=web.url.rstrip("/")),
        archive_date=DATE,
        limits=Limits(longest_rest=0.0),
        politeness={"delay": 20.0},
    )
    assert {SITE, SITE + "a.html", "http://b.example/b.png"} <= collected.urls
    assert {request.headers.text(b"accept-datetime") for request in web.requests} == {DATE}
    assert reactor.seconds() - begun < 15
