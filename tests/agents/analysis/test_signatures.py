"""Texts that share text share signatures, and small changes change few of them."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.signatures import LIMIT, Signatures, resemblance, signatures
from agents.analysis.text import words
from tests.agents.analysis import samples
from tests.agents.analysis.hostile import HOSTILE

LANGUAGES = ("fr", "en", "de", "ru", "ar", "ja", "zh", "hi", "fi")


def of(text: str) -> Signatures:
    """Return the signatures of a text."""
    return signatures(words(text))


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_inserted_sentence(name: str) -> None:
    """It changes the chunk it falls into and brings its own, and no other."""
    text = samples.TEXTS[name]
    before, after = of(text), of(text[: len(text) // 2] + text[-150:-20] + text[len(text) // 2 :])
    assert len(set(before.kept) - set(after.kept)) <= 3
    assert len(set(after.kept) - set(before.kept)) <= 15


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_moved_paragraph(name: str) -> None:
    """Only what is at its edges changes."""
    lines = samples.TEXTS[name].splitlines()
    moved = lines[:10] + lines[20:40] + lines[10:20] + lines[40:]
    before, after = of("\n".join(lines)), of("\n".join(moved))
    assert len(set(before.kept) ^ set(after.kept)) <= 12


@pytest.mark.parametrize("name", LANGUAGES)
def test_dates_and_counters(name: str) -> None:
    """Numbers change nothing; what is appended changes the last chunk at most."""
    text = samples.TEXTS[name]
    first, second = of(f"22/09/2005 12:30 – 1,204 \n{text}"), of(f"1/2/2026 – 99\n{text}")
    assert first == second
    assert len(set(of(text).kept) - set(of(f"{text}\n{text[200:400]}").kept)) <= 2


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_resemblance_is_estimated(name: str, part: float) -> None:
    """The estimate of long texts, of which few signatures are kept, is near the truth."""
    shuffled = random.Random(3)
    vocabulary = words(samples.TEXTS[name])
    common = shuffled.choices(vocabulary, k=round(40_000 * part))
    rest = [shuffled.choices(vocabulary, k=40_000 - len(common)) for _ in range(2)]
    one, other = signatures(common + rest[0]), signatures(common + rest[1])
    assert one.total > 4 * LIMIT
    assert resemblance(one, other) == pytest.approx(part / (2 - part), abs=0.12)


def test_unlike_texts() -> None:
    """Different languages have nothing in common; a text and its half have a half."""
    french, english = of(samples.TEXTS["fr"]), of(samples.TEXTS["en"])
    assert resemblance(french, english) == 0
    assert resemblance(french, french) == 1
    half = of(samples.TEXTS["fr"][: len(samples.TEXTS["fr"]) // 2])
    assert 0.4 < resemblance(french, half) < 0.6
    assert resemblance(Signatures(), Signatures()) == 0


@given(st.lists(st.sampled_from(["ab", "cd", "ef", "网", "g"]), max_size=200))
def test_any_text_has_signatures(read: list[str]) -> None:
    """They are sorted, each once, not more than the limit, and can be written and read."""
    found = signatures(read)
    assert list(found.kept) == sorted(set(found.kept))
    assert len(found.kept) == min(found.total, LIMIT)
    assert (found.total > 0) == bool(read)
    assert Signatures.read(found.total, found.written()) == found


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=40, max_size=400), st.data())
def test_any_insertion_is_local(read: list[str], data: st.DataObject) -> None:
    """Most of what is far from an insertion stays as it was."""
    place = data.draw(st.integers(0, len(read)))
    before = signatures(read)
    after = signatures([*read[:place], "inserted", *read[place:]])
    assert len(set(after.kept) - set(before.kept)) <= 2 + before.total // 2


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_quick(name: str) -> None:
    """A megabyte takes at most a few seconds and leaves few signatures."""
    read = words(HOSTILE[name])
    start = time.process_time()
    assert len(signatures(read).kept) <= LIMIT
    assert time.process_time() - start < 4
