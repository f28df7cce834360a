"""A piece that has ended, as contents with their captures. All of it blocks, for the thread."""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

import msgspec
from attrs import frozen

from agents.collected import Closed, Dated
from agents.origin import request_lines
from agents.stream import log_name
from agents.stream_log import ClockEntry, Ended, LogLine, read_log
from agents.stream_offset import StreamOffset
from agents.streaming.recording.beginning import status_of
from agents.streaming.recording.errors import DamagedPiece
from agents.streaming.recording.files import BEGIN, DRAFT, LOG, MEDIA, Begin

LOG_TYPE = "application/x-dlweb-stream-log"
_LOG_HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: {LOG_TYPE}\r\n\r\n".encode("ascii")
_SECRETS = frozenset((b"authorization", b"proxy-authorization", b"cookie"))


@frozen
class Piece:
    """The files of a piece.

    Attributes:
        path: of all of them, without the ends of their names.
        begin: what it began with.
        lines: of its log.
    """

    path: str
    begin: Begin
    lines: list[LogLine]

    @property
    def ended(self) -> Ended | None:
        """Its last line; None while it has none."""
        last = self.lines[-1] if self.lines else None
        return last if isinstance(last, Ended) else None


def read_piece(path: str) -> Piece:
    """Return what is in the files of a piece.

    Raises:
        DamagedPiece: what it began with cannot be read.
        OSError: a file cannot be read.
    """
    return Piece(path, read_begin(path), read_lines(path))


def read_begin(path: str) -> Begin:
    """Return what a piece began with.

    Raises:
        DamagedPiece: it cannot be read.
        OSError: its file cannot be.
    """
    try:
        return msgspec.json.decode(Path(path + BEGIN).read_bytes(), type=Begin)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise DamagedPiece(f"{path}{BEGIN} is damaged: {error}") from None


def read_lines(path: str) -> list[LogLine]:
    """Return the lines of the log of a piece; what is torn is left out.

    Raises:
        OSError: its file cannot be read.
    """
    return list(read_log(Path(path + LOG).read_bytes()))


def closed(piece: Piece) -> list[Closed]:
    """Return the contents of a piece that has ended: its media, cut where it ends, and its log.

    Raises:
        DamagedPiece: it has not ended, or its media is cut off.
        OSError: the disk refuses.
    """
    ended, begin = piece.ended, piece.begin
    if ended is None:
        raise DamagedPiece(f"{piece.path}{LOG} has no end")
    if begin.has_media and not ended.bytes:
        return []
    found = [_log_of(piece)]
    if ended.bytes:
        _cut(piece.path + MEDIA, ended.bytes)
        found.insert(0, _media_of(piece, ended, ended.bytes))
    return found


def _cut(path: str, size: int) -> None:
    if Path(path).stat().st_size < size:
        raise DamagedPiece(f"{path} has less than its {size} bytes")
    os.truncate(path, size)


def remove(path: str) -> None:
    """Let the files of a piece go, which the archive has, or of which nothing is to be kept."""
    for end in (BEGIN, MEDIA, LOG, DRAFT):  # without the first, the others mean nothing
        with suppress(FileNotFoundError):
            Path(path + end).unlink()


def log_key(path: str) -> str:
    """Return the SHA-256 of the log of a piece, in hexadecimal."""
    return _digest(path + LOG)


def media_key(path: str) -> str:
    """Return the SHA-256 of the media of a piece, in hexadecimal."""
    return _digest(path + MEDIA)


def _media_of(piece: Piece, ended: Ended, size: int) -> Closed:
    told = piece.begin.described
    return Closed(
        url=piece.begin.line.stream,
        file=Path(piece.path + MEDIA),
        content=ended.content,
        size=size,
        captures=list(_entries(piece, ended, size)),
        site=piece.begin.site,
        status=status_of(told.head),
        head=told.head,
        address=told.address,
    )


def _entries(piece: Piece, ended: Ended, size: int) -> Iterator[Dated]:
    """Yield the captures: of the beginning, of each entry of the clock, of the end (*INA §2.2.2*).

    The first alone says what all have in common: what was sent, and TLS.
    """
    begin, described = piece.begin.line, piece.begin.described
    stream = ("stream", f"{begin.session} {begin.piece}")
    gap = begin.gap
    told = (stream,) if gap is None else (stream, ("gap", f"{gap.since} {gap.until} {gap.why}"))
    yield Dated(
        begin.date,
        StreamOffset(0, 0).metadata,
        told,
        described.tls,
        request_lines(described.request, _SECRETS),
    )
    for line in piece.lines:
        if isinstance(line, ClockEntry) and line.byte is not None and line.byte <= size:
            yield Dated(line.at, StreamOffset(line.ms, line.byte).metadata, (stream,))
    yield Dated(ended.end, StreamOffset(ended.ms, size).metadata, (stream,))


def _log_of(piece: Piece) -> Closed:
    begin, path = piece.begin.line, Path(piece.path + LOG)
    return Closed(
        url=log_name(begin.stream),
        file=path,
        content=log_key(piece.path),
        size=path.stat().st_size,
        captures=[Dated(begin.date, told=(("stream", f"{begin.session} {begin.piece}"),))],
        site=piece.begin.site,
        head=_LOG_HEAD,
    )


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
