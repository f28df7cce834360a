"""The body of one answer as it arrives: signed, kept and parsed chunk by chunk (*INA §1.4.3*)."""

import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from twisted.logger import Logger

from agents.crawler.errors import TooLong
from agents.crawler.parsers import Parser

MEMORY = 256 * 1024  # bytes of a body kept in memory; what is longer goes to a temporary file
_INFLATED_LIMIT = 256 * 1024 * 1024  # bytes parsed of a compressed body, lest it be a bomb

_log = Logger()

MakeParser = Callable[[bytes], Parser | None]


class Reception:
    """Takes the chunks of one body.

    Args:
        temporary: the file for a body that is not short.
        limit: bytes of the body.
        make_parser: gives the parser, or none, at the first bytes.
        coding: the `Content-Encoding` header; the body is kept as received, and parsed decoded.

    Attributes:
        size: bytes so far.
        parser: reads the body, once it has begun.
        parser_failed: whether it gave up by an error of its own.
    """

    def __init__(
        self, temporary: Path, limit: int, make_parser: MakeParser, coding: str = ""
    ) -> None:
        self.size = 0
        self.parser: Parser | None = None
        self.parser_failed = False
        self._limit = limit
        self._make_parser = make_parser
        self._hash = sha256()
        self._temporary = temporary
        self._file: BinaryIO | None = None
        self._chunks: list[bytes] = []
        self._inflate = _Inflate() if coding.strip().lower() in _CODINGS else None

    def __call__(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            TooLong: they pass the limit.
            OSError: they can't be written.
        """
        first = not self.size
        self.size += len(chunk)
        if self.size > self._limit:
            raise TooLong(self._limit)
        self._hash.update(chunk)
        self._keep(chunk)
        if self._inflate is not None:
            chunk = self._inflate(chunk)
        if first:
            self.parser = self._make_parser(chunk)
        if self.parser is not None:
            self._parse(self.parser.feed, chunk)

    def finish(self) -> bytes:
        """Take the end; return the SHA-256 of the body."""
        if self.parser is not None:
            self._parse(self.parser.close)
        return self._hash.digest()

    def move(self, path: Path) -> None:
        """Leave the body at `path`, in a folder that is there.

        Raises:
            OSError: it can't be written.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
            self._temporary.rename(path)
            return
        with path.open("wb") as file:
            file.writelines(self._chunks)

    def discard(self) -> None:
        """Forget the body, if it was not moved."""
        self._chunks = []
        if self._file is not None:
            self._file.close()
            self._file = None
            self._temporary.unlink(missing_ok=True)

    def _parse(self, step: Callable[..., None], *arguments: bytes) -> None:
        """Go on with the parser; a fault of one costs the links of one document, not the crawl."""
        try:
            step(*arguments)
        except Exception:
            _log.failure("a parser failed; the links of its document are lost")
            self.parser, self.parser_failed = None, True

    def _keep(self, chunk: bytes) -> None:
        if self._file is not None:
            self._file.write(chunk)
            return
        self._chunks.append(chunk)
        if self.size > MEMORY:
            self._file = self._temporary.open("wb")
            self._file.writelines(self._chunks)
            self._chunks = []


_CODINGS = frozenset(["gzip", "x-gzip", "deflate"])


class _Inflate:
    """Decompresses for the parser, as far as the body makes sense."""

    def __init__(self) -> None:
        self._decompress = zlib.decompressobj(zlib.MAX_WBITS | 32)  # zlib or gzip, as it says
        self._left = _INFLATED_LIMIT

    def __call__(self, chunk: bytes) -> bytes:
        if not self._left:
            return b""
        try:
            data = self._decompress.decompress(chunk, self._left)
        except zlib.error:
            self._left = 0
            return b""
        self._left -= len(data)
        return data
