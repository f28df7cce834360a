"""What could keep a master from mending in time, or make it say too early that a node may go."""

from typing import Any

from pytest_twisted import ensureDeferred

from agents.storage.disk.additions import Entry
from agents.storage.master import mending
from agents.storage.master.progress import DrainStatus


@ensureDeferred
async def test_a_count_does_not_put_off_what_a_lost_node_held(household, keys) -> None:
    """Another node that comes within the grace has all counted, and again when it is over."""
    await household.start(2, grace=1.5, sweep_every=1000.0)
    for node in list(household.nodes.values()):
        for key in keys:
            await node.put("contents", key)
    await household.take_away("storage-2")
    census = household.master.mending.progress.census
    await household.add("storage-3")
    await household.until(lambda: household.master.mending.progress.census is not census)
    assert not household.nodes["storage-3"].held
    await household.until(lambda: len(household.nodes["storage-3"].held) == len(keys))


@ensureDeferred
async def test_a_database_that_fails_for_a_while_stops_nothing(
    household, keys, monkeypatch
) -> None:
    """Additions are looked at and all is counted again once it works."""
    asked = []

    async def broken(*_: Any) -> Any:
        asked.append(1)
        raise OSError("the disk of the database is full")

    await household.start(2, sweep_every=1000.0)
    with monkeypatch.context() as patch:
        patch.setattr(mending, "short", broken)
        patch.setattr(mending, "page", broken)
        patch.setattr(mending, "_RETRY", 0.1)
        household.master.mending._retry = 0.1
        await household.nodes["storage-1"].put("contents", keys[0])
        await household.until(lambda: len(asked) > 2)
    await household.until(lambda: len(household.holders(keys[0])) == 2)
    await household.nodes["storage-1"].put("contents", keys[1])
    await household.until(lambda: len(household.holders(keys[1])) == 2)


@ensureDeferred
async def test_what_was_safe_when_counted_is_counted_again_when_a_node_goes(
    household, keys
) -> None:
    """A drained node may not go while the other copies are on one that is away."""
    await household.start(3, replicas=1, grace=1000.0)
    await household.nodes["storage-1"].put("contents", keys[0])
    await household.nodes["storage-2"].put("contents", keys[0])
    household.nodes["storage-3"].refusing = True
    await household.ask("drain", node="storage-1")
    await household.until(lambda: _is_left(household, 0))
    away = await household.take_away("storage-2")
    assert not await _is_left(household, 0)
    await household.until(lambda: _is_left(household, 1))
    back = await household.add("storage-2")
    assert not back.held and away.held
    await back.put("contents", keys[0])
    await household.until(lambda: _is_left(household, 0))


async def _is_left(household, count: int) -> bool:
    return (await household.status()).drains == [DrainStatus("storage-1", "", count)]


@ensureDeferred
async def test_a_node_that_goes_while_another_copies_keeps_what_is_one_too_many(
    household, keys, monkeypatch
) -> None:
    """Those that keep something are there when it is removed, and not only when they took it."""
    await household.start(3, grace=1000.0, tidy_after=1000.0)
    for node in household.nodes.values():
        await node.put("contents", keys[0])
    hands, left = household.master.hands, []

    async def copy(kind: str, key: str, target: str, source: str) -> bool:
        if not left:
            left.append(await household.take_away(target))
        return True

    monkeypatch.setattr(hands, "copy", copy)
    await household.master.tidying._shift("contents", keys[0])
    assert len(household.holders(keys[0])) == 2 and left
    assert hands.removed == 0


@ensureDeferred
async def test_what_cannot_be_mended_holds_nothing_up(household, keys) -> None:
    """A content that nobody can give is short for ever; another is thinned out all the same."""
    await household.start(3)
    first = household.nodes["storage-1"]
    first.logs["d0000000"].append(Entry("contents", keys[0], 5))
    for node in household.nodes.values():
        await node.put("contents", keys[1])
    await household.until(lambda: len(household.holders(keys[1])) == 2)
    assert (await household.status()).below == 1


@ensureDeferred
async def test_a_node_or_a_copy_that_is_bad_is_passed_over(household, keys) -> None:
    """One that gives nothing, or takes nothing, keeps nobody from having enough."""
    await household.start(4, replicas=3)
    bad = household.nodes["storage-4"]
    bad.refusing = True
    for key in keys:
        bad.logs["d0000000"].append(Entry("contents", key, 5))  # and it does not give them
        await household.nodes["storage-1"].put("contents", key)
    await bad.tell()
    for name in ("storage-2", "storage-3"):
        await household.nodes[name].lose("contents", keys[0])
    good = {"storage-1", "storage-2", "storage-3"}
    await household.until(lambda: all(household.holders(key) & good for key in keys))
    for key in keys:
        await bad.lose("contents", key)
        bad.logs["d0000000"].append(Entry("contents", key, 0, gone=True))
    await bad.tell()
    await household.until(lambda: all(household.holders(key) == good for key in keys))


@ensureDeferred
async def test_what_one_node_has_alone_is_mended_first(household, keys, monkeypatch) -> None:
    """Of two that are short of three replicas it comes before one that has two."""
    never = 1000.0  # nothing is counted before it is asked for
    await household.start(
        3, replicas=3, sweep_every=never, settle=never, grace=never, repairs_at_once=1
    )
    first, second, _ = household.nodes.values()
    for key in keys:
        await first.put("contents", key)
        if key != keys[-1]:
            await second.put("contents", key)
    copied: list[str] = []

    async def copy(kind: str, key: str, target: str, source: str) -> bool:
        copied.append(key)
        return True

    monkeypatch.setattr(household.master.hands, "copy", copy)
    await household.ask("sweep")
    await household.until(lambda: len(copied) >= len(keys))
    assert copied[0] == keys[-1]
