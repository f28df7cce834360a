"""Which languages a text is written in, by judge texts in Bloom filters (*INA §1.4.5, [6]*).

A judge text is a sample of a language; its vocabulary is kept in a Bloom filter. The judge that
knows the greatest share of a text's words tells its language. All filters have one size and one set
of hash functions and are kept side by side: a row holds the bit of every judge, so that one look-up
of a word asks all of them at once. A long word counts more than a short one, which another language
may have by chance.
"""

import json
import re
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from agents.analysis.text import UNSPACED, words

UNKNOWN = "und"  # the name that BCP 47 has for an undetermined language
JUDGES = Path(__file__).with_name("judges") / "languages.judges"

JUDGES_LIMIT = 64  # bits of a row
_PIECES = 12  # of a text that are judged, spread over it
_PIECE = 600  # characters
_HEAVIEST = 6  # letters from which on a word counts no more
_KNOWN = 0.3  # share that a judge knows at least of a text in its language
_CLEARLY = 1.25  # times as much tells that a piece is not in the language of the whole
_REMEMBERED = 8192  # words of a site, whose pages share most of theirs
_VERSION = 1
_ROW_BITS = 17
_ROW_MASK = (1 << _ROW_BITS) - 1

# Chinese, Japanese and Korean are judged by pairs of characters: they have no spaces between words,
# or have particles grown to them.
_PAIRED = UNSPACED + "\uac00-\ud7a3"
_PAIR = re.compile(f"(?=([{_PAIRED}]{{2}}))")
_HAS_PAIRED = re.compile(f"[{_PAIRED}]")
# Of numbers that are added up, one beside the other, each has 16 bits: room for all of a piece.
_ONES = int.from_bytes(b"\0\x01" * JUDGES_LIMIT)
_SUMS = struct.Struct(f"<{JUDGES_LIMIT + 1}H")
_LAST = 1 << 16 * JUDGES_LIMIT


class Language(NamedTuple):
    """A language of a text.

    Attributes:
        name: BCP 47 tag, such as `fr`, or `UNKNOWN`.
        share: of the text that is written in it, 0 to 1.
        score: share of the words of that part which the judge of the language knows, 0 to 1.
    """

    name: str
    share: float
    score: float


class Judges:
    """The vocabularies of up to 64 judge texts.

    Attributes:
        names: of the judges, in the order of their bits.
        who_know: returns the judges that know a word, a bit each; each errs one time in seventy.
    """

    def __init__(self, names: list[str], rows: "array[int]") -> None:
        self.names = names
        self._rows = rows
        self.who_know = lru_cache(_REMEMBERED)(self._who_know)
        self._told = lru_cache(_REMEMBERED)(self._weighed)

    @classmethod
    def of(cls, vocabularies: Mapping[str, Iterable[str]]) -> "Judges":
        """Make judges of their words, as `vocabulary` gives them.

        Raises:
            ValueError: there are more than 64.
        """
        if len(vocabularies) > JUDGES_LIMIT:
            raise ValueError(f"{len(vocabularies)} judges; there can be {JUDGES_LIMIT}")
        judges = cls(list(vocabularies), array("Q", bytes(8 << _ROW_BITS)))
        for judge, known in enumerate(vocabularies.values()):
            for word in known:
                for place in judges._places(word):
                    judges._rows[place] |= 1 << judge
        return judges

    @classmethod
    def load(cls, path: Path) -> "Judges":
        """Read judges from a file that `save` wrote.

        Raises:
            OSError: it can't be read.
            ValueError: it is no file of judges, or one of another version.
        """
        head, _, packed = path.read_bytes().partition(b"\n")
        described = json.loads(head)
        if described.get("version") != _VERSION:
            raise ValueError(f"{path} is not of version {_VERSION}")
        try:
            rows = array("Q", zlib.decompress(packed))
        except zlib.error as error:
            raise ValueError(f"{path} is damaged: {error}") from error
        if len(rows) != 1 << _ROW_BITS:
            raise ValueError(f"{path} has {len(rows)} rows")
        if sys.byteorder == "big":
            rows.byteswap()
        return cls(described["judges"], rows)

    def save(self, path: Path) -> None:
        """Write the judges: a line of JSON, then the rows, little-endian and deflated."""
        rows = array("Q", self._rows)
        if sys.byteorder == "big":
            rows.byteswap()
        head = json.dumps({"version": _VERSION, "judges": self.names}).encode()
        path.write_bytes(head + b"\n" + zlib.compress(rows.tobytes(), 9))

    def _who_know(self, word: str) -> int:
        first, second, third = self._places(word)
        return self._rows[first] & self._rows[second] & self._rows[third]

    def bits(self, names: Iterable[str]) -> int:
        """Return the bits of some judges in `who_know`; all, if none of them is known."""
        bits = sum(1 << self.names.index(name) for name in set(names) if name in self.names)
        return bits or (1 << JUDGES_LIMIT) - 1

    def languages(self, text: str) -> list[Language]:
        """Return the languages of a text, the most used first; none, if it has no words."""
        pieces = [read for piece in _pieces(text) if (read := vocabulary(piece))]
        if not pieces:
            return []
        tallies = [self._tally(sum(map(self._told, piece))) for piece in pieces]
        whole = _best([sum(counts) for counts in zip(*(t.known for t in tallies), strict=True)])
        total = sum(tally.weight for tally in tallies)
        found: dict[str, list[int]] = {}
        for tally in tallies:
            judge = tally.judge(whole)
            share = tally.known[judge]
            name = self.names[judge] if share >= _KNOWN * tally.weight else UNKNOWN
            sums = found.setdefault(name, [0, 0])
            sums[0] += tally.weight
            sums[1] += share
        ranked = sorted(found.items(), key=lambda item: -item[1][0])
        return [
            Language(name, round(size / total, 3), round(known / size, 3))
            for name, (size, known) in ranked
        ]

    def _weighed(self, word: str) -> int:
        """Return the weight of a word in the place of each judge that knows it, and in the last."""
        return _weight(word) * (_spread(self.who_know(word)) | _LAST)

    def _tally(self, told: int) -> "_Tally":
        sums = _SUMS.unpack(told.to_bytes(_SUMS.size, "little"))
        return _Tally(sums[-1], list(sums[: len(self.names)]))

    def _places(self, word: str) -> tuple[int, int, int]:
        key = xxh3_64_intdigest(word.encode())
        return key & _ROW_MASK, key >> _ROW_BITS & _ROW_MASK, key >> 2 * _ROW_BITS & _ROW_MASK


class _Tally(NamedTuple):
    """The weight of the words of a piece of a text, and of those that each judge knows."""

    weight: int
    known: list[int]

    def judge(self, whole: int) -> int:
        """Return the judge of the piece: that of the whole text, unless another clearly is."""
        best = _best(self.known)
        return best if self.known[best] > _CLEARLY * self.known[whole] else whole


def vocabulary(text: str) -> list[str]:
    """Return what judges know of a text: its words, or pairs of characters where they matter."""
    if not _HAS_PAIRED.search(text):
        return words(text)
    return [word for word in words(text) if not _HAS_PAIRED.match(word)] + _PAIR.findall(text)


def _pieces(text: str) -> Iterable[str]:
    """Return pieces spread evenly over a text, or all of a short one."""
    count = min(_PIECES, 1 + len(text) // _PIECE)
    size = min(_PIECE, -(-len(text) // count))
    return (text[start : start + size] for start in (len(text) * n // count for n in range(count)))


def _weight(word: str) -> int:
    """Return how much a word tells; a pair of characters tells as much as a long word."""
    return _HEAVIEST if _HAS_PAIRED.match(word) else min(len(word), _HEAVIEST)


def _best(counts: list[int]) -> int:
    return counts.index(max(counts))


@lru_cache(8192)
def _spread(bits: int) -> int:
    """Return a number that has 16 bits for each bit: sums of such numbers count all at once."""
    return int.from_bytes(f"{bits:0{JUDGES_LIMIT}b}".encode("utf-16-be")) & _ONES
