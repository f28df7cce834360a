"""A stream of RTSP at a date: a track of it goes to players."""

from itertools import pairwise
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.consultation.streams.blocks import Blocks
from agents.consultation.streams.tracks import given_of
from anet.media.rtsp.tracks import INTERLEAVED
from tests.agents.consultation.streams.recorded import Recorded, keep_piece, moment
from tests.agents.consultation.streams.test_radio import Studio
from tests.anet.media.rtsp.wire import DESCRIPTION, MP3, frame, opening, packet

HEAD = f"RTSP/1.0 200 OK\r\nContent-Type: {INTERLEAVED}\r\n\r\n".encode()


def seconds(first: int, last: int) -> bytes:
    """Return packets of sound that say their second, ten in each, and packets beside them."""
    return b"".join(
        frame(4, packet(bytes(4) + b"<%05.1f>" % (number / 10), number, number * 9000))
        + frame(6, bytes(100))
        for number in range(first * 10, last * 10)
    )


@ensureDeferred
async def test_sound_is_given_as_players_know_it(archive: Any, reactor: Any) -> None:
    """From any date on the track is given without framing, with its type, on into other pieces."""
    preamble = opening(MP3, 4)
    keep_piece(archive, Recorded(0, 40, preamble + seconds(0, 40)), head=HEAD, protocol="rtsp")
    second = Recorded(40, 40, seconds(40, 80), session=0, preamble=preamble)
    keep_piece(archive, second, head=HEAD, protocol="rtsp")
    studio = Studio(reactor, archive)
    for begin in (0, 30, 50):
        listener = await studio.listen(moment(begin))
        assert listener.tuned.media_type == "audio/mpeg"
        data = await listener.hear(20)
        told = [float(each) for each in data.decode().strip("<>").split("><")]
        assert abs(told[0] - begin) < 0.6
        assert all(abs(two - one - 0.1) < 1e-6 for one, two in pairwise(told))
        assert len(told) > 200
        await listener.leave()


@pytest.mark.parametrize(
    ("beginning", "kind"),
    [
        (opening(DESCRIPTION, 0, 2), "audio/aac"),
        (opening(DESCRIPTION, 0), "video/h264"),
        (opening(b"v=0\r\n"), INTERLEAVED),
    ],
)
@ensureDeferred
async def test_what_is_given(archive: Any, beginning: bytes, kind: str) -> None:
    """Sound is given before pictures; of what does not play, all that was received."""
    blocks: Blocks = Blocks(archive.retrieval, "rtsp://radio.example/")
    given = await given_of(INTERLEAVED, beginning, blocks, None)  # type: ignore[arg-type]
    assert given.media_type == kind
    assert (given.feed(beginning) == beginning) is (kind == INTERLEAVED)
