"""What links became is remembered by place, within a bound."""

from agents.crawler.strategy.known_links import LIMIT, KnownLinks

KEY = ("x", "page", False, False, False)


def test_by_place_and_encoding() -> None:
    """A folder, a server and another encoding each have their own memory, which lasts."""
    known = KnownLinks()
    known.relative_to("http://a/", "utf-8")[KEY] = "folder"
    assert known.relative_to("http://a/", "utf-8") == {KEY: "folder"}
    assert known.relative_to("http://a", "utf-8") == {}
    assert known.relative_to("http://a/", "latin-1") == {}


def test_it_is_bounded() -> None:
    """Past the limit nothing more is remembered, and the next document begins anew."""
    known = KnownLinks()
    known.relative_to("http://a/", "utf-8")[KEY] = "folder"
    assert sum(known.has_room() for _ in range(LIMIT + 10)) == LIMIT - 1
    assert known.relative_to("http://a/", "utf-8") == {}
    assert known.has_room()


def test_places_count_too() -> None:
    """A site of nothing but folders does not grow the memory either."""
    known = KnownLinks()
    for number in range(LIMIT + 2):
        known.relative_to(f"http://a/{number}/", "utf-8")[KEY] = "folder"
    assert known.relative_to("http://a/0/", "utf-8") == {}
