"""Which fault content a client gets follows from what it asks for and how."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.faults.contents import KINDS
from agents.consultation.faults.fault import no_tunnel, wrong_method
from agents.consultation.faults.kinds import guess_kind

CHROMIUM_IMAGE = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"


@pytest.mark.parametrize(
    ("url", "accept", "kind"),
    [
        ("http://a/", "text/html,application/xhtml+xml,*/*;q=0.8", "html"),
        ("http://a/x.png", "text/html,*/*", "html"),
        ("http://a/x.png", CHROMIUM_IMAGE, "svg"),
        ("http://a/x", "image/webp,image/png", "png"),
        ("http://a/x.gif", "image/png", "gif"),
        ("http://a/x", "text/css,*/*;q=0.1", "css"),
        ("http://a/x.js?version=2", "*/*", "javascript"),
        ("http://a/x.css", "", "css"),
        ("http://a/x.JPG", "*/*", "png"),
        ("http://a/feed.rss", "*/*", "rss"),
        ("http://a/report.docx", "*/*", "docx"),
        ("http://a/x", "application/pdf", "pdf"),
        ("http://a/x", "audio/webm,audio/ogg,*/*;q=0.5", "audio"),
        ("http://a/data.json", "*/*", "json"),
        ("http://a/data", "application/json", "json"),
        ("http://a/page", "*/*", "html"),
        ("http://[", "*/*", "html"),
    ],
)
def test_the_kind_is_guessed(url, accept, kind):
    """Accept decides where it says something; then the extension; then it is a page."""
    assert guess_kind(url, accept) == kind


@pytest.mark.parametrize(
    ("destination", "url", "accept", "kind"),
    [
        ("document", "http://a/x.pdf", "text/html,*/*;q=0.8", "html"),
        ("style", "http://a/x.php", "text/css,*/*;q=0.1", "css"),
        ("script", "http://a/x.html", "*/*", "javascript"),
        ("font", "http://a/x", "*/*", "font"),
        ("video", "http://a/x", "*/*", "video"),
        ("video", "http://a/x.m3u8", "*/*", "m3u8"),
        ("audio", "http://a/x", "*/*", "audio"),
        ("track", "http://a/x", "*/*", "vtt"),
        ("image", "http://a/x.html", CHROMIUM_IMAGE, "svg"),
        ("image", "http://a/x.gif", "image/webp,image/png", "gif"),
        ("embed", "http://a/x.swf", "text/html,*/*", "flash"),
        ("object", "http://a/x.pdf", "text/html,*/*", "pdf"),
        ("object", "http://a/x", "text/html,*/*", "html"),
        ("empty", "http://a/x", "*/*", "json"),
        ("empty", "http://a/x.xml", "*/*", "xml"),
        ("empty", "http://a/x", "text/html", "html"),
    ],
)
def test_what_it_is_wanted_for_decides(destination, url, accept, kind):
    """What a browser says of the use of a content weighs more than its name."""
    assert guess_kind(url, accept, destination) == kind


@given(st.text(), st.text(), st.text())
def test_any_request_has_a_kind(url, accept, destination):
    """No URL and no field fails."""
    assert guess_kind(url, accept, destination) in KINDS


def test_refusals_say_what_to_do():
    """A tunnel and a write are refused with a way out."""
    assert "http://" in no_tunnel("a.example:443").message
    assert "GET and HEAD" in wrong_method("POST", "http://a/").message
