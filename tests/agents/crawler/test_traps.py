"""URLs that grow for ever are told from those that do not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.traps import REPETITIONS, repeats


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/a/a/a/a/", True),
        ("/x/a/a/a/a/a", True),
        ("/a/b/a/b/a/b/a/b/a/b/", True),
        ("/a/b/c/a/b/c/a/b/c/a/b/c/a/b/c/x.html", True),
        ("/a/a/a/a/b/", False),
        ("/2011/11/11/11/11/x", False),
        ("/a/aa/aaa/aaaa/aaaaa/", False),
        ("/a/a/a/a/ab", False),
        ("/?/a/a/a/a/a/a/", False),
        ("/", False),
    ],
)
def test_repeats(path: str, trap: bool) -> None:
    """A run of folders five times over is a trap."""
    assert repeats("http://h" + path) is trap


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=3), st.integers(REPETITIONS, 8))
def test_any_repetition_is_found(run: list[str], times: int) -> None:
    """Whatever the run, up to three folders."""
    assert repeats("http://h/x/" + "/".join(run * times) + "/")


def test_long_paths_are_quick() -> None:
    """The longest URLs cost milliseconds."""
    start = time.process_time()
    for path in ("/a" * 4000 + "b", "/" * 8000, "/ab/ac" * 1300, "/" + "a" * 8000):
        repeats("http://h/" + path)
    assert time.process_time() - start < 0.3
