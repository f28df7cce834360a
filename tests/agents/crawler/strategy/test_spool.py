"""The spool is a queue, however much of it is on disk."""

from collections import deque
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.crawler.strategy.spool import Spool

LINES = st.text(st.characters(exclude_characters="\n\r"), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | LINES, max_size=80), st.integers(1, 4))
def test_first_in_first_out(tmp_path: Path, steps: list[str | None], piece: int) -> None:
    """Any order of pushes and pops (None) gives what a plain queue gives."""
    spool, plain = Spool(tmp_path / "spool", piece), deque()
    for step in steps:
        if step is not None:
            spool.push(step)
            plain.append(step)
        elif plain:
            assert spool.pop() == plain.popleft()
        assert len(spool) == len(plain)
    assert [spool.pop() for _ in range(len(spool))] == list(plain)
    spool.close()
    assert not (tmp_path / "spool").exists()


def test_small_queues_leave_the_disk_alone(tmp_path: Path) -> None:
    """What fits in memory makes no file."""
    spool = Spool(tmp_path / "spool", 10)
    for number in range(19):
        spool.push(str(number))
    assert not (tmp_path / "spool").exists()
    spool.push("19")
    assert (tmp_path / "spool").exists()


def test_the_file_is_used_again(tmp_path: Path) -> None:
    """What has been read is dropped when all has been."""
    spool = Spool(tmp_path / "spool", 2)
    for _ in range(50):
        for number in range(8):
            spool.push(str(number))
        assert [spool.pop() for _ in range(8)] == list("01234567")
    assert (tmp_path / "spool").stat().st_size < 50
    spool.close()


def test_empty_spool(tmp_path: Path) -> None:
    """There is nothing to take from an empty queue."""
    with pytest.raises(IndexError):
        Spool(tmp_path / "spool").pop()
