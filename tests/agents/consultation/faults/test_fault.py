"""Which fault content a client gets follows from what it asks for and how."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.faults.fault import guess_kind, no_tunnel, wrong_method

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
        ("http://a/feed.rss", "*/*", "text"),
        ("http://a/data.json", "*/*", "json"),
        ("http://a/data", "application/json", "json"),
        ("http://a/page", "*/*", "html"),
        ("http://[", "*/*", "html"),
    ],
)
def test_the_kind_is_guessed(url, accept, kind):
    """Accept decides where it says something; then the extension; then it is a page."""
    assert guess_kind(url, accept) == kind


@given(st.text(), st.text())
def test_any_request_has_a_kind(url, accept):
    """No URL and no Accept field fails."""
    assert guess_kind(url, accept)


def test_refusals_say_what_to_do():
    """A tunnel and a write are refused with a way out."""
    assert "http://" in no_tunnel("a.example:443").message
    assert "GET and HEAD" in wrong_method("POST", "http://a/").message
