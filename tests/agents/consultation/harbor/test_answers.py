"""The harbor shows what the archive holds, and lets nobody but the reader choose their date."""

import json

import pytest
from lxml import html
from pytest_twisted import ensureDeferred

from agents.consultation.faults.fault import unknown_url
from anet.http import Headers, Request

URL = "http://www.example.org/page.html"
OLD, NEW = "20200101000000000000", "20260101000000000000"
READER = "127.0.0.7"


# Choosing a date


@ensureDeferred
async def test_a_reader_chooses_a_date(visitor):
    """The form sets the date, and leads back to the harbor."""
    answer = await visitor.post({"token": visitor.token, "date": "2020-01-01T00:00"})
    assert (answer.status, dict(answer.headers)[b"Location"]) == (303, b"/")
    assert visitor.date == OLD
    page = await visitor.tree("/")
    assert "1 January 2020, 00:00:00 UTC" in page.text_content()


@ensureDeferred
async def test_a_reader_goes_back_to_the_newest(visitor):
    """The second button forgets the date."""
    visitor.harbor.readers.choose(READER, date=OLD)
    await visitor.post({"token": visitor.token, "date": "nonsense", "newest": "1"})
    assert visitor.date == ""


@ensureDeferred
async def test_a_date_that_is_none_changes_nothing(visitor):
    """A wrong date is answered with the forms that are right."""
    answer = await visitor.post({"token": visitor.token, "date": "yesterday"})
    assert answer.status == 400 and b"2026-11-21" in answer.body and visitor.date == ""


@ensureDeferred
async def test_a_capture_leads_to_its_page_at_its_date(visitor):
    """Choosing a capture sets its date and goes on to its URL."""
    answer = await visitor.post({"token": visitor.token, "date": OLD, "url": URL})
    location = dict(answer.headers)[b"Location"].decode()
    assert (visitor.date, location.partition("?")[0]) == (OLD, "/going")
    page = await visitor.tree(location)
    assert page.xpath("//meta[@http-equiv='refresh']/@content") == [f"0;url={URL}"]
    assert page.xpath("//main//a/@href") == [URL]


@pytest.mark.parametrize(
    "sent",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://dlweb"},
        {"site": "cross-site"},
        {"site": "same-site"},
        {"kind": "text/plain"},
        {"target": "/date", "origin": "http://dlweb"},
    ],
    ids=str,
)
@ensureDeferred
async def test_an_archived_page_cannot_choose_for_the_reader(visitor, sent):
    """What another site sends is refused even with the token."""
    answer = await visitor.post({"token": visitor.token, "date": OLD}, **sent)
    assert answer.status == 403 and visitor.date == ""


@pytest.mark.parametrize("token", ["", "x", None])
@ensureDeferred
async def test_a_form_needs_its_token(visitor, token):
    """A form that was not shown to this reader is refused, whatever its origin."""
    fields = {"date": OLD} | ({} if token is None else {"token": token})
    for origin in ("http://dlweb", ""):
        assert (await visitor.post(fields, origin=origin)).status == 403
    other = visitor.harbor.forms.token("192.0.2.8")
    assert (await visitor.post({"token": other, "date": OLD})).status == 403
    assert visitor.date == ""


@ensureDeferred
async def test_no_page_changes_anything_by_get(visitor):
    """A date in a link is no choice."""
    for path in (f"/date?date={OLD}", f"/?date={OLD}", f"/going?url={URL}&date={OLD}"):
        await visitor.get(path)
    assert visitor.date == ""


# What the archive holds


@ensureDeferred
async def test_all_captures_of_a_url_are_shown(archive, visitor):
    """Newest first, each with a button that sets its date, and what changed."""
    archive.add(URL, b"one", date=OLD)
    archive.add(URL, b"one", date="20230101000000000000")
    newest = archive.add(URL, b"two", date=NEW)
    page = await visitor.tree("/captures?url=www.example.org/page.html")
    rows = page.xpath("//tbody/tr")
    assert [row.xpath(".//button/@value")[0] for row in rows][::2] == [NEW, OLD]
    assert [row.xpath("td[last()]")[0].text for row in rows] == ["changed", "same", "first"]
    assert page.xpath(f"//td/span[@title='{newest.content}']")
    assert [len(row.xpath(".//span[@class!='key']")) for row in rows] == [1, 0, 0]
    visitor.harbor.readers.choose(READER, date="20230301000000000000")
    rows = (await visitor.tree(f"/captures?url={URL}")).xpath("//tbody/tr")
    assert [len(row.xpath(".//span[@class!='key']")) for row in rows] == [0, 1, 0]
    assert page.xpath("//form[@action='/date']//input[@name='token']/@value") == [visitor.token]


@ensureDeferred
async def test_captures_are_json_for_programs(archive, visitor):
    """The same as values."""
    capture = archive.add(URL, b"one", date=OLD)
    status, body = await visitor.get(f"/captures?url={URL}", accept="application/json")
    data = json.loads(body)
    line = {"date": OLD, "status": 200, "size": 3, "content": capture.content, "metadata": ""}
    assert (status, data["url"], data["captures"]) == (200, URL, [line])


@pytest.mark.parametrize(("query", "status"), [("url=http://none/", 404), ("url=", 400), ("", 400)])
@ensureDeferred
async def test_a_url_without_captures_is_said(visitor, query, status):
    """Unknown and impossible URLs are told apart, for people and programs."""
    assert (await visitor.get(f"/captures?{query}"))[0] == status
    assert (await visitor.get(f"/captures?{query}&format=json"))[0] == status


@ensureDeferred
async def test_an_archive_that_does_not_answer_is_said(archive, visitor):
    """No page pretends that the archive is empty."""
    archive.locator.broken = True
    for path in (f"/captures?url={URL}", "/urls", "/urls?format=json"):
        assert (await visitor.get(path))[0] == 503


@ensureDeferred
async def test_urls_are_listed_and_paged(archive, visitor):
    """What the archive holds is a list, with a link to go on."""
    for number in range(5):
        archive.add(f"http://a.example/{number}", b"x")
    page = await visitor.tree("/urls?limit=3&prefix=a.example")
    assert len(page.xpath("//td/a")) == 3
    (further,) = page.xpath("//a[@rel='next']/@href")
    rest = await visitor.tree(further)
    assert len(rest.xpath("//td/a")) == 2 and not rest.xpath("//a[@rel='next']")
    status, body = await visitor.get("/urls?format=json")
    assert status == 200 and len(json.loads(body)["urls"]) == 5


@ensureDeferred
async def test_what_is_missing_is_shown(visitor):
    """Holes that readers met are listed, for people and programs."""
    visitor.harbor.missing.note(unknown_url(URL), "http://page/", NEW)
    assert URL in (await visitor.tree("/missing")).text_content()
    data = json.loads((await visitor.get("/missing?format=json"))[1])
    assert data["missing"][0]["url"] == URL


# Beside the proxy


@ensureDeferred
async def test_beside_the_proxy_nothing_leads_to_the_live_web(archive, visitor):
    """A browser without the proxy gets no link to an archived URL, and is told how to get one."""
    archive.add(URL, b"x")
    status, body = await visitor.get("/harbor", beside=True)
    assert status == 200 and b"127.0.0.1:7106" in body
    for path in ("/harbor", "/urls", f"/captures?url={URL}", "/missing"):
        links = html.fromstring((await visitor.get(path, beside=True))[1]).xpath("//a/@href")
        assert links and all(link.startswith(("/", "#")) for link in links)
    assert (await visitor.get(f"/going?url={URL}", beside=True))[0] == 303


@ensureDeferred
async def test_hostile_urls_stay_text(archive, visitor):
    """A URL that looks like markup is shown as it is."""
    url = "http://a.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    archive.add(url, b"x")
    visitor.harbor.missing.note(unknown_url('"><script>x</script>'), "<b>", NEW)
    for path in ("/urls", f"/captures?url={url}", "/missing", "/?x=<script>"):
        assert not (await visitor.tree(path)).xpath("//script")


@ensureDeferred
async def test_pages_are_shut_to_other_sites(visitor):
    """No other origin may read, embed or frame the harbor."""
    request = Request("GET", "http://dlweb/captures?url=x.example&format=json", Headers(), READER)
    fields = dict((await visitor.harbor.router("/")(request)).headers)
    assert b"Access-Control-Allow-Origin" not in fields
    assert fields[b"Cross-Origin-Resource-Policy"] == b"same-origin"
    assert b"frame-ancestors 'none'" in fields[b"Content-Security-Policy"]
