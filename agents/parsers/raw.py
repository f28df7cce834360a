"""Plain text: whatever looks like a URL, with the words before it (*INA §1.4.3*, "Raw")."""

import re
from collections.abc import Iterator

from agents.parsers.lines import LineParser
from agents.parsers.link import Link, page, stream
from agents.parsers.parser import Extracts, Format, Source

WINDOW = 120  # characters before a URL that are taken for the text of the link

# What people put around a URL rather than in it; other brackets can be parts of one.
_AROUND = r"\s<>\"`{}|\\^\x00-\x1f\x7f«»“”„‘’‹›。，、；：！？（）「」『』【】《》"
_URL = re.compile(
    rf"(?<![a-z0-9])(?:(?P<page>https?|ftp)|mms[tuh]?|rtsp[tu]?|pnm|rtmpe?)://(?=[^\W_]|\[)[^{_AROUND}]++"
    rf"|(?<![\w.@/\-])(?P<bare>www\.)(?=[a-z0-9])[^{_AROUND}]++",
    re.IGNORECASE,
)
_TRAILING = frozenset(".,;:!?'*_~…")
_OPENING = " \t<([\"'"  # between a URL and the words before it
_PAIRS = {")": "(", "]": "["}


def trimmed(url: str) -> str:
    """Return a URL without the punctuation of the sentence that it ends.

    A closing bracket belongs to it only if it opened there, as in `…/wiki/Perl_(language)`.
    """
    open_ones = {close: url.count(close) - url.count(start) for close, start in _PAIRS.items()}
    end = len(url)
    while end:
        last = url[end - 1]
        if open_ones.get(last, 0) > 0:
            open_ones[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return url[:end]


def urls_in(line: str, before: str = "", text: bool = False) -> Iterator[Link]:
    """Yield the links of a line of text.

    Args:
        line: of any length.
        before: the line before it.
        text: whether the text of links is wanted: what is written before them, at most `WINDOW`
            characters of this line or else of the one before.
    """
    end = 0
    for found in _URL.finditer(line):
        url = trimmed(found[0])
        words = (
            line[max(end, found.start() - WINDOW) : found.start()].strip(_OPENING) if text else ""
        )
        if text and not words and not end:
            words = before[-WINDOW:].strip(_OPENING)
        end = found.end()
        if found["bare"]:
            yield from page("http://" + url, text=words)
        else:
            yield from page(url, text=words) if found["page"] else stream(url, words)


class RawParser(LineParser):
    """Parses plain text, of which all is text and any URL a link."""

    format = Format(
        "raw",
        ("text/plain", "text/markdown", "text/csv", "text/tab-separated-values"),
        (".txt", ".text", ".md", ".csv", ".tsv", ".log", ".nfo"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._before = ""

    def line(self, line: str) -> Iterator[Link | str]:
        """Yield the line as it is, and the links in it."""
        yield from urls_in(line, self._before, self.source.text)
        self._before = line or self._before
        if self.source.text:
            yield line + "\n"
