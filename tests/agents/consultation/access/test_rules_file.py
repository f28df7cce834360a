"""The file of rules: what is read, and how a rule is added and taken out."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.access.rule import rule_of
from agents.consultation.access.rules_file import (
    edited,
    read_rules,
    rules_in,
    story_of,
    told,
    with_rule,
    without_rule,
)
from agents.consultation.errors import RulesRefused

TEXT = """# What was asked of us.
- urls: example.org/private   # all of it
  kind: takedown
  reason: asked for by the publisher

# A list may be indented as people like.
- urls:
    - news.example
    - "*.paper.example"
  kind: embargo
  from: 2020
  until: 2 years after capture
  reason: an agreement
"""
RULE = {"urls": ["a.example/"], "kind": "takedown", "reason": "x: y # z"}


def test_dates_and_numbers_are_texts():
    """What YAML would make a number is read as it was written."""
    private, news = rules_in(TEXT)
    assert private.urls == ("example.org/private",) and news.begins == "2020"
    assert news.urls == ("news.example", "*.paper.example")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- urls: a.org\n  urls: b.org\n", "line 1.*twice"),
        ("urls: a.org\n", "a list"),
        ("- [", "YAML"),
        ("- a.org\n", "rule 1"),
        (TEXT + "- urls: a.org\n", "rule 3: kind"),
        ("- !!python/object/apply:os.system [x]\n", "rule 1"),
        ("[" * 5000, "YAML"),
    ],
)
def test_what_is_no_list_of_rules_is_refused(text, words):
    """The message says which rule."""
    with pytest.raises(RulesRefused, match=words):
        rules_in(text)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]\n", TEXT, TEXT.rstrip()])
def test_a_rule_is_added_at_the_end(text):
    """What people wrote, with their comments, stays as it is."""
    longer = with_rule(text, RULE)
    assert longer.startswith(text.replace("[]\n", ""))
    assert rules_in(longer) == [*rules_in(text), rule_of(RULE)]


def test_a_rule_is_not_added_to_what_it_would_break():
    """A list in brackets has an end that nothing can follow."""
    with pytest.raises(RulesRefused, match="by hand"):
        with_rule("[{urls: a.org, kind: takedown, reason: x}]\n", RULE)


def test_a_rule_is_taken_out():
    """And no line of anybody else with it."""
    private, news = rules_in(TEXT)
    assert "# A list may" in without_rule(TEXT, private.name)
    assert rules_in(without_rule(TEXT, private.name)) == [news]
    assert rules_in(without_rule(TEXT, news.name)) == [private]
    assert rules_in(without_rule(without_rule(TEXT, news.name), private.name)) == []
    with pytest.raises(RulesRefused, match="list"):
        without_rule(TEXT, "00000000")


WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\x85\u2028\u2029"),
    min_size=1, max_size=40,
).map(str.strip).filter(bool)  # fmt: skip


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5), st.integers(0, 4))
def test_what_is_added_can_be_taken_out(reasons, place):
    """Whatever people give as a reason."""
    text = TEXT
    for reason, why in reasons:
        text = with_rule(text, RULE | {"reason": reason, "why": why})
    gone = rules_in(text)[2:][place % len(reasons)]
    shorter = without_rule(text, gone.name)
    assert rules_in(shorter) == [rule for rule in rules_in(text) if rule.name != gone.name]


def test_an_edit_is_written_whole_or_not_at_all(tmp_path):
    """What is refused in between leaves the file alone."""
    path = tmp_path / "rules.yaml"
    with edited(path) as held:
        held[0] = TEXT
    assert read_rules(path) == rules_in(TEXT)
    with pytest.raises(RulesRefused), edited(path) as held:
        held[0] = without_rule(held[0], "none")
    assert path.read_text() == TEXT


def test_two_who_edit_at_once_lose_nothing(tmp_path):
    """Each waits until the other has written."""
    path = tmp_path / "rules.yaml"

    def add(number):
        with edited(path) as held:
            held[0] = with_rule(held[0], RULE | {"reason": str(number)})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(24)))
    assert {rule.reason for rule in read_rules(path)} == {str(number) for number in range(24)}


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """A folder or another encoding; one that does not exist holds no rules."""
    path = tmp_path / "rules.yaml"
    assert read_rules(path) == []
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RulesRefused, match=r"rules\.yaml"):
        read_rules(path)
    with pytest.raises(RulesRefused, match="Is a directory"):
        read_rules(tmp_path)


def test_the_story_is_lines_beside_the_rules(tmp_path):
    """Each change with who and why, the oldest first."""
    path = tmp_path / "rules.yaml"
    for who in ("anna", "ben"):
        told(path, {"who": who})
    lines = story_of(path).read_text().splitlines()
    assert [json.loads(line)["who"] for line in lines] == ["anna", "ben"]
