"""How sites are kept apart: a URL never belongs to two."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.delimitation import Delimitation
from agents.scheduler.expansion.borders import TooWide, decide, left_to
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations

PARTS = [
    "//a.org",
    "//b.a.org",
    ".a.org",
    ".b.a.org",
    "//a.org:81",
    "//a.org/x/",
    "//a.org/x",
    "//a.org/x/y/",
    "//a.org/x/y$",
    ".a.org/x/",
    "//b.a.org/?q",
    "/x/",
    "z",
    "//*.a.org/x/",
    "( //a.org OR .a.org ) AND /x/",
    "//a.org AND NOT /x/",
    ".org",
]
ACCEPTS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map(" OR ".join)
REJECTS = st.just("") | st.lists(st.sampled_from(PARTS), min_size=1, max_size=2).map(" OR ".join)
URLS = [
    f"{scheme}://{host}{path}"
    for scheme, host in (
        ("http", "a.org"),
        ("http", "a.org:81"),
        ("https", "b.a.org"),
        ("http", "c.b.a.org"),
        ("http", "c.org"),
    )
    for path in ("/", "/x", "/x/", "/x/y", "/x/y/z", "/?q", "/xy")
]


def claims_of(*bounds: tuple[str, str]) -> list[Claim]:
    """Return claims with numbers from 1 on."""
    return [
        Claim.read(number, "http://elsewhere.net/", accept, reject)
        for number, (accept, reject) in enumerate(bounds, 1)
    ]


def indexed(folder: str, claims: Iterable[Claim]) -> Delimitations:
    """Return an index of claims."""
    index = Delimitations(Path(folder) / "delimitations.lmdb")
    index.open()
    index.register(claims)
    return index


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(ACCEPTS, REJECTS), min_size=1, max_size=5))
@example([("//a.org/x", ""), ("//a.org/x/ OR //a.org/x", "")])
def test_a_url_never_belongs_to_two_sites(bounds: list[tuple[str, str]]) -> None:
    """What sites are ordered with is disjoint, loses nothing, and is what the index answers."""
    claims = claims_of(*bounds)
    with tempfile.TemporaryDirectory() as folder:
        index = indexed(folder, claims)
        ordered = [
            Delimitation.parse(claim.accept, left_to(claim, index.neighbours(claim)))
            for claim in claims
        ]
        found = index.sites_of(URLS)
        index.close()
    for url, number in zip(URLS, found, strict=True):
        takers = [place for place, each in enumerate(ordered, 1) if each.internal(url)]
        assert takers == ([] if number is None else [number])
        claiming = [
            claim.number
            for claim in claims
            if Delimitation.parse(claim.accept, claim.reject).internal(url)
        ]
        assert bool(claiming) is bool(takers)


def judged(start: str, accept: str, reject: str = "") -> tuple[bool, str]:
    """Return what is decided on a site beside one that takes a.org from its root."""
    known = Claim.read(1, "http://a.org/", "//a.org OR .a.org/", "//left.a.org")
    decision = decide(Claim.read(2, start, accept, reject), [known])
    return decision.allowed, " ".join(decision.reasons)


@pytest.mark.parametrize(
    ("start", "accept", "reject", "allowed", "reason"),
    [
        ("http://a.org/~bob/", "//a.org/~bob/", "", True, "carved out of site 1"),
        ("http://b.a.org/", "//b.a.org", "", True, "carved out of site 1 (http://a.org/)"),
        ("http://b.org/", "//b.org", "", True, ""),
        ("http://left.a.org/", "//left.a.org", "", True, ""),
        ("http://b.org/", ".org OR //b.org", "//a.org", True, "lies inside: .a.org is left"),
        ("http://c.org/", ".org", "", True, "lies inside: //a.org is left to it"),
        ("http://a.org/", "//a.org", "", False, "its start URL belongs to site 1"),
        ("http://a.org:81/", "//a.org:81", "", True, "carved out of site 1"),
        ("http://b.org/", "//b.org OR //a.org", "", False, "takes //a.org already"),
        ("http://b.org/", "//b.org OR //a.org/$", "", False, "the start URL of site 1"),
        ("http://b.org/x/", "/x/", "", True, "both take belongs to //a.org; write a reject"),
        ("http://b.org/x/", "/x/", "//a.org OR .a.org", True, ""),
        ("http://b.org/", "//b.org OR //a.org AND q", "", True, "shares //a.org with site 1"),
    ],
)
def test_decisions(start: str, accept: str, reject: str, allowed: bool, reason: str) -> None:
    """A new site is carved out, leaves out what lies inside, or is refused, in words."""
    found, words = judged(start, accept, reject)
    assert (found, reason in words) == (allowed, True), words
    assert bool(words) is bool(reason)


def test_an_order_says_what_others_have() -> None:
    """The reject expression of an order names the inner sites and keeps what the site rejects."""
    outer, inner, folder, apart = claims_of(
        (".a.org OR //a.org", "print="),
        ("//b.a.org OR .b.a.org", "/tmp/"),
        ("//a.org/~bob/ OR //a.org/~bob$", ""),
        ("//c.org", ""),
    )
    assert left_to(outer, [inner, folder, apart]) == (
        "print= OR //b.a.org AND NOT ( /tmp/ ) OR .b.a.org AND NOT ( /tmp/ )"
        " OR //a.org/~bob/ OR //a.org/~bob$"
    )
    assert left_to(inner, [outer, folder, apart]) == "/tmp/"
    assert left_to(apart, [outer, inner, folder]) == ""


def test_more_inner_sites_than_an_expression_holds() -> None:
    """An order that cannot leave out all that lies inside is refused."""
    outer, *inner = claims_of(
        (".a.org", ""), *((f"//b{number}.a.org", "") for number in range(5000))
    )
    with pytest.raises(TooWide, match="longer than 65536 characters"):
        left_to(outer, inner)


def test_many_reasons_are_cut() -> None:
    """A decision tells a few neighbours, and how many others there are."""
    outer, *inner = claims_of((".a.org", ""), *((f"//b{number}.a.org", "") for number in range(30)))
    assert decide(outer, inner).reasons[-1] == "and 10 others"
