"""Parsers that keep a document, up to a limit, and read it at its end (*INA §1.4.3*)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from agents.parsers.link import Found
from agents.parsers.parser import Format, Source


class WholeParser(ABC):
    """Base of the parsers that do not read chunk by chunk.

    Attributes:
        limit: bytes of a document that are kept; of a longer one nothing is read, or only what is
            kept if `partial`.
    """

    format: ClassVar[Format]
    limit: ClassVar[int] = 4 * 1024 * 1024
    partial: ClassVar[bool] = False
    base = ""
    encoding = "utf-8"

    def __init__(self, source: Source) -> None:
        self.source = source
        self.truncated = False
        self._body = bytearray()

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Keep the next bytes."""
        room = self.limit - len(self._body)
        self.truncated = self.truncated or len(chunk) > room
        self._body += chunk[:room]
        return iter(())

    def close(self) -> Iterator[Found]:
        """Read the document."""
        body, self._body = bytes(self._body), bytearray()
        return self.parse(body) if self.partial or not self.truncated else iter(())

    @abstractmethod
    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield what the whole document holds."""
