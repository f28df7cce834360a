"""Values pass through agents in other languages, and come back the same."""

from datetime import UTC, datetime, timedelta, timezone
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.defer import gatherResults

KINDS: dict[str, list[Any]] = {
    "none and booleans": [None, True, False],
    "integers": [0, 1, -1, 2**31, 2**53, 2**53 + 1, -(2**63), 2**63 - 1, 2**64 - 1],
    "large integers": [2**64, -(2**63) - 1, 10**100, 2**4095 - 1, -(2**4095) + 1],
    "floats": [0.0, -0.0, 1.0, 0.1, -2.5, 1e16, 1e300, -1e-300, 5e-324, 1.7976931348623157e308],
    "endless floats": [inf, -inf, nan],
    "text": ["", "plain", "é", "漢字", "😀👩‍🚀", 'a "quote" and a \\', "a\nb\tc\rd", " a ", "#: -"],
    "text that YAML could take for something else": [
        *["yes", "no", "on", "~", "null", "true", "012", "0x1f", "0o17", "1_000", "12:30", "1e3"],
        *["2026-11-21", "2026-11-21T10:25:51Z", "1.5", ".inf", "<<", "=", "- a", "*a", "&a", "!a"],
    ],
    "control characters": [
        "".join(map(chr, range(32))),
        "\x7f\x80\x85\x9f\xa0\xad",
        "\u2028\ufeff",
    ],
    "odd characters": ["\ufeff\u2029\ufffe\uffff\ufffd\ue000", "\U0010ffff\U0001fffe"],
    "bytes": [b"", b"a", bytes(range(256)), b"yes"],
    "moments": [
        datetime(2026, 11, 21, 10, 25, 51, 123456, UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
        datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=-5, minutes=-30))),
    ],
    "lists": [[], [[]], [1, [2, [3, "x", None]]]],
    "mappings": [{}, {"": 1, "yes": {"a": [{}]}}, {"__proto__": 1, "constructor": 2}],
    "mappings with other keys": [{1: "a", "1": "b", b"1": "c"}, {-5: None}, {2**60: {b"": 1}}],
    "long keys": [{"k" * 2000: 1, "a": 2}, {"é" * 1100: {b"k" * 1000: []}}],
}
CHARACTERS = st.characters(exclude_categories=["Cs"])
KEYS = st.text(CHARACTERS, max_size=20) | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=9)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats()
    | st.text(CHARACTERS)
    | st.binary()
    | st.datetimes(timezones=st.just(UTC))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are alike in kind too, which `==` does not ask: 1 is not 1.0 nor True."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)  # tells zeros apart, and takes one nan for another
    return bool(one == other)


@pytest.mark.parametrize("kind", KINDS)
@ensureDeferred
async def test_values_come_back_the_same(linked, kind):
    """From the master's call into the agent's answer."""
    _, peer = linked
    for value in KINDS[kind]:
        answer = await peer.call("echo", value=value)
        assert is_same(answer, value), value


@pytest.mark.parametrize("kind", KINDS)
@ensureDeferred
async def test_values_of_the_agents_own_calls_come_back_the_same(linked, kind):
    """From the agent's call to the master's method, and its answer back to the agent."""
    master, peer = linked
    values = KINDS[kind]
    master.methods.received.clear()
    arguments = [{"value": value} for value in values]
    answers = await peer.call("ask", method="echo", arguments=arguments, patience=5.0)
    assert is_same(master.methods.received, values)
    assert is_same(answers, [[value] for value in values])


def some_values() -> list[Any]:
    """Return values that hypothesis thinks of; it cannot wait for an agent to answer each."""
    made: list[Any] = []

    @settings(max_examples=200, database=None)
    @given(VALUES)
    def make(value: Any) -> None:
        made.append(value)

    make()
    return made


@ensureDeferred
async def test_any_value_comes_back_the_same(linked):
    """Whatever it is made of."""
    _, peer = linked
    values = some_values()
    answers = await gatherResults([peer.call("echo", value=value) for value in values])
    for value, answer in zip(values, answers, strict=True):
        assert is_same(answer, value), value


@ensureDeferred
async def test_the_agent_counts_beyond_64_bits(linked):
    """Its integers are integers, not floats or text."""
    _, peer = linked
    assert await peer.call("add", a=2**53, b=1) == 2**53 + 1
    assert await peer.call("add", a=2**100, b=-1) == 2**100 - 1
