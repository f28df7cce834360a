"""A stream's way to its listener, at the pace of true time."""

from collections.abc import AsyncIterator

from attrs import field, frozen
from twisted.internet.interfaces import IReactorTime

from agents.consultation.streams.blocks import Blocks
from agents.consultation.streams.legs import Leg
from anet.tasks import sleep

TICK = 0.5  # seconds between two parts that are sent


@frozen
class Pace:
    """How a listener is kept in step with what they listen to.

    Attributes:
        clock: tells the time that passes.
        burst: seconds that are sent ahead, so that a player begins at once, and never runs dry.
        patience: seconds of a gap that are waited out; a longer one ends the stream.
        tick: seconds between two parts that are sent.
    """

    clock: IReactorTime
    burst: float
    patience: float
    tick: float = TICK


@frozen
class Sound:
    """Some bytes of a stream, and where they come from."""

    data: bytes = field(repr=False)
    leg: Leg
    byte: int


async def play(
    legs: AsyncIterator[Leg], byte: int, blocks: Blocks, pace: Pace
) -> AsyncIterator[Sound]:
    """Yield the bytes of a stream, each when its time comes.

    The time between two legs in which nothing was received passes in silence: a short one is waited
    out, and a longer one ends the stream. Nothing is filled in.

    Args:
        legs: what was received, in its order.
        byte: of the first leg, at which to begin.
        blocks: gives the bytes.
        pace: of the listener.
    """
    ahead, before = 0.0, None
    async for leg in legs:
        if before is None:
            ahead = leg.moment_of(byte) + pace.burst - pace.clock.seconds()
        elif leg.begin - before.end > pace.patience:
            return
        elif leg.content != before.content or leg.start != before.stop:
            byte = leg.start
        while byte < leg.stop:
            until = leg.byte_at(pace.clock.seconds() + ahead)
            if until <= byte:
                await sleep(pace.clock, pace.tick)
                continue
            data = await blocks.read(leg.content, leg.size, byte, until)
            yield Sound(data, leg, byte)
            byte += len(data)
        before = leg
