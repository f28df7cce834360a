"""What a real browser makes of https:// in the archive: tunnels, certificates, redirects."""

import base64
import hashlib

import pytest
import pytest_twisted
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.proxy.authority import authority_of

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


@pytest_twisted.async_yield_fixture
async def trusting(begin, tmp_path):
    """A browser that trusts the archive's authority."""
    public = authority_of(tmp_path).certificate.public_key()
    pin = hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    coded = base64.b64encode(pin.digest()).decode()
    yield await begin(f"--ignore-certificate-errors-spki-list={coded}")


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
