"""Rules are found by host and path as a loop over all of them would find them."""

import time

from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.access.places import Places, holds
from agents.consultation.access.rule import Rule, place_of
from agents.posted import posted_url
from agents.urls import canonical

HOSTS = ["a.org", "b.a.org", "www.a.org", "c.b.a.org", "a.org:81", "127.0.0.1", "[::1]"]
PATHS = st.text("ab/%?6", max_size=6).map(lambda text: "/" + text)
PATTERNS = st.one_of(
    st.just("*"),
    st.builds(
        lambda star, host, path: ("*." if star and host[0] not in "[1" else "") + host + path,
        st.booleans(), st.sampled_from(HOSTS), PATHS,
    ),
)  # fmt: skip


@given(
    st.lists(st.tuples(st.lists(PATTERNS, min_size=1, max_size=3), st.booleans()), max_size=12),
    st.sampled_from(["http://", "https://"]), st.sampled_from(HOSTS), PATHS,
)  # fmt: skip
def test_as_a_loop_over_all_rules(written, scheme, host, path):
    """The same rules are found, whatever order they were written in."""
    rules = [
        Rule(tuple(urls), "takedown", str(number), exact=exact)
        for number, (urls, exact) in enumerate(written)
    ]
    url = canonical(scheme + host + path)
    slowly = {
        rule.reason
        for rule in rules
        if any(holds(place_of(pattern), rule.exact, url) for pattern in rule.urls)
    }
    assert {rule.reason for rule in Places(rules).find(url)} == slowly


def test_the_same_place_by_other_names():
    """http, https, `www.`, and letters written as numbers lead to the same rule."""
    places = Places([Rule(("example.org/private",), "takedown", "x")])
    for url in (
        "http://example.org/private", "https://www.example.org/private/page?x=1",
        "http://example.org:8080/private", "http://example.org./private",
        "http://example.org/%70rivate",
    ):  # fmt: skip
        assert list(places.find(url)), url
    for url in ("http://example.org/", "http://other.example.org/private", "http://org/private"):
        assert not list(places.find(url)), url


def test_a_rule_for_one_url_holds_for_what_was_posted_there():
    """Answers to forms are kept under names of their own, which nobody writes into a rule."""
    places = Places([Rule(("a.org/form",), "takedown", "x", exact=True)])
    for method, body in (("GET", b""), ("POST", b"q=1"), ("PUT", b"x")):
        url = posted_url("http://a.org/form", method, "application/x-www-form-urlencoded", body)
        assert list(places.find(url)), url
    assert not list(places.find("http://a.org/form?q=1"))


def test_the_most_specific_is_first():
    """Its reason is the one that readers are told."""
    rules = [Rule((urls,), "takedown", urls) for urls in ("*", "*.a.org", "a.org/x", "a.org/x/y")]
    found = [rule.reason for rule in Places(rules).find("http://a.org/x/yz")]
    assert found == ["a.org/x/y", "a.org/x", "*.a.org", "*"]


def test_a_hundred_thousand_rules_are_no_loop():
    """A look-up among many rules of one host costs no more than ten times one among ten."""

    def cost(count: int) -> float:
        rules = [Rule((f"a.org/{n:06d}/",), "takedown", "x") for n in range(count)]
        places, url = Places(rules), f"http://a.org/{count // 2:06d}/page"
        begun = time.process_time()
        for _ in range(2000):
            assert list(places.find(url))
        return time.process_time() - begun

    few = min(cost(10) for _ in range(3))
    assert cost(100_000) < 10 * few
