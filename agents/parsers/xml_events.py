"""XML as a stream of events, tolerant of faults and safe from bombs, on expat.

Why expat and not lxml: libxml2 keeps each new name of an element for the life of the process, so
that hostile documents would fill the memory of a crawler; expat lets go of all with its parser.
What expat lacks, going on after a fault, is added here: the faulty tag is left out, and a new
parser goes on after it. No DTD is fetched, and no entity expanded (see `xml_text`).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.parsers import expat  # noqa: S407  no entity reaches it, see above

from agents.parsers.xml_text import Mender

BLOCK = 4096  # characters parsed at once
_SHARE = 16  # of a tag that is longer than a block, this part is waited for before the next look
TOKEN_LIMIT = 1024 * 1024  # characters of a tag or comment; of a document with one more, no more
DEPTH_LIMIT = 1000  # elements within each other, likewise
FAULT_LIMIT = 1000  # faults of one document, likewise

START: Final = "start"
END: Final = "end"
TEXT: Final = "text"
INSTRUCTION: Final = "instruction"

_NAME = re.compile(rb"[^\s>]*+")
_WRONG_END = expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]
# Faults of which the place is not in the faulty tag, but where something sound may begin.
_BEFORE_TAG = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
        expat.errors.XML_ERROR_INVALID_TOKEN,
    )
)


class Event(NamedTuple):
    """Something in a document.

    Attributes:
        kind: `START`, `END`, `TEXT` or `INSTRUCTION`.
        value: the name of the element as written, the text, or the target of the instruction.
        attributes: of the element, by their names as written; of an instruction, its text as `""`.
    """

    kind: str
    value: str
    attributes: dict[str, str]


_NONE: dict[str, str] = {}


class XmlEvents:
    """Takes the text of a document, any way it is cut; always parses the same blocks of it.

    Each element that is opened is closed, even if the document does not do it.

    Attributes:
        truncated: whether the document passes a limit; what is behind is not read.
    """

    def __init__(self) -> None:
        self.truncated = False
        self._mender = Mender()
        self._pieces: list[str] = []
        self._size = 0
        self._block = BLOCK
        self._pending = 0  # characters parsed since the last event
        self._events: list[Event] = []
        self._open: list[str] = []
        self._faults = 0
        self._parser = self._new_parser()

    def feed(self, text: str, final: bool = False) -> Iterator[Event | None]:
        """Yield what is in the next piece of the text; None stands for work without an event."""
        if not self.truncated:
            self._pieces.append(text)
            self._size += len(text)
        if self._size < self._block and not final:
            return
        text, start = "".join(self._pieces), 0
        while len(text) - start >= self._block and not self.truncated:
            block, start = text[start : start + self._block], start + self._block
            yield from self._events_of(block)
        self._pieces, self._size = [text[start:]], len(text) - start
        if final:
            yield from self._events_of(text[start:], final=True)
            while self._open:
                yield Event(END, self._open.pop(), _NONE)

    def _events_of(self, block: str, final: bool = False) -> Iterator[Event | None]:
        if not self.truncated:
            yield from self._parse(self._mender.feed(block, final).encode())
        events, self._events = self._events, []
        # A tag longer than the block is looked at anew with each block: let them grow with it.
        self._pending = 0 if events else self._pending + len(block)
        self._block = max(BLOCK, self._pending // _SHARE)
        self.truncated = self.truncated or self._pending > TOKEN_LIMIT
        yield None
        yield from events

    def _parse(self, block: bytes) -> Iterator[None]:
        """Parse some of the document, going on at the next tag after each fault."""
        start = 0
        while not self.truncated:
            fed = self._fed
            try:
                self._fed += len(block) - start
                self._parser.Parse(block[start:], False)
                return
            except expat.ExpatError as error:
                fault = max(start, start + self._parser.ErrorByteIndex - fed)
                if error.code == _WRONG_END:
                    self._close_as(_NAME.match(block, fault))
                following = block.find(b"<", fault + (error.code not in _BEFORE_TAG))
                start = len(block) if following < 0 else following
                self._faults += 1
                self.truncated = self.truncated or self._faults > FAULT_LIMIT
                self._parser = self._new_parser()
                yield None

    def _close_as(self, tag: re.Match[bytes] | None) -> None:
        """Close the elements that an end tag closes which is not that of the innermost."""
        name = tag[0].decode("utf-8", "replace") if tag else ""
        if name in self._open:
            while self._open:
                closed = self._open.pop()
                self._events.append(Event(END, closed, _NONE))
                if closed == name:
                    return

    def _new_parser(self) -> expat.XMLParserType:
        """Return a parser that goes on within the elements that are open."""
        parser = expat.ParserCreate("utf-8")
        opened = (
            "".join(f"<{name}>" for name in ("_", *self._open)).encode() if self._faults else b""
        )
        parser.Parse(opened, False)
        self._fed = len(opened)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.ProcessingInstructionHandler = self._instruction
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self.truncated:
            return
        if len(self._open) >= DEPTH_LIMIT:
            self.truncated = True
            return
        self._open.append(name)
        self._events.append(Event(START, name, attributes))

    def _end(self, name: str) -> None:
        if self._open and not self.truncated:
            self._events.append(Event(END, self._open.pop(), _NONE))

    def _data(self, text: str) -> None:
        if not self.truncated:
            self._events.append(Event(TEXT, text, _NONE))

    def _instruction(self, target: str, text: str) -> None:
        self._events.append(Event(INSTRUCTION, target, {"": text}))
