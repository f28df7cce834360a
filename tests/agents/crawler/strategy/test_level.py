"""Dynamic pages are spread over the static ones of their level."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.strategy.level import Level


def all_of(level: Level) -> list[str]:
    """Return the lines that are left, in the order they are taken."""
    return [level.pop() for _ in range(len(level))]


def fill(path: Path, static: int, dynamic: int) -> Level:
    """Return a level of so many static and dynamic pages, pushed in this order."""
    level = Level(path)
    for number in range(static):
        level.push(f"s{number}", False)
    for number in range(dynamic):
        level.push(f"d{number}", True)
    return level


def test_an_example(tmp_path: Path) -> None:
    """Seven static pages and three dynamic ones take turns."""
    level = fill(tmp_path / "level", 7, 3)
    assert (level.static, level.dynamic, len(level)) == (7, 3, 10)
    assert all_of(level) == ["s0", "s1", "d0", "s2", "s3", "d1", "s4", "s5", "s6", "d2"]
    with pytest.raises(IndexError):
        level.pop()


@given(st.integers(0, 60), st.integers(0, 60))
def test_static_pages_lie_between_dynamic_ones(static: int, dynamic: int) -> None:
    """Each comes once, each kind in its order, and dynamic ones are as far apart as can be."""
    level = fill(Path("unused"), static, dynamic)
    taken = all_of(level)
    assert [line for line in taken if line[0] == "s"] == [f"s{n}" for n in range(static)]
    assert [line for line in taken if line[0] == "d"] == [f"d{n}" for n in range(dynamic)]
    gaps = [len(gap) for gap in "".join(line[0] for line in taken).split("d")[:-1]]
    assert all(static // dynamic <= gap <= -(-static // dynamic) for gap in gaps)


def test_a_level_is_used_again(tmp_path: Path) -> None:
    """A level that was emptied spreads what is pushed next by itself."""
    level = fill(tmp_path / "level", 2, 2)
    assert all_of(level) == ["s0", "d0", "s1", "d1"]
    for line in ("a", "b"):
        level.push(line, False)
    level.push("c", True)
    assert all_of(level) == ["a", "b", "c"]


def test_what_does_not_fit_lies_on_disk(tmp_path: Path) -> None:
    """Both kinds go to the disk, and nothing is left of them there."""
    level = fill(tmp_path / "level", 20_000, 20_000)
    assert len(list(tmp_path.iterdir())) == 2
    assert all_of(level)[-1] == "d19999"
    level.close()
    assert not list(tmp_path.iterdir())
