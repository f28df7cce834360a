"""Streams are spread over agents by their capacity, and none has more than it takes."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.streams.placing import Room, place

CAPACITIES = st.lists(st.integers(0, 20), max_size=6)


def rooms_of(capacities: list[int]) -> list[Room]:
    """Return empty agents."""
    return [Room(f"agent-{number}", capacity, 0) for number, capacity in enumerate(capacities)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 30)), max_size=6), st.integers(0, 200))
def test_all_that_there_is_room_for_is_placed(shapes: list[tuple[int, int]], count: int) -> None:
    """The first ones; an agent that has too much already gets nothing."""
    rooms = [Room(f"agent-{n}", *shape) for n, shape in enumerate(shapes)]
    waiting = [f"s{number}" for number in range(count)]
    placed = place(waiting, rooms)
    free = sum(room.free for room in rooms)
    assert list(placed) == waiting[:free]
    given_to = Counter(placed.values())
    assert all(given_to[room.agent] <= room.free for room in rooms)


@given(CAPACITIES, st.integers(0, 130))
def test_agents_fill_evenly(capacities: list[int], count: int) -> None:
    """With one stream more, none would be emptier than another is with what it has."""
    rooms = {room.agent: room for room in rooms_of(capacities)}
    given_to = Counter(place(map(str, range(count)), list(rooms.values())).values())
    for agent, streams in given_to.items():
        for other, room in rooms.items():
            if room.capacity and other != agent and given_to[other] < room.capacity:
                fuller = streams / rooms[agent].capacity
                assert fuller <= (given_to[other] + 1) / room.capacity + 1e-9
