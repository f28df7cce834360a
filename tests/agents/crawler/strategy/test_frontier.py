"""The frontier: breadth first over pages, components at once."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.strategy.frontier import Frontier, Queues, Task
from agents.parsers import COMPONENT, PAGE


def order_of(frontier: Frontier) -> list[str]:
    """Return the URLs that are left, in the order they are taken."""
    taken = []
    while (task := frontier.next()) is not None:
        taken.append(task.url)
    return taken


def test_breadth_first_with_components_at_once(tmp_path: Path) -> None:
    """Components come before any further page, pages level by level."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    assert frontier.next() == Task("s", PAGE, False, 0)
    frontier.add_page("p1", 1)
    frontier.add_component("c1", True, 0, 1)
    frontier.add_page("p2", 1)
    assert frontier.next() == Task("c1", COMPONENT, True, 0, 1)
    frontier.add_component("c2", False, 0, 2)
    assert frontier.next() == Task("c2", COMPONENT, False, 0, 2)
    assert len(frontier) == 2
    task = frontier.next()
    assert task is not None and task.url == "p1"
    assert frontier.depth == 1
    frontier.add_page("q1", 2)
    frontier.add_component("c3", True, 1, 1)
    assert order_of(frontier) == ["c3", "p2", "q1"]
    assert frontier.depth == 2


def test_queues_are_told_apart(tmp_path: Path) -> None:
    """How many URLs wait is known for each queue."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    assert frontier.queues == Queues(0, 1, 0, 0, 0, 0)
    start = frontier.next()
    assert start is not None
    assert frontier.has_taken("s")
    frontier.add_page("p", 1)
    frontier.add_page("q", 1, dynamic=True)
    frontier.add_component("c", True, 0, 1)
    frontier.retry(start)
    assert frontier.queues == Queues(1, 0, 0, 1, 1, 1)
    assert (frontier.knows("p"), frontier.has_taken("p"), frontier.knows("x")) == (
        True,
        False,
        False,
    )
    assert len(frontier) == 4


def test_each_url_once(tmp_path: Path) -> None:
    """What has been met is not queued again."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    assert not frontier.add_page("s", 1)
    assert frontier.add_page("p", 1)
    assert not frontier.add_page("p", 1)
    assert order_of(frontier) == ["s", "p"]
    assert not frontier.add_component("p", True, 0, 1)


def test_a_page_that_is_a_component_too_is_taken_at_once(tmp_path: Path) -> None:
    """A page of the next level that this page needs comes with it, and only then."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    frontier.next()
    frontier.add_page("p", 1)
    frontier.add_page("image", 1)
    assert frontier.add_component("image", True, 0, 1)
    assert order_of(frontier) == ["image", "p"]


def test_failures_come_again_at_the_end_of_the_level(tmp_path: Path) -> None:
    """A retry is taken after the pages of its level, before the next level."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    task = frontier.next()
    assert task is not None
    frontier.add_page("p", 1)
    frontier.retry(task)
    again = frontier.next()
    assert again is not None and (again.url, again.attempt) == ("s", 1)
    assert order_of(frontier) == ["p"]


def test_the_number_of_urls_is_bounded(tmp_path: Path) -> None:
    """Past the limit URLs are turned away and counted; those already met are not."""
    frontier = Frontier(tmp_path, 2)
    frontier.start("s")
    assert frontier.add_page("p", 1)
    assert not frontier.add_page("q", 1)
    assert not frontier.add_component("r", True, 0, 1)
    assert frontier.add_component("p", True, 0, 1)
    assert frontier.refused >= 2
    assert frontier.met == 2


def test_what_is_taken_out_of_turn_is_not_taken_again(tmp_path: Path) -> None:
    """robots.txt, once fetched, is not fetched for a link to it."""
    frontier = Frontier(tmp_path, 100)
    frontier.start("s")
    assert frontier.take("robots")
    assert not frontier.take("robots")
    assert not frontier.add_page("robots", 1)
    assert order_of(frontier) == ["s"]


URLS = st.from_regex(r"https?://[!-~]{1,30}", fullmatch=True)
FOUND = {"referrer": st.just("") | URLS, "encoding": st.sampled_from(["", "utf-8"])}


@given(
    st.builds(
        Task,
        URLS,
        st.just(COMPONENT),
        st.booleans(),
        st.integers(0, 1000),
        st.integers(0, 20),
        st.integers(0, 5),
        **FOUND,
    )
    | st.builds(
        Task, st.just("http://a/"), st.just(PAGE), st.just(False), st.integers(0, 9), **FOUND
    )
)
def test_tasks_survive_the_disk(task: Task) -> None:
    """A task is the same after a line of a spool."""
    assert Task.from_line(task.to_line()) == task


def test_a_task_is_a_line() -> None:
    """What is written to a spool comes back as it was, with or without a referrer."""
    tasks = [
        Task("http://a/", PAGE, False, 3, attempt=2),
        Task("http://a/i", COMPONENT, True, 0, 4, 1, "http://a/", "shift_jis"),
        Task("http://a/i", COMPONENT, False, 0, 4, 1, "http://a/"),
    ]
    assert [Task.from_line(task.to_line()) for task in tasks] == tasks
