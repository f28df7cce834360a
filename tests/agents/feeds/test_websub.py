"""Hubs that tell of feeds by themselves (W3C WebSub)."""

import hmac
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.feeds.document import Feed
from agents.feeds.websub import METHODS, discover, is_signed, lease
from anet.http import Headers, HttpClient, HttpServer, Request, Response
from tests.agents.feeds.conftest import LONG, Tree, Web
from tests.agents.feeds.test_aggregator import ok, rss

URL = "http://e.org/feed"


@define
class Hub:
    """A small hub: verifies who subscribes, and tells subscribers what is published.

    Attributes:
        subscribers: callback, secret by topic.
        verified: fires when a subscription is.
    """

    lease: int = 864000
    deny: bool = False
    asked: list[dict[str, str]] = field(factory=list)
    subscribers: dict[str, tuple[str, str]] = field(factory=dict)
    verified: Deferred[None] = field(factory=Deferred)
    server: Any = None
    client: Any = None

    def start(self) -> str:
        """Begin to serve; return the hub's URL."""
        self.server = HttpServer(reactor, "127.0.0.1:0", self.answer, name="hub")
        self.server.startService()
        self.client = HttpClient(reactor)
        return f"http://{self.server.address}/"

    async def stop(self) -> None:
        await self.client.stopService()
        await self.server.stopService()

    async def answer(self, request: Request) -> Response:
        form = {key: each[0] for key, each in parse_qs((await request.read(9999)).decode()).items()}
        self.asked.append(form)
        reactor.callLater(0, lambda: Deferred.fromCoroutine(self.verify(form)))  # type: ignore[attr-defined]
        return Response.text(202, "")

    async def verify(self, form: dict[str, str]) -> None:
        """Ask the subscriber whether it was it who asked."""
        query = {"hub.mode": "denied" if self.deny else "subscribe", "hub.topic": form["hub.topic"]}
        query |= {"hub.challenge": "so?", "hub.lease_seconds": str(self.lease)}
        url = f"{form['hub.callback']}?{urlencode(query)}"
        response = await self.client.request("GET", url)
        body = await response.read(999)
        if response.head.status == 200 and body == b"so?":
            self.subscribers[form["hub.topic"]] = (form["hub.callback"], form["hub.secret"])
        if not self.verified.called:
            self.verified.callback(None)

    async def publish(self, topic: str, body: bytes, secret: str | None = None) -> int:
        """Tell the subscriber of a topic; return the status of its answer."""
        callback, agreed = self.subscribers[topic]
        signature = hmac.new((secret or agreed).encode(), body, "sha256").hexdigest()
        fields = [(b"X-Hub-Signature", b"sha256=" + signature.encode())]
        response = await self.client.request("POST", callback, fields, body)
        await response.read(999)
        status: int = response.head.status
        return status


async def subscribed(tree: Tree, web: Web, hub: Hub) -> str:
    """Follow a feed with a hub until that has agreed; return its URL."""
    link = f'<{hub.start()}>; rel="hub", <{web.url}/feed>; rel="self"'
    web.answers["/feed"] = [ok(rss("a"), Link=link)]
    await tree.start()
    await tree.follow(web.url + "/feed")
    await hub.verified.addTimeout(LONG, reactor)
    return web.url + "/feed"


@ensureDeferred
async def test_what_a_hub_tells_is_told_at_once(tree: Tree, web: Web) -> None:
    """A subscription is verified and signed; then a new entry needs no look at the feed."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    await tree.scheduler.until(
        lambda: any(
            each.state.subscription and each.state.subscription.until
            for each in tree.scheduler.news
        )
    )
    before, asked = len(tree.scheduler.news), len(web.paths())
    assert await hub.publish(feed, rss("b", "a")) == 202
    news = await tree.scheduler.heard(before + 1)
    assert (news.outcome, news.pushed, news.new) == ("changed", True, [web.url + "/b"])
    assert len(web.paths()) == asked
    await hub.stop()


@ensureDeferred
async def test_a_message_that_is_not_signed_as_agreed_is_ignored(tree: Tree, web: Web) -> None:
    """Whoever does not know the secret tells nothing, and does not learn that."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    assert await hub.publish(feed, rss("forged"), secret="guessed") == 202
    assert await hub.publish(feed, rss("true", "a")) == 202
    await tree.scheduler.until(lambda: any(each.pushed for each in tree.scheduler.news))
    told = [page for each in tree.scheduler.news if each.pushed for page in each.new]
    assert told == [web.url + "/true"]
    await hub.stop()


@ensureDeferred
async def test_a_feed_is_looked_at_rarely_while_its_hub_tells(tree: Tree, web: Web) -> None:
    """With a lease the next look is hours away; the state is the scheduler's, and so survives."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    await tree.scheduler.until(
        lambda: any(
            each.state.subscription and each.state.subscription.until
            for each in tree.scheduler.news
        )
    )
    count = len(tree.scheduler.news)
    await tree.peer.call("look", feed=feed)
    await tree.scheduler.heard(count + 1)
    status = (await tree.peer.call("feeds"))[0]
    assert status["interval"] > 40_000
    assert status["hub"]
    assert len(hub.asked) == 1
    await hub.stop()


@ensureDeferred
async def test_a_restarted_agent_hears_its_hubs(tree: Tree, web: Web) -> None:
    """Token and secret are in the state that the scheduler gives back."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    port = tree.ear
    await tree.scheduler.until(
        lambda: any(
            each.state.subscription and each.state.subscription.until
            for each in tree.scheduler.news
        )
    )
    await tree.service.stopService()
    await tree.start_aggregator(hub_address=port.split("/")[2], hub_callback=port)
    await tree.follow(feed)
    await hub.publish(feed, rss("later", "a"))
    await tree.scheduler.until(lambda: tree.scheduler.news[-1].pushed)
    assert tree.scheduler.news[-1].new == [web.url + "/later"]
    await hub.stop()


@ensureDeferred
async def test_a_head_of_304_does_not_change_what_was_agreed(tree: Tree, web: Web) -> None:
    """Such an answer may name the hub and not the topic; nobody subscribes again for that."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    link = f"<http://{hub.server.address}/>; rel=hub, <{web.url}/other>; rel=self"
    web.answers["/feed"] = [Response(304, [(b"Link", link.encode())])]
    await tree.peer.call("look", feed=feed)
    await tree.scheduler.until(lambda: len(web.paths()) > 1)
    await tree.peer.call("look", feed=feed)
    await tree.scheduler.until(lambda: len(tree.scheduler.news) > 2)
    assert len(hub.asked) == 1
    await hub.stop()


@ensureDeferred
async def test_without_an_ear_no_hub_is_relied_on(tree: Tree, web: Web) -> None:
    """A feed whose hub was heard before is looked at as any other when nobody hears it now."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    await tree.scheduler.until(
        lambda: any(
            each.state.subscription and each.state.subscription.until
            for each in tree.scheduler.news
        )
    )
    await tree.service.stopService()
    await tree.start_aggregator(hub_address=None, hub_callback=None)
    await tree.follow(feed)
    count = len(tree.scheduler.news)
    await tree.peer.call("look", feed=feed)
    news = await tree.scheduler.heard(count + 1)
    assert news.state.subscription is None
    await hub.stop()


@ensureDeferred
async def test_a_hub_that_denies_is_not_asked_again_at_once(tree: Tree, web: Web) -> None:
    """Its feed is looked at as any other."""
    hub = Hub(deny=True)
    feed = await subscribed(tree, web, hub)
    await tree.peer.call("look", feed=feed)
    await tree.scheduler.heard(2)
    assert len(hub.asked) == 1
    assert not (await tree.peer.call("feeds"))[0]["hub"]
    await hub.stop()


@ensureDeferred
async def test_strangers_get_nothing_at_the_ear(tree: Tree, web: Web) -> None:
    """Unknown tokens, other topics and hopeless leases are not agreed to; 410 ends a hub."""
    hub = Hub()
    feed = await subscribed(tree, web, hub)
    callback = hub.asked[0]["hub.callback"]

    async def status(method: str, url: str, **query: str) -> int:
        asked = urlencode({f"hub.{key}": value for key, value in query.items()})
        response = await hub.client.request(method, f"{url}?{asked}")
        await response.read(999)
        return int(response.head.status)

    good = {"mode": "subscribe", "challenge": "x", "lease_seconds": "9999"}
    assert await status("GET", callback + "x", topic=feed, **good) == 404
    assert await status("GET", callback, topic=feed + "x", **good) == 404
    assert await status("GET", callback, topic=feed, **{**good, "lease_seconds": "1"}) == 404
    assert await status("GET", callback, topic=feed, **good) == 200
    assert await status("POST", callback + "x") == 410
    await tree.peer.call("forget", feeds=[feed])
    assert await status("POST", callback) == 410
    await hub.stop()


@pytest.mark.parametrize(
    ("link", "hubs", "found"),
    [
        ('<http://h.example/>; rel="hub"', (), ("http://h.example/", URL)),
        ("<h>;rel=hub, </f2>; rel=self", (), ("http://e.org/h", "http://e.org/f2")),
        ('<http://a/>; rel="next", <http://h.example/>;x=y;rel="self hub"', (),
         ("http://h.example/", "http://h.example/")),
        ("", ("http://h.example/",), ("http://h.example/", URL)),
        ("<ftp://h/>; rel=hub", (), None),
        ("<<>>;;rel", (), None),
    ],
)  # fmt: skip
def test_hubs_are_discovered(
    link: str, hubs: tuple[str, ...], found: tuple[str, str] | None
) -> None:
    """A Link header goes before the feed's own words."""
    assert discover(Headers([(b"Link", link.encode())]), Feed(hubs=hubs), URL) == found


@given(st.binary(max_size=300))
def test_any_link_header_is_read(value: bytes) -> None:
    """Whatever is in it, what is found is canonical."""
    found = discover(Headers([(b"Link", value)]), None, URL)
    assert found is None or all(url.startswith("http") for url in found)


@given(st.binary(max_size=50), st.sampled_from(sorted(METHODS)), st.text("abc123", min_size=1))
def test_only_the_secret_signs(body: bytes, method: str, secret: str) -> None:
    """A signature is good for one body and one secret."""
    digest = hmac.new(secret.encode(), body, method).hexdigest()
    assert is_signed(f"{method}={digest}", body, secret)
    assert not is_signed(f"{method}={digest}", body + b"x", secret)
    assert not is_signed(f"{method}={digest}", body, secret + "x")
    assert not is_signed(f"md5={digest}", body, secret)
    assert not is_signed(digest, body, secret)


def test_leases_are_numbers_of_use() -> None:
    """Neither a minute nor for ever."""
    assert [lease(text) for text in ("", "x", "10", "3600", "9" * 11)] == [
        None, None, None, 3600.0, 365 * 86400.0
    ]  # fmt: skip
