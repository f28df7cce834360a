"""What players are given of a stream that is kept as packets of several tracks (RTSP)."""

from collections.abc import Callable

from attrs import frozen

from agents.consultation.streams.blocks import Blocks
from agents.consultation.streams.legs import Leg
from anet.media.rtsp.tracks import INTERLEAVED, TrackReader, playable, preferred

_HEAD = 64 * 1024  # bytes at which a stream begins, with what it consists of


@frozen
class Given:
    """How a stream is given.

    Attributes:
        media_type: of what is given, without parameters; empty where it is not known.
        feed: makes it of what was received.
    """

    media_type: str
    feed: Callable[[bytes], bytes]


async def given_of(media_type: str, preamble: bytes, blocks: Blocks, leg: Leg) -> Given:
    """Return how a stream is given: as it was received, or the track of it that is sound.

    Args:
        media_type: of what was received.
        preamble: what is given first; empty at the beginning of a stream.
        blocks: give the bytes of the piece.
        leg: of the piece.

    Raises:
        Faulted: no node gives the piece.
    """
    if media_type != INTERLEAVED:
        return Given(media_type, bytes)
    beginning = preamble or await blocks.read(leg.content, leg.size, 0, min(_HEAD, leg.size))
    track = preferred(playable(beginning))
    if track is None:
        return Given(media_type, bytes)
    return Given(track.media_type, TrackReader(track.channel).feed)
