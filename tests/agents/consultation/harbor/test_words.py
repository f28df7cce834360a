"""The harbor speaks two languages, whole, and each as it is written."""

import re
from importlib.resources import files
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.consultation.harbor.english import ENGLISH
from agents.consultation.harbor.french import FRENCH
from agents.consultation.harbor.words import LANGUAGES, Words, chosen_language

LATE = "20200103073000000000"


def names(text):
    """Return the names in braces of a text."""
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def test_the_languages_say_the_same():
    """Both tables have the same keys, and their texts the same names in braces."""
    assert list(ENGLISH) == list(FRENCH)
    assert {key: names(text) for key, text in ENGLISH.items()} == {
        key: names(text) for key, text in FRENCH.items()
    }


def test_no_text_is_said_by_nobody():
    """Each text is asked for somewhere in the harbor, by its key or by how its key begins."""
    package = files("agents.consultation.harbor")
    modules = [each.read_text() for each in package.iterdir() if each.name.endswith(".py")]
    code = "".join(text for text in modules if 'dict[str, str] = {\n    "language' not in text)
    said = set(re.findall(r"""["']([\w.-]+)(?=["'{])""", code))
    for key in ENGLISH:
        name = re.sub(r"\.(one|many)$", "", key)
        parts = name.split(".")
        beginnings = {".".join(parts[:place]) + "." for place in range(1, len(parts))}
        assert name in said or beginnings & said, key


@pytest.mark.parametrize("table", [ENGLISH, FRENCH], ids=LANGUAGES)
def test_a_text_that_counts_has_both_numbers(table):
    """One and many come together, with the number in both."""
    for key in table:
        if key.endswith(".one"):
            assert "{count}" in table[key] and "{count}" in table[key[:-3] + "many"]


def test_french_is_spaced_as_french():
    """No sign that French sets off stands after a space that may break, or after none."""
    for key, text in FRENCH.items():
        assert not re.search(r" [;:!?%»]|« ", text), key
        assert not re.search(r"[^\s\u202f][;!?]", text), key
        assert "'" not in text and '"' not in text, key


@pytest.mark.parametrize(
    ("language", "number", "words"),
    [("en", 0, "0 captures"), ("en", 1, "1 capture"), ("en", 12345, "12,345 captures"),
     ("fr", 0, "0 capture"), ("fr", 1, "1 capture"), ("fr", 12345, "12\u202f345 captures")],
)  # fmt: skip
def test_things_are_counted(language, number, words):
    """Nothing is plural in English and singular in French; thousands stand apart."""
    assert Words(language).count("captures", number) == words


def test_dates_are_in_words():
    """Day, month and year stand as each language has them."""
    assert Words("en").moment(LATE) == "3 January 2020, 07:30:00 UTC"
    assert Words("fr").moment("20200801000000000000") == "1er août 2020 à 00:00:00 UTC"


def test_sizes_are_in_words():
    """A size has a unit of the language, and at most one digit after the point."""
    assert [Words("en").size(size) for size in (0, 999, 1500, 2_000_000)] == [
        "0 bytes", "999 bytes", "1.5 kB", "2.0 MB",
    ]  # fmt: skip
    assert Words("fr").size(1500) == "1,5 ko"


@pytest.mark.parametrize(
    ("date", "words"),
    [(LATE, "same time"), ("20200104073000000000", "1 day later"),
     ("20200103073010000000", "10 seconds later"), ("20191231073000000000", "3 days earlier")],
)  # fmt: skip
def test_a_distance_in_time_is_in_words(date, words):
    """How far a part is from its page is said in the largest unit that fits."""
    assert Words("en").from_page(date, LATE) == words


@given(st.sampled_from(LANGUAGES), st.datetimes(), st.integers(0, 10**18))
def test_everything_can_be_said(language, moment, number):
    """No date, number or size is without words."""
    words = Words(language)
    date = dates.from_datetime(moment)
    assert date[:4] in words.moment(date)
    assert words.size(number) and words.number(number) and words.span(float(number % 10**12))


@pytest.mark.parametrize(
    ("choice", "accepted", "language"),
    [("fr", "en", "fr"), ("", "fr-FR,fr;q=0.9,en;q=0.8", "fr"), ("", "de, fr;q=0.2", "fr"),
     ("", "", "en"), ("xx", "de", "en"), ("", "fr;q=0", "en"), ("", "en;q=0.1,FR", "fr")],
)  # fmt: skip
def test_a_reader_is_spoken_to_as_they_wish(choice, accepted, language):
    """What the reader chose counts first, then what the browser prefers, then the first offered."""
    assert chosen_language(choice, accepted, ["en", "fr"]) == language


@given(st.text(max_size=300))
def test_any_preference_leads_to_a_language(accepted):
    """No header field is without answer."""
    assert chosen_language("", accepted, ["fr", "en"]) in LANGUAGES
