"""What agents of the replication layer take from each other: nothing that a database chokes on."""

import math
from typing import Any

import msgspec
import pytest

from agents.storage.status import Added, NodeStatus
from hip import convert

KEY = "ab" * 32


def _added(key: str = KEY, size: int = 1, mark: str = "", position: int = 99) -> dict[str, Any]:
    entry = {"kind": "contents", "key": key, "size": size, "mark": mark}
    return {"log": "log", "since": 51, "position": position, "entries": [entry]}


@pytest.mark.parametrize(
    "wrong",
    [
        _added(key=""),
        _added(key="ab"),
        _added(key="z" * 64),
        _added(size=-1),
        _added(size=2**64 - 1),
        _added(mark="x" * 17),
        _added(position=2**64 - 1),
        _added(position=-1),
    ],
    ids=str,
)
def test_parts_of_logs_that_no_node_writes_are_refused(wrong: dict[str, Any]) -> None:
    """Over HIP and over HTTP alike; the same with a key, a size and a position is taken."""
    assert convert(_added(), Added).entries[0].key == KEY
    with pytest.raises(TypeError):
        convert(wrong, Added)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(wrong), type=Added)


@pytest.mark.parametrize("safety", [0, -1, 101, math.nan, math.inf])
def test_no_hardware_is_worth_more_than_can_be_configured(safety: float) -> None:
    """A node that says so does not make all other replicas seem too many."""
    with pytest.raises(TypeError):
        convert({"name": "a", "url": "http://a", "safety": safety}, NodeStatus)
