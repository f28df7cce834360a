"""URLs that grow for ever are told from those that do not."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.crawler.strategy.traps import (
    CHAIN_LIMIT,
    CHAINED,
    DEEP,
    DIRECTORY,
    DYNAMIC_DEEP,
    REPEATED,
    REPETITIONS,
    RUN_LIMIT,
    SCRIPT,
    Traps,
    repeats,
)
from agents.order import Strategy


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/a/a/a/a/", True),
        ("/x/a/a/a/a/a", True),
        ("/a/b/a/b/a/b/a/b/a/b/", True),
        ("/a/b/c/a/b/c/a/b/c/a/b/c/a/b/c/x.html", True),
        ("/2005/1/2/story" * 5 + "/", True),
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


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=RUN_LIMIT), st.integers(REPETITIONS, 8))
def test_any_repetition_is_found(run: list[str], times: int) -> None:
    """Whatever the run, up to six folders."""
    assert repeats("http://h/x/" + "/".join(run * times) + "/")


def test_folders_that_come_again_in_any_order() -> None:
    """Two relative links in a page that any path serves do not make ever more of them."""
    level, met = ["http://h/"], 0
    while level:
        met += len(level)
        pages = [url + link for url in level for link in ("a/", "b/")]
        level = [url for url in pages if not repeats(url)]
    assert met < 300
    assert not repeats("http://h/2026/1/1/tiles/1/1/1/1.png")


def test_long_paths_are_quick() -> None:
    """The longest URLs cost milliseconds."""

    def ask() -> None:
        for path in ("/a" * 4000 + "b", "/" * 8000, "/ab/ac" * 1300, "/" + "a" * 8000):
            repeats("http://h/" + path)

    assert processor_seconds(ask) < 0.3


def test_depths() -> None:
    """Pages end at the maximum depth, those that look dynamic before; components never do."""
    traps = Traps(10, Strategy(dynamic_depth=3))
    assert traps.of_page("http://h/a", 10, dynamic=False) == ""
    assert traps.of_page("http://h/b", 11, dynamic=False) == DEEP
    assert traps.of_page("http://h/c?x", 3, dynamic=True) == ""
    assert traps.of_page("http://h/d?x", 4, dynamic=True) == DYNAMIC_DEEP
    assert traps.of_page("http://h/e?x", 11, dynamic=True) == DEEP


def test_components() -> None:
    """They end where they chain or repeat; crowds are of no account to what a page shows."""
    traps = Traps(10, Strategy(directory_limit=1, script_limit=1))
    assert traps.of_component("http://h/a?x", 1, shown=False) == ""
    for url, trap in (("http://h/b", DIRECTORY), ("http://h/a?y", SCRIPT)):
        assert traps.of_component(url, 1, shown=True) == ""
        assert traps.of_component(url, 1, shown=False) == trap
    assert traps.of_component("http://h/a", CHAIN_LIMIT + 1, shown=False) == CHAINED
    assert traps.of_component("http://h" + "/a" * 9, 1, shown=True) == REPEATED


@given(
    st.lists(
        st.from_regex(r"http://[hi]/([ab]/)?[cd]?(\?[ef]{0,2})?", fullmatch=True), unique=True
    ),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_crowds_are_counted_as_dictionaries_would(
    found: list[str], directory_limit: int, script_limit: int
) -> None:
    """Sets of parameters by script; files and scripts by directory."""
    traps = Traps(10, Strategy(directory_limit=directory_limit, script_limit=script_limit))
    scripts: dict[str, int] = defaultdict(int)
    files: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for url in found:
        file, query, _ = url.partition("?")
        scripts[file] += bool(query)
        files[file.rpartition("/")[0]].add((file, bool(query)))
        expected = ""
        if query and scripts[file] > script_limit:
            expected = SCRIPT
        elif (not query or scripts[file] == 1) and len(
            files[file.rpartition("/")[0]]
        ) > directory_limit:
            expected = DIRECTORY
        assert traps.of_page(url, 1, bool(query)) == expected
