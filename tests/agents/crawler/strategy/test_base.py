"""Links resolved quickly are the links resolved well."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.strategy.base import Base
from agents.urls import LENGTH_LIMIT, canonical

BASES = ["http://a.org/", "https://a.org:81/dir/page.html?x=/y/z", "http://[::1]/a//b/"]
PIECES = [
    *"/.?#:&=%-_ \t\n\\;é",
    "a",
    "B9",
    "..",
    "../",
    "//",
    "%2e",
    "www.b.org",
    "http:",
    "index.html",
]


@given(st.sampled_from(BASES), st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_as_the_standard_says(base: str, link: str) -> None:
    """The short way gives what the long way gives."""
    assert Base.of(base).resolve(link) == canonical(link, base)


@given(st.sampled_from(["utf-8", "latin-1"]), st.text(max_size=20))
def test_any_text(encoding: str, link: str) -> None:
    """So it does for any text and encoding."""
    assert Base.of(BASES[1], encoding).resolve(link) == canonical(link, BASES[1], encoding)


def test_length_is_bounded() -> None:
    """A URL that is too long is refused on the short way too."""
    room = LENGTH_LIMIT - len(BASES[0])
    assert Base.of(BASES[0]).resolve("a" * room) == BASES[0] + "a" * room
    assert Base.of(BASES[0]).resolve("a" * (room + 1)) is None
    assert Base.of(BASES[0]).resolve("a" * 100 + "#" + "b" * 100_000) is None
