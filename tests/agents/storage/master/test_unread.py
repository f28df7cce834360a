"""Nothing is called enough, or safe elsewhere, while a log is unread."""

from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.storage.master.orders import Drain
from agents.storage.master.unread import Unread
from agents.storage.status import Added, DiskStatus, Followed

DISK = "d0000000"


def _disk(log: str, position: int, name: str = DISK) -> DiskStatus:
    return DiskStatus(name, "/", log=log, position=position)


@given(ends=st.lists(st.integers(51, 1000), min_size=1, max_size=4), parts=st.integers(1, 5))
def test_a_log_is_read_once_a_part_reaches_its_end(ends: list[int], parts: int) -> None:
    """Each disk counts for itself, and a node has an unread log until all of its logs are read."""
    unread = Unread()
    disks = [_disk("l", end, f"{number:08x}") for number, end in enumerate(ends)]
    assert unread.registers("a", disks, {disk.name: Followed() for disk in disks})
    for disk in disks:
        for part in range(parts + 1):
            assert unread.nodes == {"a"} and not unread.is_read(Drain("a"))
            assert not unread.is_read(Drain("a", disk.name))
            position = disk.position * part // parts
            assert unread.took("a", disk.name, Followed("l", position)) is (part == parts)
        assert unread.is_read(Drain("a", disk.name))
    assert unread.nodes == set() and unread.is_read(Drain("a"))
    assert not unread.registers("a", disks, {d.name: Followed("l", d.position) for d in disks})
    assert not unread.is_read(Drain("b")), "nobody knows of a node that has not come"


def test_a_log_that_is_made_again_is_unread() -> None:
    """From its first part, or the node's first word, until the end that the node then names."""
    unread = Unread()
    assert not unread.registers("a", [_disk("old", 300)], {DISK: Followed("old", 300)})
    assert unread.took("a", DISK, Followed("new", 90))
    assert not unread.took("a", DISK, Followed("new", 400)), "nobody has said where it ends"
    assert unread.says("a", [_disk("new", 500)]) and unread.nodes == {"a"}
    assert unread.took("a", DISK, Followed("new", 500)) and not unread.nodes
    assert not unread.says("a", [_disk("new", 900)]), "what is added while it is linked"
    assert unread.registers("a", [_disk("new", 200)], {DISK: Followed("new", 900)}), "put back"
    assert not unread.says("a", []) and not unread.nodes, "the disk is gone"


@ensureDeferred
async def test_a_drain_ends_only_when_all_logs_were_read(household, keys) -> None:
    """A log that is made again is told in parts; between them nothing is left, it would seem."""
    await household.start(2)
    node = household.nodes["storage-1"]
    for key in keys[:3]:
        await node.put("contents", key)
    await household.until(lambda: household.holders(keys[2]) == {"storage-1", "storage-2"})
    for other in household.nodes.values():
        other.refusing = True
    await household.ask("drain", node="storage-2")

    async def left() -> int | None:
        [drain] = (await household.status()).drains
        return drain.left

    async def has_left() -> bool:
        return await left() == 3

    await household.until(has_left)
    second = household.nodes["storage-2"]
    master = second.link.peer

    async def tell(position: int, count: int) -> None:
        part = Added("log-made-again", 0, position, second.logs[DISK][:count], DISK)
        await master.call("added", added=part)

    def say() -> None:
        [disk] = second.described.disks
        told = {"log": "log-made-again", "position": 500}
        status = second.described
        status.disks[:] = [type(disk)(disk.name, "/", disk.size, disk.free, **told)]
        master.notify("alive", status=status)

    await tell(100, 0)
    say()
    counted = household.master.mending.progress
    before = counted.census
    await household.until(lambda: counted.census is not before)
    before = counted.census
    await household.until(lambda: counted.census is not before)
    status = await household.status()
    assert status.drains[0].left is None and status.unread == ["storage-2"]
    assert status.below is None or status.below > 0
    await tell(500, 3)
    await household.until(has_left)
    assert (await household.status()).unread == []
