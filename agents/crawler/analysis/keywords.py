"""Keywords of a text: its most frequent n-grams of variable length (*INA §1.4.5, [8]*).

Cavnar and Trenkle (1994) rank all n-grams of a text by their number; the foremost tell its
language, those after them its subject. Here the grams are runs of one to five words (characters, in
scripts without spaces), and those that begin or end with a common word of the language are left
out, so that what remains is of the subject. They cluster documents and websites.
"""

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice
from typing import Final, TypeAlias

from agents.crawler.analysis.language import JUDGES
from agents.crawler.analysis.text import UNSPACED

Gram: TypeAlias = tuple[str, ...]

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
        words: of the text (`agents.crawler.analysis.text`).
        common: tells whether a word, or a pair of characters in scripts without spaces, is too
            common in the languages of the text to tell anything.
    """
    candidates = heapq.nlargest(_CANDIDATES, _telling(words[:_WORDS], cache(common)), key=_rank)
    in_longer: Counter[Gram] = Counter()
    for gram, number in candidates:
        for part in _parts(gram):
            in_longer[part] = max(in_longer[part], number)
    whole = (counted for counted in candidates if in_longer[counted[0]] < _PART * counted[1])
    return [(_written(gram), number) for gram, number in islice(whole, KEYWORDS)]


def _telling(words: list[str], common: Callable[[str], object]) -> Iterable[tuple[Gram, int]]:
    """Yield the grams that may be keywords, with their numbers."""
    places: Sequence[int] = range(len(words))
    grams: list[Gram] = list(zip(words, strict=True))
    for length in range(2, _LONGEST + 2):
        numbers = Counter(grams)
        frequent = {gram: number for gram, number in numbers.items() if number >= _FEWEST}
        yield from (counted for counted in frequent.items() if _tells(counted[0], common))
        # A gram is no more frequent than the shorter one that it begins with.
        places = [place for place, gram in zip(places, grams, strict=True) if gram in frequent]
        grams = [tuple(words[place : place + length]) for place in places]


def _tells(gram: Gram, common: Callable[[str], object]) -> bool:
    """Tell whether a gram neither begins nor ends with what is too common."""
    return _is_telling(gram[0], gram[:2], common) and _is_telling(gram[-1], gram[-2:], common)


def _is_telling(word: str, pair: Gram, common: Callable[[str], object]) -> bool:
    if len(word) > 1:
        return not common(word)
    return len(pair) == 2 and _IS_UNSPACED(word) is not None and not common("".join(pair))


def _rank(counted: tuple[Gram, int]) -> tuple[int, Gram]:
    """Return what ranks a gram: the words of the text that it accounts for."""
    gram, number = counted
    return number * len(gram), gram


def _parts(gram: Gram) -> Iterable[Gram]:
    """Yield the shorter grams in a gram."""
    for length in range(1, len(gram)):
        for start in range(len(gram) - length + 1):
            yield gram[start : start + length]


def _written(gram: Gram) -> str:
    return ("" if all(map(_IS_UNSPACED, gram)) else " ").join(gram)
