"""The page on keeping captures back, walked: its commands do what its text says."""

import re
import shlex
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.archive.command.access import access
from agents.archive.command.arguments import parse
from agents.consultation.access.rules import Rules
from agents.consultation.access.rules_file import rules_in
from agents.consultation.readers.reader import Reader

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "keep-back-captures.md"
BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOW = "20261121000000000000"
KEPT = [
    ("http://example.org/private/x", ""),
    ("https://www.example.org/letter.html", ""),
    ("http://example.org/shop/1", "20200630120000000000"),
    ("http://a.news.example/", "20250101000000000000"),
    ("http://secret.example/", ""),
    ("http://legal.example/", ""),
]
SHOWN = [
    ("http://example.org/letter.html?x", ""),
    ("http://example.org/shop/1", "20200701000000000000"),
    ("http://a.news.example/", "20201101000000000000"),
]


@ensureDeferred
async def test_the_page_does_what_it_says(tmp_path, capsys):
    """From the first rule to the last, and the first of the list taken out again."""
    from twisted.internet import reactor

    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    lines = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    for line in lines:
        name = capsys.readouterr().out.partition("\n")[2].partition(" ")[0]
        words = shlex.split(line.replace("NAME", name or "NAME"))
        assert words[:2] == ["dlweb", "access"]
        if words[2] == "remove":
            check_all(tmp_path)
        status = await access(reactor, parse([*words[1:], "--archive", str(tmp_path)]))
        assert status == int("check" in words and "private" in line), line
    rules = Rules(tmp_path / "access-rules.yaml", lambda: NOW)
    assert rules.count == 5 and rules.reason("http://example.org/private/x") is None


def check_all(folder):
    """See that all rules of the page hold."""
    rules = Rules(folder / "access-rules.yaml", lambda: NOW)
    for url, date in KEPT:
        assert rules.reason(url, date), url
    for url, date in SHOWN:
        assert rules.reason(url, date) is None, url
    assert rules.reason("http://legal.example/", "", Reader("anna", "", "anna")) is None


@pytest.mark.parametrize("text", [text for kind, text in BLOCK.findall(PAGE.read_text("utf-8"))
                                  if kind == "yaml"])  # fmt: skip
def test_rules_in_the_page_are_rules(text):
    """What is shown to be written by hand is taken."""
    assert len(rules_in(text)) == 1
