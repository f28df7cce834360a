"""Keywords tell what real texts are about."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.analyse import analyse
from agents.analysis.keywords import COMMON, KEYWORDS, keywords
from agents.analysis.language import JUDGES, Judges
from agents.analysis.terms import Terms
from agents.analysis.text import words
from tests.agents.analysis import samples
from tests.agents.analysis.hostile import HOSTILE

NO_TERMS = Terms(())


def never(word: str) -> bool:
    """Take no word for common."""
    return False


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fr", {"droit", "droits et libertés", "nations unies"}),
        ("en", {"rights", "rights and freedoms", "human rights"}),
        ("de", {"recht", "rechte und freiheiten"}),
        ("es", {"derecho", "derechos y libertades"}),
        ("ru", {"прав и свобод"}),
        ("zh", {"权利", "自由", "权利和自由"}),
        ("zh-Hant", {"權利", "自由", "權利和自由"}),
        ("ja", {"権利", "自由"}),
        ("hi", {"अधिकार", "मानव अधिकारों"}),
        ("sr", {"права и слободе"}),
    ],
)
def test_the_declaration(name: str, expected: set[str]) -> None:
    """It is about rights and freedoms, in every language."""
    assert expected <= {keyword for keyword, _ in analyse(samples.TEXTS[name], NO_TERMS).keywords}


def test_common_words_are_none() -> None:
    """Articles and prepositions make no keyword, and do not begin or end one."""
    found = analyse(samples.TEXTS["fr"], NO_TERMS).keywords
    edges = {edge for keyword, _ in found for edge in (keyword.split()[0], keyword.split()[-1])}
    assert not edges & {"le", "la", "de", "des", "et", "à", "un", "une", "l", "d"}


def test_parts_of_a_longer_one() -> None:
    """What only occurs in a longer keyword is no keyword; what occurs elsewhere too is."""
    text = ("legal deposit of the web " * 5 + "deposit " * 9).split()
    found = dict(keywords(text, {"of", "the"}.__contains__))
    assert found["deposit"] == 14
    assert "legal" not in found
    assert "deposit of" not in found


def test_halves_of_a_text_belong_together() -> None:
    """By keywords alone, the half of a text that is nearest to a half is its other one."""
    halves = {}
    for name, text in samples.TEXTS.items():
        middle = len(text) // 2
        halves[name] = [set(dict(analyse(half, NO_TERMS).keywords))
                        for half in (text[:middle], text[middle:])]  # fmt: skip
    right = sum(
        max(halves, key=lambda other: len(first & halves[other][1])) == name
        for name, (first, _) in halves.items()
    )
    assert right >= 0.95 * len(halves)


@given(st.lists(st.sampled_from(["ab", "cd", "网", "络", "g"]), max_size=100))
def test_any_words(read: list[str]) -> None:
    """Keywords occur in the text as often as they say."""
    found = keywords(read, never)
    assert len(found) <= KEYWORDS
    text = "".join(read)
    for keyword, number in found:
        assert number >= 2
        assert keyword.replace(" ", "") in text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_quick(name: str) -> None:
    """A megabyte takes well under a second, as only the first words count."""
    read = words(HOSTILE[name])
    common = Judges.load(COMMON)
    start = time.process_time()
    keywords(read, common.who_know)
    assert time.process_time() - start < 2


def test_judges_of_common_words_are_those_of_languages() -> None:
    """So that the bit of a language is the same in both."""
    assert Judges.load(COMMON).names == Judges.load(JUDGES).names
