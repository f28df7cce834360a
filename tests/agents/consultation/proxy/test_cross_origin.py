"""A page of another origin may read what it once could, and never the harbor."""

import pytest

from agents.consultation.proxy.cross_origin import (
    asking_origin,
    missing_permission,
    preflight,
)
from anet.http import Request
from anet.http.message import Headers

ORIGIN = "http://page.example"


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        ([(b"Origin", b"http://page.example"), (b"Sec-Fetch-Mode", b"cors")], ORIGIN),
        ([(b"Origin", b"http://page.example")], ORIGIN),
        ([(b"Origin", b"null"), (b"Sec-Fetch-Mode", b"cors")], "null"),
        ([(b"Origin", b"http://page.example"), (b"Sec-Fetch-Mode", b"navigate")], None),
        ([(b"Origin", b"http://page.example"), (b"Sec-Fetch-Mode", b"no-cors")], None),
        ([], None),
        ([(b"Origin", b"http://dlweb")], None),
        ([(b"Origin", b"http://api.DLWEB:80")], None),
        ([(b"Origin", b"http://a b")], None),
        ([(b"Origin", b"chrome-extension://abc")], None),
    ],
)
def test_whose_page_asks(fields, origin):
    """Only a page that asks in mode cors needs anything; the harbor's own pages get nothing."""
    assert asking_origin(Headers(fields)) == origin


OURS = [
    (b"Access-Control-Allow-Origin", b"http://page.example"),
    (b"Access-Control-Allow-Credentials", b"true"),
]


@pytest.mark.parametrize(
    ("received", "added", "clashes"),
    [
        ([], OURS, False),
        ([(b"Access-Control-Allow-Origin", b"*")], [], False),
        ([(b"Access-Control-Allow-Origin", b"http://page.example")], [], False),
        ([(b"Access-Control-Allow-Origin", b"http://other.example")], OURS, True),
        (
            [(b"Access-Control-Allow-Origin", b"x"), OURS[1]],
            OURS[:1], True,
        ),
        ([(b"Access-Control-Allow-Credentials", b"true")], OURS[:1], False),
    ],
)  # fmt: skip
def test_what_a_capture_lacks_is_added(received, added, clashes):
    """What the web said is left alone unless it names another origin."""
    assert missing_permission(ORIGIN, Headers(received)) == (added, clashes)


def asked(method="OPTIONS", **fields):
    """Return a request with these fields."""
    pairs = [(name.replace("_", "-").encode(), value) for name, value in fields.items()]
    return Request(method, "http://a.example/", Headers(pairs))


def test_a_preflight_is_answered():
    """What the page wants to send is allowed."""
    answer = preflight(
        asked(
            Origin=b"http://page.example",
            Access_Control_Request_Method=b"PUT",
            Access_Control_Request_Headers=b"x-token, content-type",
        )
    )
    assert answer is not None and answer.status == 204
    fields = dict(answer.headers)
    assert fields[b"Access-Control-Allow-Origin"] == b"http://page.example"
    assert fields[b"Access-Control-Allow-Methods"] == b"PUT"
    assert fields[b"Access-Control-Allow-Headers"] == b"x-token, content-type"


@pytest.mark.parametrize(
    "request_",
    [
        asked(Origin=b"http://page.example"),
        asked(Access_Control_Request_Method=b"PUT"),
        asked("GET", Origin=b"http://page.example", Access_Control_Request_Method=b"PUT"),
        asked(Origin=b"http://dlweb", Access_Control_Request_Method=b"PUT"),
        asked(
            Origin=b"http://page.example",
            Access_Control_Request_Method=b"PUT",
            Access_Control_Request_Headers=b"x" * 2000,
        ),
        asked(Origin=b"http://page.example", Access_Control_Request_Method=b"P(T"),
    ],
)
def test_what_is_no_preflight(request_):
    """Anything else is not."""
    assert preflight(request_) is None
