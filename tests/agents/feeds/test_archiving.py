"""Bodies of feeds as archived contents."""

import json
from pathlib import Path

from pytest_twisted import ensureDeferred

from agents.origin import request_of
from tests.agents.collected.test_captures import contents
from tests.agents.feeds.conftest import Tree, Web
from tests.agents.feeds.test_aggregator import ok, rss


@ensureDeferred
async def test_a_body_that_cannot_be_written_is_looked_at_again(tree: Tree, web: Web) -> None:
    """A full disk is a look that failed, so nothing is told that is not kept."""
    web.answers["/feed"] = [ok(rss("a"))]
    await tree.start()
    (tree.directory / "archive" / "crawls").rmdir()
    (tree.directory / "archive" / "crawls").write_text("in the way")
    await tree.follow(web.url + "/feed")
    news = await tree.scheduler.heard(1)
    assert (news.outcome, news.state.seen) == ("failing", b"")


@ensureDeferred
async def test_the_scheduler_is_given_what_was_collected(tree: Tree, web: Web) -> None:
    """Each changed body is a capture; one that came back the same is none."""
    body = rss("a")
    web.answers["/feed"] = [ok(body), ok(body), ok(rss("b"))]
    await tree.start(capture_period=0.001)
    await tree.follow(web.url + "/feed")
    for count in (1, 2, 3):
        await tree.scheduler.heard(count)
        await tree.peer.call("look", feed=web.url + "/feed")
    await tree.scheduler.until(lambda: len(tree.scheduler.directories) >= 2)
    collected = tree.scheduler.directories
    assert [each.figures.captures for each in collected] == [1, 1]
    assert contents(Path(collected[0].directory)) == {web.url + "/feed": body}
    line = json.loads((Path(collected[0].directory) / "structure").read_text())
    sent = request_of(line["origin"])
    assert sent is not None
    assert sent.head.startswith(b"GET /feed HTTP/1.1\r\nHost: 127.0.0.1")
    assert b"\r\nUser-Agent: dlweb" in sent.head
    assert collected[0].crawl == Path(collected[0].directory).name
