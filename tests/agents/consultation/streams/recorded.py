"""A radio in an archive in memory: pieces, their entries and their logs."""

from typing import Any

from attrs import field, frozen

from agents.capture import content_key
from agents.consultation.streams.legs import seconds
from agents.dates import from_timestamp
from agents.stream import log_name
from agents.stream_log import Begun, Ended, LoggedGap, TitleEntry, encoded
from agents.stream_offset import StreamOffset

RADIO = "http://radio.example/live"
BEGIN = "20260301120000000000"
HEAD = (
    b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Radio Example\r\nicy-metaint: 8000\r\n"
    b"Accept-Ranges: bytes\r\nSet-Cookie: heard=1\r\n\r\n"
)


@frozen
class Recorded:
    """A piece that was received at an even pace.

    Attributes:
        begin: seconds after `BEGIN` at which its first byte came.
        length: seconds that it took.
        data: its bytes.
        titles: by the second of the piece at which they were said.
        session: seconds after `BEGIN` at which the reception began; that of the piece by itself.
        preamble: of its log.
    """

    begin: float
    length: float
    data: bytes
    titles: dict[float, str] = field(factory=dict)
    session: float = -1.0
    preamble: bytes = b""

    def at(self, second: float) -> str:
        """Return the date of a second of the piece."""
        return from_timestamp(seconds(BEGIN) + self.begin + second)


def moment(second: float) -> str:
    """Return the date so many seconds after the first byte of all."""
    return from_timestamp(seconds(BEGIN) + second)


def keep_piece(
    archive: Any,
    piece: Recorded,
    url: str = RADIO,
    head: bytes = HEAD,
    every: float = 30.0,
    gap: tuple[float, float] | None = None,
    name: str = "Radio Example",
) -> str:
    """Put a piece, its entries and its log in the archive; return its key."""
    size = len(piece.data)
    steps = [every * step for step in range(int((piece.length - 0.001) // every) + 1)]
    for second in [*steps, piece.length]:
        offset = StreamOffset(round(second * 1000), int(size * second / piece.length))
        archive.add(url, piece.data, head=head, date=piece.at(second), metadata=offset.metadata)
    key = content_key(piece.data)
    session = moment(piece.begin if piece.session < 0 else piece.session)
    why = None if gap is None else LoggedGap(moment(gap[0]), moment(gap[1]), "silence")
    kind = head.partition(b"Content-Type: ")[2].partition(b"\r")[0].decode()
    lines: list[Any] = [
        Begun(
            url, piece.at(0), session, 1, "icy", kind, name, "Music for tests", "mixed",
            preamble=piece.preamble, gap=why,
        )
    ]  # fmt: skip
    for second, title in piece.titles.items():
        byte = int(size * second / piece.length)
        lines.append(TitleEntry(title, piece.at(second), round(second * 1000), byte))
    lines.append(Ended(piece.at(piece.length), round(piece.length * 1000), "time", size, key))
    log = b"".join(map(encoded, lines))
    archive.add(log_name(url), log, head=b"HTTP/1.1 200 OK\r\n\r\n", date=piece.at(0))
    return key
