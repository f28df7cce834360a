"""What of a feed is new."""

from hypothesis import given
from hypothesis import strategies as st

from agents.feeds.document import Entry
from agents.feeds.seen import LEAST, compare


def entry(number: int, version: str = "") -> Entry:
    """Return an entry."""
    return Entry(f"id{number}", f"/{number}", "http://e.org/feed", "", version)


def test_new_and_changed_pages_are_told_apart() -> None:
    """An entry not met is new, one of another version changed, and one as it was neither."""
    seen = compare([entry(1), entry(2)], b"").seen
    news = compare([entry(1), entry(2, "b"), entry(3)], seen)
    assert (news.new, news.changed) == (["http://e.org/3"], ["http://e.org/2"])
    assert (news.entries, news.overlap) == (1, True)


def test_a_feed_that_ran_on_shows_no_overlap() -> None:
    """When nothing met before is still there, entries may have come and gone unseen."""
    seen = compare([entry(1)], b"").seen
    assert not compare([entry(2)], seen).overlap


def test_an_entry_without_a_page_is_counted_and_not_told() -> None:
    """An entry that leads nowhere is new once, and no page."""
    news = compare([Entry("a", "", "", "t", ""), Entry("b", "mailto:x@y", "", "t", "")], b"")
    assert (news.new, news.entries) == ([], 2)


@given(st.lists(st.lists(st.integers(0, 400), max_size=60), max_size=8), st.binary(max_size=30))
def test_what_was_there_last_is_never_new_and_memory_is_bounded(
    looks: list[list[int]], rest: bytes
) -> None:
    """However entries come and go, those of the last look are known, in bounded room."""
    seen, most = rest, 0
    for look in looks:
        seen = compare([entry(number) for number in look], seen).seen
        most = max(most, len(set(look)))
        again = compare([entry(number) for number in look], seen)
        assert (again.new, again.changed, again.entries) == ([], [], 0)
        assert len(seen) <= 8 * max(LEAST, 2 * most)
