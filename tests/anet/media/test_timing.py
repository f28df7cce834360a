"""The time in the media, against what ffprobe finds in them."""

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_media import FFMPEG, FORMATS, Made, decoded, make
from timing import processor_seconds

from anet.media.interface import ISignalClock, Said
from anet.media.timing import clock_for
from anet.media.timing.advanced_systems import DATA as ASF_DATA
from anet.media.timing.advanced_systems import HEADER as ASF_HEADER
from anet.media.timing.walk import PREAMBLE_LIMIT, TAGS

needs_ffmpeg = pytest.mark.skipif(FFMPEG is None, reason="ffmpeg is not there")
each_format = pytest.mark.parametrize("made", FORMATS, ids=[made.name for made in FORMATS])
STEPLESS = ["constant.mp3", "variable.mp3", "layer2.mp2", "adts.aac", "loas.latm", "radio.ts"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where media are made once."""
    return tmp_path_factory.mktemp("media")


def media(folder: Path, name: str) -> bytes:
    """Return media by their name."""
    return make(next(made for made in FORMATS if made.name == name), folder)


def heard(clock: ISignalClock, data: bytes, step: int = 16384) -> list[tuple[int, Said]]:
    """Feed a clock, and return what was said."""
    pieces = (data[start : start + step] for start in range(0, len(data), step))
    return [said for piece in pieces for said in clock.feed(piece)]


def told(clock: ISignalClock) -> tuple[int, int, float, bytes]:
    """Return all that a clock tells."""
    return clock.position, clock.boundary, clock.seconds, clock.preamble


def clock_of(data: bytes, step: int = 16384) -> ISignalClock:
    """Return the clock of media that were heard."""
    clock = clock_for("", data[:16384])
    heard(clock, data, step)
    return clock


@needs_ffmpeg
@each_format
def test_the_time_is_that_of_the_media(made: Made, folder: Path) -> None:
    """To a frame, up to the boundary, which is near the end; by the bytes alone."""
    data = make(made, folder)
    clock = clock_of(data)
    assert type(clock).__name__ == made.clock
    assert clock.position == len(data)
    several = 0.1 if "television" in made.name else 0.03  # tracks end at moments of their own
    assert clock.seconds == pytest.approx(decoded(data[: clock.boundary], made.stream), abs=several)
    assert clock.seconds == pytest.approx(decoded(data, made.stream), abs=made.slack)


@needs_ffmpeg
@each_format
def test_media_may_be_cut_at_a_boundary(made: Made, folder: Path) -> None:
    """What begins there decodes behind the preamble, and lasts as long as is missing before it."""
    data = make(made, folder)
    first = clock_of(data[: len(data) * 2 // 3])
    assert first.boundary > 0
    rest = first.preamble + data[first.boundary :]
    if made.name != "flac.ogg":  # ffprobe counts what lies before the place where one joins
        both = first.seconds + decoded(rest, made.stream)
        assert both == pytest.approx(decoded(data, made.stream), abs=0.15)
    if made.name.startswith(("constant", "layer2", "adts", "vorbis", "flac", "radio")):
        command = [str(FFMPEG), "-v", "error", "-i", "-", "-f", "null", "-"]
        spoken = subprocess.run(command, input=rest, capture_output=True, check=True, timeout=60)
        lines = spoken.stderr.decode().splitlines()
        harmless = ("invalid new backstep", "non monotonically", "Header missing")
        assert [line for line in lines if not any(word in line for word in harmless)] == []


@needs_ffmpeg
@each_format
def test_cuts_change_nothing(made: Made, folder: Path) -> None:
    """However the network hands out the bytes, they tell the same."""
    data = make(made, folder)[:60_000]
    whole, cut = clock_for("", data), clock_for("", data)
    said = list(whole.feed(data))
    chance, start, other = random.Random(made.name), 0, []
    while start < len(data):
        step = chance.choice((1, 2, 3, 13, 188, 1000, 5000))
        other += cut.feed(data[start : start + step])
        start += step
    assert (told(cut), other) == (told(whole), said)


@needs_ffmpeg
@each_format
def test_the_clock_goes_on_behind_damage(made: Made, folder: Path) -> None:
    """A stretch that was spoilt, and one that is missing, cost little more than they lasted."""
    data = make(made, folder)
    whole, middle = clock_of(data), len(data) // 2
    spoilt = data[:middle] + random.Random(1).randbytes(1500) + data[middle + 1500 :]
    missing = data[:middle] + data[middle + 1500 :]
    for damaged in (spoilt, missing):
        clock = clock_of(damaged)
        assert whole.seconds - max(0.8, 2 * made.slack) <= clock.seconds <= whole.seconds + 0.1
        assert len(damaged) - clock.boundary == len(data) - whole.boundary


@needs_ffmpeg
@pytest.mark.parametrize("name", STEPLESS)
def test_one_who_comes_late_finds_the_step(name: str, folder: Path) -> None:
    """A server lets listeners in anywhere."""
    data = media(folder, name)
    joined = data[len(data) // 3 + 17 :]
    clock = clock_of(joined)
    assert type(clock) is type(clock_of(data))
    assert clock.seconds == pytest.approx(clock_of(data).seconds * 2 / 3, abs=0.3)


@needs_ffmpeg
@pytest.mark.parametrize("name", ["vorbis.ogg", "opus.ogg", "flac.ogg", "speex.ogg"])
def test_ogg_is_joined_in_the_middle(name: str, folder: Path) -> None:
    """Headers come first, then pages that begin somewhere: none of their time is lost."""
    data = media(folder, name)
    pages = [at for at in range(len(data)) if data.startswith(b"OggS\0", at)]
    headers = clock_of(data).preamble
    late = pages[len(pages) // 2]
    clock, before = clock_of(headers + data[late:]), clock_of(data[:late])
    whole = clock_of(data)
    assert before.boundary == late
    assert clock.seconds == pytest.approx(whole.seconds - before.seconds, abs=0.15)
    assert clock.boundary == len(headers) + len(data) - late


@needs_ffmpeg
def test_a_chain_of_ogg_says_each_title(folder: Path) -> None:
    """Where its headers begin, while time goes on, also over another codec."""
    first, second = media(folder, "vorbis.ogg"), media(folder, "opus.ogg")
    clock = clock_for("application/ogg", first[:4096])
    said = heard(clock, first + second)
    assert [(place, each.title) for place, each in said] == [
        (0, "Deux - Un"),
        (len(first), "Deux - Un"),
    ]
    assert said[0][1].fields["title"] == "Un"
    assert clock.seconds == pytest.approx(24.0, abs=0.03)
    assert clock.preamble == clock_of(second).preamble
    assert b"OpusHead" in clock.preamble
    assert b"vorbis" not in clock.preamble


@needs_ffmpeg
def test_id3_tags_between_frames_are_titles(folder: Path) -> None:
    """Also a long one, but no old one, which comes too late; they take no time."""
    data, frame = media(folder, "constant.mp3"), 417
    tag = id3(("TIT2", "Été"), ("TPE1", "Nous"))
    picture = id3(("TIT2", "Image"), ("COMM", "x" * 200_000))
    old = b"TAG" + b"Ancien".ljust(30, b"\0") + bytes(95)
    cut = clock_of(data[: 100 * frame]).boundary
    mixed = data[:cut] + tag + data[cut:] + picture + data[cut:] + old + data[cut:]
    clock = clock_for("audio/mpeg", mixed)
    said = heard(clock, mixed, 1000)
    assert [each.title for _, each in said] == ["Nous - Été", "Image"]
    assert said[0][0] == cut
    assert said[0][1].raw == tag
    before = clock_of(data[:cut]).seconds
    assert clock.seconds == pytest.approx(3 * clock_of(data).seconds - 2 * before, abs=0.001)


@needs_ffmpeg
def test_the_header_of_asf_says_a_title(folder: Path) -> None:
    """And comes again where another title begins; time goes on."""
    data = media(folder, "radio.asf")
    clock = clock_for("", data)
    said = heard(clock, data + data)
    assert [(place, each.title) for place, each in said] == [
        (0, "Deux - Un"),
        (len(data), "Deux - Un"),
    ]
    assert clock.seconds == pytest.approx(2 * clock_of(data).seconds, abs=0.5)


@needs_ffmpeg
def test_clocks_that_wrap_or_jump_go_on(folder: Path) -> None:
    """A channel that begins again, as at another program, adds to the time."""
    for name in ("radio.ts", "radio.flv", "radio.webm", "radio.mp4"):
        data = media(folder, name)
        clock = clock_of(data + data)
        assert clock.seconds == pytest.approx(2 * clock_of(data).seconds, abs=2.1), name


def packet(pid: int, payload: bytes, begins: bool) -> bytes:
    """Return a packet of a transport stream, filled up in its header."""
    filling = 184 - len(payload)
    head = bytes([0x47, begins << 6 | pid >> 8, pid & 0xFF, 0x30 if filling else 0x10])
    if filling:
        head += bytes([filling - 1]) + (b"\0" + b"\xff" * filling)[: filling - 1]
    return head + payload


def test_id3_in_a_transport_stream_is_a_title() -> None:
    """Over several packets, with others between; tables say where it is."""
    programs = packet(0, b"\0\0\xb0\x0d\0\1\xc1\0\0\0\1\xf0\0" + bytes(4), True)
    entry = b"\x0f\xe1\0\xf0\0" + b"\x15\xe1\2\xf0\0"
    streams = packet(0x1000, b"\0\2\xb0\x17\0\1\xc1\0\0\xe1\0\xf0\0" + entry + bytes(4), True)
    tag = id3(("TIT2", "Titre " * 50), ("TPE1", "Nous"))
    told = b"\0\0\1\xbd\0\0\x80\x80\5" + bytes(5) + tag
    sound = packet(0x100, b"\0\0\1\xc0" + bytes(180), True)
    packets = [packet(0x102, told[:184], True), sound, packet(0x102, told[184:], False), sound]
    data = programs + streams + b"".join(packets) * 2
    for step in (1000, 17):
        clock = clock_for("video/mp2t", data)
        said = heard(clock, data, step)
        assert [(place // 188, each.title[:12]) for place, each in said] == [
            (2, "Nous - Titre"),
            (6, "Nous - Titre"),
        ]
        assert said[0][1].raw == tag


def id3(*frames: tuple[str, str]) -> bytes:
    """Return a tag of version 2.4."""
    body = b"".join(
        name.encode() + sevens(len(value.encode()) + 1) + b"\0\0\x03" + value.encode()
        for name, value in frames
    )
    return b"ID3\x04\0\0" + sevens(len(body)) + body


def sevens(number: int) -> bytes:
    """Return a number of 28 bits in four bytes."""
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def test_what_is_unknown_goes_by_its_bit_rate() -> None:
    """Or tells no time, where none is said; it may be cut anywhere."""
    data = b"what is this " * 2000
    clock = clock_for("audio/x-unheard-of", data, bitrate=128)
    clock.feed(data)
    assert (clock.boundary, clock.seconds) == (len(data), len(data) / 16000)
    clock = clock_for("audio/x-unheard-of", data)
    clock.feed(data)
    assert (clock.boundary, clock.seconds) == (len(data), 0.0)


@needs_ffmpeg
def test_bytes_tell_more_than_a_server(folder: Path) -> None:
    """Media types are often wrong; a few bytes are waited for, if the first ones are too few."""
    data = media(folder, "adts.aac")
    for head in (data[:16384], data[:100], b""):
        clock = clock_for("audio/mpeg", head)
        heard(clock, data, 1000)
        assert clock.seconds == clock_of(data).seconds


TYPES = st.sampled_from(
    [
        "audio/mpeg",
        "audio/aacp",
        "application/ogg",
        "video/mp2t",
        "video/mp4",
        "video/webm",
        "video/x-flv",
        "video/x-ms-asf",
        "text/plain",
    ]
)
WORDS = st.sampled_from(
    [b"\xff\xfb\x90\0", b"\xff\xf1\x50\x80\x02\x1f\xfc", b"OggS\0", b"G\x40\0\x10", b"moof", b"\0"]
    + [b"\x1f\x43\xb6\x75\xff", b"\xe7\x81\1", b"ID3\4\0\0\0\0\0\x20", b"\x82\0\0", b"FLV\1"]
    + [b"\0\0\0\x10moof\0\0\0\x08traf", b"\x1a\x45\xdf\xa3\x84", b"\x08\0\0\1\0\0\0\0\0\0\0"]
)
HOSTILE = st.lists(st.one_of(WORDS, st.binary(max_size=30)), max_size=60).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(TYPES, st.binary(max_size=20), HOSTILE, st.lists(st.integers(1, 300), min_size=1))
def test_any_bytes_tell_something(kind: str, head: bytes, data: bytes, steps: list[int]) -> None:
    """Nothing raises; boundary and time never go back; cuts change nothing."""
    data = data * 20
    whole, cut = (clock_for(kind, head.ljust(9000, b"\0")) for _ in range(2))
    said = list(whole.feed(data))
    start, other = 0, []
    while start < len(data):
        before = cut.boundary, cut.seconds
        step = steps[start % len(steps)]
        other += cut.feed(data[start : start + step])
        start += step
        assert before[0] <= cut.boundary <= cut.position
        assert before[1] <= cut.seconds
        assert len(cut.preamble) <= PREAMBLE_LIMIT
    assert (told(cut), other) == (told(whole), said)


@needs_ffmpeg
@settings(max_examples=60, deadline=None)
@given(made=st.sampled_from(FORMATS), data=st.data())
def test_spoilt_media_never_raise(made: Made, folder: Path, data: st.DataObject) -> None:
    """Whatever bytes were changed, doubled or lost; and time stays near what it was."""
    spoilt = bytearray(make(made, folder)[:40_000])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(spoilt)))
        spoilt[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    clock = clock_for("", make(made, folder))
    heard(clock, bytes(spoilt), 1000)
    assert 0.0 <= clock.seconds <= 200.0


def box(kind: bytes, body: bytes = b"") -> bytes:
    """Return a box of ISO media."""
    return (8 + len(body)).to_bytes(4, "big") + kind + body


EBML, SEGMENT = b"\x1a\x45\xdf\xa3\x80", b"\x18\x53\x80\x67\x81"
TAG = b"ID3\3\0\0\0\0\0\x1aTIT2\0\0\0\x0a\0\0\0some title"
HOSTILE_SECONDS = {
    "headers without end, of ISO media": box(b"ftyp", b"isom" * 4)
    + box(b"moov", bytes(60_000)) * 34,
    "headers without end, of Matroska": EBML + SEGMENT * 400_000,
    "headers without end, of ASF": ASF_HEADER
    + (30).to_bytes(8, "little")
    + bytes(6)
    + (ASF_DATA + bytes(34)) * 40_000,
    "elements of nothing": EBML + b"\xec\x80" * 2**20,
    "boxes of nothing": box(b"ftyp", b"isom" * 4) + box(b"free") * 2**18,
    "frames of nothing": b"\x56\xe0\0" * 700_000,
    "tags of boxes": box(b"ftyp", b"isom" * 4) + box(b"emsg", TAG) * 48_000,
    "tags": TAG * 58_000,
}


@pytest.mark.parametrize("name", HOSTILE_SECONDS)
def test_a_hostile_second_holds_up_nobody(name: str) -> None:
    """Of 16 Mbit/s: neither for long, nor in memory; what it is said to be is passed over."""
    data = HOSTILE_SECONDS[name]
    clock = clock_for("", data[:9000])
    said = clock.feed(data)
    cost = processor_seconds(lambda: clock_for("", data[:9000]).feed(data))
    assert cost < 0.3  # measured: 0.01 to 0.1 seconds
    assert len(said) <= TAGS
    assert (
        sum(len(each) for each in vars(clock).values() if isinstance(each, bytes | bytearray))
        < 3 * PREAMBLE_LIMIT
    )


def test_a_stream_that_begins_anew_in_a_cluster_goes_on_from_there() -> None:
    """Its boundary does not go back to a cluster whose time never came."""
    clock = clock_for("video/webm", EBML.ljust(9000, b"\0"))
    nothing = b"\xec\x84abcd" * 3
    clock.feed(EBML + b"\x1f\x43\xb6\x75\xff" + nothing + EBML + nothing)
    before = clock.boundary
    clock.feed(b"\xe7\x81\1" + bytes(20))
    assert clock.boundary >= before > 0


def test_a_box_that_ends_too_soon_says_nothing() -> None:
    """The time of a fragment may be missing behind its header."""
    data = box(b"ftyp", b"isom" * 4) + box(b"moof", box(b"traf", box(b"tfdt")))
    assert clock_for("", data + bytes(9000)).feed(data) == []


@needs_ffmpeg
def test_a_second_of_mp3_costs_next_to_nothing(folder: Path) -> None:
    """In processor time, of which there are 80 microseconds for all that is done with a second."""
    data = media(folder, "constant.mp3") * 10
    clock = clock_for("", data)
    heard(clock, data)
    cost = processor_seconds(lambda: heard(clock_for("", data), data))
    assert cost / clock.seconds < 60e-6  # measured: 8 microseconds
