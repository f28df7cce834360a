"""What a real browser makes of https:// in the archive: tunnels, certificates, redirects."""

import tempfile
import time
from base64 import b64encode
from hashlib import sha256

import pytest
import pytest_twisted
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.access.credentials import add_reader
from agents.consultation.proxy.authority import authority_of
from tests.agents.consultation.browser.conftest import CHROMIUM, PATIENCE, Browser
from tests.agents.consultation.test_service import Running

pytestmark = pytest.mark.slow

PLAIN, SECURE = "http://www.example.org/", "https://www.example.org/"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nStrict-Transport-Security: max-age=9\r\n\r\n"
CSS = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"
AWAY = b"HTTP/1.1 301 Moved\r\nLocation: https://www.example.org/\r\n\r\n"
PAGE = b"""<!doctype html><title>secure</title><link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="https://static.example.net:8443/other.css"><h1>Secure</h1>
<script>window.context = isSecureContext;
const socket = new WebSocket("wss://www.example.org/live");
socket.onerror = () => { window.socket = "failed" };</script>"""


def pinned(folder):
    """Return the flag by which Chromium trusts the authority of an archive's folder."""
    public = authority_of(folder).certificate.public_key()
    digest = sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    return f"--ignore-certificate-errors-spki-list={b64encode(digest).decode()}"


@pytest_twisted.async_yield_fixture
async def trusting(consultation, begin, tmp_path):
    """A browser that trusts the archive's authority."""
    yield await begin(pinned(tmp_path))


def add_site(archive):
    """Put a site in the archive that sends http:// to https://, with a style from elsewhere."""
    archive.add(PLAIN, b"", head=AWAY)
    archive.add(SECURE, PAGE, head=HTML)
    archive.add(SECURE + "style.css", b"h1 { color: rgb(1, 2, 3) }", head=CSS)
    archive.add("https://static.example.net:8443/other.css", b"h1 { width: 77px }", head=CSS)


@ensureDeferred
async def test_a_site_that_leads_to_https_is_walked(archive, consultation, trusting):
    """The redirect is followed into the tunnel; parts come from other hosts' tunnels."""
    add_site(archive)

    def walk():
        trusting.open(PLAIN)
        trusting.wait("window.socket === 'failed'")
        style = "getComputedStyle(document.querySelector('h1'))"
        return trusting.run(f"[location.href, window.context, {style}.color, {style}.width]")

    assert await deferToThread(walk) == [SECURE, True, "rgb(1, 2, 3)", "77px"]
    failed = [
        event["params"]["errorText"]
        for event in trusting.events
        if event.get("method") == "Network.loadingFailed"
    ]
    assert failed == []
    assert consultation.status()["outcomes"]["tunnel"] >= 2


@ensureDeferred
async def test_who_does_not_trust_the_authority_is_warned(archive, browser):
    """The archive's certificate is none of the web's: the browser says so, and shows nothing."""
    add_site(archive)

    def look():
        browser.open(SECURE)
        return browser.run("document.title")

    assert await deferToThread(look) != "secure"
    errors = {
        event["params"].get("errorText")
        for event in browser.events
        if event.get("method") == "Network.loadingFailed"
    }
    assert errors == {"net::ERR_CERT_AUTHORITY_INVALID"}


@ensureDeferred
async def test_a_browser_is_set_up_by_the_script_alone(archive, reactor, tmp_path):
    """The automatic configuration leads to a proxy over TLS, and through it to https://."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    add_site(archive)
    running = Running(reactor, archive, tmp_path, lookup="index", proxy_tls=True, pages_tls=False)
    script = f"--proxy-pac-url={running.agent.pages.url}proxy.pac"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = await deferToThread(Browser, folder, "", script, pinned(tmp_path))
        try:
            await deferToThread(browser.open, PLAIN)
            shown = "[location.href, document.title]"
            assert await deferToThread(browser.run, shown) == [SECURE, "secure"]
        finally:
            await deferToThread(browser.close)
            await running.stop()


def answer_challenges(browser, credentials):
    """Answer what the browser has asked since; return how many challenges there were."""
    events, browser.events = browser.events, []
    asked = 0
    for event in events:
        number = event.get("params", {}).get("requestId")
        if event.get("method") == "Fetch.requestPaused":
            browser.call("Fetch.continueRequest", requestId=number)
        elif event.get("method") == "Fetch.authRequired":
            assert event["params"]["authChallenge"]["source"] == "Proxy"
            answer = {"response": "ProvideCredentials", **credentials}
            browser.call("Fetch.continueWithAuth", requestId=number, authChallengeResponse=answer)
            asked += 1
    return asked


def title_of(browser):
    """Return the title that is shown; the page itself does not answer while it is loaded."""
    time.sleep(0.05)
    try:
        history = browser.call("Page.getNavigationHistory")
    except AssertionError:  # between two processes
        return ""
    return history["entries"][history["currentIndex"]]["title"]


@ensureDeferred
async def test_a_browser_asks_its_reader_once(archive, reactor, tmp_path):
    """After one challenge, pages, parts and tunnels are had by name and password, over TLS."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    add_site(archive)
    add_reader(tmp_path, "anna", "correct horse")
    running = Running(
        reactor, archive, tmp_path, lookup="index", proxy_tls=True, credentials="always"
    )
    credentials = {"username": "anna", "password": "correct horse"}

    def walk(browser):
        browser.call("Fetch.enable", handleAuthRequests=True)
        browser.run(f"setTimeout(() => location.href = '{PLAIN}', 0) && 0")
        asked = 0
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and title_of(browser) != "secure":
            asked += answer_challenges(browser, credentials)
        browser.call("Fetch.disable")
        browser.wait("window.socket === 'failed'")
        return asked, browser.run("location.href")

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        proxy = running.agent.proxy.url.rstrip("/")
        browser = await deferToThread(Browser, folder, proxy, pinned(tmp_path))
        try:
            assert await deferToThread(walk, browser) == (1, SECURE)
        finally:
            await deferToThread(browser.close)
            await running.stop()
