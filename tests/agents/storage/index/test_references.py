"""How often a content is referred to, as far as an index node knows."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from agents.storage.index.references import LEAST, TELL_EVERY, References


class Master:
    """A link that keeps what goes over it."""

    def __init__(self) -> None:
        self.told: list[dict[str, int]] = []

    def notify(self, method: str, counts: dict[str, int]) -> None:
        """Keep the counts."""
        assert method == "referred"
        self.told.append(counts)


def test_a_content_is_told_of_at_each_doubling() -> None:
    """The master hears of it 8, 16, 32 … times, and not in between."""
    clock, master = Clock(), Master()
    references = References(clock, lambda: master)
    references.startService()
    for _ in range(LEAST - 1):
        references.add(["a", "b"])
    clock.advance(TELL_EVERY)
    assert master.told == []
    references.add(["a"])
    clock.advance(TELL_EVERY)
    references.add(["a"] * (LEAST - 1))
    clock.advance(TELL_EVERY)
    references.add(["a"])
    clock.advance(TELL_EVERY)
    assert master.told == [{"a": LEAST}, {"a": 2 * LEAST}]


def test_what_is_untold_waits_for_a_master() -> None:
    """While the link is gone nothing is forgotten."""
    clock, masters = Clock(), []
    references = References(clock, lambda: masters[0] if masters else None)
    references.startService()
    references.add(["a"] * LEAST)
    clock.advance(TELL_EVERY)
    masters.append(Master())
    clock.advance(TELL_EVERY)
    assert masters[0].told == [{"a": LEAST}]


@given(st.lists(st.sampled_from("abcdef"), max_size=300), st.integers(1, 6))
def test_a_count_is_never_too_high(keys: list[str], limit: int) -> None:
    """Whatever was forgotten to save memory, what is told has been seen at least so often."""
    references = References(Clock(), lambda: None, limit)
    for key in keys:
        references.add([key])
    true = Counter(keys)
    told = references.take()
    assert all(count <= true[key] for key, count in told.items())
    if limit >= 6:
        assert set(told) == {key for key, count in true.items() if count >= LEAST}
