"""One rule: what may be written, and which captures it keeps back until when."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.consultation.access.rule import Place, Rule, Span, place_of, rule_of
from agents.consultation.errors import RulesRefused
from agents.consultation.readers.reader import Reader

TAKEDOWN = {"urls": "example.org/", "kind": "takedown", "reason": "asked for"}
NOW = "20261121000000000000"


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("example.org", Place("example.org", "/")),
        ("http://www.Example.org/A%62", Place("example.org", "/Ab")),
        ("*.example.org/x", Place("example.org", "/x", subdomains=True)),
        ("https://example.org:8443/", Place("example.org:8443", "/")),
        ("*", Place("", "/", subdomains=True)),
    ],
)
def test_a_pattern_is_a_place(pattern, place):
    """Scheme, `www.` and percent-encoding make no difference."""
    assert place_of(pattern) == place


@pytest.mark.parametrize("pattern", ["", "a.*.org", "mailto:x", "http://", "/path"])
def test_a_pattern_without_host_is_refused(pattern):
    """What names no host keeps nothing back, so it is not taken for a rule."""
    with pytest.raises(RulesRefused):
        place_of(pattern)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"kind": "ban"}, "kind"),
        ({"reason": ""}, "reason"),
        ({"until": "2030"}, "until"),
        ({"kind": "embargo"}, "until"),
        ({"kind": "embargo", "until": "soon"}, "10 years after capture"),
        ({"from": "yesterday"}, "from"),
        ({"urls": []}, "urls"),
        ({"urls": [["x"]]}, "urls"),
        ({"prefix": "x"}, "prefix"),
        ({"exact": "maybe"}, "exact"),
    ],
)
def test_what_is_no_rule_is_refused_in_words(change, word):
    """The message names the key that is wrong."""
    with pytest.raises(RulesRefused, match=word):
        rule_of(TAKEDOWN | change)


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        ("20191231235959999999", False),
        ("20200101000000000000", True),
        ("20210630000000000000", True),
        ("20210701000000000000", False),
        ("", False),
    ],
)
def test_a_range_holds_to_the_end_of_what_was_written(date, kept):
    """`to: 2021-06` is the whole of June; without a capture nothing is known to be in it."""
    rule = rule_of(TAKEDOWN | {"from": "2020", "to": "2021-06"})
    assert rule.keeps(date, NOW) is kept


def test_an_embargo_ends():
    """On its date, whatever was captured when."""
    rule = rule_of(TAKEDOWN | {"kind": "embargo", "until": "2027-01-01"})
    assert rule.keeps("", NOW) and rule.keeps("2020" + "0" * 16, NOW)
    assert not rule.keeps("", "20270101000000000000")


def test_an_embargo_after_capture_ends_for_each():
    """The old captures are shown while the young ones wait."""
    rule = rule_of(TAKEDOWN | {"kind": "embargo", "until": "10 years after capture"})
    assert rule.keeps("20161122000000000000", NOW)
    assert not rule.keeps("20161121000000000000", NOW)
    assert not rule.keeps("", NOW)


def test_some_may_see_it_all_the_same():
    """By the name of their credential, and by nothing else."""
    rule = rule_of(TAKEDOWN | {"readers": ["anna"]})
    assert not rule.keeps("", NOW, Reader("anna", "192.0.2.1", "anna"))
    assert rule.keeps("", NOW, Reader("anna", "192.0.2.1"))
    assert rule.keeps("", NOW, Reader("ben", "192.0.2.1", "ben")) and rule.keeps("", NOW)


@given(st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)), st.integers(0, 9999))
def test_spans_go_back_by_the_calendar(moment, count):
    """Days are exact; months and years end in the month they should, and never fail."""
    now = dates.from_datetime(moment.replace(tzinfo=UTC))
    if count < 300_000 and moment - datetime(1, 1, 2) > timedelta(count):
        expected = dates.from_datetime((moment - timedelta(count)).replace(tzinfo=UTC))
        assert Span(count, "day").before(now) == expected
    years = Span(count, "year").before(now)
    assert years <= now and (years[:4] == "0000" or int(now[:4]) - int(years[:4]) == count)
    assert Span(12 * count, "month").before(now) == years


@given(st.builds(Rule, st.just(("a.example",)), st.just("takedown"), st.text(min_size=1)))
def test_a_name_does_not_depend_on_the_story(rule):
    """Who made a rule, when and why do not change what it is called."""
    from attrs import evolve

    assert evolve(rule, who="x", when="y", why="z").name == rule.name
    assert evolve(rule, reason=rule.reason + "!").name != rule.name
