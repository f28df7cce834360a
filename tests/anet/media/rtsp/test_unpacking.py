"""Media out of packets, each encoding by its own rules."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.media.rtsp.description import Track, read_description
from anet.media.rtsp.rtp import Packet, packet_in
from anet.media.rtsp.tracks import Playable, TrackReader, playable
from anet.media.rtsp.unpacking import Unpacker, unpacker_for
from tests.anet.media.rtsp.wire import DESCRIPTION, MP3, frame, opening, packet

units = st.lists(st.binary(min_size=1, max_size=500), min_size=1, max_size=5)
SETS = b"\0\0\0\1\x67\x64\x00\x0b\xac\0\0\0\1\x68\xeb\xe3"


def track(encoding: str, rate: int = 90000, channels: int = 1, **parameters: str) -> Track:
    """Return a track."""
    return Track("audio", "", encoding, rate, channels, parameters)


def unpacker(track: Track) -> Unpacker:
    """Return what unpacks a track."""
    found = unpacker_for(track)
    assert found is not None
    return found


def pack_of(payload: bytes, marker: bool = True) -> Packet:
    """Return a packet."""
    return Packet(marker, 0, 0, 0, payload)


AAC = read_description(DESCRIPTION).tracks[1]
H264 = read_description(DESCRIPTION).tracks[0]


def adts(data: bytes) -> list[bytes]:
    """Return the units of a stream of ADTS whose headers say 44.1 kHz and two channels."""
    found, at = [], 0
    while at < len(data):
        assert data[at : at + 3] == b"\xff\xf1\x50"
        assert data[at + 3] >> 6 == 2
        length = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        found.append(data[at + 7 : at + length])
        at += length
    return found


@given(units)
def test_units_of_aac(sent: list[bytes]) -> None:
    """Units in one packet are given each with its header."""
    headers = b"".join((len(each) << 3).to_bytes(2, "big") for each in sent)
    payload = (len(sent) * 16).to_bytes(2, "big") + headers + b"".join(sent)
    assert adts(unpacker(AAC).take(pack_of(payload), True)) == sent


@given(st.binary(min_size=2, max_size=900), st.integers(1, 899), st.booleans())
def test_a_unit_of_aac_in_two_packets(unit: bytes, place: int, is_next: bool) -> None:
    """It is put together, or left out where a part is missing."""
    place = min(place, len(unit) - 1)
    header = b"\0\x10" + (len(unit) << 3).to_bytes(2, "big")
    taking = unpacker(AAC)
    assert taking.take(pack_of(header + unit[:place], False), True) == b""
    given = taking.take(pack_of(header + unit[place:]), is_next)
    assert adts(given) == ([unit] if is_next else [])


@given(units)
def test_units_of_latm(sent: list[bytes]) -> None:
    """Units whose lengths are written in bytes of 255 and a rest are given with headers."""
    payload = b"".join(b"\xff" * (len(each) // 255) + bytes([len(each) % 255]) + each
                       for each in sent)  # fmt: skip
    taking = unpacker(track("MP4A-LATM", cpresent="0", config="400024203fc0"))
    half = len(payload) // 2
    assert taking.take(pack_of(payload[:half], False), True) == b""
    assert adts(taking.take(pack_of(payload[half:]), True)) == sent


nals = st.builds(
    lambda kind, rest: bytes([0x60 | kind]) + rest,
    st.integers(1, 23),
    st.binary(min_size=1, max_size=400),
)


@given(nals, st.integers(1, 399), st.booleans())
def test_a_part_of_a_picture_in_fragments(nal: bytes, place: int, is_next: bool) -> None:
    """It is put together behind a start code, or left out where a fragment is missing."""
    taking = unpacker(H264)
    assert taking.take(pack_of(b""), True) == SETS
    place = min(place, len(nal) - 1)
    indicator = bytes([nal[0] & 0xE0 | 28])
    kind = nal[0] & 31
    first = indicator + bytes([0x80 | kind]) + nal[1:place]
    last = indicator + bytes([0x40 | kind]) + nal[place:]
    if place > 1:
        assert taking.take(pack_of(first), True) == b""
        given = taking.take(pack_of(last), is_next)
        assert given == (b"\0\0\0\1" + nal if is_next else b"")


@given(st.lists(nals, min_size=1, max_size=4))
def test_several_parts_of_pictures(sent: list[bytes]) -> None:
    """Parts in one packet, or each in its own, are given behind start codes."""
    several = b"\x78" + b"".join(len(each).to_bytes(2, "big") + each for each in sent)
    wanted = b"".join(b"\0\0\0\1" + each for each in sent)
    assert unpacker(H264).take(pack_of(several), True) == SETS + wanted
    alone = unpacker(H264)
    assert b"".join(alone.take(pack_of(each), True) for each in sent) == SETS + wanted


def test_samples_become_a_wave() -> None:
    """Samples are given behind one head, in the order of bytes that WAV has."""
    taking = unpacker(track("L16", 44100, 2))
    first = taking.take(pack_of(b"\x01\x02\x03\x04"), True)
    assert (first[:4], first[8:16], first[44:]) == (b"RIFF", b"WAVEfmt ", b"\x02\x01\x04\x03")
    assert taking.take(pack_of(b"\x05\x06"), True) == b"\x06\x05"
    assert unpacker(track("PCMU", 8000)).take(pack_of(b"\x7f"), True)[44:] == b"\x7f"


def test_what_makes_no_sense_is_not_unpacked() -> None:
    """An encoding that is not known, or bad parameters, give nothing that plays."""
    assert unpacker_for(track("VORBIS")) is None
    assert unpacker_for(track("MPEG4-GENERIC")) is None
    assert unpacker_for(track("MPEG4-GENERIC", config="zz", sizelength="13")) is None
    assert unpacker_for(track("MPEG4-GENERIC", config="1210", sizelength="99")) is None
    assert unpacker_for(track("MP4A-LATM", cpresent="0", config="ffffffff")) is None
    assert unpacker_for(track("MP4A-LATM")) is None
    assert unpacker_for(track("L16", 2**30, 2**10)) is None
    assert unpacker_for(track("H264", **{"sprop-parameter-sets": "A"})) is None


@given(st.sampled_from([AAC, H264, track("MP4A-LATM", cpresent="0", config="400024203fc0"),
                        track("L16"), track("MPA"), track("MP2T")]),
       st.lists(st.tuples(st.binary(max_size=80), st.booleans()), max_size=8))  # fmt: skip
def test_hostile_packets(track: Track, sent: list[tuple[bytes, bool]]) -> None:
    """Whatever is in packets, something or nothing is given."""
    taking = unpacker(track)
    for payload, marker in sent:
        taking.take(pack_of(payload, marker), True)


@given(st.binary(max_size=60))
def test_any_packet_is_read_or_not(data: bytes) -> None:
    """Whatever a frame holds, it is a packet or none."""
    packet_in(data)
    packet_in(b"\xb5" + data)


# A track of a kept stream

STREAM = opening(MP3, 4) + b"".join(
    frame(4, packet(bytes(4) + b"<%d>" % number, number)) + frame(5, b"\x80\xc8\0\0")
    for number in range(20)
)


@given(st.lists(st.integers(0, 2000), max_size=8))
def test_a_track_does_not_depend_on_how_it_is_fed(places: list[int]) -> None:
    """The media are the same, however the kept stream is cut."""
    reader = TrackReader()
    ends = sorted({0, len(STREAM), *(place % len(STREAM) for place in places)})
    given = b"".join(reader.feed(STREAM[a:b]) for a, b in zip(ends, ends[1:], strict=False))
    assert given == b"".join(b"<%d>" % number for number in range(20))
    assert reader.media_type == "audio/mpeg"


spoilt = st.one_of(
    st.binary(max_size=30),
    st.sampled_from([b"$", b"RTSP/1.0 200 OK\r\n", b"\r\n", b"GET_PARAMETER * RTSP/1.0\r\n\r\n",
                     frame(4, packet(bytes(4) + b"[]", 3)), opening(MP3, 4)]),
)  # fmt: skip


@given(st.lists(spoilt, max_size=8), st.lists(st.integers(0, 2000), max_size=8))
def test_spoilt_streams(parts: list[bytes], places: list[int]) -> None:
    """What is nothing of RTSP is passed over, alike however the stream is cut."""
    data = b"".join([STREAM[:600], *parts, STREAM])
    reader = TrackReader()
    ends = sorted({0, len(data), *(place % len(data) for place in places)})
    given = b"".join(reader.feed(data[a:b]) for a, b in zip(ends, ends[1:], strict=False))
    assert given == TrackReader().feed(data)


def test_pieces_of_a_stream() -> None:
    """A preamble before a later piece changes nothing; what is half at a cut is passed over."""
    preamble = opening(MP3, 4)
    middle = len(preamble) + (len(STREAM) - len(preamble)) // 2 + 3
    reader = TrackReader()
    given = reader.feed(preamble) + reader.feed(STREAM[middle:])
    assert given.endswith(b"<11><12><13><14><15><16><17><18><19>")
    assert reader.feed(preamble + frame(4, packet(bytes(4) + b"<20>", 20))) == b"<20>"


def test_which_tracks_play() -> None:
    """A preamble tells which tracks can be given; sound is chosen where nothing is said."""
    preamble = opening(DESCRIPTION, 0, 2)
    assert playable(preamble) == [
        Playable(0, "video", "video/h264"),
        Playable(2, "audio", "audio/aac"),
    ]
    reader = TrackReader()
    reader.feed(preamble + frame(0, packet(b"\x65picture")))
    assert reader.media_type == "audio/aac"
    assert TrackReader(9).feed(STREAM) == b""


LATM = track("MP4A-LATM", 44100, cpresent="0", config="400024103fc0")


@pytest.mark.parametrize("described", [AAC, LATM, H264])
@pytest.mark.parametrize("payload", [bytes(9), b"\xff" * 9, b"\x7c\x05a", b"\x18\0\0\0\0\xff\xffa"])
def test_lengths_that_lie(described: Track, payload: bytes) -> None:
    """Units of no bytes, or of more than came, are none."""
    assert unpacker(described).take(pack_of(payload), True).removeprefix(SETS) == b""


@pytest.mark.parametrize("described", [AAC, LATM, H264])
def test_a_large_unit_in_small_packets(described: Track) -> None:
    """What takes very many packets is put together in the time that its bytes take."""
    made = unpacker(described)
    made.take(pack_of(b"\x7c\x85" + b"a" * 3_900_000, marker=False), True)
    before = process_time()
    for _ in range(5000):
        made.take(pack_of(b"\x7c\x05a", marker=False), True)
    assert process_time() - before < 0.5


def test_many_units_in_one_packet() -> None:
    """A packet of the largest size, full of lengths of nothing, is done with soon."""
    narrow = track("MPEG4-GENERIC", config="1210", sizelength="1")
    for described in (narrow, LATM):
        before = process_time()
        for _ in range(10):
            unpacker(described).take(pack_of(b"\xff\xff" + bytes(65_000)), True)
        assert process_time() - before < 0.5


def test_packets_out_of_order() -> None:
    """What comes behind its place is left out: what follows it was given already."""
    frames = [frame(0, packet(bytes(4) + b"<%d>" % number, number)) for number in (0, 2, 1, 3, 3)]
    assert TrackReader().feed(opening(MP3, 0) + b"".join(frames)) == b"<0><2><3>"
