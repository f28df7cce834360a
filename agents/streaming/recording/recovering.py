"""What a killed process left of pieces, made whole. All of it blocks, and is for the thread.

Nothing is made up: a piece ends with the last byte that had reached the system, its log with the
last whole line. How much signal that is can only be estimated, and `killed` says so.
"""

from collections.abc import Container, Iterator
from pathlib import Path

from attrs import evolve, frozen
from twisted.logger import Logger

from agents import dates
from agents.stream_log import ClockEntry, Ended, LogLine, TitleEntry, encoded
from agents.stream_offset import MILLISECONDS_LIMIT
from agents.streaming.recording.beginning import microseconds
from agents.streaming.recording.closing import Piece, media_key, read_begin, read_lines, remove
from agents.streaming.recording.errors import DamagedPiece
from agents.streaming.recording.files import DRAFT, LOG, MEDIA, Begin

KILLED = "killed"

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


def pieces_left(folder: Path, own: Container[str]) -> Iterator[Piece]:
    """Yield the pieces that are in a folder, each made whole, in the order of their beginnings.

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
    for path, begin in begins.items():
        yield _made_whole(Piece(path, begin, read_lines(path)), cuts.get(Path(path).name))


def outcome(piece: Piece) -> Recovered:
    """Return how a whole piece ended."""
    titles = [line.title for line in piece.lines if isinstance(line, TitleEntry) and line.title]
    ended = piece.ended
    assert ended is not None
    return Recovered(piece.begin.line.stream, ended.end, ended.why, titles[-1] if titles else "")


def _begin_of(path: str) -> Begin | None:
    """Return what a piece began with; None where there is none, or it cannot be read."""
    try:
        return read_begin(path)
    except FileNotFoundError:
        remove(path)
    except DamagedPiece as error:
        _log.error("{error}; it is left as it is", error=error)
    return None


def _made_whole(piece: Piece, cut: Ended | None) -> Piece:
    """Write the end of a log, unless it is there; after a power failure, it may be too far."""
    size = Path(piece.path + MEDIA).stat().st_size if piece.begin.has_media else None
    if piece.ended is not None and (size or 0) >= (piece.ended.bytes or 0):
        return piece
    lines = [piece.begin.line, *_sound(piece, size)]
    is_cut = cut is not None and (size or 0) >= (cut.bytes or 0)
    ended = cut if cut is not None and is_cut else _killed(piece, lines, size)
    lines.append(ended)
    draft = Path(piece.path + DRAFT)
    draft.write_bytes(b"".join(map(encoded, lines)))
    draft.rename(piece.path + LOG)
    return evolve(piece, lines=lines)


def _sound(piece: Piece, size: int | None) -> Iterator[LogLine]:
    """Yield the whole lines of a log behind the first, up to what there is of the media."""
    for line in piece.lines[1:]:
        is_behind = isinstance(line, ClockEntry | TitleEntry) and (line.byte or 0) > (size or 0)
        if not is_behind and not isinstance(line, Ended):
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
        content="" if size is None else media_key(piece.path),
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
