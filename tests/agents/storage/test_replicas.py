"""Rules of replicas: what a policy file says, and what follows from it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.configuration import ConfigurationError
from agents.storage.replicas import Rule, Rules, Wanted, read_rules

POLICY = """
level: 2
places: 1
rules:
  - {kind: structures, replicas: 3}
  - {kind: contents, smaller_than: 65536, replicas: 3}
  - {references: 100, replicas: 2.5, places: 2}
  - {dates: 50, replicas: 4}
"""

kinds = st.sampled_from(["contents", "structures"])
counts = st.integers(0, 10**6)
rules = st.builds(
    Rule,
    replicas=st.floats(1, 100),
    places=st.integers(1, 100),
    kind=st.sampled_from(["any", "contents", "structures"]),
    smaller_than=st.none() | st.integers(1, 10**6),
    references=counts,
    dates=counts,
)


@pytest.fixture
def policy(tmp_path: Path) -> Rules:
    """Give the rules of a file."""
    path = tmp_path / "replicas.yaml"
    path.write_text(POLICY)
    return read_rules(path, 7)


def test_a_file_says_what_is_wanted(policy: Rules) -> None:
    """Kind, size, references and dates decide; what no rule fits gets what all get."""
    assert policy.wanted("contents", 10**9) == Wanted(2, 1, 2)
    assert policy.wanted("contents", 65535) == Wanted(3, 1, 2)
    assert policy.wanted("contents", 65536) == Wanted(2, 1, 2)
    assert policy.wanted("contents", 10**9, references=100) == Wanted(2.5, 2, 2)
    assert policy.wanted("contents", 1, references=100) == Wanted(3, 2, 2)
    assert policy.wanted_of("structures", 49) == Wanted(3, 1, 2)
    assert policy.wanted_of("structures", 50) == Wanted(4, 1, 2)
    assert policy.wanted_of("contents", 50) == Wanted(3, 1, 2)


def test_without_a_file_all_have_as_many() -> None:
    """The key `replicas` of the configuration is the short form of a policy."""
    assert read_rules(None, 3).wanted("contents", 1) == Wanted(3, 2, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: [{replicas: 0}]", "rules"),
        ("rules: [{copies: 2}]", "unknown key"),
        ("rules: [{kind: films}]", "one of"),
        ("replicas: many", "a number"),
        ("level: 0", "level"),
        ("rules: [{smaller_than: 0}]", "smaller_than"),
        ("- 1", "keys with values"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, words: str) -> None:
    """The error names file, line and what was expected."""
    path = tmp_path / "replicas.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        read_rules(path, 2)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A policy that was meant is never silently left out."""
    with pytest.raises(ConfigurationError, match="a file of rules"):
        read_rules(tmp_path / "none.yaml", 2)


@given(st.lists(rules, max_size=5), kinds, counts, counts, counts)
def test_rules_only_ever_ask_for_more(
    several: list[Rule], kind: str, size: int, references: int, dates: int
) -> None:
    """Their order does not matter, one more never takes a replica away, nor do more references."""
    policy = Rules(rules=tuple(several))
    wanted = policy.wanted(kind, size, references, dates)
    assert Rules(rules=tuple(reversed(several))).wanted(kind, size, references, dates) == wanted
    fewer = Rules(rules=tuple(several[1:])).wanted(kind, size, references, dates)
    assert wanted.worth >= fewer.worth and wanted.places >= fewer.places
    known = policy.wanted(kind, size, references + 1, dates + 1)
    assert known.worth >= wanted.worth and known.places >= wanted.places
