"""URLs as text that sorts by site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.urls.index import bounds
from agents.consultation.urls.surt import MATCHES, ranges, site, surt
from agents.consultation.urls.tables import place_of
from agents.urls import canonical, host

made_urls = st.builds(
    lambda scheme, host, path, query: canonical(f"{scheme}://{host}/{path}{query}"),
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "www.a.example", "b.a.example", "a.example:8080", "[::1]"]),
    st.one_of(st.text("aB/%2é", max_size=8), st.just("x/" * 300)),
    st.sampled_from(["", "?", "?b=1&A=2", "?%41"]),
).filter(bool)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://127.0.0.1:8080/A?b=2&a=1", "1,0,0,127:8080)/a?a=1&b=2"),
        ("http://[::1]/x", "::1)/x"),
        ("http://www2.example.org/", "org,example)/"),
        ("http://www.example.org:8080/a/b/?z=1&A=2", "org,example:8080)/a/b?a=2&z=1"),
        ("https://example.org/a%20b/%C3%A9?x=%C3%A9", "org,example)/a%20b/%c3%a9?x=%c3%a9"),
        ("http://example.org/a?PHPSESSID=0123456789abcdef0123456789abcdef&x=1",
         "org,example)/a?x=1"),
        ("http://example.org/a|b?c|d", "org,example)/a|b?c|d"),
        ("http://example.org//a//b/", "org,example)/a/b"),
        ("http://example.org/a?&b&a=&=c", "org,example)/a?&=c&a=&b"),
        ("http://example.org/a%7Eb%41%2541", "org,example)/a~baa"),
        ("http://example.org/?", "org,example)/"),
        ("http://www.com/", "com)/"),
    ],
)  # fmt: skip
def test_the_urlkey_is_that_of_other_tools(url, key):
    """The package `surt` 0.3.1, which pywb uses, gives the same for canonical URLs."""
    assert surt(url) == key


@given(made_urls, made_urls)
def test_ranges_take_what_their_match_says(url, other):
    """Each match takes exactly the URLs that are the same, begin so, are of the host, or below."""
    taken = {match: any(surt(other) in part for part in ranges(url, match)) for match in MATCHES}
    ours, theirs = (host(each).removeprefix("www.") for each in (url, other))
    assert taken["exact"] == (surt(other) == surt(url))
    assert taken["host"] == (ours == theirs)
    assert taken["domain"] == (ours == theirs or theirs.endswith(f".{ours}"))
    assert taken["prefix"] or not taken["exact"] or url[-1] in "/?"
    assert taken["host"] or not taken["exact"]
    if not taken["prefix"]:
        assert not surt(other).startswith(surt(url)) or url[-1] in "/?"


@given(made_urls, made_urls, st.sampled_from(MATCHES))
def test_places_lie_where_their_urlkeys_do(url, other, match):
    """What is in a range lies between its bounds in the file, however long it is."""
    place = place_of(surt(other)) + b"\0" + b"\xff" * 16
    for part in ranges(url, match):
        start, end = bounds(part)
        if surt(other) in part:
            assert start <= place < end


def test_a_site_has_its_port():
    """Ports that schemes imply are not told."""
    assert site("http://example.org/") == "org,example"
    assert site("http://www.example.org:443/") == "org,example:443"
