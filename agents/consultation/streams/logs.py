"""What a streaming agent noted of one piece, or of an hour of segments, in one value. Pure."""

from itertools import islice

from attrs import evolve, field, frozen

from agents.stream_log import Begun, Ended, GapEntry, LoggedGap, TitleEntry, read_log

LOG_LIMIT = 4 * 1024 * 1024  # bytes of a log that are read
_LINES = 50_000
_TITLES = 5_000


@frozen
class StreamLog:
    """A log (docs/reference/stream-logs.md).

    Attributes:
        begun: its first line.
        titles: what was said of what is on the air, in the order in which that was said.
        gaps: times in which nothing was received.
        end: date of its last line.
        content: SHA-256 of the piece, or empty.
    """

    begun: Begun
    titles: tuple[TitleEntry, ...] = field(default=(), repr=False)
    gaps: tuple[LoggedGap, ...] = ()
    end: str = ""
    content: str = ""

    def said_before(self, byte: int) -> TitleEntry | None:
        """Return what was said last before a byte of the piece."""
        return next((title for title in reversed(self.titles) if (title.byte or 0) <= byte), None)


def log_of(data: bytes) -> StreamLog | None:
    """Return what a content says as a log; None when it does not begin as one."""
    lines = islice(read_log(data[:LOG_LIMIT]), _LINES)
    begun = next(lines, None)
    if not isinstance(begun, Begun):
        return None
    titles: list[TitleEntry] = []
    gaps = [] if begun.gap is None else [begun.gap]
    log = StreamLog(begun, end=begun.date)
    for line in lines:
        if isinstance(line, TitleEntry) and len(titles) < _TITLES:
            titles.append(line)
        elif isinstance(line, GapEntry) and len(gaps) < _TITLES:
            gaps.append(line.gap)
        if isinstance(line, Ended):
            log = evolve(log, end=line.end, content=line.content)
        elif not isinstance(line, Begun):
            log = evolve(log, end=max(log.end, line.at))
    return evolve(log, titles=tuple(titles), gaps=tuple(gaps))
