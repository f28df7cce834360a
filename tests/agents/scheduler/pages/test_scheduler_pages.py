"""The scheduler's pages: nothing of the web becomes markup, and only its people decide."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.scheduler.pages.deciding import NotUnderstood, calls_of

PAGES = ("/", "/sites", "/sites/evil.example", "/sites/m0.example", "/graph", "/timeline")
PAGES += ("/graph?site=evil.example", "/campaigns", "/machines", "/streams", "/streams?phase=aside")


class Outline(HTMLParser):
    """Collects elements and attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}


def token_of(page: str) -> str:
    """Return the token in the forms of a page."""
    found = re.search(r'name="token" value="(\w+)"', page)
    assert found
    return found[1]


@ensureDeferred
async def test_nothing_of_the_web_becomes_markup(running: Any) -> None:
    """Names, URLs, guesses and reasons that are scripts show as text on every page."""
    shown = 0
    for path in PAGES:
        status, page = await running.get(path)
        assert status == 200, path
        outline = Outline(page)
        assert "img" not in outline.tags and "style" not in outline.names, path
        assert not [name for name in outline.names if name.startswith("on")], path
        assert outline.tags.count("script") <= 1, path
        assert "<script>alert" not in page, path
        shown += "&lt;script&gt;alert" in page
    assert shown >= 4


@ensureDeferred
async def test_a_site_says_what_it_is_and_why(running: Any) -> None:
    """Standing, story, judgement, guess, rank with its referrers, and links are on its page."""
    _, page = await running.get("/sites/m0.example")
    text = unescape(page)
    for words in (
        "m0.example is a member of the portion.",
        "keywords: 0.68",
        "It passed the filters.",
        "known sites link to it, foremost",
        "Sites that link to it (35)",
        "it was the first",
        "http://m0.example/feed?",
    ):
        assert words in text, words
    _, blacklisted = await running.get("/sites/evil.example")
    assert "is blacklisted" in blacklisted and "pardon it" in blacklisted
    assert "ban it" not in blacklisted


@ensureDeferred
async def test_the_schedule_ahead_is_visible(running: Any) -> None:
    """What is planned comes first, then what its rhythm leads to, on the days these fall on."""
    found = (await running.api("timeline", days=5, sites=9))[1]
    [site] = [each for each in found["sites"] if each["site"] == "m3.example"]
    planned, *others = site["crawls"]
    assert (planned["reason"], planned["quick"], planned["requests"]) == ("It is <time>.", True, 10)
    assert others and all(each["date"] > planned["date"] for each in others)
    [day] = [each for each in found["days"] if each["day"] == planned["date"][:8]]
    assert (day["sites"], day["requests"], day["more"]) == (1, 10, False)
    assert [each["day"] for each in found["days"]] == sorted({d["day"] for d in found["days"]})
    _, page = await running.get("/timeline")
    assert 'href="/sites/m3.example"' in page and "times" not in page
    _, page = await running.get("/sites/m3.example")
    assert "It is &lt;time&gt;." in page and "a text changes every" in page


@ensureDeferred
async def test_what_is_not_there_says_what_to_do(running: Any) -> None:
    """An unknown site is 404, with words; a wrong question 400."""
    status, page = await running.get("/sites/nobody.example")
    assert status == 404 and "dlweb sites" in page
    assert (await running.get("/sites?standing=nonsense"))[0] == 400
    assert (await running.get("/sites?order=priority&after=x"))[0] == 400


@ensureDeferred
@pytest.mark.parametrize("order", ["changed", "priority", "authority", "name"])
async def test_pages_of_a_list_follow_each_other(running: Any, order: str) -> None:
    """By following the last line one meets each site once, whatever the order."""
    seen: list[str] = []
    after = ""
    while True:
        found = (await running.api("find_sites", order=order, limit=7, after=after))[1]
        seen += [site["site"] for site in found["sites"]]
        after = found["after"]
        if not after:
            break
    assert len(seen) == len(set(seen)) == 36
    if order == "authority":
        _, page = await running.get(f"/sites?order={order}")
        assert page.index(seen[0]) < page.index(seen[-1])


@ensureDeferred
async def test_sites_are_searched_by_the_beginning_of_their_name(running: Any) -> None:
    """A beginning finds those that begin so, and no others."""
    _, page = await running.get("/sites?beginning=m")
    assert page.count('href="/sites/m') == 5 and "c01.example" not in page


@ensureDeferred
async def test_a_decision_is_carried_out_and_written_down(running: Any) -> None:
    """A form of ours bans a site; its page tells who did and why, and that it sticks."""
    _, page = await running.get("/sites/m1.example")
    said = {"decision": "ban", "why": "an <advertisement>", "who": "Ada", "token": token_of(page)}
    status, _, location = await running.form("/sites/m1.example/decide", **said)
    assert (status, location) == (303, "/sites/m1.example")
    _, page = await running.get("/sites/m1.example")
    assert "is blacklisted" in page and "an &lt;advertisement&gt;" in page and "Ada" in page
    found = (await running.api("site", site="m1.example"))[1]
    assert found["held"] == ["standing"]
    status, page, _ = await running.form("/sites/m1.example/decide", **said | {"decision": "wake"})
    assert status == 400 and "Not done" in page  # nobody wakes what is blacklisted


@ensureDeferred
async def test_settings_and_bounds_are_changed_and_the_rest_stays(running: Any) -> None:
    """What a person does not touch is not fixed by hand."""
    _, page = await running.get("/sites/m2.example")
    was = unescape(re.findall(r'name="was" value="([^"]*)"', page)[0])
    fields = {"start_url": "http://m2.example/", "accept": "//m2.example", "reject": "/private"}
    fields |= {"maximum_depth": "9", "priority": "0", "token": token_of(page), "was": was}
    assert (await running.form("/sites/m2.example/bound", **fields))[0] == 303
    settle = {"interval": "36", "weight": "2", "quick": "no", "token": token_of(page), "was": "{}"}
    assert (await running.form("/sites/m2.example/settle", **settle))[0] == 303
    found = (await running.api("site", site="m2.example"))[1]
    assert found["held"] == ["reject", "settings"] and found["reject"] == "/private"
    assert found["settings"] == {"interval": 129600.0, "priority": 2.0, "quick": False}
    status, page, _ = await running.form("/sites/m2.example/settle", **settle | {"weight": "much"})
    assert status == 400 and "is not a number" in page


@ensureDeferred
async def test_feeds_are_followed_by_hand(running: Any) -> None:
    """A feed is added to a site, and taken away."""
    _, page = await running.get("/sites/m2.example")
    said = {"feed": "http://m2.example/rss", "token": token_of(page)}
    for decision, feeds in (("add_feed", ["http://m2.example/rss"]), ("forget_feed", [])):
        answer = await running.form("/sites/m2.example/feed", decision=decision, **said)
        assert answer[0] == 303
        found = (await running.api("site", site="m2.example"))[1]
        assert [each["feed"] for each in found["feeds"]] == feeds


@ensureDeferred
async def test_streams_are_listed_a_page_at_a_time(running: Any) -> None:
    """With their agents, which are linked to, and what went wrong; each once."""
    seen: list[str] = []
    path = "/streams?site=m1.example"
    while path:
        _, page = await running.get(path)
        seen += re.findall(r'href="(http://m1\.example/\d\d\.m3u8)"', page)
        more = re.search(r'href="(/streams\?[^"]*after=[^"]*)"', page)
        path = unescape(more[1]) if more else ""
    assert len(seen) == len(set(seen)) == 60
    _, page = await running.get("/streams?phase=receiving")
    assert re.search(r"127\.0\.0\.1:7195/stream\?stream=http%3A%2F%2Fm0\.example%2Flive", page)
    assert "128 kbit/s" in page
    assert (await running.get("/streams?phase=nonsense"))[0] == 400
    _, page = await running.get("/sites/m0.example")
    assert page.index("Live streams") and "receiving" in page


@ensureDeferred
async def test_streams_are_stopped_and_added_by_hand(running: Any) -> None:
    """By forms of two pages; what cannot be done says why."""
    _, page = await running.get("/streams")
    token = {"token": token_of(page)}
    stop = {"stream": "http://m1.example/01.m3u8", "decision": "stop_stream", "why": "a <film>"}
    assert (await running.form("/streams/decide", **stop, **token))[0] == 303
    [first, line] = (await running.api("streams", site="m1.example", limit=2))[1]
    assert first["phase"] == "aside"
    assert (line["stream"], line["hand"], line["phase"]) == (stop["stream"], "stop", "candidate")
    story = (await running.api("site", site="m1.example"))[1]["story"]
    assert story[0]["why"] == "a <film>" and story[0]["after"] == "stopped"
    add = {"stream": "https://m2.example/radio"}
    assert (await running.form("/sites/m2.example/stream", **add, **token))[0] == 303
    [line] = (await running.api("streams", site="m2.example"))[1]
    assert (line["phase"], line["hand"]) == ("ordered", "start")
    move = add | {"decision": "move_stream", "agent": "nobody"}
    status, page, _ = await running.form("/streams/decide", **move, **token)
    assert status == 400 and "no streaming agent that is linked" in page
    status, page, _ = await running.form("/streams/decide", decision="play", **token)
    assert status == 400 and "no such decision" in page


@ensureDeferred
async def test_streams_are_counted(running: Any) -> None:
    """By phase, and by agent, for Prometheus."""
    _, figures = await running.get("/metrics")
    for line in (
        'dlweb_scheduler_streams{phase="ordered"} 59.0',
        'dlweb_scheduler_streams{phase="receiving"} 1.0',
        'dlweb_scheduler_streams{phase="aside"} 1.0',
        'dlweb_scheduler_listened_streams{agent="streaming"} 1.0',
    ):
        assert line in figures


@ensureDeferred
async def test_campaigns_come_and_go_by_forms(running: Any) -> None:
    """A campaign is added, a site takes part, and it ends."""
    _, page = await running.get("/campaigns")
    token = {"token": token_of(page)}
    put = {"name": "Fair", "begins": "2026-11-01", "ends": "2036-12-01", "hours": "12"}
    assert (await running.form("/campaigns/put", **put, **token))[0] == 303
    join = {"campaign": "Fair", "decision": "join_campaign", "sites": "m0.example, m1.example"}
    assert (await running.form("/campaigns/sites", **join, **token))[0] == 303
    [fair] = [each for each in (await running.api("campaigns"))[1] if each["name"] == "Fair"]
    assert fair["sites"] == ["m0.example", "m1.example"] and fair["state"] == "running"
    assert (await running.form("/campaigns/end", campaign="Fair", **token))[0] == 303
    [fair] = [each for each in (await running.api("campaigns"))[1] if each["name"] == "Fair"]
    assert fair["state"] == "over"


@ensureDeferred
@pytest.mark.parametrize(
    ("headers", "with_token", "status"),
    [
        ({}, False, 403),
        ({"Origin": "http://evil.example"}, True, 403),
        ({"Origin": "null"}, True, 403),
        ({"Sec-Fetch-Site": "cross-site"}, True, 403),
        ({"X-Forwarded-For": "192.0.2.1"}, True, 401),
    ],
)
async def test_another_page_decides_nothing(
    running: Any, headers: dict[str, str], with_token: bool, status: int
) -> None:
    """Without our token, from another origin, or from elsewhere, nothing changes."""
    _, page = await running.get("/sites/m1.example")
    said = {"decision": "ban", "token": token_of(page) if with_token else "0" * 32}
    answer = await running.form("/sites/m1.example/decide", headers, **said)
    assert answer[0] == status
    assert (await running.api("site", site="m1.example"))[1]["line"]["standing"] == "member"


@pytest.mark.parametrize("what", ["nonsense", "put"])
def test_there_are_no_other_decisions(what: str) -> None:
    """A path that is no form's is refused."""
    with pytest.raises(NotUnderstood):
        calls_of(what, "a", {})
