"""Lines are sorted with as little memory as is allowed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.formats import sorting
from anet.formats.sorting import SortedLines

lines = st.lists(st.text("ab é\U0001f40d", max_size=4).map(lambda text: text.encode() + b"\n"))


@given(lines, st.integers(1, 1000))
def test_lines_come_in_order_and_once(
    tmp_path_factory: pytest.TempPathFactory, given_lines: list[bytes], memory: int
) -> None:
    """Whatever fits into memory, the result is that of sorting all at once; asked twice as well."""
    with SortedLines(tmp_path_factory.mktemp("sorting"), memory) as result:
        for line in given_lines:
            result.add(line)
        assert list(result) == sorted(set(given_lines))
        assert list(result) == sorted(set(given_lines))


def test_few_files_are_open_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many runs become fewer, longer ones; all goes away at the end."""
    monkeypatch.setattr(sorting, "_RUNS", 4)
    most = 0
    with SortedLines(tmp_path, 1) as result:
        for number in range(1000):
            result.add(f"{number * 7919 % 1000:03}\n".encode())
            most = max(most, len(list(tmp_path.rglob("*"))))
        assert list(result) == [f"{number:03}\n".encode() for number in range(1000)]
    assert most < 25
    assert list(tmp_path.iterdir()) == []
