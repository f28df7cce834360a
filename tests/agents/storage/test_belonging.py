"""Agents on machines of their own need the archive's secret, and are told so."""

from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.configuration import load, secret
from agents.storage.belonging import Belonging, mark_of
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.service import IndexNode
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.pages import _warnings
from agents.storage.master.service import StorageMaster
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from anet.tasks import sleep
from hip import CallRefused

ANY = "127.0.0.1:0"


def test_a_mark_tells_secrets_apart_and_nothing_else() -> None:
    """Whoever has another is refused and remembered, until it comes with the right one."""
    belonging = Belonging("word", Path("/archive/secret"))
    assert "word" not in mark_of("word") and mark_of("word") != mark_of("other")
    with pytest.raises(CallRefused, match="copy /archive/secret"):
        belonging.check("storage-1", mark_of("other"))
    assert list(belonging.strangers) == ["storage-1"]
    belonging.check("storage-1", mark_of("word"))
    assert belonging.strangers == {}
    for number in range(1000):
        with pytest.raises(CallRefused):
            belonging.check(f"storage-{number}", mark_of("other"))
    assert len(belonging.strangers) <= 100


@ensureDeferred
async def test_agents_without_the_secret_are_refused_and_seen(tmp_path: Path) -> None:
    """The master's page names each and says what to do; with the secret they are taken."""
    config = StorageMasterConfig(hip=ANY, pages=ANY, scheduler="127.0.0.1:9")
    here = load(directory=tmp_path / "here", base_port=60000)
    master = StorageMaster(reactor, here, config, "storage-master")
    running = [master]
    master.startService()
    await _until(lambda: master.opened)

    async def start() -> None:
        there = load(directory=tmp_path / "there", base_port=60000)
        address = master.listener.address
        node = StorageNode(
            reactor,
            there,
            StorageNodeConfig(storage_master=address, reserve=0, multicast=False),
            "storage-1",
            [tmp_path / "disk"],
            ANY,
        )
        index = IndexNode(
            reactor, there, IndexNodeConfig(hip=ANY, pages=ANY, storage_master=address), "index-1"
        )
        for service in (node, index):
            service.startService()
            running.append(service)

    await start()
    await _until(lambda: set(master.belonging.strangers) == {"storage-1", "index-1"})
    assert not master.registry.up and not master.registry.index_nodes
    words = [note.text for note in _warnings(master)]
    assert sum("copy" in each and "secret" in each for each in words) == 2
    for service in (running.pop(), running.pop()):
        await service.stopService()
    (tmp_path / "there" / "secret").write_text(secret(tmp_path / "here"))
    await start()
    await _until(lambda: bool(master.registry.up and master.registry.index_nodes))
    assert master.belonging.strangers == {}
    for service in reversed(running):
        await service.stopService()


async def _until(condition) -> None:
    deadline = reactor.seconds() + 60
    while not condition():
        assert reactor.seconds() < deadline, "waited too long"
        await sleep(reactor, 0.02)
