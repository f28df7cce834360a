"""The elements of a report, one after another, in little memory: sans I/O but for the file.

All that a report holds is in attributes. It is text from the web, so it is read as hostile: a
DOCTYPE, and so every entity, is refused, nothing is fetched, and nesting and tags have limits.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias
from xml.parsers.expat import ExpatError, ParserCreate

NESTING: Final = 20  # elements within elements
_TAG: Final = 2**20  # bytes of one tag
_READ: Final = 2**16  # bytes read at once

Element: TypeAlias = tuple[str, str, Mapping[str, str]]
"""The name of the element around it, its own, and its attributes."""


class BadReport(Exception):
    """The report is none; the message says why."""


def elements(path: Path, limit: int) -> Iterator[Element]:
    """Yield every element where it begins; it blocks.

    Args:
        path: of the report.
        limit: bytes past which it is not read at all.

    Raises:
        BadReport: it is too large, or is no XML that may be read from here on.
        OSError: the file cannot be read.
    """
    if path.stat().st_size > limit:
        raise BadReport(f"the report is larger than {limit} bytes")
    reader = _Reader()
    with path.open("rb") as file:
        while data := file.read(_READ):
            yield from reader.read(data, last=False)
    yield from reader.read(b"", last=True)


class _Reader:
    """Takes bytes, gives elements."""

    def __init__(self) -> None:
        self._parser = ParserCreate("utf-8", " ")  # whatever codec of Python's it declares
        self._parser.StartDoctypeDeclHandler = _refuse_doctype
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._around = [""]
        self._found: list[Element] = []
        self._taken = 0

    def read(self, data: bytes, last: bool) -> list[Element]:
        """Return the elements that begin in the next bytes."""
        self._found = []
        self._taken += len(data)
        try:
            self._parser.Parse(data, last)
        except ExpatError as error:
            raise BadReport(f"the report is no XML: {error}") from None
        if self._taken - max(0, self._parser.CurrentByteIndex) > _TAG + _READ:
            raise BadReport(f"the report has a tag of more than {_TAG} bytes")
        return self._found

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._around) > NESTING:
            raise BadReport(f"the report has elements more than {NESTING} deep")
        name = name.rpartition(" ")[2]
        self._found.append((self._around[-1], name, attributes))
        self._around.append(name)

    def _end(self, _: str) -> None:
        self._around.pop()


def _refuse_doctype(*_: object) -> None:
    raise BadReport("the report has a DOCTYPE, which no crawler writes")
