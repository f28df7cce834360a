"""Rules as the agent has them: checked for every door, and read again when they change."""

import pytest
from attrs import frozen
from pytest_twisted import ensureDeferred

from agents.consultation.access.rules import Rules
from agents.consultation.errors import Faulted, RulesRefused
from agents.consultation.readers.reader import Reader

URL = "http://www.example.org/private/page"
DATE = "20200101000000000000"


@frozen
class Dated:
    """A capture, as far as rules look at it."""

    url: str
    date: str


TEXT = """- urls: example.org/private
  kind: takedown
  from: 2019
  to: 2020
  readers: [anna]
  reason: Asked for by the publisher.
"""


@pytest.fixture
def path(tmp_path):
    """A file of one rule."""
    path = tmp_path / "access-rules.yaml"
    path.write_text(TEXT)
    return path


def test_without_a_file_nothing_is_kept_back(tmp_path):
    """No rules are no rules."""
    Rules().check(URL, DATE)
    Rules(tmp_path / "none.yaml").check(URL, DATE)


def test_what_is_kept_back_is_451_with_its_reason(path):
    """RFC 7725, for those who are not named in the rule."""
    rules = Rules(path)
    with pytest.raises(Faulted) as raised:
        rules.check(URL, DATE, Reader("x", "192.0.2.1", "ben"))
    fault = raised.value.fault
    assert (fault.status, fault.code, fault.url) == (451, "takedown", URL)
    assert "Asked for by the publisher." in fault.message
    rules.check(URL, DATE, Reader("x", "192.0.2.1", "anna"))
    rules.check(URL, "20210101000000000000")
    rules.check(URL)
    assert rules.reason(URL, DATE) == "Asked for by the publisher."
    assert rules.reason(URL) is None


def test_many_captures_are_checked_as_each_would_be(tmp_path, monkeypatch):
    """The rules of a URL are looked for once, however many captures it has."""
    path = tmp_path / "rules.yaml"
    path.write_text(
        TEXT + "- {urls: b.example, kind: embargo, until: 5 years after capture, reason: x}\n"
        "- {urls: c.example, kind: takedown, reason: x}\n"
    )
    rules = Rules(path, lambda: "20260101000000000000")
    urls = (URL, "http://b.example/", "http://c.example/", "http://d.example/")
    captures = [Dated(url, f"{year}0601000000000000") for url in urls for year in range(2015, 2026)]
    for reader in (None, Reader("x", "192.0.2.1", "anna")):
        alone = [one for one in captures if rules.reason(one.url, one.date, reader) is None]
        assert rules.shown(captures, reader) == alone and 0 < len(alone) < len(captures)
    looked = []
    find = rules._places.find
    monkeypatch.setattr(rules._places, "find", lambda url: looked.append(url) or find(url))
    rules.shown(captures)
    assert sorted(looked) == sorted(urls)
    assert Rules().shown(captures) == captures


def test_a_file_that_changes_is_read_again(path):
    """And only then."""
    rules = Rules(path)
    assert not rules.renew() and rules.count == 1
    path.write_text(TEXT.replace("private", "other"))
    assert rules.renew() and not rules.renew()
    rules.check(URL, DATE)


@pytest.mark.parametrize("broken", ["- urls: [", "- urls: x\n", None])
def test_a_broken_file_leaves_the_former_rules(path, broken):
    """They hold on, and the trouble is told until it is mended."""
    rules = Rules(path)
    if broken is None:
        path.unlink()
    else:
        path.write_text(broken)
    assert not rules.renew() and "access-rules.yaml" in rules.trouble
    with pytest.raises(Faulted):
        rules.check(URL, DATE)
    path.write_text("")
    assert rules.renew() and rules.trouble == "" and rules.count == 0


def test_a_broken_file_is_refused_at_the_start(path):
    """An agent that would show what it should not does not begin."""
    path.write_text("- urls: example.org\n")
    with pytest.raises(RulesRefused, match="rule 1: kind"):
        Rules(path)


@ensureDeferred
async def test_the_nearest_capture_is_not_replaced_by_another(archive, path):
    """When it is kept back the answer is 451, and not silently another date (decision 42)."""
    archive.add(URL, b"kept", date=DATE)
    archive.add(URL, b"shown", date="20260101000000000000")
    archive.retrieval._rules = Rules(path)
    with pytest.raises(Faulted) as raised:
        await archive.retrieval.retrieve(URL, "20200601000000000000")
    assert (raised.value.fault.status, raised.value.fault.date) == (451, "")
    found = await archive.retrieval.retrieve(URL, "")
    assert found.nearest.capture.date[:4] == "2026"
