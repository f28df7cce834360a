"""Real processes with their contents in a real bucket: killed, and as a whole archive."""

import json
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.configuration import load
from agents.storage.disk.lines import SIZE
from agents.storage.stores.bucket import Bucket
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.places import store_at
from agents.storage.stores.verifying import Verifying
from tests.agents.storage.test_kill import NodeProcess
from tests.test_documentation import free_ports

PATIENCE = 120.0  # seconds


def into(node: NodeProcess, address: str, folder: Path) -> None:
    """Have a node with a disk in a folder keep its contents in a bucket."""
    config = node.directory / "config.yaml"
    more = f"contents: '{address}', folder: '{folder}', reserve"
    config.write_text(config.read_text().replace("reserve", more))


def wait_until(condition: Any) -> None:
    """Wait until another process has done something."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came so"
        time.sleep(0.02)


def listed(objects: Bucket) -> dict[str, int]:
    """Return the contents that a bucket has, and their sizes."""
    return {name.rpartition("/")[2]: size for name, size in objects.names("contents", "", 1000)}


@pytest.mark.slow
def test_a_node_that_is_killed_on_the_way_to_its_bucket(seaweed: Any, tmp_path: Path) -> None:
    """Killed with contents in its journal, or half in the bucket, it gives all and ships all."""
    node = NodeProcess(tmp_path)
    address = seaweed.address("archives", f"of/{tmp_path.name}")
    into(node, address, tmp_path / "storage-1")
    bodies: dict[str, bytes] = {}
    node.start()
    name = (tmp_path / "storage-1" / "disk").read_text().strip()
    where = seaweed.address("archives", f"of/{tmp_path.name}/{name}")
    objects = Bucket(BucketAddress.parse(where))
    for round_ in range(2):
        for number in range(30):
            size = 30_000 if number % 10 == 0 else 500  # the larger go through a file
            body = f"{round_} {number} ".encode() * (size // 5)
            key = sha256(body).hexdigest()
            status, words = node.ask("PUT", f"/contents/{key}", body)
            assert status == 201, words
            bodies[key] = body
        if round_ == 1:
            wait_until(lambda: len(listed(objects)) > 35)
        node.end(signal.SIGKILL)
        journal = sum(each.stat().st_size for each in (tmp_path / "storage-1/journal").iterdir())
        assert journal or round_ == 1
        node.start()
    try:
        for key, body in bodies.items():
            assert node.ask("GET", f"/contents/{key}") == (200, body)
        wait_until(lambda: not list((tmp_path / "storage-1" / "contents").glob("*/*/*")))
        wait_until(lambda: len(listed(objects)) == len(bodies))
        assert listed(objects) == {key: len(body) for key, body in bodies.items()}
        for key, body in bodies.items():
            assert node.ask("GET", f"/contents/{key}") == (200, body)
    finally:
        node.end(signal.SIGTERM)
    objects.close()


@pytest.mark.slow
@ensureDeferred
async def test_a_whole_archive_lives_in_a_bucket(
    seaweed: Any, tmp_path: Path, threads: Any
) -> None:
    """A crawl of the demonstration site, with one replica, is in the bucket whole and sound."""
    address = seaweed.address("archives", f"of/{tmp_path.name}")
    (tmp_path / "tree.yaml").write_text(
        f"directory: archive\nbase_port: {free_ports(100)}\n"
        "archive: {storage_nodes: 1}\nstorage-master: {replicas: 1}\n"
        f"storage-node: {{contents: '{address}', reserve: 0}}\n"
    )
    done = subprocess.run(
        [Path(sys.prefix) / "bin" / "dlweb", "run", "--once", "--config", "tree.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "stored 59 new contents" in done.stdout
    folder = tmp_path / "archive" / "storage-1"
    (tmp_path / "node").mkdir()
    node = NodeProcess(tmp_path / "node")
    into(node, address, folder)
    node.start()
    try:
        wait_until(lambda: not list((folder / "contents").glob("*/*/*")))
        wait_until(lambda: not json.loads(node.ask("GET", "/status")[1])["waiting"])
    finally:
        node.end(signal.SIGTERM)
    lines = [path.stat().st_size // SIZE for path in folder.glob("structures/*/*/*.captures")]
    name = (folder / "disk").read_text().strip()
    prefix = f"of/{tmp_path.name}/{name}"
    store = store_at(reactor, seaweed.address("archives", prefix), threads, load)
    await store.open()
    found = await Verifying([store], store, tmp_path).run()
    await store.close()
    assert not found.problems
    assert (found.contents, found.structures, found.captures) == (59, len(lines), sum(lines))
