"""Special keywords are found in one pass, as a reader would find them."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.terms import TERMS_LIMIT, Terms
from agents.analysis.text import folded
from tests.agents.analysis import samples
from tests.agents.analysis.hostile import HOSTILE


@pytest.mark.parametrize(
    ("term", "text", "number"),
    [
        ("dépôt légal", "Le DEPOT\n légal du web; dépôt-légal", 2),
        ("web", "Web archives, webs, the web.", 2),
        ("web*", "Web archives, webs, the web.", 3),
        ("art. 29", "Art. 29 and art.\xa029, art 290", 2),
        ("人权", "普遍尊重人权和人权", 2),
        ("права", "ПРАВА человека, правам", 1),
        ("Straße", "STRASSE", 1),
        ("a a", "a a a", 2),
        ("…", "anything … at all", 0),
        ("", "anything", 0),
        ("*", "anything", 0),
    ],
)
def test_occurrences(term: str, text: str, number: int) -> None:
    """Whole words, without regard to case, accents, punctuation and white space."""
    assert Terms([term]).occurrences(text) == ({term: number} if number else {})


@pytest.mark.parametrize(
    ("name", "term", "number"),
    [
        ("fr", "toute personne a droit", 11),
        ("en", "everyone has the right", 21),
        ("de", "jeder hat das recht", 18),
        ("es", "toda persona tiene derecho", 20),
        ("ru", "каждый человек имеет право", 21),
        ("ja", "権利を有する", 33),
        ("zh", "人人有权", 12),
    ],
)
def test_real_texts(name: str, term: str, number: int) -> None:
    """As many as a plain search in the text counts."""
    text = " ".join(samples.TEXTS[name].lower().split())
    assert text.count(term) == number
    assert Terms([term, "xyzzy"]).occurrences(samples.TEXTS[name]) == {term: number}


def test_terms_that_are_the_same() -> None:
    """Each is told under its own spelling."""
    assert Terms(["Été", "ete", "été"]).occurrences("ÉTÉ") == {"Été": 1, "ete": 1, "été": 1}


@given(st.lists(st.text("ab é", min_size=1), max_size=8), st.text("abé AÉ .\n", max_size=200))
def test_all_at_once_is_as_one_by_one(terms: list[str], text: str) -> None:
    """Terms that overlap do not hide each other; a naive search finds as many."""
    found = Terms(terms).occurrences(text)
    for term in terms:
        pattern = folded(term)
        naive = len(re.findall(f"(?={pattern})", folded(text))) if pattern.strip() else 0
        assert found.get(term, 0) == naive


def test_ten_thousand_terms() -> None:
    """They are compiled in a moment, and cost about as much as one."""
    terms = [f"term {number} of many" for number in range(TERMS_LIMIT)]
    start = time.process_time()
    many = Terms(terms)
    assert many.occurrences(" ".join(terms))["term 77 of many"] == 1
    assert time.process_time() - start < 2
    with pytest.raises(ValueError, match="10000"):
        Terms([*terms, "one more"])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_quick(name: str) -> None:
    """A megabyte takes about a second at most."""
    terms = Terms(["a", "ab", "ab cd", "ab cd ab", "cd ab*", "\u7db2", "\u7db2\u7db2"])
    start = time.process_time()
    terms.occurrences(HOSTILE[name])
    assert time.process_time() - start < 4
