"""What a person reads of a page: its text, and that of its links (*INA §1.4.3*)."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape

from agents.parsers.html_elements import STATEFUL, Elements
from agents.parsers.link import PAGE, Found, Link
from agents.parsers.tag_links import links_of
from agents.parsers.tags import attributes_of
from agents.parsers.tokenizer import CLOSE, END, PLAIN, START

LINK_TEXT_LIMIT = 1000  # characters of the text of a link

_INLINE = re.findall(
    r"\w+",
    "a abbr acronym b basefont bdi bdo big cite code data del dfn em font i img ins kbd label mark"
    " nobr output q rb ruby s samp small span strike strong sub sup time tspan tt u var wbr",
)
BREAK = "\0"  # between blocks, until white space is collapsed
BREAKS = dict.fromkeys([*_INLINE, *map(str.upper, _INLINE)], "")
_TAG = re.compile(r'</?+([a-zA-Z][a-zA-Z0-9]*+)(?:[^>"\']++|"[^"]*+"|\'[^\']*+\')*+>')
_REFERENCE = re.compile(
    r"&(?:#[0-9]{1,8}+;?+|#[xX][0-9a-fA-F]{1,8}+;?+|[a-zA-Z][a-zA-Z0-9]{1,31}+;?+)"
)
_UNFINISHED = re.compile(r"&(?:#[xX]?)?[a-zA-Z0-9]*+\Z")
_REFERENCE_LIMIT = 40  # characters within which a reference ends
TIP = re.compile("title|alt", re.IGNORECASE).search
_REMEMBERED = 1024  # tags
_LENGTH = 500  # characters of a tag that is remembered
_READ = frozenset(["title", "textarea", "xmp", "plaintext", "![CDATA["])  # raw text that is shown
ENCODED = frozenset(["title", "textarea"])  # raw text with character references


class Printed:
    """Makes text of what is written: without tags, white space collapsed, a line for each block.

    It gives the same text however what is written is cut.

    Attributes:
        held: what may begin a character reference.
    """

    def __init__(self) -> None:
        self._gap: str | None = None  # before the next word; None before the first
        self.held = ""

    def plain(self, written: str) -> str:
        """Take text with tags in it that hold nothing to be read."""
        if "<" in written:
            parts = _TAG.split(written)
            parts[1::2] = [BREAKS.get(name, BREAK) for name in parts[1::2]]
            written = "".join(parts)
        return self.encoded(written)

    def encoded(self, text: str) -> str:
        """Take text with character references."""
        if self.held:
            text, self.held = self.held + text, ""
        if "&" in text:
            tail = text.rfind("&", max(0, len(text) - _REFERENCE_LIMIT))
            if tail >= 0 and _UNFINISHED.match(text, tail):
                text, self.held = text[:tail], text[tail:]
            text = _REFERENCE.sub(_character, text)
        return self.words(text)

    def finish(self) -> str:
        """Take the end of a text, at which references end too."""
        held, self.held = self.held, ""
        return self.words(_REFERENCE.sub(_character, held)) if held else ""

    def words(self, text: str) -> str:
        """Take text as it is."""
        out: list[str] = []
        for number, line in enumerate(text.split(BREAK)):
            if number and self._gap is not None:
                self._gap = "\n"
            words = line.split()
            if line[:1].isspace() and self._gap == "":
                self._gap = " "
            if words:
                out += (self._gap or "", " ".join(words))
                self._gap = " " if line[-1].isspace() else ""
        return "".join(out)

    def separate(self, gap: str) -> None:
        """Begin a new word (a space) or block (a new line) with what comes next."""
        if self._gap is not None and self._gap != "\n":
            self._gap = gap


class TextElements(Elements):
    """Finds the text of a document beside its links.

    A link of an `a` element is given at the end of the element, with its text.
    """

    def __init__(self, xml: bool = False) -> None:
        super().__init__(xml, text=True)
        self._printed = Printed()
        self._link: Link | None = None  # of the `a` that is open
        self._label: list[str] = []  # what is to be read of it
        self._room = 0  # characters that it may have yet
        self._templates = 0  # open elements whose text is not shown

    def feed(self, text: str, final: bool = False) -> Iterator[Found]:
        """Yield what is found in the next piece of the text."""
        printed = self._printed
        for kind, name, piece in self._tokenizer.feed(text, final):
            if kind is PLAIN:
                yield None if self._templates else self._shown(printed.plain(piece))
                continue
            if printed.held:
                yield self._shown(printed.finish())
            if name == "a" and self._link is not None:
                yield self._end_link()
            if kind is START:
                yield from self._start(name, piece)
            elif kind is CLOSE:
                if name not in BREAKS:
                    self._close(name)
            else:
                if name in _READ and not self._templates:
                    yield self._raw(kind, name, piece)
                yield from self._held(kind, name, piece)
        if final:
            yield self._shown(printed.finish())
            if self._link is not None:
                yield self._end_link()

    def _start(self, name: str, tag: str) -> Iterator[Found]:
        if name not in BREAKS:
            self._printed.separate("\n")
        shown = tips(tag) if TIP(tag) and not self._templates else ()
        found: Iterable[Found] = links_of(name, tag)
        if name == "a":
            found = self._begin_link(found)
        elif name in STATEFUL:
            yield from self._stateful(name, tag)
        elif name == "template":
            self._templates += 1
        elif shown:
            found = _labelled(found, _shortened(" ".join(shown)))
        yield from found
        for tip in shown:
            self._printed.separate(" ")
            yield self._shown(self._printed.words(tip))
            self._printed.separate(" ")

    def _close(self, name: str) -> None:
        self._printed.separate("\n")
        if name == "template":
            self._templates = max(0, self._templates - 1)

    def _raw(self, kind: str, name: str, piece: str) -> str | None:
        if kind is END:
            self._printed.separate("\n")
            return None
        read = self._printed.encoded if name in ENCODED else self._printed.words
        return self._shown(read(piece))

    def _shown(self, text: str) -> str | None:
        """Return text, and note that of the link."""
        if self._link is not None and self._room > 0:
            self._label.append(text[: self._room])
            self._room -= len(text)
        return text or None

    def _begin_link(self, found: Iterable[Found]) -> list[Found]:
        """Hold the link of an `a`; return what else is in its tag."""
        others: list[Found] = []
        for one in found:
            if self._link is None and isinstance(one, Link) and one.kind is PAGE:
                self._link, self._room = one, LINK_TEXT_LIMIT
                self._label.clear()
            else:
                others.append(one)
        return others

    def _end_link(self) -> Link | None:
        link, self._link = self._link, None
        return link and link._replace(text=_shortened("".join(self._label)))


def _labelled(found: Iterable[Found], text: str) -> Iterator[Found]:
    """Yield the same with a text for page links."""
    for one in found:
        yield one._replace(text=text) if isinstance(one, Link) and one.kind is PAGE else one


def tips(tag: str) -> list[str]:
    """Return what a tag shows when a pointer is over it, or when its image is not there."""
    return _remembered(tag) if len(tag) < _LENGTH else _tips(tag)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(tag: str) -> list[str]:
    return _tips(tag)


def _tips(tag: str) -> list[str]:
    attributes = attributes_of(tag)
    return [value for value in map(attributes.get, ("title", "alt")) if value]


def _shortened(text: str) -> str:
    return " ".join(text.split())[:LINK_TEXT_LIMIT]


def _character(reference: re.Match[str]) -> str:
    return unescape(reference[0])
