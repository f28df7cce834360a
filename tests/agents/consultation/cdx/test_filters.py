"""Which lines are wanted, whatever is asked."""

import contextlib
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.cdx.filters import CdxRefused, read_filter
from agents.consultation.cdx.lines import line_of
from agents.consultation.cdx.query import OF_PYWB, Parameters, read_place, read_query
from agents.consultation.lookup.structures import CaptureLine

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def line(url="http://example.org/a"):
    """Return the line of a capture."""
    return line_of(CaptureLine(url, "20260101000000000000", "0" * 64, 5, 200, head=HEAD))


@pytest.mark.parametrize(
    ("text", "plain", "taken"),
    [
        ("status:20", "has", True),
        ("status:20", "matches", False),
        ("statuscode:2..", "matches", True),
        ("=status:200", "has", True),
        ("=mimetype:text", "has", False),
        ("!=mime:text/css", "has", True),
        ("~mime:text/", "has", True),
        ("~mime:html", "has", False),
        ("!~mime:.*html", "has", False),
        ("example", "has", True),
        ("!example", "has", False),
        ("=url:http://example.org/a", "has", True),
    ],
)
def test_signs_say_how_a_field_is_compared(text, plain, taken):
    """Contains, equals, begins with an expression, or matches all of it; each inverted too."""
    assert read_filter(text, plain=plain).takes(line()) is taken


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_refused(text):
    """Nothing else than a refusal comes of what is asked, and inverting inverts."""
    for plain in ("has", "matches"):
        try:
            found = read_filter(text.removeprefix("!"), plain=plain)
        except CdxRefused:
            continue
        inverted = read_filter("!" + text.removeprefix("!"), plain=plain)
        assert found.takes(line()) is not inverted.takes(line())


@given(st.lists(st.sampled_from(["a", "b.", ".*", "[ab]", "(a|b)", "a?", "/", "x+"]), max_size=6))
def test_expressions_match_as_python_does(parts):
    """Plain expressions mean what they mean in pywb."""
    pattern = "http://example.org/" + "".join(parts)
    url = "http://example.org/ab/aax"
    expected = re.match(pattern, url) is not None
    assert read_filter(f"~url:{pattern}").takes(line(url)) is expected


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*c", ".*" * 100 + "b", "(.*a){30}b"])
def test_hostile_expressions_take_little_time(pattern):
    """What hangs a matcher that tries every way is matched in time proportional to the field."""
    long = line("http://example.org/" + "a" * 8000)
    try:
        found = read_filter(f"~url:http://example.org/{pattern}")
    except CdxRefused:
        return
    began = process_time()
    found.takes(long)
    assert process_time() - began < 0.5


@given(st.text(max_size=80))
def test_any_query_is_read_or_refused(text):
    """Whatever comes after the question mark."""
    try:
        query = read_query(text, OF_PYWB)
    except CdxRefused:
        return
    assert query.url.startswith("http")


@given(st.sampled_from(["url", "filter", "limit", "from", "closest", "page"]), st.text(max_size=20))
def test_any_value_is_read_or_refused(name, value):
    """Whatever a parameter says."""
    from urllib.parse import urlencode

    with contextlib.suppress(CdxRefused):
        read_query(urlencode([("url", "http://example.org/"), (name, value)]), OF_PYWB)


@pytest.mark.parametrize(
    ("text", "match", "place"),
    [
        ("example.org", "", ("http://example.org/", "exact")),
        ("*.example.org", "", ("http://example.org/", "domain")),
        ("*.example.org/*", "", ("http://example.org/", "domain")),
        ("https://example.org/a*", "", ("https://example.org/a", "prefix")),
        ("example.org", "host", ("http://example.org/", "host")),
        ("example.org/a*", "exact", ("http://example.org/a*", "exact")),
    ],
)
def test_stars_say_what_is_meant(text, match, place):
    """A star before or behind is a match, unless one is told."""
    assert read_place(text, match) == place


def test_parameters_may_come_again():
    """All filters count; of all else the last."""
    asked = Parameters("filter=a&filter=b&url=x&url=y&reverse=True")
    assert (asked.all("filter"), asked.get("url"), asked.is_on("reverse")) == (
        ["a", "b"],
        "y",
        True,
    )
