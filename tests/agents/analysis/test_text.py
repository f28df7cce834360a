"""Words are told apart in any script."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.text import WORD_LIMIT, folded, words
from tests.agents.analysis.hostile import HOSTILE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L'œuvre, déposée en 2005!", ["l", "œuvre", "déposée", "en"]),
        ("Vie\u0323\u0302t", ["vi\u1ec7t"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("网络档案 web", ["网", "络", "档", "案", "web"]),
        ("snake_case x86", ["snake", "case", "x"]),
        ("", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    """Letters with their marks, in lower case; a character each in scripts without spaces."""
    assert words(text) == found


def test_folding() -> None:
    """Case, accents, punctuation and white space go; numbers stay."""
    assert folded("Dépôt\n  LÉGAL, Straße: й 2005") == " depot legal strasse и 2005 "
    assert folded(" ...") == "  "


@given(st.text())
def test_any_text_has_words_of_bounded_length(text: str) -> None:
    """Each can be encoded, and has no white space in it."""
    for word in words(text):
        word.encode()
        assert len(word) <= WORD_LIMIT + 16 * 16
        assert not any(character.isspace() or character.isdecimal() for character in word)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded text is its own folding, once composed letters are."""
    once = folded(text)
    assert folded(folded(once)) == folded(once)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_quick(name: str) -> None:
    """A megabyte takes well under a second, whatever it is."""
    start = time.process_time()
    words(HOSTILE[name])
    folded(HOSTILE[name])
    assert time.process_time() - start < 3
