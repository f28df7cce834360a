"""What was stored before the logs tell of it."""

from twisted.internet.task import Clock

from agents.storage.index import notes as module
from agents.storage.index.notes import KEPT, Notes

KEY = "ab" * 32


def test_notes_are_kept_for_a_while() -> None:
    """A note is there for its time, and gone after twice that."""
    clock = Clock()
    notes = Notes(clock)
    notes.add("contents", KEY, ["a"])
    clock.advance(KEPT)
    notes.add("contents", KEY, ["b"])
    assert notes.nodes("contents", KEY) == {"a", "b"}
    assert notes.nodes("structures", KEY) == set()
    clock.advance(KEPT)
    notes.add("structures", KEY, ["c"])
    assert notes.nodes("contents", KEY) == {"b"}
    notes.forget("contents", KEY, "b")
    assert notes.nodes("contents", KEY) == set()
    notes.add("structures", KEY, ["d", "e"])
    notes.forget_node("d")
    assert notes.nodes("structures", KEY) == {"c", "e"}


def test_notes_have_a_limit(monkeypatch) -> None:
    """However much is stored, the oldest notes give way."""
    monkeypatch.setattr(module, "LIMIT", 10)
    notes = Notes(Clock())
    for number in range(100):
        notes.add("contents", f"{number:064}", ["a"])
    kept = [number for number in range(100) if notes.nodes("contents", f"{number:064}")]
    assert kept == list(range(100 - len(kept), 100)) and 5 <= len(kept) <= 10
