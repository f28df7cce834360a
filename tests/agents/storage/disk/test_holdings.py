"""What a node holds, as memory knows it."""

from hashlib import sha256

import pytest

from agents.storage.disk import holdings
from agents.storage.disk.holdings import FilterTooSmall, Holdings, survey

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(200)]


def _surveyed(keys: list[str]) -> Holdings:
    found = Holdings(removed_limit=2)
    capacity = found.begin_survey()
    found.end_survey(survey((("contents", key) for key in keys), capacity))
    return found


def test_before_the_survey_everything_is_possible() -> None:
    """Nothing is denied while the disk has not been looked at."""
    assert Holdings().may_hold("contents", KEYS[0])
    assert Holdings().wants_survey


def test_a_negative_is_definite() -> None:
    """All that is held passes, kinds are told apart, and most of the rest does not pass."""
    found = _surveyed(KEYS[:100])
    assert all(found.may_hold("contents", key) for key in KEYS[:100])
    assert sum(found.may_hold("contents", key) for key in KEYS[100:]) <= 2
    assert not found.may_hold("structures", KEYS[0])
    assert found.counts == {"contents": 100, "structures": 0}
    assert found.groups == {int(key[:2], 16) for key in KEYS[:100]}


def test_what_is_taken_away_is_denied_until_it_comes_back() -> None:
    """The deletion set stands beside the filter, and too many deletions want a new filter."""
    found = _surveyed(KEYS[:10])
    found.remove("contents", KEYS[0])
    assert not found.may_hold("contents", KEYS[0])
    found.add("contents", KEYS[0])
    assert found.may_hold("contents", KEYS[0])
    for key in KEYS[1:4]:
        found.remove("contents", key)
    assert found.wants_survey


def test_what_comes_during_a_survey_is_kept() -> None:
    """Additions between the scan and its end are in the new filter."""
    found = Holdings()
    capacity = found.begin_survey()
    assert not found.wants_survey
    found.add("contents", KEYS[1])
    found.end_survey(survey([("contents", KEYS[0])], capacity))
    assert found.may_hold("contents", KEYS[1])
    assert found.counts["contents"] == 2


def test_a_full_filter_denies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its capacity the filter is dropped, until a larger one is surveyed."""
    monkeypatch.setattr(holdings, "LEAST_CAPACITY", 5)
    found = _surveyed([])
    for key in KEYS[:20]:
        found.add("contents", key)
    assert not found.surveyed and found.wants_survey
    assert found.may_hold("contents", KEYS[100])
    with pytest.raises(FilterTooSmall) as error:
        survey((("contents", key) for key in KEYS[:20]), 5)
    assert error.value.needed == 20
