"""Content codings undone while a body arrives: gzip, deflate, br, zstd (RFC 9110 §8.4.1).

Bodies are stored as received; what reads them gets them decoded, as far as they make sense and up
to a limit, in pieces of bounded size.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]
from backports import zstd

from agents.order import CODINGS

PIECE = 32 * 1024  # bytes decoded at once
TOTAL_LIMIT = 256 * 1024 * 1024  # bytes decoded of a body, lest it be a bomb
RATIO_LIMIT = 200  # bytes decoded for each byte of a body longer than `FREE`; pages reach 50
FREE = 8 * 1024 * 1024
_CODINGS_LIMIT = 3  # codings one over another
_ZSTD_WINDOW = 23  # bits of the window that browsers take, 8 MiB (RFC 9659)


class Decoder(Protocol):
    """Undoes one coding."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for, in pieces of at most a few `PIECE`.

        Raises:
            ValueError: they make no sense.
        """


class Inflating:
    """Undoes gzip, of one member or more, and deflate, with its wrapping or, as some, without."""

    def __init__(self) -> None:
        self._head: bytes | None = b""  # the first bytes, until they tell which kind it is
        self._inflate = zlib.decompressobj()

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for."""
        if self._head is not None:
            chunk = self._head + chunk
            self._head = chunk if len(chunk) < 2 else None
            if self._head is not None:
                return
            self._inflate = zlib.decompressobj(_window(chunk))
        while chunk:
            piece, chunk = self._step(chunk)
            yield piece

    def _step(self, chunk: bytes) -> tuple[bytes, bytes]:
        """Return a piece and the bytes that are left."""
        if self._inflate.eof:
            if chunk[:1] != b"\x1f":  # filling after the end
                return b"", b""
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            piece = self._inflate.decompress(chunk, PIECE)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        return piece, self._inflate.unconsumed_tail or self._inflate.unused_data


def _window(head: bytes) -> int:
    """Return what zlib is told of a body by its first two bytes: gzip, zlib, or bare deflate."""
    if head[:2] == b"\x1f\x8b":
        return zlib.MAX_WBITS | 16
    wrapped = head[0] & 15 == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


class Brotli:
    """Undoes br (RFC 7932)."""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for."""
        decompressor = self._decompressor
        try:
            while chunk or not decompressor.can_accept_more_data():
                if decompressor.is_finished():
                    return
                yield decompressor.process(chunk, output_buffer_limit=PIECE)
                chunk = b""
        except brotli.error as error:
            raise ValueError(str(error)) from None


class Zstandard:
    """Undoes zstd (RFC 8878), of one frame or more."""

    def __init__(self) -> None:
        self._decompressor = _zstd()

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for."""
        try:
            while chunk or not self._decompressor.needs_input:
                if self._decompressor.eof:
                    chunk = self._decompressor.unused_data + chunk
                    if not chunk:
                        return
                    self._decompressor = _zstd()
                yield self._decompressor.decompress(chunk, PIECE)
                chunk = b""
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from None


def _zstd() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW})


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": Inflating,
    "x-gzip": Inflating,
    "deflate": Inflating,
    "br": Brotli,
    "zstd": Zstandard,
}
assert set(CODINGS) <= set(_DECODERS)


class Decoding:
    """Undoes the codings of one body, within limits.

    Args:
        decoders: the last applied first.

    Attributes:
        cut: whether something is missing, because it makes no sense or passes a limit.
    """

    def __init__(self, decoders: list[Decoder]) -> None:
        self.cut = False
        self._decoders = decoders
        self._taken = self._given = 0

    @classmethod
    def of(cls, coding: str) -> "Decoding | None":
        """Return what undoes a `Content-Encoding`; None if there is none, or one nobody knows."""
        names = [each.strip().lower() for each in coding.split(",")]
        names = [each for each in names if each not in ("", "identity")]
        if not names or len(names) > _CODINGS_LIMIT or not all(each in _DECODERS for each in names):
            return None
        return cls([_DECODERS[name]() for name in reversed(names)])

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for, in pieces of bounded size."""
        self._taken += len(chunk)
        if self.cut:
            return
        try:
            for piece in self._through(self._decoders, chunk):
                self._given += len(piece)
                over = self._given - self._allowed()
                if over > 0:
                    self.cut = True
                    yield piece[:-over]
                    return
                yield piece
        except ValueError:
            self.cut = True

    def _through(self, decoders: list[Decoder], chunk: bytes) -> Iterator[bytes]:
        if not decoders:
            yield chunk
            return
        for piece in decoders[0].pieces(chunk):
            if piece:
                yield from self._through(decoders[1:], piece)

    def _allowed(self) -> int:
        return min(TOTAL_LIMIT, max(FREE, RATIO_LIMIT * self._taken))
