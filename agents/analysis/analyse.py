"""The analysis of one text: all there is to tell of it (*INA §1.4.5*)."""

from functools import cache

import msgspec

from agents.analysis.keywords import COMMON, keywords
from agents.analysis.language import JUDGES, Judges
from agents.analysis.signatures import signatures
from agents.analysis.terms import Terms
from agents.analysis.text import words

TEXT_LIMIT = 1024 * 1024  # characters of a document that are analysed
SAMPLE = 12 * 1024  # characters that tell languages and keywords of a longer text
_PIECES = 3  # of the text that make a sample: its beginning, its middle, its end


class Analysis(msgspec.Struct, frozen=True):
    """What is told of a text. It crosses pipes, and is kept as JSON.

    Attributes:
        characters: of the text, as far as it was analysed.
        words: likewise.
        languages: of each language of the text, the most used first: its tag, its share of the
            text, and the share of its words that its judge knows.
        chunks: different chunks that the text has.
        signatures: the local signatures kept, 16 hexadecimal digits each.
        keywords: each with its number, the foremost first; of a long text, those of a sample.
        terms: special keywords found, each with its number.
        looked_for: tells which special keywords were looked for; empty for none.
    """

    characters: int
    words: int
    languages: list[tuple[str, float, float]]
    chunks: int
    signatures: str
    keywords: list[tuple[str, int]]
    terms: dict[str, int]
    looked_for: str = ""


def analyse(text: str, terms: Terms) -> Analysis:
    """Analyse a text, of which `TEXT_LIMIT` characters count."""
    text = text[:TEXT_LIMIT]
    read, shown = words(text), sample(text)
    judges, common = _judges()
    languages = judges.languages(shown)
    bits = common.bits(language.name for language in languages)
    local = signatures(read)
    telling = read if shown is text else words(shown)
    return Analysis(
        characters=len(text),
        words=len(read),
        languages=list(languages),
        chunks=local.total,
        signatures=local.written(),
        keywords=keywords(telling, lambda word: common.who_know(word) & bits),
        terms=terms.occurrences(text),
        looked_for=terms.key,
    )


def sample(text: str) -> str:
    """Return a text, or pieces of it that are enough to tell its languages and what it is about."""
    if len(text) <= SAMPLE:
        return text
    size = SAMPLE // _PIECES
    last = len(text) - size
    starts = (last * piece // (_PIECES - 1) for piece in range(_PIECES))
    return "\n".join(text[start : start + size] for start in starts)


@cache
def _judges() -> tuple[Judges, Judges]:
    """Return the judges of languages, and those of words too common to be keywords."""
    return Judges.load(JUDGES), Judges.load(COMMON)
