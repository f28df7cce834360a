"""What scripts and forms of archived pages ask for is answered as a real browser needs it."""

import brotli
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

pytestmark = pytest.mark.slow

SITE, OTHER = "http://site.example/", "http://other.example/"
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
HTML = PLAIN.replace(b"plain", b"html")
LONG = bytes(range(256)) * 2000
PAGE = b"""<!doctype html><title>page</title>
<form method="post" action="/search"><input name="q" value="a b"><button>go</button></form>"""
SCRIPT = """(async () => {
  const text = async (url, options) => (await fetch(url, options)).text().catch(String);
  const part = await fetch("http://other.example/long", {headers: {Range: "bytes=300000-300003"}});
  const harbor = await fetch("http://dlweb/missing").then(() => "read", () => "refused");
  return [
    await text("http://other.example/plain"),
    await text("http://other.example/plain", {headers: {"X-Token": "1"}, credentials: "include"}),
    await text("http://other.example/coded"),
    await text("/api", {method: "POST", body: JSON.stringify({id: 7}),
                        headers: {"Content-Type": "application/json"}}),
    [part.status, ...new Uint8Array(await part.arrayBuffer())].join(),
    harbor,
  ];
})()"""


@ensureDeferred
async def test_what_a_page_asks_for(archive, browser):
    """Other origins, preflights, codings, ranges, JSON and forms; and the harbor is not read."""
    archive.add(SITE, PAGE, head=HTML)
    archive.add(OTHER + "plain", b"plain", head=PLAIN)
    coded = PLAIN[:-2] + b"Content-Encoding: br\r\n\r\n"
    archive.add(OTHER + "coded", brotli.compress(b"decoded"), head=coded)
    archive.add(OTHER + "long", LONG, head=PLAIN)
    archive.add(SITE + "api?__wb_method=POST&id=7", b"seven", head=PLAIN)
    archive.add(SITE + "search?__wb_method=POST&q=a+b", b"<title>found</title>", head=HTML)

    def read():
        browser.open(SITE)
        found = browser.run(SCRIPT)
        browser.run("document.forms[0].submit()")
        browser.wait("document.title === 'found'")
        return found

    assert await deferToThread(read) == [
        "plain", "plain", "decoded", "seven",
        ",".join(map(str, [206, *LONG[300_000:300_004]])), "refused",
    ]  # fmt: skip
