"""What the texts of a whole website tell: a bounded sum of the analyses of its documents.

The scheduler judges a site by it: whether it is of a topic and in which languages (*INA §1.5.1*),
and how much of it is new, level by level (*INA §1.5.2*).
"""

from collections import Counter
from itertools import islice
from typing import Any, Final

from agents.crawler.former_texts import FormerTexts, Line

KEYWORDS: Final = 50  # told of a site
PAGES: Final = 10  # told of each special keyword
_COUNTED = 20_000  # keywords that are counted at once
_LEVELS = 1000  # deeper ones count for the last


class Summary:
    """Sums up the analyses of a site's documents.

    Attributes:
        documents: how many there are.
        characters: of their texts.
        words: likewise.
    """

    def __init__(self) -> None:
        self.documents = self.characters = self.words = 0
        self._pages: Counter[str] = Counter()  # by main language
        self._written: Counter[str] = Counter()  # characters by language
        self._keywords: Counter[str] = Counter()
        self._terms: Counter[str] = Counter()
        self._found: dict[str, list[str]] = {}  # pages of a special keyword
        self._holding: Counter[str] = Counter()  # how many there are of them
        self._levels: dict[int, Counter[str]] = {}

    def add(self, line: Line, former: FormerTexts) -> None:
        """Take a document: one that was analysed, or one that the former crawl had likewise.

        Args:
            line: of the document, with the URL and the depth that it has in this crawl.
            former: the texts of the former crawl.
        """
        text = line.text
        self.documents += 1
        self.characters += text.characters
        self.words += text.words
        self._pages.update(name for name, _, _ in text.languages[:1])
        for name, share, _ in text.languages:
            self._written[name] += round(share * text.characters)
        self._keywords.update(dict(text.keywords))
        self._forget()
        for term, number in text.terms.items():
            self._find(term, number, 1, [line.url])
        compared, new = former.compare(line.signatures())
        level = self._levels.setdefault(min(line.depth, _LEVELS), Counter())
        level.update(documents=1, chunks=text.chunks)
        if compared:
            level.update(compared=text.chunks, new=round(text.chunks * new / compared))

    def merge(self, other: "Summary") -> None:
        """Add what another summary, of other documents, holds."""
        self.documents += other.documents
        self.characters += other.characters
        self.words += other.words
        self._pages.update(other._pages)
        self._written.update(other._written)
        self._keywords.update(other._keywords)
        self._forget()
        for term, number in other._terms.items():
            self._find(term, number, other._holding[term], other._found[term])
        for depth, level in other._levels.items():
            self._levels.setdefault(depth, Counter()).update(level)

    def told(self) -> dict[str, Any]:
        """Return all of it as JSON holds it; see `docs/reference/crawl-analysis.md`."""
        total = sum(self._levels.values(), Counter())
        return {
            "documents": self.documents,
            "characters": self.characters,
            "words": self.words,
            "languages": [
                [name, self._pages[name], size] for name, size in self._written.most_common()
            ],
            "keywords": [list(counted) for counted in self._keywords.most_common(KEYWORDS)],
            "terms": [
                [term, number, self._holding[term], self._found[term]]
                for term, number in self._terms.most_common()
            ],
            "chunks": total["chunks"],
            "update": _rate(total),
            "levels": [
                [depth, level["documents"], level["chunks"], _rate(level)]
                for depth, level in sorted(self._levels.items())
            ],
        }

    def _find(self, term: str, number: int, pages: int, first: list[str]) -> None:
        self._terms[term] += number
        self._holding[term] += pages
        known = self._found.setdefault(term, [])
        known += islice(first, PAGES - len(known))

    def _forget(self) -> None:
        """Forget the rarer half of the keywords when there are too many."""
        if len(self._keywords) > _COUNTED:
            self._keywords = Counter(dict(self._keywords.most_common(_COUNTED // 2)))


def _rate(level: Counter[str]) -> float | None:
    """Return the share of the chunks that are new, or None if there are none to compare."""
    return round(level["new"] / level["compared"], 4) if level["compared"] else None
