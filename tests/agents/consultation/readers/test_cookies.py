"""The archive's cookies are apart from those of the archived web."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.readers.cookies import ours, set_cookie, without_ours
from anet.http.message import Headers


@pytest.mark.parametrize("secure", [False, True])
def test_a_cookie_is_out_of_the_reach_of_scripts(secure):
    """And one of https:// never goes out in the open."""
    name, value = set_cookie("x", secure=secure)
    text = value.decode()
    assert name == b"Set-Cookie" and "; HttpOnly" in text and "; SameSite=Lax" in text
    assert ("; Secure" in text and text.startswith("__Host-")) is secure
    assert "Domain" not in text


def test_our_cookies_are_found_and_taken_out():
    """Those of the archived site stay as they are."""
    headers = Headers(
        [
            (b"Accept", b"*/*"),
            (b"Cookie", b"a=1; dlweb-reader=one; b==2;c"),
            (b"cookie", b"__Host-dlweb-reader=two"),
        ]
    )
    assert ours(headers, secure=True) == ["two", "one"]
    assert ours(headers, secure=False) == ["one"]
    rest = without_ours(headers)
    assert rest.get(b"cookie") == b"a=1; b==2; c" and rest.get(b"accept") == b"*/*"
    assert ours(rest, secure=True) == []


@given(st.lists(st.binary(max_size=40)))
def test_any_cookies_can_be_read(values):
    """Whatever a browser, or something else, sends."""
    headers = Headers([(b"Cookie", value) for value in values])
    assert without_ours(without_ours(headers)) == without_ours(headers)
    assert ours(without_ours(headers), secure=True) == []
    if not ours(headers, secure=True):
        assert without_ours(headers) is headers
