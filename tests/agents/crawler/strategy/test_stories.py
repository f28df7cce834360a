"""Each URL's story is told once, and found again."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.strategy import stories as module
from agents.crawler.strategy.stories import EVENT_LIMIT, Stories, Story, story_of

A, B, C = "http://a.org/", "http://a.org/b", "http://a.org/c?x"


@pytest.fixture
def stories(tmp_path: Path) -> Stories:
    """Return new stories."""
    return Stories(tmp_path / "stories")


def test_a_story(stories: Stories) -> None:
    """Who linked it, what was decided and what came of it."""
    stories.met(A, "", "page", 0, "the start")
    stories.became(A, "200 text/html")
    stories.met(B, A, "component", 0, "followed")
    stories.met(C, A, "page", 1, "past the maximum depth")
    stories.became(B, f"failed: redirected to {C} for ever\nand ever")
    stories.became(B, "404")
    stories.flush()
    assert story_of(stories.path, A) == Story(A, "", "page", 0, "the start", ("200 text/html",))
    failed = f"failed: redirected to {C} for ever and ever"
    assert story_of(stories.path, B) == Story(B, A, "component", 0, "followed", (failed, "404"))
    assert story_of(stories.path, C) == Story(C, A, "page", 1, "past the maximum depth")
    assert story_of(stories.path, "http://a.org/unknown") == Story("http://a.org/unknown")
    assert story_of(stories.path, A[:-1]) == Story(A[:-1])


def test_the_last_verdict_counts(stories: Stories) -> None:
    """A page too deep, then needed by another page, was followed."""
    stories.met(B, A, "page", 9, "past the maximum depth")
    stories.met(B, C, "component", 3, "followed")
    stories.flush()
    assert story_of(stories.path, B) == Story(B, C, "component", 3, "followed")


def test_the_file_is_bounded(tmp_path: Path) -> None:
    """Past the limit nothing is told, and this is known."""
    stories = Stories(tmp_path / "stories", limit=1000)
    for number in range(100):
        stories.met(f"{B}{number}", A, "page", 1, "followed")
    stories.flush()
    assert stories.full
    assert 900 < stories.path.stat().st_size <= 1000
    assert story_of(stories.path, f"{B}0").verdict == "followed"
    assert story_of(stories.path, f"{B}99").verdict == ""
    stories.close()
    stories.became(A, "nobody is told after the end")
    assert stories.path.stat().st_size <= 1000


def test_events_are_bounded(stories: Stories) -> None:
    """The first events of a URL are given."""
    for number in range(EVENT_LIMIT + 10):
        stories.became(A, str(number))
    stories.flush()
    assert len(story_of(stories.path, A).events) == EVENT_LIMIT


URLS = st.sampled_from([A, B, C, "http://a.org/b/c", "http://a.org/b?"])
TOLD = st.tuples(URLS, st.sampled_from(["", A, B, "http://b.org/" + "x" * 30])) | URLS


@given(st.lists(TOLD, max_size=30), st.integers(1, 50))
def test_stories_do_not_depend_on_blocks(
    tmp_path_factory: pytest.TempPathFactory, told: list[str | tuple[str, str]], block: int
) -> None:
    """A story is the same wherever the blocks of the file end."""
    stories = Stories(tmp_path_factory.mktemp("s") / "stories")
    expected: dict[str, tuple[str, int]] = {}
    events: dict[str, list[str]] = {}
    for number, one in enumerate(told):
        if isinstance(one, str):
            stories.became(one, str(number))
            events.setdefault(one, []).append(str(number))
        else:
            stories.met(one[0], one[1], "page", number, "followed")
            expected[one[0]] = (one[1], number)
    stories.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        for url in (A, B, C):
            story = story_of(stories.path, url)
            page, depth = expected.get(url, ("", 0))
            assert (story.page, story.depth) == (page, depth)
            assert story.events == tuple(events.get(url, ()))
