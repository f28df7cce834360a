"""The file of Windows Media in the chunks of a server."""

import contextlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mms import PACKET, chunk, needs_ffmpeg

from anet.errors import MalformedMessage
from anet.media.errors import MediaError, StreamBroken, StreamEnded
from anet.media.mms.chunks import GIVEN_LIMIT, HEADER_LIMIT, Unframing
from anet.media.mms.header import read_header
from anet.media.timing.advanced_systems import FILE_PROPERTIES, HEADER

STREAM = bytes.fromhex("9107dcb7b7a9cf118ee600c00c205365")


def header(packet: int = PACKET, streams: int = 2) -> bytes:
    """Return a header: what it says of the file, and of each stream."""
    rates = packet.to_bytes(4, "little") * 2 + (64_123).to_bytes(4, "little")
    file = FILE_PROPERTIES + bytes(76) + rates
    each = [STREAM + bytes(56) + bytes([number + 1, 0x80]) for number in range(streams)]
    return HEADER + bytes(14) + file + b"".join(each)


packets = st.lists(st.binary(max_size=PACKET), max_size=6)


@given(packets, st.lists(st.integers(0, 9999), max_size=8))
def test_packets_are_filled_up(sent: list[bytes], places: list[int]) -> None:
    """However the connection cuts it, the file is its header and packets of one size."""
    data = chunk(b"H", header()) + b"".join(chunk(b"D", each) for each in sent)
    data += chunk(b"E", bytes(4)) + b"what follows"
    ends = sorted({0, len(data), *(place % len(data) for place in places)})
    unframing = Unframing()
    given = b"".join(unframing.feed(data[a:b]) for a, b in zip(ends, ends[1:], strict=False))
    assert given == header() + b"".join(each.ljust(PACKET, b"\0") for each in sent)
    assert isinstance(unframing.end, StreamEnded)


def test_a_header_in_parts() -> None:
    """A header that takes several chunks is given when it is whole."""
    unframing = Unframing()
    assert unframing.feed(chunk(b"H", header()[:99], flags=0x04)) == b""
    assert unframing.feed(chunk(b"M", b"whatever") + b"$") == b""
    assert unframing.feed(chunk(b"H", header()[99:], flags=0x08)[1:]) == header()


@pytest.mark.parametrize(
    ("data", "kind", "why"),
    [
        (chunk(b"C", bytes(4)), StreamBroken, "another program"),
        (chunk(b"H", header()), StreamBroken, "another program"),
        (chunk(b"E", b"\1\0\0\0"), StreamBroken, "another program"),
        (chunk(b"E", bytes(4)), StreamEnded, "ended"),
        (b"HTTP/1.1 200 OK", StreamBroken, "no chunk"),
        (b"$Z\0\0", StreamBroken, "no chunk"),
        (b"$D\1\0\0", StreamBroken, "of 1 bytes"),
        (chunk(b"D", bytes(PACKET + 1)), StreamBroken, "not of 1600"),
    ],
)
def test_how_it_ends(data: bytes, kind: type[MediaError], why: str) -> None:
    """The end is told, and nothing after it is given."""
    unframing = Unframing()
    unframing.feed(chunk(b"H", header()))
    packet = chunk(b"D", b"packet")
    given = unframing.feed(packet + data + packet)
    assert given == b"packet".ljust(PACKET, b"\0")
    assert type(unframing.end) is kind
    assert why in str(unframing.end)


@pytest.mark.parametrize(
    "data",
    [
        chunk(b"D", b"before its header"),
        chunk(b"H", b"no header"),
        chunk(b"H", header(packet=0)),
        chunk(b"H", header(packet=2**20)),
        chunk(b"H", bytes(60_000), flags=0) * (HEADER_LIMIT // 60_000 + 1),
    ],
)
def test_what_is_refused(data: bytes) -> None:
    """What cannot be understood breaks the stream."""
    unframing = Unframing()
    assert unframing.feed(data) == b""
    assert type(unframing.end) is StreamBroken


@pytest.mark.parametrize("sent", [chunk(b"D", b""), b"$P\0\0"])
def test_floods(sent: bytes) -> None:
    """Small chunks that stand for large packets, or for nothing, fill neither memory nor time."""
    unframing = Unframing()
    unframing.feed(chunk(b"H", header(65_535)))
    given = unframing.feed(sent * 200_000)
    assert len(given) < GIVEN_LIMIT + 2 * 65_535
    assert type(unframing.end) is StreamBroken
    assert "at once" in str(unframing.end)


@given(st.binary(max_size=200))
def test_hostile_bytes(data: bytes) -> None:
    """Whatever comes is given, waited for, or ends it."""
    Unframing().feed(data)
    unframing = Unframing()
    unframing.feed(chunk(b"H", header()) + data)
    with contextlib.suppress(MalformedMessage):
        read_header(header()[:40] + data)


def test_what_a_header_says() -> None:
    """It tells packets, streams and bit rate."""
    found = read_header(header())
    assert (found.packet, found.streams, found.bitrate) == (PACKET, (1, 2), 64)
    assert found.media_type == "audio/x-ms-wma"


@needs_ffmpeg
def test_chunks_that_ffmpeg_makes(tmp_path: Path) -> None:
    """What ffmpeg writes for servers is read as the file that it writes."""
    how = ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=2", "-c:a", "wmav2"]
    said = ["-metadata", "title=News", "-metadata", "author=Somebody", "-packet_size", str(PACKET)]
    for form in ("asf", "asf_stream"):
        file = str(tmp_path / form)
        subprocess.run(["ffmpeg", *how, *said, "-f", form, file], check=True, timeout=60)
    unframing = Unframing()
    given = unframing.feed((tmp_path / "asf_stream").read_bytes())
    assert unframing.header is not None
    assert (unframing.header.title, unframing.header.author) == ("News", "Somebody")
    begin = given.index(bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")) + 50
    file = (tmp_path / "asf").read_bytes()
    packets = given[begin:]
    assert len(packets) > 5 * PACKET
    assert packets in file
