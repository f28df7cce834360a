"""A node whose configuration names another store copies all it holds there, by itself."""

from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.capture import content_key, structure_key
from agents.storage.node.config import StorageNodeConfig
from agents.storage.stores.cluster import ClusterStore
from agents.storage.stores.places import store_at
from anet.tasks import sleep
from anet.workers import Workers

URL = "http://a.example/"


@pytest.mark.parametrize("kind", ["folder", "s3"])
@ensureDeferred
async def test_what_is_deposited_is_in_the_mirror(
    kind: str,
    request: pytest.FixtureRequest,
    agents: Any,
    threads: Workers,
    make_capture: Any,
    tmp_path: Path,
) -> None:
    """What nodes take is in the store that they mirror to, soon after."""
    address = str(tmp_path / "mirror")
    if kind == "s3":
        address = request.getfixturevalue("seaweed").address("archives", f"of/{tmp_path.name}")
    configuration = await agents.start(mirror=address, mirror_every=0.2)
    if kind == "folder":  # which one node can write at a time
        await agents.stop(agents.nodes[1])
    store = ClusterStore(reactor, configuration, threads)
    await store.open(writing=True)
    await store.put(content_key(b"body"), b"body")
    await store.append([make_capture(URL, 1, b"body")])
    await store.close()
    mirroring = agents.nodes[0].mirroring
    deadline = reactor.seconds() + 20
    while not (mirroring.figures.structures_known and mirroring.runs):
        assert reactor.seconds() < deadline, mirroring.problem
        await sleep(reactor, 0.05)
    await agents.stop_all()
    mirror = store_at(reactor, address, threads, lambda _: configuration)
    await mirror.open()
    assert await mirror.fetch(content_key(b"body"), tmp_path) == b"body"
    [captures] = [page async for page in mirror.captures(structure_key(URL))]
    assert captures == [make_capture(URL, 1, b"body")]
    await mirror.close()


@pytest.mark.parametrize("text", ["", "s3://", "s3://key:secret@b/", "ftp://x/", "one,two"])
def test_a_mirror_that_is_none_is_refused(text: str) -> None:
    """A configuration that names no store is refused when it is read."""
    with pytest.raises(ValueError, match="a folder or s3://"):
        StorageNodeConfig(mirror=text)
