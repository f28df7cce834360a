"""Fields of word processors, which RTF, DOC and DOCX share: an instruction, and what it shows.

`HYPERLINK "http://example.org/" \\o "tip"` shows the text of a link; `INCLUDEPICTURE "a.png"`
shows a picture. A field may lie in another, in its instruction as in what it shows.
"""

import re
from collections.abc import Iterable

from agents.parsers.link import Link, component, page

DEPTH_LIMIT = 50  # fields within each other; deeper ones are left aside
INSTRUCTION_LIMIT = 16 * 1024  # characters of an instruction that are read
TEXT_LIMIT = 1024  # characters kept of what a link shows

_KIND = re.compile(
    r"\s*+(?:(HYPERLINK)|INCLUDEPICTURE|INCLUDETEXT|INCLUDE|IMPORT)\b", re.IGNORECASE
)
_ARGUMENT = re.compile(
    r'"((?:[^"\\]++|\\.)*+)(?:"|\\?\Z)|\\([^\W\d_])|([^\s"\\][^\s"]*+)', re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WITH_VALUE = frozenset("clot")  # switches that an argument follows


def links_of(instruction: str, shown: str, text: bool) -> Iterable[Link]:
    """Return the link of a field, with what it shows or else its tool tip if `text`.

    A hyperlink is followed by a person; included pictures and texts belong to the document.
    """
    found = _KIND.match(instruction)
    if found is None:
        return ()
    url, tip = _arguments(instruction[found.end() :])
    words = (shown or tip).strip() if text else ""
    return page(url, text=words) if found[1] else component(url)


def _arguments(text: str) -> tuple[str, str]:
    """Return the URL and the tool tip among the arguments of a field."""
    url = tip = switch = ""
    for quoted, letter, bare in _ARGUMENT.findall(text):
        value = _ESCAPED.sub(r"\1", quoted) or bare
        if letter:
            switch = letter.lower()
        elif switch and switch in _WITH_VALUE:
            tip, switch = (value if switch == "o" else tip), ""
        else:
            url = url or value.strip()
    return url, tip


class _Field:
    """A field that has begun."""

    def __init__(self) -> None:
        self.instruction: list[str] = []
        self.shown: list[str] = []
        self.ended = False  # whether its instruction has
        self.printed = False  # whether what comes now is text of the document
        self.room = INSTRUCTION_LIMIT  # characters of the part at hand that are still taken

    def add(self, text: str) -> None:
        part = self.shown if self.ended else self.instruction
        part.append(text[: self.room])
        self.room = max(0, self.room - len(text))


class Fields:
    """The fields that are open at a place of a document.

    Args:
        text: whether the text of links is wanted.
    """

    def __init__(self, text: bool) -> None:
        self._text = text
        self._open: list[_Field] = []
        self._deeper = 0  # fields begun beyond the limit

    @property
    def printed(self) -> bool:
        """Whether text at this place is shown, and no part of an instruction."""
        return not self._open or self._open[-1].printed

    def begin(self) -> None:
        """Begin a field with its instruction."""
        if len(self._open) < DEPTH_LIMIT:
            self._open.append(_Field())
        else:
            self._deeper += 1

    def separate(self) -> None:
        """End the instruction; what follows is what the field shows."""
        if self._open and not self._deeper:
            field = self._open.pop()
            field.ended, field.printed, field.room = True, self.printed, TEXT_LIMIT
            self._open.append(field)

    def add(self, text: str) -> None:
        """Take text at this place."""
        if self._open and not self._deeper:
            self._open[-1].add(text)

    def end(self) -> Iterable[Link]:
        """End a field; return its link."""
        if self._deeper or not self._open:
            self._deeper = max(0, self._deeper - 1)
            return ()
        field = self._open.pop()
        shown = "".join(field.shown)
        self.add(shown)
        return links_of("".join(field.instruction), shown, self._text)

    def close(self) -> Iterable[Link]:
        """End all fields; return their links."""
        self._deeper = 0
        return [link for _ in range(len(self._open)) for link in self.end()]
