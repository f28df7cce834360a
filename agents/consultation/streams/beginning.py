"""The place from which a listener can be given a piece: the next whole frame, page or cluster."""

from attrs import field, frozen

from agents.consultation.streams.blocks import Blocks
from agents.consultation.streams.legs import Leg
from anet.media.interface import ISignalClock
from anet.media.timing import clock_for

_HEAD = 64 * 1024  # bytes by which a format is known
_STEP = 512  # bytes, shorter than what lies between two boundaries
_FURTHEST = 1024 * 1024  # bytes after which no boundary is expected any more


@frozen
class Beginning:
    """Where a listener begins.

    Attributes:
        preamble: what their decoder must be given first.
        byte: of the piece.
    """

    preamble: bytes = field(repr=False)
    byte: int


async def find_beginning(
    blocks: Blocks, leg: Leg, byte: int, media_type: str, preamble: bytes
) -> Beginning:
    """Return the first place from a byte on at which a piece may be cut; the byte itself if none.

    What stands alone, such as a frame of MP3, is found by reading on from there. Of a format whose
    decoder needs a preamble the piece is read from its beginning, since that may change on the way.

    Args:
        blocks: give the bytes of the piece.
        leg: of the piece.
        byte: from which on.
        media_type: of the stream.
        preamble: what a decoder needs before the piece itself.

    Raises:
        Faulted: no node gives the piece.
    """
    if byte == 0:
        return Beginning(preamble, 0)
    head = await _read(blocks, leg, 0, min(_HEAD, leg.size))

    def clock() -> ISignalClock:
        return clock_for(media_type, preamble + head)

    whole = clock()
    whole.feed(preamble + head)
    if not whole.preamble:
        return await _follow(blocks, leg, clock(), byte, byte) or Beginning(b"", byte)
    begun = clock()
    begun.feed(preamble)
    return await _follow(blocks, leg, begun, 0, byte) or Beginning(whole.preamble, byte)


async def _follow(
    blocks: Blocks, leg: Leg, clock: ISignalClock, position: int, byte: int
) -> Beginning | None:
    """Feed a clock until it tells of a boundary at or after a byte; None where it never does.

    Of an unknown format it holds every place for one, also the first.
    """
    before, begin = clock.position - position, position
    while position < min(leg.size, byte + _FURTHEST):
        step = _HEAD if position + _HEAD < byte else _STEP
        data = await _read(blocks, leg, position, min(leg.size, position + step))
        clock.feed(data[:1])
        if position == begin and clock.boundary == clock.position:
            return None
        clock.feed(data[1:])
        position += len(data)
        boundary = clock.boundary - before
        if boundary > 0 and byte <= boundary:
            return Beginning(clock.preamble, boundary)
    return None


async def _read(blocks: Blocks, leg: Leg, start: int, stop: int) -> bytes:
    data = b""
    while len(data) < stop - start:
        data += await blocks.read(leg.content, leg.size, start + len(data), stop)
    return data
