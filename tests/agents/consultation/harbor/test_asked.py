"""What a request says of who asks is read with suspicion."""

import pytest

from agents.consultation.harbor.asked import origin_of, typed_url, wants_json
from anet.http import Headers, Request


def request(target="/", **fields):
    """Return a request."""
    pairs = [(name.encode(), value.encode()) for name, value in fields.items()]
    return Request("GET", target, Headers(pairs))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("www.example.org", "http://www.example.org/"),
        (" HTTP://Example.org/a b ", "http://example.org/a%20b"),
        ("https://example.org/#part", "https://example.org/"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("", None),
    ],
)
def test_a_typed_url_becomes_canonical(text, url):
    """What people type is made a URL of the archive, or refused."""
    assert typed_url(text.strip()) == url


def test_the_origin_is_as_the_browser_sees_it():
    """Through the proxy it is http://dlweb; on the pages port it is the host asked for."""
    assert origin_of(request("http://dlweb/date", host="x")) == "http://dlweb"
    assert origin_of(request("/date", host="127.0.0.1:7107")) == "http://127.0.0.1:7107"


def test_programs_ask_for_json():
    """By field or by parameter."""
    assert wants_json(request(accept="application/json"))
    assert wants_json(request("/captures?format=json"))
    assert not wants_json(request(accept="text/html,application/json"))
