"""The examples of docs/reference/filters.md are as the page says."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from attrs import fields

from agents.filters import KEYWORDS, NESTING, RULES, Filters, Rule
from agents.measures import Captures, Formats, Frequent, Keywords, Languages, Size
from agents.summary import Summary

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "filters.md"
TEXT = PAGE.read_text(encoding="utf-8")
CONFIGURATION, CRAWL = (
    yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", TEXT, re.M | re.S)
)
EXAMPLES = re.findall(r"^\| `(\w+: [\[{].*)` \| (.*) \|$", TEXT, re.MULTILINE)


def test_the_configuration_is_understood() -> None:
    """The example at the top holds rules."""
    assert len(msgspec.convert(CONFIGURATION["filters"], Filters).rules) == 3


@pytest.mark.parametrize(("rule", "told"), EXAMPLES)
def test_examples(rule: str, told: str) -> None:
    """Each rule says of the crawl what stands beside it."""
    crawl = msgspec.convert(CRAWL, Summary)
    verdict = msgspec.convert(yaml.safe_load(f"{{{rule}}}"), Rule).judge(crawl)
    assert verdict.sentences[0] == told
    assert verdict.passes is not told.startswith("fails")


def test_every_rule_has_an_example_and_its_numbers() -> None:
    """All kinds of rules are shown, with the defaults and the bounds that they have."""
    assert {rule.partition(":")[0] for rule, _ in EXAMPLES} == {it.name for it in fields(Rule)}
    assert "exactly one of these ten" in TEXT and len(fields(Rule)) == 10
    assert f"Up to {RULES:,} rules, {NESTING} deep, with {KEYWORDS:,} keywords" in TEXT
    table = re.findall(r"^\| `(\w+)` \| .* \| ([\d.]+) \| (\S+) \|$", TEXT, re.MULTILINE)
    simple: list[tuple[str, Any]] = [
        ("keywords", Keywords), ("frequent", Frequent), ("languages", Languages),
        ("formats", Formats), ("captures", Captures), ("size", Size),
    ]  # fmt: skip
    assert [name for name, _, _ in table] == [name for name, _ in simple]
    for (_, minimum, enough), (_, cls) in zip(table, simple, strict=True):
        assert float(minimum) == fields(cls).minimum.default
        assert (None if enough == "`minimum`" else float(enough)) == fields(cls).enough.default
