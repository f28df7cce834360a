"""What lies in the block of a record of HTTP: a head, and a body that may be in chunks."""

import re
from itertools import chain, repeat

from attrs import define, field, frozen

MOST_HEAD = 1024 * 1024

_EMPTY_LINE = re.compile(rb"\n\r?\n")
_BEGINS = re.compile(rb"HTTP/\d|[!#-'*+.0-9A-Z^-z|~-]{1,32} [^\r\n]+ HTTP/\d")
_FIRST_LINE = 64 * 1024  # bytes in which a request line has to end
_CODING = re.compile(rb"\ntransfer-encoding[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9a-f]{1,15})\r\n")
_MOST_SIZE = 17  # bytes of the longest line of a size
_LAST = b"0\r\n\r\n"


class NotChunked(Exception):
    """A body is not in chunks that sizes alone make again; the message says why."""


@frozen
class HttpHead:
    """The head of a message of HTTP as it was received, and where it ends.

    Attributes:
        form: "http" (a status or request line, fields, an empty line); "bare" (the same, that ends
            with the block, without an empty line); "none" (an answer of HTTP/0.9, or no HTTP: all
            of it is body); "endless" (no end within the limit: all of it is body).
        raw: the head byte for byte, with the empty line; empty with "none" and "endless".
        chunked: whether its fields say that the body is in chunks.
    """

    form: str
    raw: bytes
    chunked: bool = False


def http_head(beginning: bytes, ended: bool, limit: int = MOST_HEAD) -> HttpHead | None:
    """Return the head with which a block begins, or None if more of the block is needed to tell.

    Lines may end in a line feed alone, and be folded; they are left as they are.

    Args:
        beginning: the block's first bytes; what follows `raw` in them is of the body.
        ended: whether the block has no more.
        limit: the longest head, in bytes.
    """
    if not _BEGINS.match(beginning):
        first = beginning[:_FIRST_LINE]
        cut = not ended and len(first) < _FIRST_LINE and b"\n" not in first
        return None if cut else HttpHead("none", b"")
    end = _EMPTY_LINE.search(beginning, 0, limit)
    if end:
        raw = beginning[: end.end()]
        return HttpHead("http", raw, _is_chunked(raw))
    if len(beginning) >= limit:
        return HttpHead("endless", b"")
    return HttpHead("bare", beginning, _is_chunked(beginning)) if ended else None


def _is_chunked(head: bytes) -> bool:
    """Return whether the last of all codings is `chunked` (RFC 9112 §6.1)."""
    codings = b",".join(_CODING.findall(head))
    return codings.rpartition(b",")[2].strip().lower() == b"chunked"


@define
class Chunks:
    """Undoes `Transfer-Encoding: chunked` (RFC 9112 §7.1) piece by piece.

    Attributes:
        sizes: of the chunks so far, each as often in a row as the second number says, without the
            last, empty one: what `kept_records.Stored.chunks` keeps.
    """

    sizes: list[tuple[int, int]] = field(factory=list)
    _held: bytes = b""
    _left: int = 0  # bytes of a chunk that are to come, and two for the line end behind them
    _ended: bool = False

    def feed(self, data: bytes) -> bytes:
        """Return what the next bytes of a body hold.

        Raises:
            NotChunked: the framing is not sound, or cannot be made again from sizes (extensions,
                trailers, leading zeros, upper-case digits); keep the body as it lies in the file.
        """
        data, self._held = self._held + data, b""
        pieces, at = [], 0
        while at < len(data):
            if self._left > 2:
                piece = data[at : at + self._left - 2]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                continue
            taken = self._line(data, at)
            if not taken:
                self._held = data[at:]
                break
            at += taken
        return b"".join(pieces)

    def close(self) -> None:
        """Take the end of the body.

        Raises:
            NotChunked: it ended in the midst of its chunks.
        """
        if not self._ended:
            raise NotChunked("the body ends before its last chunk")

    def _line(self, data: bytes, at: int) -> int:
        """Return the bytes of the line that begins here: a chunk's end, or a size; 0 if it is cut.

        Raises:
            NotChunked: it is neither.
        """
        rest = data[at : at + _MOST_SIZE + 2]
        if self._left:
            if len(rest) < 2:
                return 0
            if not rest.startswith(b"\r\n"):
                raise NotChunked("a chunk is not as long as it says")
            self._left = 0
            return 2
        if self._ended:
            raise NotChunked("the body goes on behind its last chunk")
        if rest.startswith(b"0"):
            return self._last(rest)
        match = _SIZE.match(rest)
        if not match:
            if len(rest) < _MOST_SIZE and _may_be_size(rest):
                return 0
            raise NotChunked(f"a chunk begins with {rest!r}")
        self._begin(int(match[1], 16))
        return match.end()

    def _last(self, rest: bytes) -> int:
        if rest.startswith(_LAST):
            self._ended = True
            return len(_LAST)
        if _LAST.startswith(rest):
            return 0
        raise NotChunked(f"the last chunk is {rest!r}")

    def _begin(self, size: int) -> None:
        """Take up a chunk."""
        self._left = size + 2
        if self.sizes and self.sizes[-1][0] == size:
            self.sizes[-1] = (size, self.sizes[-1][1] + 1)
        else:
            self.sizes.append((size, 1))


def _may_be_size(line: bytes) -> bool:
    """Return whether a line that is cut may become a size."""
    return all(digit in b"0123456789abcdef" for digit in line.removesuffix(b"\r"))


def in_chunks(body: bytes, sizes: list[tuple[int, int]]) -> bytes:
    """Return a body in chunks of these sizes again, byte for byte as it lay in the file."""
    pieces, at = [], 0
    for size in chain.from_iterable(repeat(size, times) for size, times in sizes):
        pieces += [b"%x\r\n" % size, body[at : at + size], b"\r\n"]
        at += size
    return b"".join([*pieces, _LAST])
