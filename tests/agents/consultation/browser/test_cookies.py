"""Two browsers behind one address read at two dates at once, told apart by a cookie."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.faults.contents import render_fault
from agents.consultation.faults.fault import unknown_url

pytestmark = pytest.mark.slow

OLD, NEW = "20200101000000000000", "20260101000000000000"
A, B, SECURE = "http://a.example/", "http://b.example/", "https://s.example/"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: theirs=1\r\n\r\n"
CSS = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"
PNG = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
PAGE = b"""<!doctype html><title>%s</title><link rel="stylesheet" href="//cdn.example/style.css">
<h1>%s</h1><a href="http://b.example/">on</a><img src="/picture.png"><iframe src="/frame"></iframe>
"""
COLOR = "getComputedStyle(document.querySelector('h1')).color"
COLORS = {b"Old": "rgb(1, 2, 3)", b"New": "rgb(4, 5, 6)"}


def add_sites(archive):
    """Put three sites in the archive at two dates, and a style of another host."""
    for date, word in ((OLD, b"Old"), (NEW, b"New")):
        for site in (A, B, SECURE):
            archive.add(site, PAGE % (word, word), head=HTML, date=date)
            archive.add(f"{site}frame", b"<p>" + word, head=HTML, date=date)
            picture = render_fault(unknown_url(site), "png")[1]
            archive.add(f"{site}picture.png", picture, head=PNG, date=date)
        style = b"h1 { color: %s }" % COLORS[word].encode()
        for scheme in ("http", "https"):
            archive.add(f"{scheme}://cdn.example/style.css", style, head=CSS, date=date)


@pytest.fixture
def keys():
    """Readers are told apart by a cookie."""
    return {"date_by": "cookie"}


@pytest_twisted.async_yield_fixture
async def browsers(begin):
    """Two browsers of two people behind one address."""
    yield [await begin("--ignore-certificate-errors", "about:blank") for _ in range(2)]


def choose(browser, date):
    """Come to the archive for the first time, be asked for a date, and choose it."""
    browser.open(A)
    assert browser.run("location.href").startswith("http://dlweb/captures?url="), browser.run(
        "document.body.innerText"
    )
    browser.open("http://dlweb/")
    form = "document.querySelector('form[action=\"/date\"]')"
    browser.run(f"{form}.querySelector('[name=date]').value = '{date}'")
    browser.run(f"{form}.querySelector('button').click()")
    browser.wait(f"{form}.querySelector('[name=date]').value.startsWith('{date} 00')")


def shown(browser, url):
    """Go to a page; return its title, that of its frame, its colour and the visible cookies."""
    browser.open(url)
    assert browser.run("location.href") == url
    assert browser.run("document.images[0].naturalWidth") == 32
    return (
        browser.run("document.title"),
        browser.run("frames[0].document.body.innerText"),
        browser.run(COLOR),
        browser.run("document.cookie"),
    )


def expected(word):
    """Return what a page of one time shows: all of that time, and no cookie but its own."""
    return word.decode(), word.decode(), COLORS[word], "theirs=1"


@ensureDeferred
async def test_two_browsers_behind_one_address_read_at_two_dates(archive, consultation, browsers):
    """Over two domains and https://, each at its own date, frames and foreign styles with it."""
    add_sites(archive)
    one, two = browsers
    await deferToThread(choose, one, "2020-01-01")
    await deferToThread(choose, two, "2026-01-01")
    for url in (A, B, SECURE, A):
        for browser, word in ((one, b"Old"), (two, b"New")):
            assert await deferToThread(shown, browser, url) == expected(word), (url, word)
    assert len(consultation.readers) == 2
    assert not [key for key in consultation.readers.all() if not key.startswith("~")]


@ensureDeferred
async def test_a_link_leads_on_to_another_host(archive, consultation, browsers):
    """By a click, from a host that knows the reader to one that does not yet."""
    add_sites(archive)
    one, _ = browsers

    def follow():
        choose(one, "2020-01-01")
        one.open(A)
        one.run("document.querySelector('a').click()")
        one.wait(f"location.href === '{B}' && document.readyState === 'complete'")
        return one.run("document.title"), one.run("history.length")

    title, _ = await deferToThread(follow)
    assert title == "Old"


@ensureDeferred
async def test_a_browser_that_keeps_no_cookies_is_told_and_reads_on(archive, consultation, begin):
    """It is led in no circle, and reads at the date of its address."""
    add_sites(archive)
    consultation.readers.choose("127.0.0.1", date=OLD)
    blocked = '{"profile": {"default_content_setting_values": {"cookies": 2}}}'
    browser = await begin("about:blank", preferences=blocked)

    def read():
        browser.open(A)
        told = browser.run("document.body.innerText")
        browser.run(f"document.querySelector('a[href=\"{A}\"]').click()")
        browser.wait(f"location.href === '{A}' && document.readyState === 'complete'")
        return told, browser.run("document.title")

    told, title = await deferToThread(read)
    assert "Cookies are refused" in told and title == "Old"
