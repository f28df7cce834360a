"""The file `analysis` of a crawl: a line for each content whose text was analysed.

`docs/reference/crawl-analysis.md` describes it. That of the former crawl tells how much of a site's
text is new (*INA §1.5.2*), and has the lines of the contents that are not analysed again.
"""

from pathlib import Path
from typing import BinaryIO

import msgspec

from agents.analysis.analyse import Analysis
from agents.analysis.signatures import Signatures
from agents.compact import HashMap, HashSet
from agents.crawler.errors import BadFormer

_CHUNKS = 2_000_000  # signatures kept of a crawl, 8 bytes each
_SIGNATURE = 16  # bytes of one in the file


class Line(msgspec.Struct, frozen=True):
    """A line of the file.

    Attributes:
        content: SHA-256 of the content, in hexadecimal.
        url: the first that had it.
        depth: level of that URL.
        text: what there is to tell of its text.
    """

    content: str
    url: str
    depth: int
    text: Analysis

    def signatures(self) -> Signatures:
        """Return the local signatures of the text.

        Raises:
            ValueError: they are no hexadecimal digits.
        """
        return Signatures.read(self.text.chunks, self.text.signatures)


class FormerTexts:
    """The texts of a former crawl; none at all for a first crawl.

    Of a great crawl only the smallest signatures are kept, some two million. What is compared are
    those up to the same bound, so that the rate of new chunks is estimated without a bias.

    Attributes:
        looked_for: the `looked_for` of all texts.
    """

    def __init__(self) -> None:
        self.looked_for: set[str] = set()
        self._file: BinaryIO | None = None
        self._places = HashMap()
        self._chunks = HashSet()
        self._bound = 2**64

    @classmethod
    def load(cls, path: Path) -> "FormerTexts":
        """Read the file of a former crawl; one that is not there is a first crawl's.

        Blocks, for some seconds a million contents: to be called in a thread.

        Raises:
            BadFormer: it can't be read.
        """
        texts = cls()
        try:
            texts._file = path.open("rb")
            texts._read(path.stat().st_size)
        except FileNotFoundError:
            pass
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            texts.close()
            raise BadFormer(f"{path} can't be read: {error}") from error
        return texts

    def line(self, digest: bytes) -> Line | None:
        """Return the line of a content, if the former crawl had it.

        Raises:
            BadFormer: it can't be read any more.
        """
        place = self._places.get(_short(digest))
        if place is None or self._file is None:
            return None
        try:
            self._file.seek(place)
            line = msgspec.json.decode(self._file.readline(), type=Line)
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            raise BadFormer(f"the former analysis can't be read: {error}") from error
        return line if line.content == digest.hex() else None

    def compare(self, signatures: Signatures) -> tuple[int, int]:
        """Return how many chunks of a text can be compared, and how many of them are new."""
        compared = [one for one in signatures.kept if one <= self._bound]
        return len(compared), sum(one not in self._chunks for one in compared)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, size: int) -> None:
        assert self._file is not None
        # There are at most so many signatures as have room in the file.
        self._bound = 2**64 * _CHUNKS // max(_CHUNKS, size // _SIGNATURE)
        decode, place = msgspec.json.Decoder(Line).decode, 0
        for written in self._file:
            line = decode(written)
            self._places[_short(bytes.fromhex(line.content))] = place
            place += len(written)
            self.looked_for.add(line.text.looked_for)
            for one in line.signatures().kept:
                if one > self._bound:
                    break
                self._chunks.add(one)


def _short(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")
