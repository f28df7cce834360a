"""Links of the text of HTML documents, and of the documents, scripts and sheets within them."""

import re
from collections.abc import Iterator

from agents.parsers.html_scripts import Scripts
from agents.parsers.html_sheets import Sheet
from agents.parsers.link import PAGE, Found, Link, component
from agents.parsers.tag_links import links_of
from agents.parsers.tags import attributes_of
from agents.parsers.tokenizer import ANCHOR, END, START, TEXT, Tokenizer

INNER_LIMIT = 1024 * 1024  # characters of a document within an attribute, comment or element
_CONDITIONAL = re.compile(r"\s*\[if\s[^\]]*\]>(.*)<!\[endif\]\s*", re.IGNORECASE | re.DOTALL)
_XML_STYLESHEET = re.compile(r"""\??xml-stylesheet\s[^>]*?href\s*=\s*["']([^"']+)""")
STATEFUL = frozenset(["base", "iframe", "script"])  # change what follows, or hold a document


class Elements:
    """Finds the links of one document as its text arrives.

    Args:
        xml: whether it is XML.
        inner: whether it is within another one, in which it may have none of its own.
        text: whether the tokenizer is to tell plain text too (see `html_text.TextElements`).

    Attributes:
        base: what its first `base` element says.
    """

    def __init__(self, xml: bool = False, inner: bool = False, text: bool = False) -> None:
        self.base = ""
        self._tokenizer = Tokenizer(xml, text)
        self._inner = inner
        self._sheet = Sheet()
        self._scripts = Scripts()
        self._frames: list[str] = []
        self._size = 0  # characters of them
        self._cut = False

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because a part of the document passes a limit."""
        parts = (self._tokenizer, self._sheet, self._scripts)
        return self._cut or any(part.truncated for part in parts)

    def feed(self, text: str, final: bool = False) -> Iterator[Found]:
        """Yield what is found in the next piece of the text."""
        for kind, name, piece in self._tokenizer.feed(text, final):
            if kind is ANCHOR:
                yield Link(piece, PAGE, False)
            elif kind is START:
                if name in STATEFUL:
                    yield from self._stateful(name, piece)
                yield from links_of(name, piece)
            else:
                yield from self._held(kind, name, piece)

    def _held(self, kind: str, name: str, piece: str) -> Iterator[Found]:
        """Read what elements hold that have no tags within."""
        if name == "style":
            yield from self._sheet.feed(piece, kind is END)
        elif name == "script":
            yield from self._scripts.feed(piece, kind is END)
        elif name == "noframes":
            yield from self._noframes(kind, piece)
        elif not name:
            yield from self._comment(piece)

    def _stateful(self, name: str, tag: str) -> Iterator[Found]:
        """Read an element that changes what others link to, or that holds a document."""
        attributes = attributes_of(tag)
        if name == "base":
            self.base = self.base or attributes.get("href", "").strip()
        elif name == "script":
            self._scripts.begin(attributes)
        else:
            yield from self._inner_document(attributes.get("srcdoc", ""))

    def _noframes(self, kind: str, piece: str) -> Iterator[Found]:
        """Read what old pages show where there are no frames."""
        if kind is TEXT:
            self._size += len(piece)
            self._frames += [piece] if self._size <= INNER_LIMIT else []
            return
        text, self._frames, self._size = "".join(self._frames), [], 0
        yield from self._inner_document(text)

    def _comment(self, text: str) -> Iterator[Found]:
        """Read a comment that some browsers read, or a processing instruction."""
        sheet = _XML_STYLESHEET.match(text)
        if sheet is not None:
            yield from component(sheet[1])
        conditional = _CONDITIONAL.fullmatch(text)
        if conditional is not None:
            yield from self._inner_document(conditional[1])

    def _inner_document(self, text: str) -> Iterator[Found]:
        if self._inner or not text:
            return
        self._cut = self._cut or len(text) > INNER_LIMIT
        yield from Elements(inner=True).feed(text[:INNER_LIMIT], final=True)
