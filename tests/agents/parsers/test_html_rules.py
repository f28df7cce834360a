"""Small readings of HTML values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers import html_rules


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0;url=x", "x"),
        ("0; URL='x y'z", "x y"),
        ("5, x", "x"),
        ("0;x", "x"),
        (".5 ; url = x", "x"),
        ("0", ""),
        ("", ""),
        ("url=x", ""),
    ],
)
def test_refresh_target(content: str, url: str) -> None:
    """The URL of a refresh, written in any of the ways that browsers take."""
    assert html_rules.refresh_target(content).strip() == url


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """Nothing raises."""
    html_rules.refresh_target(text)
    html_rules.relation(text)
    html_rules.is_feed(text, text)
    html_rules.is_shown(text)
    html_rules.is_movie(text)


def test_relations() -> None:
    """Relations of link elements, in any case and order."""
    assert html_rules.relation("Shortcut ICON") == html_rules.REQUISITE
    assert html_rules.relation("canonical") == html_rules.PAGE
    assert html_rules.relation("") == html_rules.PAGE
    assert html_rules.relation("dns-prefetch") == html_rules.NOTHING
