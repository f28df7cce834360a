"""Base of the parsers of XML formats: elements with their text, names in short, URLs resolved."""

import re
from abc import ABC
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar
from urllib.parse import urljoin

from agents.parsers.charset import Text
from agents.parsers.link import Found, component
from agents.parsers.parser import Format, Source
from agents.parsers.xml_events import END, INSTRUCTION, START, Event, XmlEvents
from agents.parsers.xml_names import Names

PARSE_LIMIT = 128 * 1024 * 1024  # bytes of one document that are read
TEXT_LIMIT = 1024 * 1024  # characters of the text of one element that are kept
BASE_LIMIT = 4096  # characters of what URLs are relative to

_STYLESHEET = re.compile(r"""(?:^|\s)href\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")


class XmlDocument(ABC):
    """Reads one document as it comes; a subclass says what its elements mean.

    Attributes:
        roots: short names of the root elements that tell the format (see `xml_names`).
        base: never set; `xml:base` is seen to by `resolved`.
    """

    format: ClassVar[Format]
    roots: ClassVar[frozenset[str]]
    base = ""
    encoding = "utf-8"  # URLs within XML are always encoded so

    def __init__(self, source: Source) -> None:
        self.source = source
        self._text = Text(source.charset, None, source.url)
        self._events = XmlEvents()
        self._names = Names()
        self._left = PARSE_LIMIT
        self._cut = False
        self._open: list[_Element] = []

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because the document passes a limit."""
        return self._cut or self._left < 0 or self._events.truncated

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the next bytes."""
        self._left -= len(chunk)
        return (
            self._take(self._events.feed(self._text.feed(chunk))) if self._left >= 0 else iter(())
        )

    def close(self) -> Iterator[Found]:
        """Yield the last findings."""
        yield from self._take(self._events.feed(self._text.close(), final=True))
        yield from self.finish()

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return what the start of an element tells."""
        return ()

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return what an element tells at its end; the text of those within it is not its own."""
        return ()

    def finish(self) -> Iterable[Found]:
        """Return what is found at the end of the document."""
        return ()

    def resolved(self, url: str) -> str:
        """Return a URL as it is relative to the document, whatever `xml:base` says here."""
        url = url.strip()
        return joined(self.inherited, url) if url else ""

    @property
    def inherited(self) -> str:
        """What `xml:base` says that URLs here are relative to; empty for the document."""
        return self._open[-1].base if self._open else ""

    @property
    def depth(self) -> int:
        """How many elements are open."""
        return len(self._open)

    def _take(self, events: Iterable[Event | None]) -> Iterator[Found]:
        for event in events:
            if event is None:
                yield None
            elif event.kind == START:
                name, attributes = self._names.opened(event.value, event.attributes)
                base = self.inherited
                if "xml:base" in attributes:
                    base = self.resolved(attributes["xml:base"]) or base
                self._open.append(_Element(name, base if len(base) < BASE_LIMIT else ""))
                yield from self.start(name, attributes)
            elif event.kind == END:
                self._names.closed()
                yield from self.end(self._open[-1].name, "".join(self._open[-1].text))
                self._open.pop()
            elif event.kind == INSTRUCTION:
                yield from _stylesheet(event)
            elif self._open:
                self._cut = not self._open[-1].keep(event.value) or self._cut


class _Element:
    """An open element."""

    __slots__ = ("base", "left", "name", "text")

    def __init__(self, name: str, base: str) -> None:
        self.name = name
        self.base = base
        self.text: list[str] = []
        self.left = TEXT_LIMIT

    def keep(self, text: str) -> bool:
        """Keep some of its text; tell whether there was room."""
        self.left -= len(text)
        if self.left >= 0:
            self.text.append(text)
        return self.left >= 0


def joined(base: str, url: str) -> str:
    """Resolve a URL against one that may itself be relative to the document."""
    if not base:
        return url
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def _stylesheet(instruction: Event) -> Iterable[Found]:
    """Return the style sheet by which a browser shows the document."""
    if instruction.value != "xml-stylesheet":
        return ()
    found = _STYLESHEET.search(instruction.attributes[""])
    return component(found[1] or found[2] or "") if found else ()
