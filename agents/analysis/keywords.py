"""Keywords of a text: its most frequent n-grams of variable length (*INA §1.4.5, [8]*).

Cavnar and Trenkle (1994) rank all n-grams of a text by their number; the foremost tell its
language, those after them its subject. Here the grams are runs of one to five words (characters, in
scripts without spaces), and those that begin or end with a common word of the language are left
out, so that what remains is of the subject. They cluster documents and websites.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, pairwise
from operator import itemgetter
from typing import Final, TypeAlias

from agents.analysis.language import JUDGES
from agents.analysis.text import UNSPACED

Gram: TypeAlias = str
"""A run of words, a character for each: those of a text are numbered in their alphabetical order.

So all runs of a length are pieces of one string, which are quickly cut, counted and compared.
"""

COMMON: Final = JUDGES.with_name("common.judges")
KEYWORDS: Final = 20  # of a text
_WORDS = 20_000  # of a text that are counted
_LONGEST = 5  # words of a gram
_FEWEST = 2  # times that a gram occurs, to be one
_CANDIDATES = 10 * KEYWORDS
_PART = 0.7  # share of a gram's places that are in one longer gram, from which on it is but a part
_IS_UNSPACED = re.compile(f"[{UNSPACED}]").match


def keywords(words: list[str], common: Callable[[str], object]) -> list[tuple[str, int]]:
    """Return up to `KEYWORDS` keywords of a text and how often each occurs, the foremost first.

    Args:
        words: of the text (`agents.analysis.text`).
        common: tells whether a word, or a pair of characters in scripts without spaces, is too
            common in the languages of the text to tell anything.
    """
    words = words[:_WORDS]
    alphabet = sorted(set(words))
    letters = {word: chr(place) for place, word in enumerate(alphabet)}
    found = _telling("".join(map(letters.__getitem__, words)), alphabet, cache(common))
    candidates = sorted(found, key=_rank, reverse=True)[:_CANDIDATES]
    rising = sorted(candidates, key=itemgetter(1))  # so that the greatest number remains
    in_longer = {part: number for gram, number in rising for part in _parts(gram)}
    whole = (
        (gram, number) for gram, number in candidates if in_longer.get(gram, 0) < _PART * number
    )
    return [
        (_written([alphabet[ord(letter)] for letter in gram]), number)
        for gram, number in islice(whole, KEYWORDS)
    ]


def _telling(
    text: str, alphabet: list[str], common: Callable[[str], object]
) -> Iterator[tuple[Gram, int]]:
    """Yield the grams that may be keywords, with their numbers."""
    telling, unspaced = _edges(text, alphabet, common)
    places = [
        place
        for place, letter in enumerate(text)
        if letter in telling or (letter in unspaced and text[place : place + 2] in telling)
    ]
    for length in range(1, _LONGEST + 1):
        grams = [text[place : place + length] for place in places]
        numbers = Counter(grams)
        for gram, number in numbers.items():
            if number < _FEWEST:
                continue
            if gram[-1] in telling or (gram[-1] in unspaced and gram[-2:] in telling):
                yield gram, number
        # A gram is no more frequent than the shorter one that it begins with.
        last = len(text) - length
        places = [
            place
            for place, gram in zip(places, grams, strict=True)
            if numbers[gram] >= _FEWEST and place < last
        ]


def _edges(
    text: str, alphabet: list[str], common: Callable[[str], object]
) -> tuple[set[Gram], set[Gram]]:
    """Return what grams may begin and end with, and the letters that only tell in pairs.

    In scripts without spaces it is pairs of characters that are too common, or are not.
    """
    telling = {
        chr(place) for place, word in enumerate(alphabet) if len(word) > 1 and not common(word)
    }
    unspaced = {chr(place) for place, word in enumerate(alphabet) if _IS_UNSPACED(word)}
    pairs = set(pairwise(text)) if unspaced else set()
    for one, other in pairs:
        if not unspaced.isdisjoint((one, other)):
            both = alphabet[ord(one)] + alphabet[ord(other)]
            telling |= set() if common(both) else {one + other}
    return telling, unspaced


def _rank(counted: tuple[Gram, int]) -> tuple[int, Gram]:
    """Return what ranks a gram: the words of the text that it accounts for."""
    gram, number = counted
    return number * len(gram), gram


def _parts(gram: Gram) -> list[Gram]:
    """Return the shorter grams in a gram."""
    size = len(gram)
    return [
        gram[start : start + length]
        for length in range(1, size)
        for start in range(size - length + 1)
    ]


def _written(words: list[str]) -> str:
    return ("" if all(map(_IS_UNSPACED, words)) else " ").join(words)
