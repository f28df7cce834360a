"""What a crawl of some pages adds to what a whole one left for the next crawl. It blocks.

A crawl that does not go deep, or only to pages that a feed told of, says nothing of all the others:
what the former crawls left of those stays, so that each level is compared with its own last visit
(*INA §1.5.2*). Merging what has been merged changes nothing.
"""

import heapq
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import msgspec

from agents.compact import HashSet
from agents.connectivity.crawl_folder import ANALYSIS, SIGNATURES, STRUCTURE

_LONGEST = 2**22  # bytes of a line; a longer one is damaged


class _Capture(msgspec.Struct):
    url: str
    content: str


class _Text(msgspec.Struct):
    content: str


_capture = msgspec.json.Decoder(_Capture).decode
_text = msgspec.json.Decoder(_Text).decode


def merge(partial: Path, former: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the files for the next crawl, the signatures last: the name of each, and its lines.

    Each is to be written beside the former one before the next is asked for.

    Args:
        partial: the folder of the crawl.
        former: the folder with what former crawls left.
    """
    kept = HashSet()
    yield STRUCTURE, _structure(partial / STRUCTURE, former / STRUCTURE, kept)
    if (partial / ANALYSIS).exists():
        yield ANALYSIS, _analysis(partial / ANALYSIS, former / ANALYSIS, kept)
    yield SIGNATURES, _signatures(partial / SIGNATURES, former / SIGNATURES)


def _structure(partial: Path, former: Path, kept: HashSet) -> Iterator[bytes]:
    """Yield the captures of the crawl, and the former ones of URLs that it did not meet.

    Args:
        partial: of the crawl.
        former: of former crawls.
        kept: takes what is left of these.
    """
    met = HashSet()
    for line in _lines(partial):
        met.add(hash(_capture(line).url))
        yield line
    for line in _sound(former, _capture):
        capture = _capture(line)
        if hash(capture.url) not in met:
            kept.add(hash(capture.content))
            yield line


def _analysis(partial: Path, former: Path, kept: HashSet) -> Iterator[bytes]:
    """Yield the texts of the crawl, and those of the former ones that are still there."""
    met = HashSet()
    for line in _lines(partial):
        met.add(hash(_text(line).content))
        yield line
    for line in _sound(former, _text):
        content = hash(_text(line).content)
        if content in kept and content not in met:
            yield line


def _signatures(partial: Path, former: Path) -> Iterator[bytes]:
    """Yield all contents, sorted, each once."""
    for line, _ in groupby(heapq.merge(_lines(partial), _lines(former))):
        yield line


def _sound(path: Path, read: Callable[[bytes], object]) -> Iterator[bytes]:
    """Yield the lines of a former file that can be read."""
    for line in _lines(path):
        with suppress(msgspec.MsgspecError):
            read(line)
            yield line


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a file; none if it is not there."""
    try:
        with path.open("rb") as file:
            while line := file.readline(_LONGEST):
                if line.endswith(b"\n"):
                    yield line
    except FileNotFoundError:
        return
