"""What a streaming agent noted of one piece, or of an hour of segments, in one value. Pure."""

from attrs import field, frozen

from agents.stream_log import Begun, Ended, GapEntry, LoggedGap, TitleEntry, read_log

LOG_LIMIT = 9 * 1024 * 1024  # bytes; a streaming agent writes no longer one
_LINES = 10_000  # that are read, and the last: the reactor waits for them
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
    lines = read_log(b"\n".join(data.split(b"\n", _LINES)[:_LINES]))
    begun = next(lines, None)
    if not isinstance(begun, Begun):
        return None
    titles: list[TitleEntry] = []
    gaps = [] if begun.gap is None else [begun.gap]
    end, content = begun.date, ""
    for line in lines:
        if isinstance(line, TitleEntry) and len(titles) < _TITLES:
            titles.append(line)
        elif isinstance(line, GapEntry) and len(gaps) < _TITLES:
            gaps.append(line.gap)
        if not isinstance(line, Begun | Ended):
            end = max(end, line.at)
    last = next(read_log(data.rstrip().rpartition(b"\n")[2]), None)
    if isinstance(last, Ended):
        end, content = last.end, last.content
    return StreamLog(begun, tuple(titles), tuple(gaps), end, content)
