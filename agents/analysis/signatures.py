"""Local signatures: hashes of the chunks of a text (*INA §1.4.5, [7]*: Heintze, 1996).

Texts that have chunks in common have signatures in common: documents that copy each other, or two
versions of one. Where a chunk ends is told by the words around that place and by nothing else, so
an insertion or a moved paragraph changes the chunks that it touches and no other. A chunk has 12
words on average; digits and punctuation are no part of it, so that dates and counters of visits
change nothing.

Of a long text only the smallest signatures are kept, as many as `LIMIT` (Heintze's fixed-size
fingerprint): the selection is by the chunks themselves, so two texts keep the same ones of those
that they share.
"""

import re
from itertools import pairwise
from typing import Final

from attrs import frozen
from xxhash import xxh3_64_intdigest

LIMIT: Final = 256  # kept of a text: all those of some 3,000 words
_SHORTEST, _LONGEST = 4, 32  # words of a chunk
_ENDS = 7  # bits of a hash that are 0 where a chunk may end: at one place in eight
_LOW = bytes(mark & _ENDS for mark in range(256))
_HIGH = bytes(mark >> 4 & _ENDS for mark in range(256))
_ZERO = re.compile(b"\0")
_DIGITS = 16  # of a signature in hexadecimal


@frozen
class Signatures:
    """The local signatures of a text.

    Attributes:
        total: different chunks that the text has.
        kept: the smallest of their 64-bit hashes, sorted; all of them up to `LIMIT`.
    """

    total: int = 0
    kept: tuple[int, ...] = ()

    @property
    def bound(self) -> int:
        """Up to which hash all chunks of the text are kept."""
        return self.kept[-1] if self.total > len(self.kept) else 2**64

    def written(self) -> str:
        """Return those kept as text, 16 hexadecimal digits each."""
        return "".join(f"{one:016x}" for one in self.kept)

    @classmethod
    def read(cls, total: int, written: str) -> "Signatures":
        """Read what `written` returned.

        Raises:
            ValueError: it is not hexadecimal digits.
        """
        starts = range(0, len(written), _DIGITS)
        return cls(total, tuple(int(written[start : start + _DIGITS], 16) for start in starts))


def signatures(words: list[str]) -> Signatures:
    """Return the local signatures of a text, given its words (`agents.analysis.text`)."""
    ends = _ends(words)
    hashes = {
        xxh3_64_intdigest(" ".join(words[start:end]).encode()) for start, end in pairwise(ends)
    }
    return Signatures(len(hashes), tuple(sorted(hashes)[:LIMIT]))


def resemblance(one: Signatures, other: Signatures) -> float:
    """Estimate how much two texts are alike: the share of all their chunks that both have."""
    bound = min(one.bound, other.bound)
    first, second = ({key for key in each.kept if key <= bound} for each in (one, other))
    return len(first & second) / len(first | second) if first or second else 0.0


def _ends(words: list[str]) -> list[int]:
    """Return where the chunks of a text begin and end, from 0 to the number of words."""
    marks = bytes(map({word: _mark(word) for word in set(words)}.__getitem__, words))
    # Two words tell an end: one alone may be so common that all chunks end there. All pairs are
    # compared at once, as two long numbers of a byte a word.
    before, after = marks[:-1].translate(_LOW), marks[1:].translate(_HIGH)
    differing = int.from_bytes(before) ^ int.from_bytes(after)
    equal = _ZERO.finditer(differing.to_bytes(len(before)))
    places = [found.end() for found in equal]
    ends = [0]
    for place in (*places, len(words)):
        if place - ends[-1] >= _SHORTEST or ends[-1] < place == len(words):
            ends.extend(range(ends[-1] + _LONGEST, place, _LONGEST))
            ends.append(place)
    return ends


def _mark(word: str) -> int:
    """Return the bits of a word's hash that tell ends: after it the low ones, before it others."""
    key = xxh3_64_intdigest(word.encode())
    return key & _ENDS | (key >> 32 & _ENDS) << 4
