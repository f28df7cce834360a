"""A radio in an archive in memory: pieces, their entries and their logs."""

import subprocess
from pathlib import Path
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
    protocol: str = "icy",
    kind: str = "",
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
    kind = kind or head.partition(b"Content-Type: ")[2].partition(b"\r")[0].decode()
    lines: list[Any] = [
        Begun(
            url, piece.at(0), session, 1, protocol, kind, name, "Music for tests", "mixed",
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


@frozen
class Channel:
    """A channel of HLS that was collected while it was live: a segment of two seconds each.

    Attributes:
        url: of its media playlist.
        segments: their bytes, in order.
        first: the initialisation section; empty where segments need none.
    """

    url: str
    segments: list[bytes]
    first: bytes = b""


TELEVISION = "http://tv.example/live/"
_HLS = b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\n\r\n"
_WINDOW = 3  # segments in a playlist
LENGTH = 2.0  # seconds of a segment


def make_channel(folder: Path, seconds_of_it: int, fragmented: bool = True) -> Channel:
    """Have ffmpeg cut tones and a test picture into segments."""
    wave = "0.4*sin(2*PI*(300+20*mod(floor(t),200))*t)"
    kind = ["-hls_segment_type", "fmp4"] if fragmented else []
    suffix = "m4s" if fragmented else "ts"
    command = [
        "ffmpeg", "-v", "error", "-y",
        "-f", "lavfi", "-i", f"testsrc2=size=160x120:rate=10:duration={seconds_of_it}",
        "-f", "lavfi", "-i", f"aevalsrc='{wave}|{wave}':s=44100:d={seconds_of_it}",
        "-c:v", "libx264", "-profile:v", "baseline", "-pix_fmt", "yuv420p", "-g", "10",
        "-preset", "ultrafast", "-b:v", "50k", "-c:a", "aac", "-b:a", "64k",
        "-f", "hls", "-hls_time", str(LENGTH), "-hls_list_size", "0", *kind,
        "-hls_segment_filename", str(folder / f"%d.{suffix}"), str(folder / "live.m3u8"),
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=60)
    count = int(seconds_of_it / LENGTH)
    segments = [(folder / f"{number}.{suffix}").read_bytes() for number in range(count)]
    first = (folder / "init.mp4").read_bytes() if fragmented else b""
    return Channel(f"{TELEVISION}live.m3u8", segments, first)


def keep_channel(archive: Any, channel: Channel) -> None:
    """Put the channel in the archive as it went on: each segment, and the playlist after it."""
    suffix = "m4s" if channel.first else "ts"
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n"
    kind = plain % (b"video/mp4" if channel.first else b"video/mp2t")
    if channel.first:
        archive.add(f"{TELEVISION}init.mp4", channel.first, head=kind, date=moment(0))
    for number, segment in enumerate(channel.segments):
        date = moment((number + 1) * LENGTH)
        archive.add(f"{TELEVISION}{number}.{suffix}", segment, head=kind, date=date)
        playlist = playlist_of(number, bool(channel.first))
        archive.add(channel.url, playlist, head=_HLS, date=date)


def playlist_of(last: int, fragmented: bool = True) -> bytes:
    """Return the playlist that ends with a segment."""
    first = max(0, last + 1 - _WINDOW)
    suffix = "m4s" if fragmented else "ts"
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:2"]
    lines.append(f"#EXT-X-MEDIA-SEQUENCE:{first}")
    if fragmented:
        lines.append('#EXT-X-MAP:URI="init.mp4"')
    for number in range(first, last + 1):
        lines += [f"#EXTINF:{LENGTH:.6f},", f"{number}.{suffix}"]
    return ("\n".join(lines) + "\n").encode()
