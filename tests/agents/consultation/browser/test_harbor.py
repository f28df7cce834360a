"""The harbor in a real browser: by keyboard alone, on a phone, in two languages."""

import zlib
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

pytestmark = pytest.mark.slow

OLD, NEW = "20200101000000000000", "20260101000000000000"
SITE = "http://www.example.org/"
PAGE = """<!doctype html><meta charset=utf-8><title>Example</title><h1>Nouvelles</h1>
<p>{}</p><p>The museum is open from Tuesday to Sunday, from ten to six.</p>
<a href="/{}.html">More</a>"""
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: nginx\r\n\r\n"


def add_history(archive):
    """Put a page with some history in the archive."""
    words = (
        "It rains in Paris, and the Seine is high.",
        "It snows in Paris, and the Seine is low.",
    )
    for date, text, name in ((OLD, words[0], "rain"), (NEW, words[1], "snow")):
        archive.add(SITE, PAGE.format(text, name).encode(), head=HTML, date=date)
    for place in range(40):
        text = PAGE.format(words[place // 9 % 2], place // 9).encode()
        date = f"2023{place % 12 + 1:02}{place % 27 + 1:02}{place:012}"
        archive.add(SITE, text, head=HTML, date=date)


class Keyboard:
    """A person who has no mouse."""

    def __init__(self, browser):
        self._browser = browser

    def press(self, key, code, text=""):
        """Press a key."""
        keys = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self._browser.call("Input.dispatchKeyEvent", **down, **keys)
        self._browser.call("Input.dispatchKeyEvent", type="keyUp", **keys)

    def go_to(self, selector):
        """Press Tab until something is focused, and see that the focus shows."""
        for _ in range(120):
            self.press("Tab", 9)
            if self._browser.run(f"document.activeElement.matches({selector!r})"):
                outline = "getComputedStyle(document.activeElement).outlineStyle"
                assert self._browser.run(outline) != "none"
                return
        raise AssertionError(f"no way to {selector} by keyboard")

    def write(self, text):
        """Write text where the focus is."""
        self._browser.call("Input.insertText", text=text)

    def enter(self, condition):
        """Press Enter, and wait for what comes of it."""
        self.press("Enter", 13, "\r")
        self._browser.wait(f"document.readyState === 'complete' && ({condition})")


@ensureDeferred
async def test_the_harbor_is_used_by_keyboard_alone(archive, browser, consultation):
    """A reader sets a date, searches, and opens the difference of two captures, without a mouse."""
    add_history(archive)

    def walk():
        browser.open("http://dlweb/")
        keyboard = Keyboard(browser)
        keyboard.press("Tab", 9)
        assert browser.run("document.activeElement.className") == "skip"
        keyboard.go_to("#date")
        keyboard.write("2020")
        keyboard.enter("document.body.textContent.includes('1 January 2020')")
        keyboard.go_to("#prefix")
        keyboard.write("www.example.org/")
        keyboard.enter("location.pathname === '/urls'")
        keyboard.go_to("td a")
        keyboard.enter("location.pathname === '/captures'")
        keyboard.go_to("form#compare button")
        keyboard.enter("location.pathname === '/difference'")
        return browser.run("document.querySelector('.lines').textContent")

    words = await deferToThread(walk)
    assert consultation.readers.choice_of("127.0.0.1").date == OLD
    assert "rains" in words and "snows" in words


@ensureDeferred
async def test_a_day_of_the_calendar_leads_to_its_captures(archive, browser, consultation):
    """The days are reached by Tab, and Enter lists what was captured."""
    add_history(archive)

    def walk():
        browser.open(f"http://dlweb/calendar?url={SITE}&year=2023")
        keyboard = Keyboard(browser)
        keyboard.go_to("button[name=day]")
        keyboard.enter("location.pathname === '/captures'")
        return browser.run("document.querySelectorAll('tbody tr').length")

    assert await deferToThread(walk) >= 1


PLACES = {
    "home": "/", "calendar": f"/calendar?url={SITE}&year=2023", "captures": f"/captures?url={SITE}",
    "difference": f"/difference?url={SITE}&from={OLD}&to={NEW}",
    "links": f"/difference?url={SITE}&from={OLD}&to={NEW}&mode=links",
    "search": "/urls?prefix=www", "page": "/page", "missing": "/missing", "settings": "/settings",
    "certificate": "/certificate",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "fr"])
@ensureDeferred
async def test_every_page_fits_a_phone_and_a_desk(
    archive, browser, consultation, language, tmp_path
):
    """No page is wider than its window; pictures are left for a person to judge."""
    add_history(archive)
    for place in range(12):
        date = f"202601{place + 1:02}0000{place:08}"
        archive.add(f"{SITE}picture-{place}.png", b"\x89PNG", date=date)
    parts = "".join(f'<img src="/picture-{place}.png">' for place in range(14))
    archive.add(f"{SITE}gallery.html", f"<h1>Gallery</h1>{parts}".encode(), head=HTML, date=NEW)

    def look():
        browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        browser.open(f"{SITE}gallery.html")
        wrong = []
        for width, height in ((1280, 900), (390, 844), (320, 600)):
            browser.look(width, height)
            for name, path in PLACES.items():
                browser.open(f"http://dlweb{path}")
                assert browser.run("document.documentElement.lang") == language
                wide = browser.run("document.documentElement.scrollWidth")
                wrong += [(name, width, wide)] if wide > width else []
                if width > 320:
                    picture = browser.picture(Path(tmp_path) / f"{name}-{language}-{width}.png")
                    assert len(zlib.compress(picture)) > 3000
        return wrong

    assert await deferToThread(look) == []
