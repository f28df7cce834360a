"""What docs/explanation/expansion.md shows is so."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "expansion.md"


def test_examples_give_what_the_page_says() -> None:
    """Every line that begins with >>> gives what stands below it."""
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried >= 9
    assert failed == 0
