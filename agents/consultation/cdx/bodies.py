"""The lines of an answer as its body, in pieces."""

from collections.abc import AsyncIterator

import msgspec

from agents.consultation.cdx import xml
from agents.consultation.cdx.lines import as_json, as_row, row_of_names
from agents.consultation.cdx.listing import Given
from agents.consultation.cdx.query import Query

PIECE = 16 * 1024  # characters gathered before they go out


class Frame:
    """What stands around and between the lines of an answer.

    Attributes:
        media_type: of the whole.
        begin: before the first line.
        between: between two lines.
        end: after the last.
    """

    def __init__(self, query: Query, *, as_xml: bool = False) -> None:
        self._query, self._as_xml = query, as_xml
        self._form = query.dialect.outputs[query.output]
        self._is_list = not as_xml and self._form is as_row
        self.media_type = b"text/plain; charset=utf-8"
        self.begin = self.between = self.end = ""
        if as_xml:
            self.media_type = xml.MEDIA_TYPE
            self.begin, self.end = xml.BEGIN + "<results>\n", "</results>\n" + xml.END
        elif self._is_list:
            self.media_type = b"application/json"
            self.begin, self.between, self.end = "[", ",\n", "]\n"
        elif query.output == "json":
            self.media_type = b"text/x-ndjson"
        elif query.output == "cdxj":
            self.media_type = b"text/x-cdxj"

    def none(self) -> str:
        """Return the whole of an answer without lines."""
        if self._as_xml:
            return xml.BEGIN + xml.NONE + xml.END
        return "[]\n" if self._is_list else ""

    def line(self, given: Given) -> str:
        """Return a line, or where to go on."""
        if given.line is None:
            return self._resume(given.resume)
        return (
            xml.result(given.line) if self._as_xml else self._form(given.line, self._query.fields)
        )

    def heading(self) -> str:
        """Return the first line when it is one of names; empty otherwise."""
        named = self._is_list and self._query.dialect.names_rows
        return row_of_names(self._query.fields) if named else ""

    def _resume(self, key: str) -> str:
        if not key or not self._query.tells_resume or self._as_xml:
            return ""
        if self._is_list:
            return f"[],\n{msgspec.json.encode([key]).decode()}"
        if self._form is as_json:
            return msgspec.json.encode({"resumeKey": key}).decode() + "\n"
        return f"\n{key}\n"


async def body(frame: Frame, first: Given, rest: AsyncIterator[Given]) -> AsyncIterator[bytes]:
    """Yield an answer whose first line is there already."""
    parts = [part for part in (frame.heading(), frame.line(first)) if part]
    text = frame.begin + frame.between.join(parts)
    async for given in rest:
        line = frame.line(given)
        text += frame.between + line if line else ""
        if len(text) >= PIECE:
            yield text.encode()
            text = ""
    yield (text + frame.end).encode()
