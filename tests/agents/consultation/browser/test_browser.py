"""What a real browser makes of the archive, the harbor and the monitoring page."""

import zlib
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.faults.contents import render_fault
from agents.consultation.faults.fault import unknown_url

pytestmark = pytest.mark.slow

OLD, NEW = "20200101000000000000", "20260101000000000000"
SITE = "http://www.example.org/"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: x\r\n\r\n"
CSS = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nCache-Control: max-age=9999\r\n\r\n"
PNG = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
PAGE = b"""<!doctype html><title>archived</title><link rel="stylesheet" href="/style.css">
<h1>Page</h1><img id="here" src="/here.png"><img id="hole" src="/hole.png">
<script src="http://elsewhere.example/script.js"></script>"""


def add_site(archive):
    """Put a small site in the archive: its page at two dates, a style and an image."""
    archive.add(SITE, PAGE.replace(b"Page", b"Old"), head=HTML, date=OLD)
    archive.add(SITE, PAGE.replace(b"Page", b"New"), head=HTML, date=NEW)
    archive.add(f"{SITE}style.css", b"h1 { color: rgb(1, 2, 3) }", head=CSS, date=OLD)
    archive.add(f"{SITE}style.css", b"h1 { color: rgb(4, 5, 6) }", head=CSS, date=NEW)
    archive.add(f"{SITE}here.png", render_fault(unknown_url(""), "png")[1], head=PNG)
    for number in range(60):
        archive.add(f"{SITE}library/chapter-{number}/a-rather-long-name.html", b"x", head=HTML)


@ensureDeferred
async def test_an_archived_page_is_rendered_whole(archive, browser):
    """Style and image come from the archive, and a hole shows the fault image."""
    add_site(archive)
    await deferToThread(browser.open, SITE)
    color = "getComputedStyle(document.querySelector('h1')).color"
    assert await deferToThread(browser.run, color) == "rgb(4, 5, 6)"
    for image, width in (("here", 32), ("hole", 160)):
        script = f"document.getElementById('{image}').naturalWidth"
        assert await deferToThread(browser.run, script) == width


@ensureDeferred
async def test_a_reader_walks_through_time(archive, browser, consultation):
    """Choosing a capture leads to the page as it was, styles and all, despite the cache."""
    add_site(archive)

    def walk():
        browser.open(SITE)
        browser.open(f"http://dlweb/captures?url={SITE}")
        browser.run(f"document.querySelector(\"button[value='{OLD}']\").click()")
        browser.wait(f"location.href === '{SITE}' && document.readyState === 'complete'")
        return browser.run(
            "[document.querySelector('h1').textContent, "
            "getComputedStyle(document.querySelector('h1')).color]"
        )

    assert await deferToThread(walk) == ["Old", "rgb(1, 2, 3)"]


@ensureDeferred
async def test_the_date_form_works_without_script(archive, browser, consultation):
    """Typing a date and sending the form sets it."""
    add_site(archive)

    def choose():
        browser.open("http://dlweb/")
        browser.run("document.getElementById('date').value = '2020'")
        browser.run("document.querySelector('form[action=\"/date\"] button').click()")
        browser.wait("document.body.textContent.includes('1 January 2020, 00:00:00 UTC')")

    await deferToThread(choose)
    assert consultation.readers.choice_of("127.0.0.1").date == OLD


ATTACK = """(async () => {
  const outcomes = {};
  const attempt = async (name, work) => {
    try { outcomes[name] = await work(); } catch (error) { outcomes[name] = "refused"; }
  };
  await attempt("read", async () => (await fetch("http://dlweb/captures?url=x&format=json")).status);
  await attempt("read pages port", async () => (await fetch("http://PAGES/status.json")).status);
  await attempt("post", async () => (await fetch("http://dlweb/date", {
    method: "POST", mode: "no-cors",
    body: new URLSearchParams({date: "2001", newest: ""})})).type);
  await attempt("script", () => new Promise((done) => {
    const script = document.createElement("script");
    script.onload = () => done("loaded"); script.onerror = () => done("refused");
    script.src = "http://dlweb/captures?url=x&format=json"; document.head.append(script);
  }));
  await attempt("frame", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      try { done(frame.contentDocument === null ? "refused" : "read"); } catch { done("refused"); }
    };
    frame.src = "http://dlweb/"; document.body.append(frame);
  }));
  return outcomes;
})()"""


@ensureDeferred
async def test_an_archived_page_can_neither_read_nor_choose(archive, browser, consultation):
    """Scripts of archived pages get nothing of the harbor and cannot set the date."""
    add_site(archive)

    def attack():
        browser.open(SITE)
        outcomes = browser.run(ATTACK.replace("PAGES", consultation.pages.address))
        browser.run(
            "document.body.innerHTML = '<form method=post action=http://dlweb/date>"
            "<input name=date value=2001></form>'; document.forms[0].submit()"
        )
        browser.wait("location.href.startsWith('http://dlweb/')")
        return outcomes

    outcomes = await deferToThread(attack)
    assert len(outcomes) == 5 and set(outcomes.values()) == {"refused"}, outcomes
    assert consultation.readers.choice_of("127.0.0.1").date == ""


@ensureDeferred
async def test_the_monitoring_page_updates_itself_in_place(browser, consultation):
    """New figures appear without a reload, and what is focused and scrolled stays so."""

    def watch():
        browser.look(360, 400)
        browser.open(f"{SITE}missing/{'long-name/' * 20}")
        browser.open("http://dlweb/monitoring")
        browser.run(
            "window.mark = 1; window.box = [...document.querySelectorAll('.scroll')].pop();"
            "box.focus(); box.scrollLeft = 30; scrollTo(0, 200)"
        )
        browser.run("fetch('http://dlweb/urls?limit=1')")
        browser.wait(
            "[...document.querySelectorAll('tr')].some((row) => "
            "row.cells[0].textContent === 'harbor' && +row.cells[1].textContent > 2)"
        )
        return browser.run(
            "window.box = [...document.querySelectorAll('.scroll')].pop();"
            "[window.mark, document.activeElement === box, box.scrollLeft, scrollY]"
        )

    assert await deferToThread(watch) == [1, True, 30, 200]


PLACES = {
    "monitoring": "http://dlweb/monitoring",
    "harbor": "http://dlweb/",
    "urls": "http://dlweb/urls",
    "captures": f"http://dlweb/captures?url={SITE}",
    "missing": "http://dlweb/missing",
    "fault": f"{SITE}missing/with-a-rather-long-name/that-must-not-widen-the-page.html",
}


@pytest.mark.parametrize("name", sorted(PLACES))
@ensureDeferred
async def test_pages_fit_a_phone_and_a_desk(archive, browser, name, tmp_path):
    """No page is wider than its window, light or dark; pictures are left for a person."""
    add_site(archive)
    folder = Path(tmp_path)

    def look():
        browser.open(f"{SITE}missing-image.png")
        browser.open(SITE)
        widths = {}
        for width, height in ((1280, 900), (360, 800)):
            for dark in (False, True):
                browser.look(width, height, dark)
                browser.open(PLACES[name])
                picture = browser.picture(
                    folder / f"{name}-{width}-{'dark' if dark else 'light'}.png"
                )
                assert len(zlib.compress(picture)) > 3000
                widths[width] = browser.run("document.documentElement.scrollWidth")
        return widths

    assert await deferToThread(look) == {1280: 1280, 360: 360}
