"""`kill -9` of index nodes that share the keys, on real processes; and one that lost its folder."""

import shutil
from pathlib import Path

import pytest
import pytest_twisted
from killing import MASTER, Depositor, Processes, until
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import structure_key
from anet.together import together


@pytest.fixture
def processes(tmp_path: Path):
    """Give processes that are not started."""
    processes = Processes(tmp_path, {"storage-node": {"multicast": False}})
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


async def _shared(processes: Processes, *names: str) -> None:
    """Wait until these index nodes have read their shares, which are all groups together."""
    seen: list[tuple[float, ...]] = []

    async def is_shared() -> bool:
        told = [await processes.figures(name) for name in names]
        each = [sum(one.get(what, 0) for one in told) for what in ("groups", "groups_sure")]
        seen[:] = [(*each, *(one.get("nodes_up", 0) for one in told))]
        return seen == [(256, 256, *[2] * len(names))]

    await until(is_shared, lambda: f"groups, those read, nodes up: {seen}", 0.1)


async def _missing(depositor: Depositor) -> list[str]:
    """Return the acknowledged keys that are not found."""
    places = {("contents", each.content) for each in depositor.told}
    places |= {("structures", structure_key(each.url)) for each in depositor.told}

    async def find(kind: str, key: str) -> bool:
        return bool(await depositor.link.insist("find", timeout=10.0, kind=kind, key=key))

    answers = await together(find(*place) for place in places)
    return [key for (_, key), answer in zip(places, answers, strict=True) if answer is not True]


@pytest.mark.slow
@ensureDeferred
async def test_index_nodes_are_killed_lost_and_added(processes: Processes) -> None:
    """Deposits and finds go on without one; what is lost is read again; a new one takes a share."""
    processes.start(MASTER, "storage-1", "storage-2", "index-1", "index-2")
    await _shared(processes, "index-1", "index-2")
    depositor = Depositor(processes)
    depositing = Deferred.fromCoroutine(depositor.deposit_on())
    await depositor.told_at_least(100)

    processes.kill("index-2")
    await depositor.told_at_least(60)
    assert await _missing(depositor) == []
    await _shared(processes, "index-1")
    assert await _missing(depositor) == []

    processes.kill("index-1")
    shutil.rmtree(processes.directory / "index-1")
    processes.start("index-1")
    await depositor.told_at_least(60)
    assert await _missing(depositor) == []
    await _shared(processes, "index-1")

    processes.start("index-3")
    await _shared(processes, "index-1", "index-3")
    await depositor.told_at_least(60)
    depositor.stopping = True
    await depositing
    assert await _missing(depositor) == []
