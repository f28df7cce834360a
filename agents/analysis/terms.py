"""Special keywords and sentences, looked for all at once (*INA §1.4.5*).

One pass of an Aho-Corasick automaton over a text finds every term of the order, however many there
are. Case, accents, punctuation and white space do not matter, digits do. A term is found as whole
words; with a `*` at its end, as the beginning of words, too: `archiv*` finds *archives*.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import ahocorasick
from xxhash import xxh3_64_hexdigest

from agents.analysis.text import folded

TERMS_LIMIT: Final = 10_000


class Terms:
    """The terms that are looked for; those without a letter or digit are never found.

    Args:
        terms: words or sentences.

    Attributes:
        key: tells these terms from others.

    Raises:
        ValueError: there are more than `TERMS_LIMIT`.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        if len(terms) > TERMS_LIMIT:
            raise ValueError(f"{len(terms)} terms; there can be {TERMS_LIMIT}")
        self.key = key_of(terms)
        patterns: dict[str, list[str]] = {}
        for term in dict.fromkeys(terms):
            if pattern := _pattern(term):
                patterns.setdefault(pattern, []).append(term)
        self._automaton = ahocorasick.Automaton()
        for pattern, same in patterns.items():
            self._automaton.add_word(pattern, tuple(same))
        self._automaton.make_automaton()
        self._any = bool(patterns)

    def occurrences(self, text: str) -> dict[str, int]:
        """Return how often each term occurs in a text; those that do not are left out."""
        if not self._any:
            return {}
        # The automaton finds as it is asked, so that many occurrences take no memory.
        found = Counter(same for _, same in self._automaton.iter(folded(text)))
        return {term: number for same, number in found.items() for term in same}


def key_of(terms: Sequence[str]) -> str:
    """Return what tells some terms from others, whatever their order; nothing of none."""
    spoken = "\0".join(sorted(set(terms))).encode("utf-8", "surrogatepass")
    return xxh3_64_hexdigest(spoken) if terms else ""


def _pattern(term: str) -> str:
    """Return what a term looks like in a folded text, or nothing."""
    pattern = folded(term)
    if not pattern.strip():
        return ""
    return pattern[:-1] if term.rstrip().endswith("*") else pattern
