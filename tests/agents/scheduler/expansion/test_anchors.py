"""Where the URLs lie that an expression takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.delimitation import InvalidExpression, parse
from agents.scheduler.expansion.anchors import Portion, address_of, portions
from agents.urls import canonical

HOSTS = ["a.org", "b.a.org", "c.b.a.org", "www.a.org", "org", "b.org", "10.1.2.3", "[::1]"]
PATHS = [
    "",
    "/",
    "/x",
    "/x/",
    "/x/y",
    "/x/y/",
    "/~u",
    "/~u/",
    "/xy",
    "/x?q",
    "/?q",
    "/x/y?q/r",
    "//x",
]
PORTS = ["", "", "", ":80", ":81", ":443"]
PATTERNS = st.one_of(
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from(["//", ".", "http://", "https://"]),
            st.sampled_from([*HOSTS, "*.a.org", "*a.org", "w*.org", "*", "a.*", "*.2.3"]),
            st.sampled_from(PORTS),
            st.sampled_from(PATHS),
            st.sampled_from(["", "", "$", "*", "*y", "*y$", r"\$"]),
        ),
    ),
    st.sampled_from(["/", "/x/", "/x", "/x/y$", "x", "*y$", "q", "/*/y", "a.org", r"/\/x"]),
)
EXPRESSIONS = st.recursive(
    PATTERNS,
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"( {' OR '.join(parts)} )")
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"( {' AND '.join(parts)} )")
        | inner.map(lambda part: f"NOT ( {part} )")
    ),
    max_leaves=5,
)
URLS = st.builds(
    lambda *parts: canonical("".join(parts)) or "",
    st.sampled_from(["http://", "https://"]),
    st.sampled_from(HOSTS),
    st.sampled_from(PORTS),
    st.sampled_from(PATHS),
    st.sampled_from(["", "/z", "y", "$"]),
).filter(bool)


def read(expression: str) -> tuple[Portion, ...]:
    """Return the portions of an expression."""
    return portions(parse(expression).tree)


@given(EXPRESSIONS, st.lists(URLS, min_size=1, max_size=8))
def test_who_takes_a_url_has_one_of_its_keys(expression: str, urls: list[str]) -> None:
    """Whatever an expression takes lies in one of its portions, under the anchor of that."""
    try:
        parsed = parse(expression)
    except InvalidExpression:
        return
    found = portions(parsed.tree)
    is_all_told = all(portion.whole for portion in found)
    for url in urls:
        address = address_of(url)
        keys = {host + path for host in address.hosts for path in address.paths}
        holding = [portion for portion in found if portion.holds(address)]
        assert all(portion.anchor in keys for portion in holding)
        if parsed.matches(url):
            assert holding
        if is_all_told:
            assert bool(holding) is parsed.matches(url)
        if any(portion.whole for portion in holding):
            assert parsed.matches(url)


@given(PATTERNS, URLS)
def test_a_portion_is_written_as_a_pattern(pattern: str, url: str) -> None:
    """The pattern that a portion is written as takes what lies in it, and nothing else."""
    try:
        found = read(pattern)
    except InvalidExpression:
        return
    for portion in found:
        assert parse(str(portion)).matches(url) is portion.holds(address_of(url)), str(portion)


@given(PATTERNS, PATTERNS, URLS)
def test_meeting_and_covering(one: str, other: str, url: str) -> None:
    """Portions that do not meet share no URL; one that covers another has all of its URLs."""
    try:
        pairs = [(first, second) for first in read(one) for second in read(other)]
    except InvalidExpression:
        return
    address = address_of(url)
    for first, second in pairs:
        if first.holds(address) and second.holds(address):
            assert first.meets(second) and second.meets(first)
        if first.covers(second) and second.holds(address):
            assert first.holds(address)
        if first.covers(second) and second.covers(first):
            assert first.is_like(second)


@pytest.mark.parametrize(
    ("expression", "anchors"),
    [
        ("//www.a.org/~bob/x", ["org a www|/~bob"]),
        ("//a.org:81", ["org a|81"]),
        (".a.org", ["org a|*"]),
        ("/news/", ["|*/news"]),
        ("text", ["|*"]),
        ("*.pdf$", ["|*"]),
        ("//a.org/x", ["org a|"]),
        ("//a.org/x$", ["org a|/x"]),
        ("//a.org/x?", ["org a|/x"]),
        ("//a.org/x/?id=1", ["org a|/x/"]),
        ("//www*.a.org", ["org a|*"]),
        ("//a.org AND NOT *.pdf$", ["org a|"]),
        ("(//a.org OR .a.org) AND /news/", ["org a|", "org a|*"]),
        ("NOT (NOT //a.org AND NOT //b.org)", ["org a|", "org b|"]),
        ("NOT //a.org", ["|*"]),
        ("//a.org/1/2/3/4/5/6/7/8/9/", ["org a|/1/2/3/4/5/6/7"]),
        (f"//a.org/{'x' * 300}/y/", ["org a|"]),
        (f"//a.org/1/{'x' * 300}/y/", ["org a|/1"]),
        (f"//{'a.' * 130}org", []),
        (".1.2.3.4.5.6.7.8.9.a.b.c", ["c b a 9 8 7 6 5 4 3|*"]),
        ("", []),
    ],
)
def test_anchors(expression: str, anchors: list[str]) -> None:
    """Each expression is found under what all of its URLs have in common."""
    assert [portion.anchor for portion in read(expression)] == anchors


def test_deep_urls_have_few_keys() -> None:
    """However long a URL is, the keys it is looked up by are few, and fit LMDB."""
    for url in ("http://a.org/" + "x/" * 4000, f"http://{'a.' * 100}org/{'x' * 8000}/{'y' * 90}"):
        address = address_of(url)
        keys = [host + path for host in address.hosts for path in address.paths]
        assert len(keys) <= 13 * 8
        assert max(map(len, keys)) <= 511


def test_a_host_that_dns_cannot_name_lies_nowhere() -> None:
    """A host too long for DNS, or without a first label, has no key."""
    assert address_of(f"http://{'a.' * 130}org/").hosts == ()
    assert address_of("http://.a.org/").hosts == ()
