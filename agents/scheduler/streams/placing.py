"""Which agent listens to a stream: pure.

Only streams that have no agent are placed: one stays where it is as long as its agent is there.
"""

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen


@frozen
class Room:
    """An agent that may be given streams.

    Attributes:
        agent: its name.
        capacity: streams that it takes at most.
        streams: that it has.
    """

    agent: str
    capacity: int
    streams: int

    @property
    def free(self) -> int:
        """Streams that it may be given."""
        return max(0, self.capacity - self.streams)


def place(waiting: Iterable[str], rooms: Sequence[Room]) -> dict[str, str]:
    """Return the agent of each stream for which there is room, the first ones first.

    Each goes to the agent that is then the least full by its capacity, so that agents fill up
    evenly.
    """
    filling = {room.agent: room for room in rooms if room.free}
    placed: dict[str, str] = {}
    for stream in waiting:
        if not filling:
            break
        room = min(filling.values(), key=_fullness)
        placed[stream] = room.agent
        filling[room.agent] = evolve(room, streams=room.streams + 1)
        if not filling[room.agent].free:
            del filling[room.agent]
    return placed


def _fullness(room: Room) -> tuple[float, str]:
    return (room.streams + 1) / room.capacity, room.agent
