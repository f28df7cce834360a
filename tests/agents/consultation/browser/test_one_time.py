"""What a real browser shows of a page was collected near the page's own date."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

pytestmark = pytest.mark.slow

BEFORE, PAGE_DATE, AFTER, CHOSEN = (f"{year}0101{0:012d}" for year in (2010, 2015, 2016, 2019))
KEY = "127.0.0.1"
PAGE = b"""<!doctype html><title>page</title>
<link rel="stylesheet" href="http://cdn.example/style.css">
<iframe src="/frame"></iframe><a href="/next">next</a>
<img id="silent" referrerpolicy="no-referrer" src="http://pictures.example/x.svg">
<script>
  fetch("/data.json").then((answer) => answer.text()).then((text) => { window.data = text; });
  document.head.append(Object.assign(document.createElement("script"), {src: "/late.js"}));
</script><img src="/hole.png">"""
STYLE = b'@import "http://deep.example/deep.css"; body { margin: %dpx }'


def head(media_type):
    """Return the head of an answer."""
    cors = b"Access-Control-Allow-Origin: *\r\n"
    return b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n" % (media_type, cors)


def add_site(archive, scheme):
    """Put a page of one date in the archive, and its parts of several."""
    site = f"{scheme}://site.example/"
    page = PAGE.replace(b"http:", scheme.encode() + b":")
    archive.add(site, page, head=head(b"text/html"), date=PAGE_DATE)
    for width, date in enumerate((BEFORE, AFTER, CHOSEN), 1):
        svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="9"/>' % width
        style = STYLE.replace(b"http:", scheme.encode() + b":") % width
        for url, body, media_type in (
            (f"{scheme}://cdn.example/style.css", style, b"text/css"),
            (f"{scheme}://deep.example/deep.css", b"h1 { top: %dpx }" % width, b"text/css"),
            (f"{scheme}://pictures.example/x.svg", svg, b"image/svg+xml"),
            (f"{site}frame", b"<p>%d" % width, b"text/html"),
            (f"{site}data.json", b"%d" % width, b"application/json"),
            (f"{site}late.js", b"window.late = %d" % width, b"text/javascript"),
            (f"{site}next", b"<title>%d</title>" % width, b"text/html"),
        ):
            archive.add(url, body, head=head(media_type), date=date)
    return site


@pytest.mark.parametrize("scheme", ["http", "https"])
@ensureDeferred
async def test_a_page_is_whole_at_its_own_date(archive, consultation, begin, scheme):
    """Frames, styles of styles, scripts, data and silent pictures; but not where a link leads."""
    site = add_site(archive, scheme)
    consultation.readers.choose(KEY, date=CHOSEN)
    browser = await begin("--ignore-certificate-errors", "about:blank")

    def read():
        browser.open(site)
        browser.wait("window.data && window.late")
        found = [
            browser.run("getComputedStyle(document.body).marginTop"),
            browser.run("document.getElementById('silent').naturalWidth"),
            browser.run("frames[0].document.body.innerText"),
            browser.run("window.data"),
            browser.run("window.late"),
        ]
        browser.wait("performance.now() > 2500")  # a reader reads; frames have loaded
        browser.run("document.querySelector('a').click()")
        browser.wait("location.pathname === '/next' && document.readyState === 'complete'")
        return found, browser.run("document.title")

    found, following = await deferToThread(read)
    assert found == ["2px", 2, "2", "2", 2]
    assert following == "3"
    shown = consultation.screens.of(KEY)
    screen = next(screen for screen in shown if screen.url == site)
    assert screen.date == PAGE_DATE
    parts = {part.url.partition("://")[2]: part.date for part in screen.parts}
    assert parts.pop("deep.example/deep.css") == AFTER
    assert set(parts.values()) == {AFTER} and len(parts) == 5
    assert f"{site}hole.png" in screen.missing
    assert (screen.spread.earliest, screen.spread.latest) == (PAGE_DATE, AFTER)
    assert screen.spread.seconds == 365 * 86400
