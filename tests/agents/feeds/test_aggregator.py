"""A feed aggregator on the tree: what the scheduler hears of feeds."""

import gzip
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents import dates
from agents.feed import AggregatorReport, FeedStatus, FollowedFeed
from anet.clock import wall
from anet.http import HttpClient, HttpServer, Response
from anet.tasks import sleep
from hip import RemoteError, convert
from tests.agents.feeds.conftest import Tree, Web


def rss(*names: str, text: str = "") -> bytes:
    """Return a feed with entries of those names."""
    items = "".join(
        f"<item><title>{name}</title><link>/{name}</link><description>{text}</description></item>"
        for name in names
    )
    return f"<rss version='2.0'><channel><title>F</title>{items}</channel></rss>".encode()


def ok(body: bytes, **fields: str) -> Response:
    """Return an answer with fields of its head."""
    return Response(
        200,
        [(name.replace("_", "-").encode(), value.encode()) for name, value in fields.items()],
        body,
    )


@ensureDeferred
async def test_new_and_changed_pages_are_told_at_once(tree: Tree, web: Web) -> None:
    """A feed's first look tells all its pages, the next only what is new or changed."""
    web.answers["/feed"] = [ok(rss("a", "b")), ok(rss("c", "a", "b")), ok(rss("c", "a", text="x"))]
    feed = web.url + "/feed"
    await tree.start()
    await tree.follow(feed)
    first = await tree.scheduler.heard(1)
    assert (first.outcome, first.title) == ("changed", "F")
    assert first.new == [web.url + "/a", web.url + "/b"]
    assert await tree.peer.call("look", feed=feed)
    second = await tree.scheduler.heard(2)
    assert (second.new, second.changed) == ([web.url + "/c"], [])
    await tree.peer.call("look", feed=feed)
    third = await tree.scheduler.heard(3)
    assert (third.new, third.changed) == ([], [web.url + "/c", web.url + "/a"])


@ensureDeferred
async def test_what_has_not_changed_is_asked_for_by_its_validators(tree: Tree, web: Web) -> None:
    """ETag and Last-Modified are given back; 304 is no news, and the state comes all the same."""
    modified = "Fri, 20 Nov 2026 10:00:00 GMT"
    web.answers["/feed"] = [ok(rss("a"), ETag='"1"', Last_Modified=modified), Response(304)]
    await tree.start()
    await tree.follow(web.url + "/feed")
    await tree.scheduler.heard(1)
    await tree.peer.call("look", feed=web.url + "/feed")
    news = await tree.scheduler.heard(2)
    headers = web.asked[-1].headers
    assert headers.text(b"if-none-match") == '"1"'
    assert headers.text(b"if-modified-since") == modified
    assert "dlweb" in headers.text(b"user-agent")
    assert (news.outcome, news.new, news.state.etag) == ("unchanged", [], '"1"')
    assert news.state.next > news.state.looked


@ensureDeferred
async def test_an_agent_begins_anew_with_what_the_scheduler_knows(tree: Tree, web: Web) -> None:
    """Restarted, it asks by the validators of its former life, and tells no page twice."""
    web.answers["/feed"] = [ok(rss("a"), ETag='"1"'), ok(rss("b", "a"))]
    await tree.start()
    await tree.follow(web.url + "/feed")
    await tree.scheduler.heard(1)
    await tree.service.stopService()
    await tree.start_aggregator()
    await tree.follow(web.url + "/feed")
    await tree.peer.call("look", feed=web.url + "/feed")
    news = await tree.scheduler.heard(2)
    assert web.asked[-1].headers.text(b"if-none-match") == '"1"'
    assert news.new == [web.url + "/b"]


@ensureDeferred
async def test_a_feed_waits_until_its_time(tree: Tree, web: Web) -> None:
    """One that was looked at lately is not looked at again for being given again."""
    web.answers["/feed"] = [ok(rss("a"))]
    await tree.start()
    await tree.follow(web.url + "/feed")
    await tree.scheduler.heard(1)
    await tree.follow(web.url + "/feed")
    status = convert((await tree.peer.call("feeds"))[0], FeedStatus)
    assert (status.doing, web.paths()) == ("waiting", ["/feed"])
    assert status.interval > 250


@ensureDeferred
async def test_news_that_the_scheduler_refuses_are_told_again(tree: Tree, web: Web) -> None:
    """Nothing is lost when the scheduler answers with an error."""
    web.answers["/feed"] = [ok(rss("a"))]
    tree.scheduler.refusals = 2
    await tree.start()
    await tree.follow(web.url + "/feed")
    assert (await tree.scheduler.heard(1)).new == [web.url + "/a"]
    assert web.paths() == ["/feed"]


@ensureDeferred
async def test_a_feed_that_moved_for_good_is_followed_there(tree: Tree, web: Web) -> None:
    """301 moves a feed, 302 does not; both lead to its entries."""
    web.answers["/old"] = [Response.redirect("/new", 301)]
    web.answers["/other"] = [Response.redirect("/new", 302)]
    web.answers["/new"] = [ok(rss("a"))]
    await tree.start()
    await tree.follow(web.url + "/old")
    moved = await tree.scheduler.heard(1)
    assert (moved.outcome, moved.moved_to) == ("moved", web.url + "/new")
    assert moved.new == [web.url + "/a"]
    await tree.follow(web.url + "/other")
    other = await tree.scheduler.heard(2)
    assert (other.outcome, other.moved_to) == ("changed", "")
    assert [each["feed"] for each in await tree.peer.call("feeds")] == [
        web.url + "/new",
        web.url + "/other",
    ]


@ensureDeferred
async def test_a_feed_that_moved_to_a_known_one_is_followed_once(tree: Tree, web: Web) -> None:
    """Two feeds that become one are asked for once."""
    web.answers["/old"] = [Response.redirect("/new", 308)]
    web.answers["/new"] = [ok(rss("a"))]
    await tree.start()
    await tree.follow(web.url + "/new")
    await tree.scheduler.heard(1)
    await tree.follow(web.url + "/old")
    assert (await tree.scheduler.heard(2)).moved_to == web.url + "/new"
    assert len(await tree.peer.call("feeds")) == 1


@ensureDeferred
async def test_a_feed_that_is_gone_is_followed_no_more(tree: Tree, web: Web) -> None:
    """410 ends it."""
    web.answers["/feed"] = [Response.text(410, "")]
    await tree.start()
    await tree.follow(web.url + "/feed")
    assert (await tree.scheduler.heard(1)).outcome == "gone"
    assert await tree.peer.call("feeds") == []


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Response.text(404, ""), "404"),
        (Response.html(200, "<html>Welcome</html>"), "no RSS"),
        (Response.redirect("/feed"), "nowhere"),
        (ok(b"\x1f\x8bno gzip"), "gzip"),
        (ok(gzip.compress(b" " * 3_000_000)), "longer"),
    ],
)
@ensureDeferred
async def test_a_look_that_fails_is_told_with_its_reason(
    tree: Tree, web: Web, answer: Response, problem: str
) -> None:
    """What is no feed is told, and looked at again later."""
    web.answers["/feed"] = [answer]
    await tree.start(body_limit=1_000_000)
    await tree.follow(web.url + "/feed")
    news = await tree.scheduler.heard(1)
    assert (news.outcome, news.state.failures) == ("failing", 1)
    assert problem in news.state.problem


@ensureDeferred
async def test_retry_after_is_kept(tree: Tree, web: Web) -> None:
    """A server that suffers is left alone for as long as it asks, with all its feeds."""
    web.answers["/a"] = [Response(503, [(b"Retry-After", b"5000")])]
    web.answers["/b"] = [ok(rss("a"))]
    await tree.start(robots=False)
    await tree.follow(web.url + "/a")
    news = await tree.scheduler.heard(1)
    begun = wall(reactor)
    assert dates.to_datetime(news.state.next).timestamp() - begun > 4900
    await tree.follow(web.url + "/b")
    assert web.paths() == ["/a"]


@ensureDeferred
async def test_robots_txt_is_obeyed(tree: Tree, web: Web) -> None:
    """What it forbids is not asked for; what it permits is, and it is asked for once a day."""
    web.answers["/robots.txt"] = [ok(b"User-agent: dlweb\nDisallow: /private/\n")]
    web.answers["/feed"] = [ok(rss("a"))]
    await tree.start()
    await tree.follow(web.url + "/private/feed", web.url + "/feed")
    await tree.scheduler.heard(2)
    outcomes = {news.feed: (news.outcome, news.state.problem) for news in tree.scheduler.news}
    assert outcomes[web.url + "/private/feed"] == ("failing", "robots.txt forbids it")
    assert outcomes[web.url + "/feed"][0] == "changed"
    assert web.paths() == ["/feed"]


@ensureDeferred
async def test_private_networks_are_refused_unless_allowed(tree: Tree, web: Web) -> None:
    """A feed on loopback is not asked for when the scheduler does not say so."""
    await tree.start()
    await tree.peer.call("follow", feeds=[FollowedFeed(web.url + "/feed")])
    news = await tree.scheduler.heard(1)
    assert (news.outcome, web.asked) == ("failing", [])
    assert "public Internet" in news.state.problem


@ensureDeferred
async def test_a_server_is_asked_one_request_at_a_time(tree: Tree, web: Web) -> None:
    """However many feeds of it are due."""
    under_way, most = 0, 0

    async def slow(request: Any) -> Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await sleep(reactor, 0.01)
        under_way -= 1
        return ok(rss("a")) if request.target != "/robots.txt" else Response.text(404, "")

    server = HttpServer(reactor, "127.0.0.1:0", slow, name="slow")
    server.startService()
    await tree.start()
    await tree.follow(*(f"http://{server.address}/{number}" for number in range(25)))
    await tree.scheduler.heard(25)
    await server.stopService()
    assert most == 1
    assert all(news.outcome == "changed" for news in tree.scheduler.news)


@ensureDeferred
async def test_feeds_are_forgotten_and_bounded(tree: Tree, web: Web) -> None:
    """Forgotten feeds are not looked at; more than the most are refused, and none of them taken."""
    web.answers["/a"] = [ok(rss("a"))]
    await tree.start(feeds=2)
    await tree.follow(web.url + "/a")
    await tree.scheduler.heard(1)
    with pytest.raises(RemoteError, match="too-many|at most 2"):
        await tree.follow(web.url + "/b", web.url + "/c")
    assert await tree.peer.call("forget", feeds=[web.url + "/a", "http://unknown.example/"]) == 0
    assert not await tree.peer.call("look", feed=web.url + "/a")
    with pytest.raises(RemoteError, match="canonical"):
        await tree.peer.call("follow", feeds=[FollowedFeed("HTTP://EXAMPLE.ORG")])


@ensureDeferred
async def test_the_page_and_the_figures_tell_what_is_done(tree: Tree, web: Web) -> None:
    """The page shows feeds, changes and errors; Prometheus gets the same."""
    web.answers["/a"] = [ok(rss("x", "y"))]
    await tree.start()
    await tree.follow(web.url + "/a", web.url + "/b")
    await tree.scheduler.heard(2)
    report = convert(await tree.peer.call("progress"), AggregatorReport)
    assert (report.feeds, report.outcomes) == (2, {"changed": 1, "failing": 1})
    client = HttpClient(reactor)
    url = f"http://{tree.service.server.address}"
    page = (await (await client.request("GET", url + "/")).read(10**6)).decode()
    metrics = (await (await client.request("GET", url + "/metrics")).read(10**6)).decode()
    await client.stopService()
    assert web.url + "/a" in page
    assert "the server answers 404" in page
    assert 'dlweb_feeds{of="pages_new"} 2.0' in metrics
