"""What `dlweb storage` orders, to the end, with real processes; and what must not be started."""

from pathlib import Path

import pytest
import pytest_twisted
from killing import MASTER, Depositor, Processes, until
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.threads import deferToThread

NODES = ("storage-1", "storage-2", "storage-3")


@pytest.fixture
def processes(tmp_path: Path):
    """Give processes that are not started."""
    processes = Processes(tmp_path, {"storage-node": {"multicast": False}})
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


@pytest.mark.slow
@ensureDeferred
async def test_damage_is_audited_and_repaired_and_a_node_is_drained(processes: Processes) -> None:
    """An audit finds what rots, and a repair makes good what is missing; a drained node may go.

    Where something is, is said of a key and of a URL, as the nodes say it themselves.
    """
    processes.start(MASTER, "index-1", *NODES)
    depositor = Depositor(processes)
    await depositor.ready(3)
    depositing = Deferred.fromCoroutine(depositor.deposit_on())
    await depositor.told_at_least(100)
    depositor.stopping = True
    await depositing

    def files() -> list[Path]:
        return sorted((processes.directory / "storage-1" / "contents").glob("??/??/*"))

    await until(lambda: bool(files()), "a file of a content")
    rotten = files()[0]
    rotten.write_bytes(b"rotten")
    audit = await deferToThread(processes.command, "audit", "storage-1")
    assert audit.returncode == 1 and "1 damaged file found" in audit.stdout, audit
    assert (await deferToThread(processes.command, "audit")).returncode == 0, "found twice"

    repair = await deferToThread(processes.command, "repair")
    assert repair.returncode == 0, repair
    capture = next(each for each in depositor.told if each.content == rotten.name)
    holders = await _holders(processes, rotten.name)
    assert len(holders) == 2
    for words in ([rotten.name], [capture.url, "--date", capture.date]):
        where = await deferToThread(processes.command, "where", *words)
        assert where.returncode == 0, where
        assert f"content    {rotten.name}  {', '.join(holders)}\n" in where.stdout
    where = await deferToThread(processes.command, "where", "0" * 64)
    assert (where.returncode, where.stdout) == (1, "No node holds it.\n"), where

    drain = await deferToThread(processes.command, "drain", "storage-1")
    assert drain.returncode == 0 and "storage-1 may go" in drain.stdout, drain
    processes.kill("storage-1")
    assert depositor.check("storage-2", "storage-3") == ""


async def _holders(processes: Processes, key: str) -> list[str]:
    """Return the nodes that give a content."""
    found = []
    for number, node in enumerate(NODES, start=1):
        url = f"http://127.0.0.1:{processes.base + 10 + number}/contents/{key}"
        response = await processes.client.request("HEAD", url)
        await response.read(0)
        found += [node] if response.head.status == 200 else []
    return found


@pytest.mark.slow
@ensureDeferred
async def test_a_second_master_is_refused(processes: Processes) -> None:
    """On the folder of one that runs another ends at once, and says why; the first goes on."""
    processes.start(MASTER)
    await processes.listens(2)
    first = processes.children.pop(MASTER)
    processes.start(MASTER)
    await until(lambda: processes.children[MASTER].poll() is not None, "the second to end")
    assert processes.children[MASTER].returncode == 1
    assert first.poll() is None
    assert "one storage master" in (processes.directory / f"{MASTER}.log").read_text()
    processes.children[MASTER] = first
