"""Every page, in every language: well-formed, labelled, leading somewhere, and nobody's stage."""

from datetime import timedelta
from urllib.parse import quote

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from pytest_twisted import ensureDeferred

from agents import dates
from agents.capture import Capture, structure_key
from agents.consultation.access.rules import Rules
from agents.consultation.faults.fault import Fault
from agents.consultation.harbor import captures
from agents.consultation.harbor.answers import ACTS, PAGES
from agents.consultation.harbor.comparing import Comparison, Row
from agents.consultation.harbor.difference_parts import Pair, difference_page
from agents.consultation.harbor.english import ENGLISH
from agents.consultation.harbor.on_screen import in_short
from agents.consultation.harbor.pictures import picture_type
from agents.consultation.harbor.view import View
from agents.consultation.harbor.words import LANGUAGES, Words
from agents.consultation.readers.screen import Part, Screen

READER = "127.0.0.7"
URL = "http://www.example.org/page.html"
OLD, NEW = "20200101000000000000", "20260301000000000000"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
PNG_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
SCREEN = Screen(
    URL, NEW,
    (Part(f"{URL}?1", "20260302000000000000", "image", 200), Part(f"{URL}?2", NEW, "style", 404)),
    (f"{URL}?gone",), 3,
)  # fmt: skip
QUOTED = quote(URL, safe="")
PLACES = [
    "/", "/?date=20100101", "/urls", "/urls?prefix=nothing", "/urls?limit=1",
    f"/captures?url={QUOTED}", f"/captures?url={QUOTED}&day=20260301",
    f"/captures?url={QUOTED}&page=2", "/captures?url=http://none/", "/captures?url=",
    f"/calendar?url={QUOTED}", f"/calendar?url={QUOTED}&year=1999", "/calendar?url=x.example",
    f"/difference?url={QUOTED}&from={OLD}&to={NEW}",
    f"/difference?url={QUOTED}&from={OLD}&to={NEW}&mode=frames",
    f"/difference?url={QUOTED}&from=x", f"/difference?url=http://none/&from={OLD}&to={NEW}",
    f"/difference?url=http://a.example/pixel&from={OLD}&to={NEW}",
    "/page", "/missing", "/missing?site=example.org&kind=unknown-url", "/missing?page=2",
    "/settings", "/certificate", f"/going?url={QUOTED}",
]  # fmt: skip


class Seen:
    """Screens of a reader who has seen a page."""

    def __init__(self, *screens):
        self._screens = list(screens)

    def of(self, key):
        return self._screens

    def forget(self, key):
        self._screens.clear()


class Offered:
    """An authority that readers may trust."""

    name = "dlweb <archive>"
    fingerprint_sha256 = "AB:CD:EF"
    not_after = dates.to_datetime("20360101000000000000")
    paths = ("/certificate.crt", "/certificate.pem", "/proxy.pac")


@pytest.fixture
def visitor(archive, visit):
    """A reader of a harbor that has something on every page."""
    for place in range(60):
        archive.add(URL, b"<p>%d" % (place // 2), date=f"202601{place % 28 + 1:02}{place:014}"[:20])
    archive.add(URL, b"<p>old", date=OLD)
    archive.add(URL, b"<p>new", date=NEW)
    archive.add("http://a.example/pixel", PNG, date=OLD, head=PNG_HEAD)
    archive.add("http://a.example/pixel", PNG + b"\1", date=NEW, head=PNG_HEAD)
    visitor = visit(screens=Seen(SCREEN, SCREEN), live="record", offer=Offered)
    for place in range(120):
        url = f"http://www.example.org/{place}"
        fault = Fault(404, "unknown-url", "t", "m", url)
        visitor.harbor.missing.note(fault, URL, NEW)
    visitor.harbor.readers.choose(READER, date=OLD)
    return visitor


@pytest.mark.parametrize("beside", [False, True], ids=["proxy", "beside"])
@pytest.mark.parametrize("language", LANGUAGES)
@ensureDeferred
async def test_every_page_is_whole(visitor, language, beside):
    """A strict parser takes it; it says its language; every field has a label; ids are unique."""
    for place in PLACES:
        path = place.replace("/", "/harbor", 1) if beside and place[1:2] in ("", "?") else place
        answer = await visitor.answer(path, beside, accept_language=language)
        if answer.status == 303:
            continue
        html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(answer.body.decode())
        page = html.fromstring(answer.body)
        fields = dict(answer.headers)
        assert page.get("lang") == language == fields[b"Content-Language"].decode(), place
        assert b"Accept-Language" in fields[b"Vary"]
        check_accessible(page, place)


def check_accessible(page, place):
    """Check what who reads by ear or keyboard needs."""
    assert len(page.xpath("//h1")) == 1 and len(page.xpath("//main")) == 1
    assert page.xpath("//body/*[1]/@href") == ["#main"], "the first link leads to the content"
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)), (place, ids)
    labels = set(page.xpath("//label/@for"))
    for field in page.xpath("//input[not(@type='hidden')] | //select"):
        assert field.get("id") in labels or field.get("aria-label"), (place, field.attrib)
    for named in page.xpath("//@aria-labelledby | //@aria-describedby"):
        assert named in ids, (place, named)
    for each in page.xpath("//button | //a"):
        assert each.text_content().strip(), place
    assert all(image.get("alt") is not None for image in page.xpath("//img"))
    assert not page.xpath("//script | //*[@style] | //@onclick")


@ensureDeferred
async def test_every_link_and_form_leads_somewhere(visitor):
    """What a page leads to within the harbor is there."""
    known = {"/", "/harbor", "/monitoring", *PAGES, *Offered.paths}
    for place in PLACES:
        page = html.fromstring((await visitor.answer(place)).body)
        for path in page.xpath("//a/@href | //form/@action | //button/@formaction | //img/@src"):
            if path.startswith("/"):
                assert path.partition("?")[0] in known | set(ACTS), (place, path)
            else:
                assert path == "#main" or path.startswith(URL), (place, path)


@ensureDeferred
async def test_pages_are_data_for_programs(visitor):
    """Each page has a form for programs."""
    for place in ("/", "/page", "/missing", "/settings", "/certificate", "/urls"):
        answer = await visitor.answer(place, accept="application/json")
        assert answer.status == 200 and dict(answer.headers)[b"Content-Type"] == b"application/json"
    for page in ("calendar", "captures"):
        answer = await visitor.answer(f"/{page}?url={QUOTED}&format=json")
        assert answer.status == 200 and answer.body.startswith(b'{"url"')


# Captures and calendar


@ensureDeferred
async def test_captures_are_paged(visitor):
    """A long list is shown in parts, each leading to the others."""
    first = await visitor.tree(f"/captures?url={QUOTED}")
    assert len(first.xpath("//tbody/tr")) == 50 and not first.xpath("//a[@rel='prev']")
    (path,) = first.xpath("//a[@rel='next']/@href")
    second = await visitor.tree(path)
    assert len(second.xpath("//tbody/tr")) == 12 and second.xpath("//a[@rel='prev']")
    assert second.xpath("//tbody/tr[last()]//button[@name='date']/@value") == [OLD]


@ensureDeferred
async def test_captures_have_a_type(archive, visitor, monkeypatch):
    """As their heads say; of a URL with very many captures the heads are not fetched."""
    path = f"/captures?url={QUOTED}"
    assert "text/html" in (await visitor.tree(path)).xpath("//tbody/tr[1]/td/text()")
    monkeypatch.setattr(captures, "TYPED", 10)
    page = await visitor.tree(path)
    assert "Type" not in page.xpath("//th/text()") and len(page.xpath("//tbody/tr")) == 50


@ensureDeferred
async def test_two_captures_are_chosen(visitor):
    """At first the two newest are, and each choice says its date to who cannot see the column."""
    page = await visitor.tree(f"/captures?url={QUOTED}")
    chosen = page.xpath("//input[@type='radio'][@checked]")
    assert {each.get("name") for each in chosen} == {"from", "to"}
    assert page.xpath("//input[@name='to'][@checked]/@value") == [NEW]
    assert all(each.get("aria-label") for each in page.xpath("//input[@type='radio']"))


@ensureDeferred
async def test_a_calendar_has_its_days(visitor):
    """Days with captures lead to them, and the years say how many there are."""
    page = await visitor.tree(f"/calendar?url={QUOTED}&year=2026")
    days = page.xpath("//button[@name='day']/@value")
    assert len(days) == 29 and days[0] == "20260101" and days[-1] == "20260301"
    assert page.xpath("//button[@name='year']/@value") == ["2020", "2026"]
    label = page.xpath("//button[@value='20260301']/@aria-label")
    assert label == ["1 March 2026: 1 capture, the content changed"]
    assert len(page.xpath("//table[@class='month']")) == 12
    chosen = await visitor.tree(f"/calendar?url={QUOTED}")
    assert chosen.xpath("//button[@aria-current]/@value") == ["2020"], "the reader's own year"


@ensureDeferred
async def test_a_calendar_of_many_captures_is_bounded(archive, visit):
    """Ten thousand captures of a long URL make a page that a phone can load."""
    url = "http://a.example/" + "long/" * 300
    start = dates.to_datetime(OLD)
    known = archive.first.captures[structure_key(url)] = []
    for place in range(10_000):
        date = dates.from_datetime(start + timedelta(hours=place))
        known.append(Capture(url, date, "0" * 64, 1, 200, b""))
    body = (await visit().get(f"/calendar?url={quote(url, safe='')}"))[1]
    assert len(body) < 200_000
    assert len(html.fromstring(body).xpath("//button[@name='day']")) > 50


# Differences


@ensureDeferred
async def test_pictures_are_given_as_pictures_only(archive, visitor):
    """What is no picture is not given, whatever it says of itself; nothing of it may act."""
    answer = await visitor.answer(f"/picture?url=http://a.example/pixel&date={NEW}")
    fields = dict(answer.headers)
    pieces = [piece async for piece in answer.body]
    assert b"".join(pieces) == PNG + b"\1" and fields[b"Content-Type"] == b"image/png"
    assert b"sandbox" in fields[b"Content-Security-Policy"]
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>x</script></svg>"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/svg+xml\r\n\r\n"
    archive.add("http://a.example/svg", svg, head=head, date=NEW)
    for path in (f"url=http://a.example/svg&date={NEW}", f"url={QUOTED}&date={NEW}",
                 "url=x&date=1", "", f"url=http://none/&date={NEW}"):  # fmt: skip
        assert (await visitor.answer(f"/picture?{path}")).status == 404


@given(st.binary(max_size=40))
def test_no_document_is_a_picture(content):
    """Nothing that begins as markup or script does passes for a picture."""
    assert not picture_type(b"<" + content) and not picture_type(b"(" + content)


@ensureDeferred
async def test_both_pictures_and_what_differs_are_shown(visitor):
    """Two pictures are shown beside each other and over each other."""
    page = await visitor.tree(f"/difference?url=http://a.example/pixel&from={OLD}&to={NEW}")
    assert len(page.xpath("//img[starts-with(@src, '/picture?')]")) == 4


@ensureDeferred
async def test_frames_lead_to_the_replay_alone(visit, archive):
    """Rendered pages are framed from their own origin, sandboxed, and only where it is set."""
    archive.add(URL, b"<p>old", date=OLD)
    archive.add(URL, b"<p>new", date=NEW)
    path = f"/difference?url={QUOTED}&from={OLD}&to={NEW}&mode=frames"
    visitor = visit(replay=lambda: "http://0.0.0.0:7108")
    answer = await visitor.answer(path, beside=True, host="archive.example:7107")
    frames = html.fromstring(answer.body).xpath("//iframe")
    both = [f"http://archive.example:7108/web/{date}/{URL}" for date in (OLD, NEW)]
    assert [frame.get("src") for frame in frames] == both * 2
    over = html.fromstring(answer.body).xpath("//figure[contains(@class, 'overlay')]/div[@inert]")
    assert [frame.get("src") for frame in over[0].xpath("iframe")] == both
    assert all(frame.get("sandbox") and frame.get("title") for frame in frames)
    assert (
        b"frame-src http://archive.example:7108;"
        in dict(answer.headers)[b"Content-Security-Policy"]
    )
    assert not html.fromstring((await visitor.answer(path)).body).xpath("//iframe")


@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_what_differs_is_text(text, language):
    """Nothing of an archived document becomes markup of the page that compares it."""
    view = View(Words(language), "/", True, "p", "t", OLD)
    rows = [Row(kind, [(True, f"<b>{text}</b>"), (False, text)]) for kind in
            ("same", "added", "removed", "<i>")]  # fmt: skip
    capture = Capture(URL, OLD, "0" * 64, 3, 200, b"")
    pair = Pair(capture, capture, text, text)
    links = [f"http://a.example/{text}"]
    for mode in ("text", "links"):
        told = Comparison(("", ""), rows, True, 0.5, True, [(text, text, text)], links, links)
        body = difference_page(view, pair, mode, told, "").body
        page = html.fromstring(body)
        assert not page.xpath("//main//b | //main//i | //script")


# What is on the screen


@ensureDeferred
async def test_the_spread_of_a_page_is_shown(visitor):
    """In words, in a picture, and in a table; what is missing is named."""
    page = await visitor.tree("/page")
    words = page.text_content()
    assert "collected within 1 day" in words and "1 part is missing" in words
    assert len(page.xpath("//*[local-name()='circle']")) == 2
    assert "1 day later" in words and "3 more are not listed" in words
    assert page.xpath(f"//ul[@class='urls']//a[contains(., '{URL}?gone')]")


@ensureDeferred
async def test_who_has_seen_nothing_is_told_what_to_do(visit):
    """No page on the screen is no fault."""
    status, body = await visit().get("/page")
    assert status == 200 and ENGLISH["screen.none"].encode() in body


texts = st.text(max_size=80)


@given(texts, st.lists(texts, max_size=3), st.lists(texts, max_size=3), st.sampled_from(LANGUAGES))
def test_what_is_on_the_screen_is_text(url, parts, missing, language):
    """URLs of a page stay text, whatever is in them."""
    view = View(Words(language), "/", True, "p", "t", "")
    shown = tuple(Part(f"{part}<b>", NEW, part, 200) for part in parts)
    screen = Screen(f"{url}<b>", OLD, shown, tuple(missing))
    assert "<b>" not in in_short(view, screen)


# What is missing


@ensureDeferred
async def test_what_is_kept_back_is_not_told_to_be_missing(visit, tmp_path):
    """A rule may come after a fault; then neither the URL nor a page that leads there is told."""
    path = tmp_path / "rules.yaml"
    path.write_text("- {urls: secret.example, kind: takedown, reason: Ordered}\n")
    visitor = visit(rules=Rules(path))
    for url, page in (("http://secret.example/x", URL), (URL, "http://secret.example/referring")):
        visitor.harbor.missing.note(Fault(500, "missing-content", "t", "m", url), page, NEW)
    for place in ("/", "/missing", "/missing?format=json"):
        _, body = await visitor.get(place)
        assert b"secret" not in body and b"www.example.org" in body, place


@ensureDeferred
async def test_what_is_missing_is_filtered(visitor):
    """By site and by kind, with counts, in pages."""
    other = Fault(500, "missing-content", "t", "m", "http://other.example/x")
    visitor.harbor.missing.note(other, "", NEW)
    page = await visitor.tree("/missing?site=other.example")
    assert len(page.xpath("//tbody/tr")) == 1
    page = await visitor.tree("/missing?kind=unknown-url&page=2")
    assert len(page.xpath("//tbody/tr")) == 20
    options = [option.text for option in page.xpath("//option")]
    assert options == ["any", "content is missing: 1", "not in the archive: 120"]
    nothing = await visitor.tree("/missing?site=nowhere.example")
    assert not nothing.xpath("//tbody/tr")


# Settings


@ensureDeferred
async def test_a_reader_chooses_a_language(visitor):
    """The choice counts more than what the browser says."""
    answer = await visitor.post({"token": visitor.token, "language": "fr"},
                                target="http://dlweb/settings")  # fmt: skip
    assert answer.status == 303
    page = await visitor.tree("/settings", accept_language="en")
    assert page.get("lang") == "fr" and page.xpath("//option[@selected]/@value") == ["fr"]


@ensureDeferred
async def test_a_reader_reads_the_live_web_only_where_they_may(visitor, visit):
    """The operator decides; a form made by hand changes nothing."""
    fields = {"token": visitor.token, "live": "1"}
    await visitor.post(fields, target="http://dlweb/settings")
    assert visitor.harbor.readers.choice_of(READER).live
    assert "live web" in (await visitor.tree("/")).xpath("//p[@class='summary']")[0].text
    closed = visit()
    answer = await closed.post({"token": closed.token, "live": "1"}, target="http://dlweb/settings")
    assert answer.status == 403 and not closed.harbor.readers.choice_of(READER).live


@ensureDeferred
async def test_a_reader_is_forgotten(visitor):
    """Nothing is left of what they chose and saw."""
    await visitor.post({"token": visitor.token, "forget": "1"}, target="http://dlweb/settings")
    assert visitor.date == "" and visitor.harbor.screens.of(READER) == []


@pytest.mark.parametrize("fields", [{"live": "1"}, {"forget": "1"}, {"language": "fr"}], ids=str)
@ensureDeferred
async def test_nobody_else_changes_the_settings(visitor, fields):
    """Without the token, or from another site, nothing changes."""
    before = visitor.harbor.readers.choice_of(READER)
    for sent, origin in ((fields, "http://dlweb"),
                         (fields | {"token": visitor.token}, "http://evil.example")):  # fmt: skip
        answer = await visitor.post(sent, origin=origin, target="http://dlweb/settings")
        assert answer.status == 403
    assert visitor.harbor.readers.choice_of(READER) == before


# Certificate


@ensureDeferred
async def test_the_certificate_is_offered_and_explained(visitor, visit):
    """Its fingerprint, its files, what trusting it means; or that there is none."""
    page = await visitor.tree("/certificate")
    assert {"/certificate.crt", "/certificate.pem", "/proxy.pac"} <= set(page.xpath("//a/@href"))
    assert "AB:CD:EF" in page.text_content() and ENGLISH["certificate.warning"] in (
        page.text_content()
    )
    assert len(page.xpath("//details")) == 4
    assert ENGLISH["certificate.none"] in (await visit().tree("/certificate")).text_content()


# What may not be shown


@ensureDeferred
async def test_what_is_kept_back_is_not_listed(archive, visit, tmp_path):
    """No page tells of a capture that may not be shown."""
    path = tmp_path / "rules.yaml"
    path.write_text("- {urls: '*', kind: takedown, to: '2025', reason: Ordered}\n")
    archive.add(URL, b"<p>old", date=OLD)
    archive.add(URL, b"<p>new", date=NEW)
    visitor = visit(rules=Rules(path))
    for page in ("captures", "calendar"):
        body = (await visitor.get(f"/{page}?url={QUOTED}"))[1]
        assert b"2020" not in body.partition(b"<main")[2] and b"2026" in body
