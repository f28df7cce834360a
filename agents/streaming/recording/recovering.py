"""What a killed process left of pieces, made whole. All of it blocks, and is for the thread.

A quick look says where each piece ends; its media is read only when it is made whole, which takes
seconds for a thousand megabytes. Nothing is made up: a piece ends with the last byte that had
reached the system, its log with the last whole line. How much signal that is can only be estimated,
and `killed` says so.
"""

import os
from collections.abc import Container, Iterator
from pathlib import Path

import msgspec
from attrs import frozen
from twisted.logger import Logger

from agents import dates
from agents.stream_log import Begun, ClockEntry, Ended, LogLine, TitleEntry, encoded, read_log
from agents.stream_offset import MILLISECONDS_LIMIT
from agents.streaming.recording.beginning import microseconds
from agents.streaming.recording.closing import Piece, media_key, read_begin, read_lines, remove
from agents.streaming.recording.errors import DamagedPiece
from agents.streaming.recording.files import DRAFT, LOG, MEDIA, Begin

KILLED = "killed"
_TAIL = 2**18  # bytes of a log that the quick look reads

_log = Logger()


@frozen
class Recovered:
    """Where the last piece of a stream ended that was not in the archive yet.

    Attributes:
        stream: its URL.
        date: of the last byte that reached the disk; a gap begins there.
        why: the piece ended; "killed", if the process was.
        title: what was on the air last; or empty.
    """

    stream: str
    date: str
    why: str
    title: str = ""


@frozen
class Left:
    """A piece that another process left.

    Attributes:
        path: of its files, without the ends of their names.
        begin: what it began with.
        cut: how it ends, if the piece that follows says so.
    """

    path: str
    begin: Begin
    cut: Ended | None


def pieces_left(folder: Path, own: Container[str]) -> list[Left]:
    """Return the pieces that are in a folder, in the order of their beginnings.

    What belongs to none is removed; what is damaged stays where it is.

    Args:
        folder: where they are.
        own: paths of those of this process, which are let be.

    Raises:
        OSError: the disk refuses.
    """
    left = sorted({str(path.with_suffix("")) for path in folder.glob("*")})
    begins = {path: begin for path in left if path not in own and (begin := _begin_of(path))}
    cuts = {begin.follows.name: begin.follows.line for begin in begins.values() if begin.follows}
    return [Left(path, begin, cuts.get(Path(path).name)) for path, begin in begins.items()]


def outcome(left: Left) -> Recovered:
    """Return how a piece ended, by the last lines of its log, and by when it was written.

    Raises:
        OSError: the disk refuses.
    """
    piece = Piece(left.path, left.begin, _last_lines(left.path))
    size = _size(left)
    ended = _end_of(piece, left.cut, size)
    said = [line.title for line in _sound(piece, size) if isinstance(line, TitleEntry)]
    titles = [title for title in said if title]
    return Recovered(left.begin.line.stream, ended.end, ended.why, titles[-1] if titles else "")


def make_whole(left: Left) -> None:
    """Write the end of a log, unless it is there.

    Raises:
        OSError: the disk refuses.
    """
    piece = Piece(left.path, left.begin, read_lines(left.path))
    size = _size(left)
    ended = _end_of(piece, left.cut, size)
    if ended is piece.ended:
        return
    if left.begin.has_media and not ended.content:
        ended = msgspec.structs.replace(ended, content=media_key(left.path))
    lines = [left.begin.line, *_sound(piece, size), ended]
    draft = Path(left.path + DRAFT)
    draft.write_bytes(b"".join(map(encoded, lines)))
    draft.rename(left.path + LOG)


def _begin_of(path: str) -> Begin | None:
    """Return what a piece began with; None where there is none, or it cannot be read."""
    try:
        return read_begin(path)
    except FileNotFoundError:
        remove(path)
    except DamagedPiece as error:
        _log.error("{error}; it is left as it is", error=error)
    return None


def _size(left: Left) -> int | None:
    """Return how much there is of the media."""
    return Path(left.path + MEDIA).stat().st_size if left.begin.has_media else None


def _last_lines(path: str) -> list[LogLine]:
    """Return the last lines of a log; it may have 8 MiB of them."""
    with Path(path + LOG).open("rb") as file:
        begin = max(0, file.seek(0, os.SEEK_END) - _TAIL)
        file.seek(begin)
        data = file.read()
    return list(read_log(data.partition(b"\n")[2] if begin else data))


def _end_of(piece: Piece, cut: Ended | None, size: int | None) -> Ended:
    """Return how a piece ends; of one whose process was killed, without the SHA-256.

    After a power failure, what its log says, or the next piece, may be too far.
    """
    for ended in (piece.ended, cut):
        if ended is not None and (size or 0) >= (ended.bytes or 0):
            return ended
    return _killed(piece, list(_sound(piece, size)), size)


def _sound(piece: Piece, size: int | None) -> Iterator[LogLine]:
    """Yield the whole lines of a log behind the first, up to what there is of the media."""
    for line in piece.lines:
        is_behind = isinstance(line, ClockEntry | TitleEntry) and (line.byte or 0) > (size or 0)
        if not is_behind and not isinstance(line, Begun | Ended):
            yield line


def _killed(piece: Piece, lines: list[LogLine], size: int | None) -> Ended:
    """Return the end of a piece whose process was killed."""
    entries = [line for line in lines if isinstance(line, ClockEntry)]
    last = entries[-1] if entries else ClockEntry(piece.begin.line.date, 0, 0)
    written = Path(piece.path + (LOG if size is None else MEDIA)).stat().st_mtime
    begin = dates.to_datetime(last.at).timestamp()
    end = max(microseconds(begin) + 1, microseconds(written)) / 1_000_000
    ms = last.ms + _estimated(last, (size or 0) - (last.byte or 0), end - begin, piece)
    return Ended(
        end=dates.from_timestamp(end),
        ms=min(ms, MILLISECONDS_LIMIT),
        why=KILLED,
        bytes=size,
    )


def _estimated(last: ClockEntry, size: int, elapsed: float, piece: Piece) -> int:
    """Return how many milliseconds of signal the bytes behind the last place hold, by its rate.

    Where that is not known, it is the rate that the server says; or else as long as they took.
    """
    if last.byte and last.ms:
        return round(size * last.ms / last.byte)
    if piece.begin.line.bitrate > 0 and piece.begin.has_media:
        return round(size * 8 / piece.begin.line.bitrate)
    return round(elapsed * 1000)
