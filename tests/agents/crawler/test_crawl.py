"""Whole crawls of small sites on a real server."""

import gzip
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import CancelledError, Deferred

from agents.crawler.errors import CrawlFailed
from agents.crawler.limits import Limits
from agents.crawler.network import connections
from anet.http import Response
from anet.http.connect import reach

WEBSITE = Path(__file__).parents[2] / "websites/static"


@ensureDeferred
async def test_a_site_that_links_in_every_way(web: Any, crawl: Any) -> None:
    """Every file that a browser would reach is collected, byte for byte, and nothing else."""
    web.add_folder(WEBSITE)
    result = await crawl(web.url)
    missing = {web.url + target[1:] for target in web.pages} - result.urls
    assert {url.removeprefix(web.url) for url in missing} == {"README", "private/secret.html"}
    for line in result.lines:
        page = web.pages.get("/" + line["url"].removeprefix(web.url))
        if page is not None:
            assert result.content(line["url"]) == page.body
            assert line["content"] == sha256(page.body).hexdigest()
            assert line["size"] == len(page.body)
    extra = {url.removeprefix(web.url) for url in result.urls} - {t[1:] for t in web.pages}
    assert extra == {"pages/missing.html", "pages/two.html?a=1&b=2", "favicon.ico", "search"}
    assert result.found("external/link") == ["http://external.invalid/page"]
    assert result.found("feeds/feed") == [web.url + "feed.xml"]
    assert result.found("streams/stream") == ["mms://radio.invalid/live"]
    assert result.found("excluded/url") == [web.url + "private/secret.html"]
    assert result.figures.captures == len(result.lines) == len(web.requests)
    assert result.figures.urls_new == result.figures.captures


@ensureDeferred
async def test_again_stores_only_what_changed(web: Any, crawl: Any) -> None:
    """A second crawl of an unchanged site stores nothing; of a changed one, what changed."""
    web.add_folder(WEBSITE)
    first = await crawl(web.url)
    second = await crawl(web.url, name="second", former=str(first.directory))
    assert second.figures.contents_new == 0
    assert second.figures.urls_unchanged == first.figures.captures
    assert (second.directory / "pack").stat().st_size == 0
    signatures = (first.directory / "signatures").read_bytes()
    assert (second.directory / "signatures").read_bytes() == signatures
    assert signatures.splitlines() == sorted(set(signatures.splitlines()))

    for name in ("/pages/one.html", "/script.js", "/media/deep.png"):
        web.pages[name] = Response.text(200, f"changed {name}")
    del web.pages["/media/icon.png"]
    third = await crawl(web.url, name="third", former=str(second.directory))
    # The pages under the changed page are still linked from nowhere else.
    assert third.figures.urls_changed == 4
    assert third.figures.contents_new == 3
    assert third.content(web.url + "script.js") == b"changed /script.js"


@ensureDeferred
async def test_order_of_collection(web: Any, crawl: Any) -> None:
    """Pages level by level, each with its components at once."""
    web.pages = {
        "/": "<a href=p1><a href=p2><img src=i1><iframe src=f1></iframe>",
        "/p1": "<a href=q1><img src=i2>",
        "/p2": "<img src=i1><img src=i3>",
        "/q1": "<img src=i4>",
        "/f1": "<img src=fi><a href=fp>",
        "/fp": "",
    }
    result = await crawl(web.url)
    assert web.hits == ["/robots.txt", "/", "/i1", "/f1", "/fi", "/p1", "/i2", "/p2", "/i3",
                        "/fp", "/q1", "/i4"]  # fmt: skip
    depths = {line["url"].removeprefix(web.url): line["depth"] for line in result.lines}
    assert (depths["i1"], depths["fi"], depths["fp"], depths["q1"], depths["i4"]) == (0, 0, 1, 2, 2)
    kinds = {line["url"].removeprefix(web.url): line["kind"] for line in result.lines}
    assert (kinds[""], kinds["f1"], kinds["fp"]) == ("page", "component", "page")
    assert result.figures.pages == 5


@ensureDeferred
async def test_maximum_depth(web: Any, crawl: Any) -> None:
    """Pages past the depth are told, not followed; components of the last level are collected."""
    for number in range(6):
        web.pages[f"/{number or ''}"] = f"<a href=/{number + 1}><img src=/i{number}>"
    result = await crawl(web.url, maximum_depth=2)
    assert web.hits == ["/robots.txt", "/", "/i0", "/1", "/i1", "/2", "/i2"]
    assert result.found("traps/trap") == [web.url + "3"]


@ensureDeferred
async def test_heads_are_kept_as_received(web: Any, crawl: Any) -> None:
    """The head of an answer is in the structure byte for byte."""
    head = b"HTTP/1.1 200 All is well\r\nx-ODD:   v\xe9  \r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\n"
    web.pages["/"] = Response(200, [(b"Content-Type", b"text/plain")], b"x", raw_head=head)
    result = await crawl(web.url)
    kept = next(line["head"] for line in result.lines if line["url"] == web.url)
    assert kept.encode("latin-1").startswith(b"HTTP/1.1 200 All is well\r\nx-ODD:   v\xe9  \r\n")
    assert kept.endswith("\r\n\r\n")
    origin = next(line["origin"] for line in result.lines if line["url"] == web.url)
    *told, request = origin.splitlines()
    assert told == ["crawl: crawl", "site: site", "agent: crawler-1",
                    f"address: 127.0.0.1:{web.server.port}"]  # fmt: skip
    assert request.startswith('request: "GET / HTTP/1.1')


@ensureDeferred
async def test_redirections_are_captured_as_themselves(web: Any, crawl: Any) -> None:
    """A redirection is a capture, its target a component at the same level; loops end."""
    web.pages = {
        "/": "<a href=a><a href=out><a href=loop><img src=image>",
        "/a": Response.redirect("/b", 301),
        "/b": "<a href=c>",
        "/c": "",
        "/out": Response.redirect("http://outside.invalid/"),
        "/loop": Response.redirect("/loop"),
        "/image": Response.redirect("/moved-image"),
    }
    result = await crawl(web.url)
    statuses = {line["url"].removeprefix(web.url): line["status"] for line in result.lines}
    assert statuses["a"] == 301
    assert statuses["b"] == statuses["c"] == 200
    depths = {line["url"].removeprefix(web.url): line["depth"] for line in result.lines}
    assert (depths["a"], depths["b"], depths["c"]) == (1, 1, 2)
    assert result.found("external/link") == ["http://outside.invalid/"]
    assert web.hits.count("/loop") == 1
    assert "/moved-image" in web.hits


@ensureDeferred
async def test_requisites_are_collected_wherever_they_are(web: Any, crawl: Any) -> None:
    """An image elsewhere is collected; a frame or a page elsewhere is reported."""
    other = web.url.replace("127.0.0.1", "localhost")
    web.pages = {
        "/": f"<img src={other}i><iframe src={other}f></iframe><a href={other}p>",
        "/i": Response(200, [(b"Content-Type", b"image/png")], b"i"),
    }
    result = await crawl(web.url)
    assert web.hits == ["/robots.txt", "/", "/robots.txt", "/i"]
    assert sorted(result.found("external/link")) == [other + "f", other + "p"]


@ensureDeferred
async def test_private_addresses_are_not_fetched(web: Any, crawl: Any) -> None:
    """Without leave, an address of the operator's network is refused at connection."""
    with pytest.raises(CrawlFailed, match="public Internet"):
        await crawl(web.url, private_networks=False)
    with pytest.raises(CrawlFailed, match="public Internet"):
        await crawl(web.url.replace("127.0.0.1", "localhost"), private_networks=False)
    assert not web.hits


@ensureDeferred
async def test_robots(web: Any, crawl: Any) -> None:
    """robots.txt is obeyed and captured; an operator with a mandate may say otherwise."""
    web.pages = {
        "/": "<a href=a><a href=b>",
        "/robots.txt": Response.redirect("/real-robots.txt"),
        "/real-robots.txt": Response.text(200, "User-agent: dlweb\nDisallow: /a"),
        "/a": "",
        "/b": "",
    }
    result = await crawl(web.url)
    assert web.hits == ["/robots.txt", "/real-robots.txt", "/", "/b"]
    assert web.url + "robots.txt" in result.urls
    web.hits.clear()
    await crawl(web.url, name="mandate", politeness={"robots": False})
    assert web.hits == ["/", "/a", "/b"]
    web.pages["/real-robots.txt"] = Response.text(200, "User-agent: *\nDisallow: /")
    with pytest.raises(CrawlFailed, match="robots.txt asks not"):
        await crawl(web.url, name="forbidden")


@ensureDeferred
async def test_robots_that_fail_forbid_everything(web: Any, crawl: Any) -> None:
    """A robots.txt that answers 5xx is asked again, and then the site is left alone."""
    web.pages = {"/": "", "/robots.txt": Response.text(500, "broken")}
    with pytest.raises(CrawlFailed, match="robots.txt can't be read"):
        await crawl(web.url)
    assert web.hits == ["/robots.txt"] * 3


@ensureDeferred
async def test_a_server_that_suffers_is_asked_again(web: Any, crawl: Any) -> None:
    """503 with Retry-After is retried; what still answers 503 at the end is captured so."""
    calls = []

    def suffering(_: Any) -> Response:
        calls.append(1)
        if len(calls) < 3:
            return Response(503, [(b"Retry-After", b"0")], b"wait")
        return Response.html(200, "well again")

    web.pages = {
        "/": "<a href=a><a href=b>",
        "/a": suffering,
        "/b": Response(503, [(b"Retry-After", b"0")], b"for ever"),
    }
    result = await crawl(web.url)
    statuses = {line["url"].removeprefix(web.url): line["status"] for line in result.lines}
    assert statuses["a"] == 200
    assert statuses["b"] == 503
    assert web.hits.count("/b") == 3


@ensureDeferred
async def test_a_body_past_the_limit_is_cut_and_told(web: Any, crawl: Any) -> None:
    """What is longer than the order allows is not kept as if it were whole."""
    web.pages = {"/": "<img src=big>", "/big": Response(200, [], b"x" * 300_000)}
    result = await crawl(web.url, content_limit=100_000)
    assert result.found("failures/failure") == [web.url + "big"]
    assert "cut off" in result.found("failures/failure", "reason")[0]
    assert web.url + "big" not in result.urls
    assert result.figures.failures == 1


@ensureDeferred
async def test_large_bodies_go_through_a_file(web: Any, crawl: Any) -> None:
    """A body longer than what is kept in memory arrives whole, once."""
    big = bytes(range(256)) * 8000
    web.pages = {"/": "<img src=a><img src=b>", "/a": Response(200, [], big),
                 "/b": Response(200, [], big)}  # fmt: skip
    result = await crawl(web.url)
    assert result.content(web.url + "a") == big
    assert result.figures.contents_known == 2  # the icon's 404 is that of robots.txt
    assert sorted(path.name for path in result.directory.iterdir()) == [
        "contents", "order.json", "pack", "report.xml", "signatures", "structure"]  # fmt: skip


@ensureDeferred
async def test_compressed_pages_are_kept_and_read(web: Any, crawl: Any) -> None:
    """A body that the server compressed is stored as it came, and its links are found."""
    body = gzip.compress(b"<a href=found>")
    fields = [(b"Content-Type", b"text/html"), (b"Content-Encoding", b"gzip")]
    web.pages = {"/": Response(200, fields, body), "/found": ""}
    result = await crawl(web.url)
    assert result.content(web.url) == body
    assert "/found" in web.hits
    assert web.requests[0].headers.get(b"accept-encoding") == b"identity"


@ensureDeferred
async def test_traps_end(web: Any, crawl: Any) -> None:
    """Paths that repeat and frames that frame themselves for ever come to an end, and are told."""

    def endless(request: Any) -> Response:
        return Response.html(200, "<a href='a/'>")

    def frames(request: Any) -> Response:
        number = int(request.target[2:])
        return Response.html(200, f"<iframe src=/f{number + 1}></iframe>")

    web.pages = {"/": "<a href=a/><iframe src=/f0></iframe>"}
    web.pages |= {"/" + "a/" * number: endless for number in range(1, 50)}
    web.pages |= {f"/f{number}": frames for number in range(50)}
    result = await crawl(web.url)
    assert len(web.hits) < 40
    assert result.found("traps/trap") == [web.url + "f20", web.url + "a/a/a/a/a/"]


@ensureDeferred
async def test_the_number_of_urls_is_bounded(web: Any, crawl: Any) -> None:
    """A crawl past its limit ends whole, and says how many URLs it turned away."""
    web.pages = {"/": "".join(f"<a href={number}>" for number in range(50))}
    result = await crawl(web.url, limits=Limits(urls=10))
    assert len(web.requests) == 10
    refused = {e.get("name"): e.get("value") for e in result.report.findall("statistics/figure")}
    assert refused["urls_refused"] == "43"


@ensureDeferred
async def test_nobody_answers(crawl: Any, web: Any) -> None:
    """A site that can't be reached fails with the reason, and leaves no directory."""
    await web.server.stopService()
    with pytest.raises(CrawlFailed, match=r"127\.0\.0\.1"):
        await crawl(f"http://127.0.0.1:{web.server.port}/", politeness={"robots": False})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"accept": "OR"}, "delimitation"), ({"start_url": "mailto:x"}, "start URL")],
)
@ensureDeferred
async def test_orders_that_make_no_sense(
    new_crawl: Any, fields: dict[str, str], reason: str
) -> None:
    """An order that can't be read fails at once, saying what is wrong."""
    url = fields.pop("start_url", None)
    crawl = new_crawl("http://127.0.0.1/", **fields)
    if url:
        from attrs import evolve

        crawl.order = evolve(crawl.order, start_url=url)
    with pytest.raises(CrawlFailed, match=reason):
        await crawl.run()
    assert not crawl.path.exists()


@ensureDeferred
async def test_a_former_crawl_that_is_damaged_is_left_aside(
    web: Any, crawl: Any, tmp_path: Path
) -> None:
    """The crawl is whole all the same; it only stores more."""
    (tmp_path / "signatures").write_bytes(b"nonsense")
    web.pages = {"/": "x"}
    result = await crawl(web.url, former=str(tmp_path))
    assert result.figures.contents_new == 2


@ensureDeferred
async def test_cancelled_in_the_middle(web: Any, new_crawl: Any) -> None:
    """A crawl that is stopped leaves no directory and no connection."""
    hanging: Deferred[None] = Deferred()
    reached: Deferred[None] = Deferred()

    async def hang(_: Any) -> Response:
        reached.callback(None)
        await hanging
        return Response.html(200, "late")

    web.pages = {"/": "<a href=slow>", "/slow": hang}
    crawl = new_crawl(web.url)
    running = Deferred.fromCoroutine(crawl.run())
    await reached
    assert crawl.path.exists()
    assert crawl.figures().captures == 3
    running.cancel()
    with pytest.raises(CancelledError):
        await running
    assert not crawl.path.exists()
    hanging.callback(None)


@ensureDeferred
async def test_one_connection_is_kept(
    web: Any, crawl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All requests to one address go over one connection."""
    made = []

    async def counting(*args: Any, **options: Any) -> Any:
        made.append(args)
        return await reach(*args, **options)

    monkeypatch.setattr(connections, "reach", counting)
    web.pages = {"/": "".join(f"<img src={number}>" for number in range(20))}
    await crawl(web.url)
    assert len(web.hits) == 22
    assert len(made) == 1


@ensureDeferred
async def test_delays_are_paid_in_groups(web: Any, crawl: Any) -> None:
    """The connection is closed and the server left alone each time a group is owed."""
    web.pages = {"/": "".join(f"<img src={number}>" for number in range(4))}
    result = await crawl(web.url, politeness={"delay": 0.1, "group": 0.25})
    assert len(web.hits) == 6
    assert result.figures.seconds > 0.3


@ensureDeferred
async def test_links_in_headers(web: Any, crawl: Any) -> None:
    """Link and Refresh are followed as their elements are; Location may hold any bytes."""
    fields = [
        (b"Content-Type", b"text/html"),
        (b"Link", b"</sheet>; rel=preload; as=style, </next>; rel=next"),
        (b"Refresh", b"3; url=/refreshed"),
    ]
    web.pages = {
        "/": Response(200, fields, b"<a href=moved>"),
        "/moved": Response(301, [(b"Location", "/café".encode())]),
        "/sheet": "",
        "/next": "",
        "/refreshed": "",
        "/caf%C3%A9": "",
    }
    result = await crawl(web.url)
    assert {target.lstrip("/") for target in web.pages} <= {
        url.removeprefix(web.url) for url in result.urls
    }
    kinds = {line["url"].removeprefix(web.url): line["kind"] for line in result.lines}
    assert [kinds[one] for one in ("sheet", "next", "refreshed")] == [
        "component", "page", "component"]  # fmt: skip


@ensureDeferred
async def test_the_icon_that_browsers_ask_for(web: Any, crawl: Any) -> None:
    """Each server's icon is collected once, with its first page, although nothing links to it."""
    web.pages = {"/": "<a href=p><img src=i>", "/p": "", "/favicon.ico": "icon", "/i": ""}
    await crawl(web.url)
    assert web.hits == ["/robots.txt", "/", "/i", "/favicon.ico", "/p"]


@ensureDeferred
async def test_pages_that_say_what_went_wrong(web: Any, crawl: Any) -> None:
    """An error page is shown with its components; where its links lead is of no interest."""
    page = Response.html(404, "<img src=/sorry><a href=/home>")
    web.pages = {"/": "<a href=lost><img src=gone>", "/lost": page, "/sorry": "x"}
    web.pages["/gone"] = Response.html(404, "<img src=/unseen>")
    await crawl(web.url)
    assert web.hits == ["/robots.txt", "/", "/gone", "/lost", "/sorry"]
