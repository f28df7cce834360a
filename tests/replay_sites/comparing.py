"""How faithful a replay is: what a browser makes of a page, live and archived, side by side."""

import time
from collections.abc import Callable, Iterable
from re import fullmatch
from typing import Any
from urllib.parse import urljoin

from attrs import frozen
from chromium import PATIENCE, Chromium, ProtocolError, Tab

WIDTH, HEIGHT = 1000, 900
QUIET = 0.3  # seconds without a request after which nothing more is expected

_SETTLED = """(() => {
  const settled = (view) => {
    const page = view.document;
    const films = [...page.querySelectorAll("video[preload=auto]")];
    return view.location.href !== "about:blank"
      && page.readyState === "complete" && page.fonts.status === "loaded"
      && [...page.images].every((image) => image.complete)
      && films.every((film) => film.readyState >= 2 && !film.seeking)
      && [...page.querySelectorAll("iframe")]
        .every((frame) => !frame.contentDocument || settled(frame.contentWindow));
  };
  return settled(window);
})()"""
_REPLAYED = r"https?://(?:localhost|127\.0\.0\.1):\d+/(?:web/\d*([a-z]+_)?/(.*)|.*)"
_DIFFERENT = """(async () => {
  const pixels = async (data) => {
    const picture = await createImageBitmap(await (await fetch(data)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height).data;
  };
  const [one, other] = [await pixels("data:image/png;base64,%s"),
                        await pixels("data:image/png;base64,%s")];
  let different = one.length === other.length ? 0 : Infinity;
  for (let at = 0; at < one.length; at += 4)
    if ([0, 1, 2].some((part) => one[at + part] !== other[at + part])) different++;
  return Math.min(different, one.length / 4);
})()"""


@frozen
class Visit:
    """What a browser made of a page.

    Attributes:
        requests: the URLs it asked for, as the web knows them, in no order.
        failed: those that did not come, or with a status above 399, and why.
        errors: what the console showed as an error.
        picture: PNG of the window, in base64.
        settled: whether the page came to rest in time.
    """

    requests: frozenset[str]
    failed: tuple[str, ...]
    errors: tuple[str, ...]
    picture: str
    settled: bool = True


@frozen
class Compared:
    """A page, live and archived.

    Attributes:
        url: of the page.
        live: requests made live.
        archived: requests made of the archive.
        lost: URLs that were asked for live and not of the archive.
        failed: requests that failed in the archive only.
        errors: errors that the console showed of the archived page only.
        pixels: that differ.
    """

    url: str
    live: int
    archived: int
    lost: tuple[str, ...]
    failed: tuple[str, ...]
    errors: tuple[str, ...]
    pixels: int

    @property
    def faithful(self) -> bool:
        """Whether nothing failed and nothing looks different."""
        return not (self.lost or self.failed or self.errors or self.pixels)


def visit(
    browser: Chromium,
    url: str,
    proxy: str = "",
    original: Callable[[str], str | None] = lambda url: url,
) -> Visit:
    """Open a page in a fresh tab, wait until it rests, and tell what happened.

    Args:
        browser: does it.
        url: what is opened.
        proxy: which proxy is asked, if any.
        original: tells which URL of the web a request is for, or None for what replay itself needs.
    """
    with browser.tab(proxy) as tab:
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        tab.call("Page.navigate", url=url)
        settled = _rest(tab)
        picture = tab.call("Page.captureScreenshot")["data"]
        tab.browser.listen(0.1)
        return _told(tab.events, original, picture, settled)


def replayed(page: str) -> Callable[[str], str | None]:
    """Return what tells which URL of the web a request under `/web/` is for.

    Args:
        page: whose parts are asked for.
    """

    def original(url: str) -> str | None:
        found = fullmatch(
            r"https?://(?:localhost|127\.0\.0\.1):\d+/(?:web/\d*([a-z]+_)?/(.*))?.*", url
        )
        if found is None:
            return url
        own = not found[1] or found[2].startswith("__wb")  # of the frame, or of the engine
        return None if own else urljoin(page, found[2])

    return original


def compare(browser: Chromium, url: str, live: Visit, archived: Visit) -> Compared:
    """Compare two visits of a page."""
    with browser.tab() as tab:
        pixels = tab.run(_DIFFERENT % (live.picture, archived.picture))
    return Compared(
        url,
        len(live.requests),
        len(archived.requests),
        tuple(sorted(live.requests - archived.requests)),
        tuple(one for one in archived.failed if one not in live.failed),
        tuple(one for one in archived.errors if one not in live.errors)
        + (() if archived.settled else ("the page never came to rest",)),
        pixels,
    )


def table(title: str, compared: Iterable[Compared]) -> str:
    """Return the figures as a table, and below it what is wrong."""
    lines = [
        f"{title:52}{'live':>6}{'archived':>10}{'lost':>6}{'failed':>8}{'errors':>8}{'pixels':>9}"
    ]
    for one in compared:
        lines.append(
            f"{one.url[-51:]:52}{one.live:>6}{one.archived:>10}{len(one.lost):>6}"
            f"{len(one.failed):>8}{len(one.errors):>8}{one.pixels:>9}"
        )
        lines += [f"    lost: {it}" for it in one.lost]
        lines += [f"    {it}" for it in (*one.failed, *one.errors)]
    return "\n".join(lines)


def _rest(tab: Tab) -> bool:
    """Wait until a page rests; tell whether it does."""
    end = time.monotonic() + PATIENCE
    quiet = 0
    while time.monotonic() < end:
        before = len(tab.events)
        tab.browser.listen(QUIET)
        try:
            settled = tab.run(_SETTLED)
        except ProtocolError:  # in the middle of a navigation
            settled = False
        requests = {"Network.requestWillBeSent", "Page.frameNavigated"}
        moved = any(it["method"] in requests for it in tab.events[before:])
        quiet = quiet + 1 if settled and not moved else 0
        if quiet == 2:
            return True
    return False


def _told(
    events: list[dict[str, Any]],
    original: Callable[[str], str | None],
    picture: str,
    settled: bool,
) -> Visit:
    urls: dict[str, str] = {}
    asked: set[str] = set()
    failed, errors = [], []
    for event in events:
        method, said = event["method"], event.get("params", {})
        if method == "Network.requestWillBeSent":
            urls[said["requestId"]] = said["request"]["url"]
            asked.add(said["request"]["url"].partition("#")[0])
        elif method == "Network.responseReceived" and said["response"]["status"] > 399:
            url = said["response"]["url"]
            failed.append(f"{said['response']['status']} {original(url) or url}")
        elif method == "Network.loadingFailed" and not said.get("canceled"):
            url = urls.get(said["requestId"], "")
            failed.append(f"{said['errorText']} {original(url) or url}")
        elif error := _error(event):
            errors.append(error)
    web = {original(url) for url in asked if url.startswith(("http://", "https://"))}
    pages = {url for url in web if url is not None and not url.endswith("/favicon.ico")}
    return Visit(frozenset(pages), tuple(failed), tuple(errors), picture, settled)


def _error(event: dict[str, Any]) -> str:
    """Return what the console shows in red, or nothing."""
    method, said = event["method"], event.get("params", {})
    if method == "Runtime.exceptionThrown":
        details = said["exceptionDetails"]
        return str(details.get("exception", {}).get("description") or details["text"])
    if method == "Runtime.consoleAPICalled" and said["type"] == "error":
        return " ".join(str(it.get("value")) for it in said["args"])
    if method == "Log.entryAdded" and said["entry"]["level"] == "error":
        return f"{said['entry']['text']} {said['entry'].get('url', '')}"
    return ""
