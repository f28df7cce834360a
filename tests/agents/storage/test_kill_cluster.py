"""`kill -9` in mid-deposit, on real processes: deposits go on, and the killed come back whole."""

from pathlib import Path

import pytest
import pytest_twisted
from killing import MASTER, Depositor, Processes, until
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.threads import deferToThread

NODES = ("storage-1", "storage-2")


@pytest.fixture
def processes(tmp_path: Path):
    """Give processes that are not started."""
    processes = Processes(tmp_path, {"storage-node": {"multicast": False}})
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["storage-2", "index-1", MASTER])
@ensureDeferred
async def test_a_killed_agent_costs_nothing_acknowledged(processes, victim: str) -> None:
    """Deposits go on or are resumed, nothing told is lost, and both nodes are whole at the end."""
    processes.start(MASTER, "index-1", *NODES)
    depositor = Depositor(processes)
    await depositor.ready(2)
    depositing = [Deferred.fromCoroutine(depositor.deposit_on()) for _ in range(3)]
    await depositor.told_at_least(200)
    processes.kill(victim)
    if victim != "index-1":
        await depositor.told_at_least(200)
    processes.start(victim)
    await depositor.told_at_least(200)
    depositor.stopping = True
    for each in depositing:
        await each
    assert depositor.check(*NODES) == ""
    wrong: list[str] = []

    async def is_whole(node: str) -> bool:
        wrong[:] = [await deferToThread(depositor.check, node)]
        return wrong == [""]

    for node in NODES:
        await until(lambda node=node: is_whole(node), lambda: wrong[0][-2000:], 0.5)
