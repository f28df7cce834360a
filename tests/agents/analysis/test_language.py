"""The language of real texts is told, and what is in no known language is not."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.analysis.language import JUDGES, UNKNOWN, Judges, vocabulary
from tests.agents.analysis import samples
from tests.agents.analysis.hostile import HOSTILE

judges = Judges.load(JUDGES)


def told(text: str) -> str:
    """Return the main language of a text."""
    found = judges.languages(text)
    return found[0].name if found else UNKNOWN


def accuracy(size: int, count: int) -> float:
    """Return the share of the pieces of the public set whose language is told."""
    outcomes = Counter(
        told(piece) == name.partition("-")[0]
        for name, text in samples.TEXTS.items()
        for piece in samples.pieces(text, size, count)
    )
    return outcomes[True] / outcomes.total()


@pytest.mark.parametrize("name", samples.TEXTS)
def test_whole_texts(name: str) -> None:
    """The declaration is told in each language there is a judge of."""
    assert judges.languages(samples.TEXTS[name])[0][:2] == (name.partition("-")[0], 1.0)


def test_accuracy_of_pieces() -> None:
    """Of 200 characters, 99 of a hundred are told; of 50 characters, 94."""
    assert accuracy(200, 40) >= 0.99
    assert accuracy(50, 40) >= 0.94


@pytest.mark.parametrize("name", samples.UNKNOWN)
def test_languages_without_a_judge(name: str) -> None:
    """They are unknown, whole and nearly always in pieces of 200 characters."""
    assert judges.languages(samples.UNKNOWN[name])[0].name == UNKNOWN
    found = [told(piece) for piece in samples.pieces(samples.UNKNOWN[name], 200, 40)]
    assert found.count(UNKNOWN) >= 36


def test_a_text_in_two_languages() -> None:
    """Each has its share."""
    text = samples.TEXTS["fr"][:8000] + samples.TEXTS["en"][:4000]
    found = {language.name: language.share for language in judges.languages(text)}
    assert set(found) == {"fr", "en"}
    assert 0.55 < found["fr"] < 0.8
    assert sum(found.values()) == pytest.approx(1, abs=0.01)


def test_nothing_to_judge() -> None:
    """A text without words has no language."""
    assert judges.languages("2005-09-22 … 12:30") == []
    assert judges.languages("") == []


@given(st.sets(st.text(min_size=1).filter(str.isalpha), max_size=50))
@settings(max_examples=30)
def test_a_judge_knows_its_text(known: set[str]) -> None:
    """A Bloom filter forgets nothing, and judges are what they were when read again."""
    own = Judges.of({"a": set(), "b": known})
    assert all(own.who_know(word) & 0b10 for word in known)
    assert not any(own.who_know(word) & 0b01 for word in known)


def test_judges_are_kept(tmp_path: Path) -> None:
    """A file of judges holds all they know."""
    own = Judges.of({"fr": vocabulary(samples.TEXTS["fr"]), "en": vocabulary(samples.TEXTS["en"])})
    own.save(tmp_path / "own.judges")
    again = Judges.load(tmp_path / "own.judges")
    assert again.names == ["fr", "en"]
    assert again.languages("Toute personne a droit à la vie") == own.languages(
        "Toute personne a droit à la vie"
    )
    assert again.languages("Toute personne a droit à la vie")[0].name == "fr"


def test_files_that_are_none(tmp_path: Path) -> None:
    """Each is refused by one error."""
    for bad in (b"", b"{}\n", b'{"version": 2, "judges": []}\n', b"no", b'{"version": 1}\nno'):
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(ValueError):
            Judges.load(tmp_path / "bad")


def test_too_many_judges() -> None:
    """A row has room for 64."""
    with pytest.raises(ValueError, match="64"):
        Judges.of({str(number): () for number in range(65)})


def test_false_answers_are_few() -> None:
    """A judge knows few words that its text does not have."""
    size, wrong = 2000, 0
    for number in range(size):
        wrong += judges.who_know(f"zqx{number}jjv").bit_count()
    assert wrong / size / len(judges.names) < 0.02


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    """Any text has shares that sum to one, or no language."""
    found = judges.languages(HOSTILE[name])
    assert not found or sum(language.share for language in found) == pytest.approx(1, abs=0.01)
