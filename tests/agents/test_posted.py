"""What was posted is named as the field names it, and every name is a URL the archive can hold."""

import json
from io import BytesIO
from urllib.parse import parse_qsl, unquote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.posted import form_as_get, posted_url
from agents.urls import LENGTH_LIMIT, canonical

URL = "http://example.org/"
FORM = "application/x-www-form-urlencoded"
EVENT = b"""{"type": "event", "id": 44.0, "values": [true, false, null],
 "source": {"type": "component", "id": "a+b&c= d", "values": [3, 4]}}"""
UPLOAD = (
    b'--x\r\nContent-Disposition: form-data; name="who"\r\n\r\nme & you\r\n'
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n\xff\x00\r\n--x--\r\n'
)


@pytest.mark.parametrize(
    ("url", "kind", "body", "query"),
    [
        (URL, FORM, b"foo=bar&dir=%2fbaz+a", "?__wb_method=POST&foo=bar&dir=%2Fbaz+a"),
        (URL + "?page=1", FORM, b"b", "?page=1&__wb_method=POST&b"),
        (URL + "?foo&", "", b"", "?foo&&__wb_method=POST"),
        (URL, FORM + "; charset=UTF-8", b"q=%23a%26b", "?__wb_method=POST&q=%23a%26b"),
        (URL, "", b"hello", "?__wb_method=POST&__wb_post_data=aGVsbG8="),
        (URL, FORM, b"a=\xff", "?__wb_method=POST&__wb_post_data=YT3/"),
        (URL, "text/plain", b"hello", "?__wb_method=POST&__wb_post_data=aGVsbG8="),
        (URL, "text/plain", b'{"a": 1}', "?__wb_method=POST&a=1"),
        (URL, "application/json", b"{", "?__wb_method=POST"),
        (URL, "application/json", b'{"a":1}\n{"a":2}', "?__wb_method=POST&a=1&a.2_=2"),
        (
            URL, "application/json", EVENT,
            "?__wb_method=POST&type=event&id=44.0&values=True&values.2_=False&values.3_=None"
            "&type.2_=component&id.2_=a%2Bb%26c%3D+d&values.4_=3&values.5_=4",
        ),
        (
            URL, "multipart/form-data; boundary=x", UPLOAD,
            "?__wb_method=POST&who=me+%26+you&file=%FF%00",
        ),
        (URL, "multipart/form-data", b"--x", "?__wb_method=POST&__wb_post_data=LS14"),
    ],
)  # fmt: skip
def test_the_name_follows_the_convention(url, kind, body, query):
    """The examples of the guideline, and what forms and scripts send."""
    assert posted_url(url, "POST", kind, body) == URL + query


@pytest.mark.parametrize(
    ("method", "query"), [("GET", ""), ("DELETE", "?__wb_method=DELETE"), ("PUT", None)]
)
def test_other_methods(method, query):
    """GET is kept under the URL itself, and only POST and PUT have a body that counts."""
    name = posted_url(URL, method, FORM, b"a=1")
    assert name == URL + ("?__wb_method=PUT&a=1" if query is None else query)


KINDS = st.sampled_from(
    [FORM, "application/json", "text/plain", "multipart/form-data; boundary=x", "image/png", ""]
)


@given(
    st.sampled_from([URL, URL + "?a=1", URL + "x" * 8000]),
    KINDS | st.text(),
    st.binary() | st.text().map(str.encode),
)
def test_every_name_can_be_held(url, kind, body):
    """Whatever is sent, its name is canonical and not too long."""
    name = posted_url(url, "POST", kind, body)
    assert canonical(name) == name and len(name) <= LENGTH_LIMIT


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=4))
def test_different_forms_have_different_names(pairs):
    """No two forms of other fields fall together."""
    name = posted_url(URL, "POST", FORM, urlencode(pairs, errors="surrogatepass").encode())
    if len(name) < 4000:
        assert parse_qsl(name.partition("?__wb_method=POST&")[2], keep_blank_values=True) == pairs


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_deep_json_text_does_no_harm(kind):
    """A text of brackets alone is no values."""
    assert posted_url(URL, "POST", kind, b"[" * 16384).startswith(URL + "?__wb_method=POST")


def test_a_form_may_be_asked_for_by_get():
    """A form's fields make the URL that the same form would ask for by GET."""
    assert form_as_get(URL, FORM, b"q=a+b") == URL + "?q=a+b"
    assert form_as_get(URL + "?x", FORM, b"q=1") == URL + "?x&q=1"
    assert form_as_get(URL, "application/json", b"{}") is None
    assert form_as_get(URL, FORM, b"") is None


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.tuples(st.just(FORM), TEXT.map(str.encode))
    | st.tuples(st.just("application/json"), JSON.map(lambda value: json.dumps(value).encode()))
    | st.tuples(st.just("image/png"), st.binary(min_size=1, max_size=50))
)
def test_it_agrees_with_the_field(sent):
    """What is named here is named so by cdxj-indexer, but for how characters are escaped."""
    postquery = pytest.importorskip("cdxj_indexer.postquery")
    kind, body = sent
    theirs = postquery.append_method_query("POST", kind, len(body), BytesIO(body), URL)[1]
    ours = posted_url(URL, "POST", kind, body).removeprefix(URL)
    assert unquote_plus(ours) == (unquote_plus(theirs) if kind != FORM else theirs)


def test_a_form_that_the_parser_stumbles_over_is_named_by_its_bytes() -> None:
    """Whatever a request says of its body, its answer gets a name, and that of no other method."""
    body = b'Content-Disposition: form-data; name="\r\n\r\nabc'
    name = posted_url("http://a.example/", "POST", "multipart/form-data; boundary*", body)
    assert name.startswith("http://a.example/?__wb_method=POST&__wb_post_data=")
