"""What a master does when nodes, disks and replicas come and go."""

from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.storage.master.progress import DrainStatus
from hip import RemoteError

POLICY = """
places: 2
rules:
  - {kind: structures, replicas: 3}
  - {kind: contents, smaller_than: 1000, replicas: 3}
  - {references: 100, replicas: 4}
"""


@ensureDeferred
async def test_rules_decide_how_many_replicas_there_are(household, keys, tmp_path: Path) -> None:
    """By kind and size at once, and by references as soon as they are told."""
    policy = tmp_path / "replicas.yaml"
    policy.write_text(POLICY)
    await household.start(5, policy=policy)
    first = household.nodes["storage-1"]
    first.sizes |= {keys[1]: 10**5, keys[3]: 10**5}
    await first.put("contents", keys[0])
    await first.put("contents", keys[1])
    await first.put("structures", keys[2], frozenset({1}))
    await first.put("contents", keys[3])
    await household.master.orders.refer({keys[3]: 100})
    await household.until(lambda: len(household.holders(keys[0])) == 3)
    await household.until(lambda: len(household.holders(keys[1])) == 2)
    await household.until(lambda: len(household.holders(keys[2], "structures")) == 3)
    await household.until(lambda: len(household.holders(keys[3])) == 4)
    await household.master.orders.refer({keys[3]: 3})
    await household.until(lambda: _is_counted(household, 0))
    assert len(household.holders(keys[3])) == 4


async def _is_counted(household, below: int) -> bool:
    return (await household.status()).below == below


@ensureDeferred
async def test_replicas_are_in_different_places(household, keys) -> None:
    """What arrives twice in one place gets a replica in the other, and one too many goes."""
    await household.start()
    for name in ("p1", "p2", "p3"):
        await household.add(name, place="paris/1")
    await household.add("l1", place="lyon/1")
    for key in keys:
        await household.nodes["p1"].put("contents", key)
        await household.nodes["p2"].put("contents", key)
    await household.until(lambda: all("l1" in household.holders(key) for key in keys))
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    assert household.least_left >= 2


@ensureDeferred
async def test_safer_hardware_counts_more(household, keys) -> None:
    """Two replicas worth 1.5 each are three."""
    await household.start(replicas=3)
    for name in ("a", "b", "c"):
        await household.add(name, safety=1.5)
    await household.nodes["a"].put("contents", keys[0])
    await household.until(lambda: len(household.holders(keys[0])) == 2)
    await household.until(lambda: _is_counted(household, 0))
    assert len(household.holders(keys[0])) == 2


@ensureDeferred
async def test_what_a_vanished_disk_held_is_made_up_for(household, keys) -> None:
    """The node goes on without it; its other disk is left alone, and nothing is waited for."""
    await household.start(3, grace=1000)
    first = household.nodes["storage-1"]
    first.disks["d1111111"], first.logs["d1111111"] = {}, []
    for number, key in enumerate(keys):
        await first.put("contents", key, disk="d1111111" if number % 2 else "d0000000")
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    del first.disks["d1111111"], first.logs["d1111111"]
    await first.tell()
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    await household.until(lambda: _is_counted(household, 0))
    assert all("storage-1" in household.holders(key) for key in keys[::2])


@ensureDeferred
async def test_what_is_gone_is_copied_again(household, keys) -> None:
    """A content that an audit moved to quarantine comes back from another node."""
    await household.start(2)
    await household.nodes["storage-1"].put("contents", keys[0])
    await household.until(lambda: len(household.holders(keys[0])) == 2)
    await household.nodes["storage-2"].lose("contents", keys[0])
    await household.until(lambda: len(household.holders(keys[0])) == 2)


@ensureDeferred
async def test_what_is_below_target_is_told(household, keys) -> None:
    """A count says how much is short and how much is out of reach, until it is mended."""
    await household.start(1)
    for key in keys:
        await household.nodes["storage-1"].put("contents", key)
    await household.until(lambda: _is_counted(household, len(keys)))
    assert (await household.status()).lost == 0
    node = await household.take_away("storage-1")
    await household.add("storage-2")
    await household.until(lambda: _is_lost(household, len(keys)))
    again = await household.add("storage-1")
    for key in node.held:
        await again.put(*key)
    await household.until(lambda: _is_counted(household, 0))
    assert (await household.status()).mended >= len(keys)


async def _is_lost(household, count: int) -> bool:
    status = await household.status()
    return status.lost == status.below == count


@ensureDeferred
async def test_a_node_that_cannot_copy_is_tried_again(household, keys) -> None:
    """Failures are counted, and end when the node can."""
    await household.start(2)
    household.nodes["storage-2"].refusing = True
    await household.nodes["storage-1"].put("contents", keys[0])

    async def has_failed() -> bool:
        return (await household.status()).failed > 0

    await household.until(has_failed)
    household.nodes["storage-2"].refusing = False
    await household.ask("sweep")
    await household.until(lambda: len(household.holders(keys[0])) == 2)


@ensureDeferred
async def test_a_node_that_comes_back_has_too_many(household, keys) -> None:
    """What was made up for meanwhile is thinned out, and never to less than is wanted."""
    await household.start(3)
    for key in keys:
        await household.nodes["storage-1"].put("contents", key)
        await household.nodes["storage-2"].put("contents", key)
    away = await household.take_away("storage-2")
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    back = await household.add("storage-2")
    for place in away.held:
        await back.put(*place)
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    assert household.least_left >= 2
    await household.until(lambda: household.master.hands.removed >= len(keys))


@ensureDeferred
async def test_a_new_node_takes_its_share_of_full_ones(household, keys) -> None:
    """Replicas move to it until the nodes are about equally full, and then no more."""
    await household.start(2, uneven=0.01)
    for key in keys:
        for node in household.nodes.values():
            await node.put("contents", key)
    await household.until(lambda: _is_counted(household, 0))
    new = await household.add("storage-3")
    await household.until(lambda: len(new.held) >= 5)
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    assert household.least_left >= 2


@ensureDeferred
async def test_a_structure_file_that_grew_is_not_removed(household, keys) -> None:
    """A capture recorded where the file is one too many is not lost with it."""
    await household.start(3, tidy_after=1000.0, sweep_every=1000.0)
    for node in household.nodes.values():
        await node.put("structures", keys[0], frozenset({1}))
    for node in household.nodes.values():
        node.disks["d0000000"]["structures", keys[0]] |= {2}
    await household.master.tidying._shift("structures", keys[0])
    assert household.holders(keys[0], "structures") == set(household.nodes)
    assert household.master.hands.failed == 1


@ensureDeferred
async def test_nothing_is_moved_while_nodes_come_and_go(household, keys) -> None:
    """A replica too many stays until the nodes have been the same for a while."""
    await household.start(3, tidy_after=1000.0)
    for node in household.nodes.values():
        await node.put("contents", keys[0])

    async def has_seen_it() -> bool:
        return (await household.status()).ample == 1

    await household.until(has_seen_it)
    before = household.master.mending.progress.census
    await household.until(lambda: household.master.mending.progress.census is not before)
    assert len(household.holders(keys[0])) == 3


@ensureDeferred
async def test_a_drained_node_may_go(household, keys) -> None:
    """All it holds is copied elsewhere, it takes nothing new, and losing it then loses nothing."""
    await household.start(3)
    for key in keys:
        await household.nodes["storage-1"].put("contents", key)
        await household.nodes["storage-2"].put("contents", key)
    await household.ask("drain", node="storage-1")
    states = {state.name: state.status for state in (await household.status()).nodes}
    assert states["storage-1"].draining and not states["storage-2"].draining
    await household.until(lambda: _is_drained(household, DrainStatus("storage-1", "", 0)))
    assert all(household.holders(key) == set(household.nodes) for key in keys)
    await household.restart_master()
    await household.until(lambda: _is_drained(household, DrainStatus("storage-1", "", 0)))
    await household.ask("undrain", node="storage-1")
    assert (await household.status()).drains == []
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))


async def _is_drained(household, wanted: DrainStatus) -> bool:
    return (await household.status()).drains == [wanted]


@ensureDeferred
async def test_a_disk_is_drained_onto_other_nodes(household, keys) -> None:
    """So where its node has no room on another; what that other disk has stays where it is."""
    await household.start(3)
    first = household.nodes["storage-1"]
    first.full = {"d0000000"}
    first.disks["d1111111"], first.logs["d1111111"] = {}, []
    await first.put("contents", keys[0], disk="d1111111")
    await first.put("contents", keys[1])
    for key in keys[:2]:
        await household.nodes["storage-2"].put("contents", key)
    await household.until(lambda: _is_counted(household, 0))
    with pytest.raises(RemoteError, match="d0000000, d1111111") as refused:
        await household.ask("drain", node="storage-1", disk="none")
    assert refused.value.code == "no-such-disk"
    await household.ask("drain", node="storage-1", disk="d1111111")
    wanted = DrainStatus("storage-1", "d1111111", 0)
    await household.until(lambda: _is_drained(household, wanted))
    assert household.holders(keys[0]) == {"storage-1", "storage-2", "storage-3"}
    assert household.holders(keys[1]) == {"storage-1", "storage-2"}
    assert first.resting == ["d1111111"]
    first.resting = []
    await household.restart_master()
    await household.until(lambda: first.resting == ["d1111111"])
    await household.ask("undrain", node="storage-1", disk="d1111111")
    await household.until(lambda: first.resting == [])


@ensureDeferred
async def test_only_what_there_is_can_be_drained_or_audited(household) -> None:
    """Names that nobody has are refused with those that somebody has."""
    await household.start(1)
    for method in ("drain", "audit"):
        with pytest.raises(RemoteError, match="storage-1") as refused:
            await household.ask(method, node="storage-9")
        assert refused.value.code == "no-such-node"
    with pytest.raises(RemoteError) as refused:
        await household.ask("undrain", node="storage-1")
    assert refused.value.code == "no-such-drain"


@ensureDeferred
async def test_a_node_that_is_gone_for_good_is_forgotten(household, keys) -> None:
    """Only while it is down; nothing is known of it afterwards, also by the next master."""
    await household.start(3)
    for key in keys[:2]:
        await household.nodes["storage-1"].put("contents", key)
    await household.ask("drain", node="storage-1")
    with pytest.raises(RemoteError) as refused:
        await household.ask("forget", node="storage-1")
    assert refused.value.code == "node-up"
    await household.until(lambda: _is_drained(household, DrainStatus("storage-1", "", 0)))
    await household.take_away("storage-1")
    await household.ask("forget", node="storage-1")
    await household.restart_master()
    status = await household.status()
    assert {state.name for state in status.nodes} == {"storage-2", "storage-3"}
    assert status.drains == []
    for key in keys[:2]:
        await household.until(lambda key=key: _is_known(household, key))


@ensureDeferred
async def test_an_audit_is_passed_on(household) -> None:
    """To one node, or to all that are up."""
    await household.start(2)
    assert [it["name"] for it in await household.ask("audit", node="storage-2")] == ["storage-2"]
    assert [it["name"] for it in await household.ask("audit")] == ["storage-1", "storage-2"]
    assert [node.audits for node in household.nodes.values()] == [1, 2]


@ensureDeferred
async def test_copies_of_a_structure_that_went_apart_come_together(household, keys) -> None:
    """A copy that was away brings what only it has, and takes what it lacks: no copy is special."""
    await household.start(2)
    key = keys[0]
    await household.nodes["storage-1"].put("structures", key, frozenset({1}))
    await household.until(lambda: len(household.holders(key, "structures")) == 2)
    away = await household.take_away("storage-2")
    await household.nodes["storage-1"].put("structures", key, frozenset({1, 2}))
    back = await household.add("storage-2")
    await back.put("structures", key, away.held["structures", key] | {3})
    both = frozenset({1, 2, 3})
    await household.until(
        lambda: all(node.held["structures", key] == both for node in household.nodes.values())
    )


@ensureDeferred
async def test_a_master_without_its_database_comes_back_whole(household, keys) -> None:
    """It asks the nodes for their logs from the start, and then mends as before."""
    await household.start(3)
    for key in keys:
        await household.nodes["storage-1"].put("contents", key)
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))
    address = household.master.listener.address
    await household.master.stopService()
    for path in (household.directory / "storage-master").iterdir():
        path.unlink()
    await household.start_master(address)
    for key in keys:
        await household.until(lambda key=key: _is_known(household, key))
    await household.take_away("storage-1")
    await household.until(lambda: all(len(household.holders(key)) == 2 for key in keys))


async def _is_known(household, key: str) -> bool:
    told = await household.ask("where", kind="contents", key=key)
    return set(told) == household.holders(key)
