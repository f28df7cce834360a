"""A quick update: the URLs of the former crawl are asked for only if they have changed."""

from typing import Any

from pytest_twisted import ensureDeferred

from agents.order import Access
from anet.http import Request, Response


def tagged(body: str, tag: str) -> Any:
    """Return a page that knows its version."""

    def answer(request: Request) -> Response:
        if request.headers.text(b"if-none-match") == tag:
            return Response(304, [(b"ETag", tag.encode())])
        fields = [(b"Content-Type", b"text/html"), (b"ETag", tag.encode())]
        return Response(200, fields, body.encode())

    return answer


@ensureDeferred
async def test_an_update(web: Any, crawl: Any) -> None:
    """What stands is neither fetched nor read; what is new is found in what has changed."""
    web.pages = {
        "/": tagged("<a href=/kept><a href=/changed>", '"1"'),
        "/kept": tagged("<a href=/deep>", '"1"'),
        "/changed": tagged("old", '"1"'),
        "/deep": tagged("deep", '"1"'),
    }
    first = await crawl(web.url)
    web.pages["/changed"] = tagged("<a href=/found>", '"2"')
    web.pages["/found"] = "found"
    second = await crawl(
        web.url, name="second", former=str(first.directory), access=Access(conditional=True)
    )
    assert second.urls == first.urls | {web.url + "found"}
    changes = {line["url"].removeprefix(web.url): line["change"] for line in second.lines}
    assert changes["kept"] == changes["deep"] == changes[""] == "unchanged"
    assert (changes["changed"], changes["found"]) == ("changed", "new")
    kept = {line["url"]: line for line in second.lines}[web.url + "kept"]
    before = {line["url"]: line for line in first.lines}[web.url + "kept"]
    assert kept["content"] == before["content"] and not kept["new"]


@ensureDeferred
async def test_an_update_of_some_pages(web: Any, crawl: Any) -> None:
    """A quick look at named pages fetches them, and of the former ones no deeper ones."""
    web.pages = {
        "/": "<a href=/one><a href=/two>",
        "/one": "<a href=/deep>",
        "/two": "two",
        "/deep": "deep",
    }
    first = await crawl(web.url)
    web.pages["/new"] = "<a href=/more>"
    named = (web.url + "new", web.url + "one", web.url, "http://elsewhere.invalid/", "no URL")
    second = await crawl(
        web.url,
        name="second",
        former=str(first.directory),
        access=Access(conditional=True),
        maximum_depth=0,
        urls=named,
    )
    fetched = {url.removeprefix(web.url) for url in second.urls}
    assert fetched - {"robots.txt", "favicon.ico"} == {"", "new", "one"}
    assert {line["depth"] for line in second.lines} == {0}
