"""The time of what RTSP brings."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from anet.media.interface import ISignalClock
from anet.media.timing import clock_for
from anet.media.timing.interleaved import InterleavedClock
from tests.anet.media.rtsp.wire import DESCRIPTION, MP3, bye, frame, opening, packet, report

BEGINNING = opening(MP3, 0)


def fed(*parts: bytes) -> tuple[ISignalClock, list[tuple[int, Any]]]:
    """Return a clock that was fed, and what it heard."""
    clock: ISignalClock = clock_for("", parts[0])
    assert isinstance(clock, InterleavedClock)
    return clock, [(byte, said.fields) for part in parts for byte, said in clock.feed(part)]


def sound(number: int, sequence: int | None = None, channel: int = 0, step: int = 2351) -> bytes:
    """Return a frame with a packet of sound, of 26 ms."""
    sequence = number if sequence is None else sequence
    return frame(channel, packet(bytes(104), sequence, number * step))


def test_stamps_tell_the_time() -> None:
    """Time goes by the stamps, over the end of their numbers; it may be cut before any packet."""
    first = 2**32 // 2351 - 50
    frames = [sound(first + number, number) for number in range(100)]
    clock, said = fed(BEGINNING, *frames)
    assert abs(clock.seconds - 99 * 2351 / 90000) < 1e-6
    assert clock.boundary == clock.position - len(frames[-1])
    assert clock.preamble == BEGINNING
    assert said == []


def test_what_is_lost_is_said() -> None:
    """A gap in the numbers of packets is told where it is; the time goes on by the stamps."""
    frames = [sound(number) for number in range(10)]
    clock, said = fed(BEGINNING, *frames[:4], *frames[7:])
    assert said == [(len(BEGINNING) + 4 * len(frames[0]), {"track": "0", "lost": "3"})]
    assert abs(clock.seconds - 9 * 2351 / 90000) < 1e-6


def test_numbers_of_packets_wrap() -> None:
    """After 65535 comes 0, and nothing is lost; another source begins anew."""
    frames = [sound(number, number + 65533) for number in range(6)]
    other = frame(0, packet(b"", 17, 0, source=8))
    _, said = fed(BEGINNING, *frames, other)
    assert [fields for _, fields in said] == [{"track": "0", "restarted": "1"}]


def test_packets_out_of_order() -> None:
    """One that was said to be lost and comes late is said to, and nothing began anew."""
    frames = [sound(number) for number in (0, 1, 3, 2, 4, 4, 5)]
    clock, said = fed(BEGINNING, *frames)
    assert [fields for _, fields in said] == [
        {"track": "0", "lost": "1"}, {"track": "0", "late": "1"}, {"track": "0", "late": "1"},
    ]  # fmt: skip
    assert abs(clock.seconds - 5 * 2351 / 90000) < 1e-6


def test_reports_of_senders_are_said() -> None:
    """The sender's clock at a stamp is told now and then, not with each report."""
    reports = [frame(1, report(1_795_333_000.5 + at, 90_000 * at)) for at in (0, 5, 40)]
    clock, said = fed(
        BEGINNING, reports[0], sound(0), reports[1], sound(0), sound(20), frame(1, bye()),
        *[sound(number) for number in range(21, 2000)], reports[2],
    )  # fmt: skip
    first, second = [fields for _, fields in said if "sender" in fields]
    assert first == {"track": "0", "sender": "1795333000.500000", "stamp": "0"}
    assert second == {"track": "0", "sender": "1795333040.500000", "stamp": "3600000"}
    assert clock.seconds > 30


def pictures(number: int, *parts: bytes) -> bytes:
    """Return frames with the packets of a picture."""
    return b"".join(frame(0, packet(part, number * 9 + index, number * 3600))
                    for index, part in enumerate(parts))  # fmt: skip


def test_pictures_are_cut_before_those_to_begin_with() -> None:
    """Sound tells the time; the cut is at the first packet of a picture that needs no other."""
    opened = opening(DESCRIPTION, 0, 2)
    voice = [frame(2, packet(b"", number, number * 1024)) for number in range(100)]
    key = pictures(1, b"\x09\xf0", b"\x67set", b"\x7c\x85begin", b"\x7c\x45end")
    plain = pictures(2, b"\x41picture")
    before = [opened, pictures(0, b"\x65first"), *voice[:50], plain]
    clock, _ = fed(*before)
    assert clock.boundary == len(opened)
    clock, _ = fed(*before, key, *voice[50:], plain)
    assert clock.boundary == sum(map(len, before))
    assert abs(clock.seconds - 49 * 1024 / 44100) < 1e-6
    assert clock.preamble == opened


@given(st.lists(st.integers(0, 4000), max_size=10))
def test_it_does_not_matter_how_it_is_fed(places: list[int]) -> None:
    """Time, boundary and what is said are the same, however the bytes are cut."""
    frames = [sound(number, number * 2 if number > 7 else number) for number in range(20)]
    data = b"".join([BEGINNING, *frames, frame(1, report(1e9, 4)), *frames])
    ends = sorted({0, len(BEGINNING), len(data), *(place % len(data) for place in places)})
    whole, cut = InterleavedClock(), InterleavedClock()
    said = list(whole.feed(data))
    assert said == [
        each for a, b in zip(ends, ends[1:], strict=False) for each in cut.feed(data[a:b])
    ]
    assert (whole.seconds, whole.boundary, whole.preamble) == (
        cut.seconds, cut.boundary, cut.preamble,
    )  # fmt: skip


@given(st.binary(max_size=300), st.integers(0, 300))
def test_hostile_bytes(data: bytes, place: int) -> None:
    """What is nothing of RTSP passes, alike however it is cut."""
    clock, cut = InterleavedClock(), InterleavedClock()
    clock.feed(BEGINNING + data + sound(4))
    for part in (BEGINNING, data[:place], data[place:], sound(4)):
        cut.feed(part)
        assert 0 <= cut.boundary <= cut.position
    assert clock.position == len(BEGINNING) + len(data) + len(sound(4))
    assert (cut.boundary, cut.seconds) == (clock.boundary, clock.seconds)


def test_the_walk_finds_its_way_again() -> None:
    """After bytes that are nothing of RTSP, the next frame is found."""
    clock, _ = fed(BEGINNING, sound(0), b"lost its way", *[sound(number) for number in range(1, 9)])
    assert abs(clock.seconds - 8 * 2351 / 90000) < 1e-6
