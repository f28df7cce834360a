"""Pages that no link leads to, found by what a site tells of itself."""

from typing import Any

from pytest_twisted import ensureDeferred

from agents.crawler.strategy.sitemaps import LIMIT
from agents.crawler.strategy.traps import SITEMAPS
from anet.http import Response

SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{url}hidden</loc></url><url><loc>http://elsewhere.example/</loc></url></urlset>"""
INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>{url}part.xml</loc></sitemap></sitemapindex>"""


def served(web: Any, target: str, text: str) -> None:
    """Serve XML."""
    body = text.replace("{url}", web.url).encode()
    web.pages[target] = Response(200, [(b"Content-Type", b"text/xml")], body)


@ensureDeferred
async def test_the_usual_sitemap(web: Any, crawl: Any) -> None:
    """Where robots.txt names none, the usual one is asked for, once, and what it names followed."""
    web.pages = {"/": "", "/hidden": "<a href=/>"}
    served(web, "/sitemap.xml", SITEMAP)
    crawled = await crawl(web.url, strategy={"sitemaps": True})
    assert web.url + "hidden" in crawled.urls
    assert web.hits.count("/sitemap.xml") == 1
    assert crawled.found("external/link") == ["http://elsewhere.example/"]


@ensureDeferred
async def test_an_index_of_sitemaps(web: Any, crawl: Any) -> None:
    """What robots.txt names is asked for instead, and an index leads to its parts at once."""
    web.pages = {"/": "", "/robots.txt": f"Sitemap: {web.url}index.xml", "/hidden": ""}
    served(web, "/index.xml", INDEX)
    served(web, "/part.xml", SITEMAP)
    crawled = await crawl(web.url, strategy={"sitemaps": True}, maximum_depth=1)
    assert web.url + "hidden" in crawled.urls
    assert "/sitemap.xml" not in web.hits


@ensureDeferred
async def test_without_sitemaps(web: Any, crawl: Any) -> None:
    """An order may leave them aside; one that a page links to is kept, but not followed."""
    web.pages = {"/": "<a href=/sitemap.xml>", "/hidden": ""}
    served(web, "/sitemap.xml", SITEMAP)
    crawled = await crawl(web.url, strategy={"sitemaps": False})
    assert web.url + "sitemap.xml" in crawled.urls
    assert web.url + "hidden" not in crawled.urls


@ensureDeferred
async def test_too_many_sitemaps(web: Any, crawl: Any) -> None:
    """Those past the limit are not asked for, and the report counts them."""
    named = "".join(f"Sitemap: {web.url}{number}.xml\n" for number in range(LIMIT + 7))
    web.pages = {"/": "", "/robots.txt": named}
    crawled = await crawl(web.url, strategy={"sitemaps": True})
    assert f"/{LIMIT}.xml" not in web.hits
    assert crawled.found("limits/limit", "kind") == [SITEMAPS]
    assert crawled.found("limits/limit", "count") == ["7"]


@ensureDeferred
async def test_a_feed_that_no_page_declares(web: Any, crawl: Any) -> None:
    """What turns out to be a feed is reported as one, whatever led to it."""
    web.pages = {"/": "<a href=/news.xml><a href=/news.json>"}
    served(web, "/news.xml", "<rss><channel><item><link>/one</link></item></channel></rss>")
    feed = b'{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": []}'
    web.pages["/news.json"] = Response(200, [(b"Content-Type", b"application/json")], feed)
    crawled = await crawl(web.url)
    assert crawled.found("feeds/feed") == [web.url + "news.xml", web.url + "news.json"]
