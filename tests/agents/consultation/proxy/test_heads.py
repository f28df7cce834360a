"""A stored head goes out as it came, but for what two readers could read differently."""

import http.client
import re
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.consultation.proxy.heads import forwardable, only_redirects_to, secure_twin

VALUE = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"))
FIELD = st.tuples(st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,12}", fullmatch=True), VALUE)


@given(st.integers(200, 599), st.lists(FIELD, max_size=8), st.sampled_from([b"\r\n", b"\n"]))
def test_a_head_of_good_form_is_untouched(status, fields, end):
    """Names, values, order, doubles and spaces are those that came."""
    lines = [b"HTTP/1.1 %d Fine" % status]
    lines += [f"{name}: {value}".encode("latin-1") for name, value in fields]
    head = end.join(lines) + end * 2
    assert forwardable(head) == head


@given(st.binary(max_size=200))
def test_nothing_ambiguous_goes_out(noise):
    """No bare CR, no NUL, and no folded line before the first field leaves the archive."""
    head = forwardable(b"HTTP/1.1 200 OK\r\n" + noise)
    assert head is not None
    assert not re.search(rb"\r(?!\n)|\0", head)
    assert head.split(b"\n", 1)[1][:1] not in (b" ", b"\t")


@given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"") or b"x")))
def test_no_line_hides_those_after_it(lines):
    """What is no field takes no client in: all that follow are read."""
    head = forwardable(b"\r\n".join([b"HTTP/1.1 200 OK", *lines, b"Last: 1", b"", b""]))
    assert http.client.parse_headers(BytesIO(head.partition(b"\n")[2]))["Last"] == "1"


def test_names_are_mended():
    """White space after a name goes (RFC 9112 §5.1), and a line without a name, all of it."""
    head = b"HTTP/1.1 200 OK\r\nA : 1\r\nB C: 2\r\n folded\r\nnothing\r\nD: 3\r\n\r\n"
    assert forwardable(head) == b"HTTP/1.1 200 OK\r\nA: 1\r\nD: 3\r\n\r\n"
    assert forwardable(b"HTTPS 200 OK\nA: 1\n\n") == b"HTTP/1.1 200 OK\nA: 1\n\n"


def test_a_hidden_field_cannot_be_smuggled():
    """A bare CR does not begin a field of framing in the browser's eyes."""
    head = forwardable(b"HTTP/1.1 200 OK\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n")
    assert head == b"HTTP/1.1 200 OK\r\nX: a Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("head", [b"", b"nonsense", b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 OK\r\n\r\n"])
def test_a_head_without_status_line_is_none(head):
    """What has no status line is not a head."""
    assert forwardable(head) is None


@pytest.mark.parametrize(
    ("url", "twin"),
    [
        ("http://a.example/x?y", "https://a.example/x?y"),
        ("https://a.example/", None),
        ("http://a.example:8080/", None),
        ("http://[::1]/", "https://[::1]/"),
    ],
)
def test_the_secure_twin_of_a_url(url, twin):
    """Only http:// on its usual port has one."""
    assert secure_twin(url) == twin


@pytest.mark.parametrize(
    ("status", "location", "only"),
    [
        (301, b"https://a/x", True),
        (302, b"HTTPS://A/x#part", True),
        (301, b"https://a/y", False),
        (200, b"https://a/x", False),
        (301, b"http://a/x", False),
    ],
)
def test_a_redirect_to_the_twin_is_told(status, location, only):
    """A redirect counts when it leads to the very same place by https."""
    head = b"HTTP/1.1 %d R\r\nServer: x\r\nlocation:  %s \r\n\r\n" % (status, location)
    capture = Capture("http://a/x", "1" * 20, "0" * 64, 0, status, head)
    assert only_redirects_to(capture, "https://a/x") is only
